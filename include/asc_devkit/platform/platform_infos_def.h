// Figures of the simulated chip in groups, under the names of CANN's library `platform`, for asc-devkit's
// PlatformAscendC.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ptosim/device.h"

// Hosts of operators use these names without std.
using std::map;
using std::string;
using std::vector;

namespace fe {

// In the order of platform_ascendc::CoreMemType.
enum class LocalMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };

class PlatFormInfos {
 public:
    bool Init() { return true; }

    bool GetPlatformResWithLock(const std::string& group, const std::string& key, std::string& value) {
        const std::lock_guard<std::mutex> lock(mutex());
        const auto given = given_.find(group);
        if (given != given_.end() && given->second.count(key) != 0) {
            value = given->second.at(key);
            return true;
        }
        const char* figure = ptosim_chip_figure(group.c_str(), key.c_str());
        if (figure != nullptr) value = figure;
        return figure != nullptr;
    }
    bool GetPlatformRes(const std::string& group, const std::string& key, std::string& value) {
        return GetPlatformResWithLock(group, key, value);
    }
    void SetPlatformResWithLock(const std::string& group, std::map<std::string, std::string>& values) {
        const std::lock_guard<std::mutex> lock(mutex());
        for (const auto& [key, value] : values) given_[group][key] = value;
    }
    void SetPlatformRes(const std::string& group, std::map<std::string, std::string>& values) {
        SetPlatformResWithLock(group, values);
    }

    // "AiCore", "VectorCore": which cores GetCoreNum counts.
    void SetCoreNumByCoreType(const std::string& type) {
        cores_ = figure("SoCInfo", type == "VectorCore" ? "vector_core_cnt" : "ai_core_cnt");
        if (type == "VectorCore" && cores_ != 0) cores_ = figure("SoCInfo", "ai_core_cnt");
    }
    void SetCoreNum(const uint32_t& count) { cores_ = count; }
    uint32_t GetCoreNum() {
        return static_cast<uint32_t>(cores_ != 0 ? cores_ : figure("SoCInfo", "ai_core_cnt"));
    }

    void GetLocalMemSize(const LocalMemType& memory, uint64_t& size) {
        static const char* const kGroups[] = {"AICoreSpec", "AICoreSpec", "AICoreSpec", "AICoreSpec",
                                              "SoCInfo",    "AICoreSpec", "SoCInfo"};
        static const char* const kKeys[] = {"l0_a_size", "l0_b_size", "l0_c_size",  "l1_size",
                                            "l2_size",   "ub_size",   "memory_size"};
        const auto which = static_cast<unsigned>(memory);
        size = memory < LocalMemType::RESERVED ? figure(kGroups[which], kKeys[which]) : 0;
    }
    // Bytes a cycle between a core and the memory.
    void GetLocalMemBw(const LocalMemType& memory, uint64_t& rate) {
        rate = memory == LocalMemType::L2    ? figure("AICoreMemoryRates", "l2_rate")
               : memory == LocalMemType::HBM ? figure("AICoreMemoryRates", "ddr_rate")
                                             : 0;
    }

 private:
    static std::mutex& mutex() {
        static std::mutex mutex;
        return mutex;
    }
    uint64_t figure(const char* group, const char* key) {
        std::string text;
        return GetPlatformResWithLock(group, key, text) ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    }

    std::map<std::string, std::map<std::string, std::string>> given_;  // by group and key
    uint64_t cores_ = 0;                                               // 0: as the chip has
};

class OptionalInfos {
 public:
    bool Init() { return true; }
    void SetSocVersion(const std::string& name) { soc_ = name; }
    std::string GetSocVersion() const { return soc_; }
    std::map<std::string, std::vector<std::string>> GetFixPipeDtypeMap() const { return {}; }

 private:
    std::string soc_;
};

}  // namespace fe
