// Chip figures for host functions, under the names of Ascend C's library `platform`.
#pragma once

#include <acl/acl.h>

namespace platform_ascendc {

class PlatformAscendC {
 public:
    uint32_t GetCoreNumAic() const { return attribute(ACL_DEV_ATTR_CUBE_CORE_NUM); }
    uint32_t GetCoreNumAiv() const { return attribute(ACL_DEV_ATTR_VECTOR_CORE_NUM); }
    uint32_t GetCoreNum() const { return GetCoreNumAic(); }
    // Workspace that the device's library keeps for its functions: hosts add it to their kernels' needs. Nothing here
    // uses it.
    uint32_t GetLibApiWorkSpaceSize() const { return 16 << 20; }

 private:
    static uint32_t attribute(aclrtDevAttr which) {
        int64_t value = 0;
        aclrtGetDeviceInfo(0, which, &value);
        return static_cast<uint32_t>(value);
    }
};

class PlatformAscendCManager {
 public:
    static PlatformAscendC* GetInstance() {
        static PlatformAscendC platform;
        return &platform;
    }
};

}  // namespace platform_ascendc
