// Functions that runtimes, such as an installed PyPTO of CANN, resolve when they are loaded. Reports to profilers and
// dumps are dropped, because neither exists here.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "acl/acl.h"
#include "ptosim/device.h"
#include "ptosim/kernel_abi.h"
#include "runtime/rt.h"
#include "sim/host/acl_device.h"
#include "sim/host/host_error.h"

namespace {

using ptosim::AclDevice;

int refuse(const char* function, const char* what) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    device.report(ptosim::host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, std::string(function) + ": " + what,
                                     "kernels that run here are compiled by the toolkit's bisheng and launched with <<<>>>")
                      .diagnostic);
    return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}


}  // namespace

// ---- profilers ------------------------------------------------------------------------------

PTOSIM_ABI int32_t MsprofRegisterCallback(uint32_t, void*) { return 0; }
PTOSIM_ABI int32_t MsprofReportApi(uint32_t, const void*) { return 0; }
PTOSIM_ABI int32_t MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
PTOSIM_ABI int32_t MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }
PTOSIM_ABI uint64_t MsprofGetHashId(const char* text, size_t length) {
    return std::hash<std::string_view>{}({text, length});
}
PTOSIM_ABI uint64_t MsprofSysCycleTime() {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
PTOSIM_ABI int dlog_getlevel(int, int* events) {
    constexpr int kError = 3;
    if (events != nullptr) *events = 0;
    return kError;
}

// ---- device and streams -----------------------------------------------------------------------

PTOSIM_ABI aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return aclrtCreateEventWithFlag(event, flag);
}
PTOSIM_ABI aclError aclrtSetExceptionInfoCallback(void*) { return ACL_SUCCESS; }
// Numbers of cores: a stream may use the whole chip.
PTOSIM_ABI aclError aclrtGetStreamResLimit(aclrtStream, int32_t type, uint32_t* value) {
    constexpr int32_t kCubeCores = 0, kVectorCores = 1;
    if (value == nullptr || (type != kCubeCores && type != kVectorCores)) return ACL_ERROR_RT_PARAM_INVALID;
    int64_t cores = 0;
    const aclError error = aclrtGetDeviceInfo(
        0, type == kCubeCores ? ACL_DEV_ATTR_CUBE_CORE_NUM : ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    *value = static_cast<uint32_t>(cores);
    return error;
}
// Streams are never captured.
PTOSIM_ABI aclError aclmdlRICaptureGetInfo(aclrtStream, int32_t* status, void** model) {
    if (status != nullptr) *status = 0;
    if (model != nullptr) *model = nullptr;
    return ACL_SUCCESS;
}
PTOSIM_ABI aclError aclmdlRICaptureThreadExchangeMode(int32_t*) { return ACL_SUCCESS; }
PTOSIM_ABI rtError_t rtGetDevice(int32_t* device) { return aclrtGetDevice(device); }
PTOSIM_ABI rtError_t rtGetLogicDevIdByUserDevId(int32_t user, int32_t* logic) {
    if (logic == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *logic = user;
    return ACL_SUCCESS;
}
PTOSIM_ABI rtError_t rtGetL2CacheOffset(uint32_t, uint64_t* offset) {
    if (offset == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *offset = 0;
    return ACL_SUCCESS;
}
// A figure of the chip by the names in the vendor's platform files, e.g. AICoreSpec and ub_size.
PTOSIM_ABI rtError_t rtGetSocSpec(const char* group, const char* key, char* value, uint32_t room) {
    if (group == nullptr || key == nullptr || value == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    const char* const figure = ptosim_chip_figure(group, key);
    if (figure == nullptr || std::strlen(figure) >= room) return ACL_ERROR_RT_PARAM_INVALID;
    std::strcpy(value, figure);
    return ACL_SUCCESS;
}
PTOSIM_ABI rtError_t rtGetAiCpuCount(uint32_t* count) {
    const char* const figure = ptosim_chip_figure("SoCInfo", "ai_cpu_cnt");
    if (count == nullptr || figure == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *count = static_cast<uint32_t>(std::atoi(figure));
    return ACL_SUCCESS;
}
PTOSIM_ABI rtError_t rtMemset(void* memory, uint64_t room, uint32_t value, uint64_t count) {
    return aclrtMemset(memory, room, static_cast<int32_t>(value), count);
}
PTOSIM_ABI rtError_t rtStreamAddToModel(rtStream_t, void*) {
    return refuse("rtStreamAddToModel", "models made of streams are not simulated");
}
