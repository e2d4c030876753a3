// The manager of CANN's library `platform`: there is one chip, the simulated one.
#pragma once

#include "platform/platform_infos_def.h"

namespace fe {

// Tests of hosts set these; only passes over graphs, which do not run, read them.
struct PlatformInfo {
    std::map<std::string, std::vector<std::string>> ai_core_intrinsic_dtype_map;
    struct {
        uint32_t ai_core_cnt = 0;
    } soc_info;
    struct {
        std::string short_soc_version;
    } str_info;
};
struct OptionalInfo {
    std::string soc_version;
    std::string core_type;
    uint32_t ai_core_num = 0;
};

class PlatformInfoManager {
 public:
    static PlatformInfoManager& Instance() {
        static PlatformInfoManager manager;
        return manager;
    }
    static PlatformInfoManager& GeInstance() { return Instance(); }
    void SetOptionalCompilationInfo(OptionalInfo&) {}
    void SetOptionalCompilationInfo(OptionalInfos&) {}
    uint32_t InitRuntimePlatformInfos(const std::string&) { return 0; }
    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t GetRuntimePlatformInfosByDevice(const uint32_t&, PlatFormInfos&, bool = false) { return 0; }
    uint32_t GetPlatformInfos(const std::string&, PlatFormInfos&, OptionalInfos&) { return 0; }
    uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos&, OptionalInfos&) { return 0; }
    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo&, OptionalInfo&) { return 0; }

    std::map<std::string, PlatformInfo> platform_info_map_;
};

}  // namespace fe
