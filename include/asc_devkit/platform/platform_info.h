// The manager of CANN's library `platform`: there is one chip, the simulated one.
#pragma once

#include "platform/platform_infos_def.h"

namespace fe {

class PlatformInfoManager {
 public:
    static PlatformInfoManager& Instance() {
        static PlatformInfoManager manager;
        return manager;
    }
    uint32_t InitRuntimePlatformInfos(const std::string&) { return 0; }
    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t GetRuntimePlatformInfosByDevice(const uint32_t&, PlatFormInfos&, bool = false) { return 0; }
    uint32_t GetPlatformInfos(const std::string&, PlatFormInfos&, OptionalInfos&) { return 0; }
};

}  // namespace fe
