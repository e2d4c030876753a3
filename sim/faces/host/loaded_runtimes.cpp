// Functions that runtimes, such as an installed PyPTO of CANN, resolve when they are loaded. Reports of operators
// name launches of torch_npu.profiler; those to other profilers, and dumps, are dropped.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "acl/acl.h"
#include "ptosim/device.h"
#include "ptosim/kernel_abi.h"
#include "runtime/rt.h"
#include "sim/faces/host/acl_device.h"
#include "sim/files/json.h"
#include "sim/session/result.h"

namespace {

using ptosim::AclDevice;
using ptosim::Json;

// Cores that kernels of a stream, or of the device, may use, by type: programs read the limit to choose their number of
// blocks.
enum CoreLimit : int32_t { kCubeCores, kVectorCores };
struct CoreLimits {
    std::map<std::pair<void*, int32_t>, uint32_t> of_streams;
    std::map<int32_t, uint32_t> of_device;
};
CoreLimits& core_limits() {
    static CoreLimits& limits = *new CoreLimits;
    return limits;
}
// The number of cores of the chip; 0 for another type.
uint32_t core_count(int32_t type) {
    int64_t cores = 0;
    if (type != kCubeCores && type != kVectorCores) return 0;
    aclrtGetDeviceInfo(0, type == kCubeCores ? ACL_DEV_ATTR_CUBE_CORE_NUM : ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    return static_cast<uint32_t>(cores);
}
// Stores a limit by work(limits, value); a larger value than the chip's number is that number.
template <class F>
aclError set_limit(int32_t type, uint32_t value, F&& work) {
    const uint32_t cores = core_count(type);
    if (cores == 0 || value == 0) return ACL_ERROR_RT_PARAM_INVALID;
    const std::lock_guard lock(AclDevice::get().mutex());
    work(core_limits(), std::min(value, cores));
    return ACL_SUCCESS;
}

// MsprofCompactInfo with MsprofNodeBasicInfo of CANN's prof_common.h, up to the last field that is read.
#pragma pack(push, 1)
struct OperatorReport {
    uint16_t magic, level;
    uint32_t type, thread, bytes;
    uint64_t time;
    uint64_t operator_name;
    uint32_t task_type;
    uint64_t operator_type;
};
#pragma pack(pop)

}  // namespace

// ---- profilers ------------------------------------------------------------------------------

PTOSIM_ABI int32_t MsprofRegisterCallback(uint32_t, void* function) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    device.profile().add_switch(reinterpret_cast<ptosim::LaunchProfile::Switch>(function));
    return 0;
}
PTOSIM_ABI int32_t MsprofReportApi(uint32_t, const void*) { return 0; }
PTOSIM_ABI int32_t MsprofReportCompactInfo(uint32_t, const void* data, uint32_t bytes) {
    if (data == nullptr || bytes < sizeof(OperatorReport)) return 0;
    OperatorReport report;
    std::memcpy(&report, data, sizeof report);
    constexpr uint16_t kNodeLevel = 10000;
    constexpr uint32_t kAicpuTask = 1;
    if (report.level != kNodeLevel || report.type != 0 || report.task_type == kAicpuTask) return 0;
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    device.profile().name(report.operator_name, report.operator_type);
    return 0;
}
PTOSIM_ABI int32_t MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }
PTOSIM_ABI uint64_t MsprofGetHashId(const char* text, size_t length) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    return device.profile().hash({text, length});
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
PTOSIM_ABI aclError aclrtSetStreamResLimit(aclrtStream stream, int32_t type, uint32_t value) {
    return set_limit(type, value,
                     [&](CoreLimits& limits, uint32_t cores) { limits.of_streams[{stream, type}] = cores; });
}
PTOSIM_ABI aclError aclrtSetDeviceResLimit(int32_t, int32_t type, uint32_t value) {
    return set_limit(type, value, [&](CoreLimits& limits, uint32_t cores) { limits.of_device[type] = cores; });
}
PTOSIM_ABI aclError aclrtResetStreamResLimit(aclrtStream stream) {
    const std::lock_guard lock(AclDevice::get().mutex());
    for (const int32_t type : {kCubeCores, kVectorCores}) core_limits().of_streams.erase({stream, type});
    return ACL_SUCCESS;
}
PTOSIM_ABI aclError aclrtResetDeviceResLimit(int32_t) {
    const std::lock_guard lock(AclDevice::get().mutex());
    core_limits().of_device.clear();
    return ACL_SUCCESS;
}
PTOSIM_ABI aclError aclrtGetDeviceResLimit(int32_t, int32_t type, uint32_t* value) {
    const uint32_t cores = core_count(type);
    if (value == nullptr || cores == 0) return ACL_ERROR_RT_PARAM_INVALID;
    const std::lock_guard lock(AclDevice::get().mutex());
    const auto found = core_limits().of_device.find(type);
    *value = found == core_limits().of_device.end() ? cores : found->second;
    return ACL_SUCCESS;
}
// The stream's own limit, if it has one.
PTOSIM_ABI aclError aclrtGetStreamResLimit(aclrtStream stream, int32_t type, uint32_t* value) {
    const aclError error = aclrtGetDeviceResLimit(0, type, value);
    if (error != ACL_SUCCESS) return error;
    const std::lock_guard lock(AclDevice::get().mutex());
    const auto found = core_limits().of_streams.find({stream, type});
    if (found != core_limits().of_streams.end()) *value = found->second;
    return ACL_SUCCESS;
}
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
PTOSIM_ABI rtError_t rtMemcpyAsync(void* to, uint64_t room, const void* from, uint64_t count, rtMemcpyKind_t kind,
                                   rtStream_t stream) {
    return aclrtMemcpyAsync(to, room, from, count, static_cast<aclrtMemcpyKind>(kind), stream);
}
// Attributes of streams (aclrtStreamAttr): the failure mode, the check for overflow, a tag, and the cache of operators.
// All are off, because no call sets them.
PTOSIM_ABI aclError aclrtGetStreamAttribute(aclrtStream, uint32_t attribute, uint32_t* value) {
    constexpr uint32_t kFirst = 1, kLast = 4, kWords = 4;
    if (value == nullptr || attribute < kFirst || attribute > kLast) return ACL_ERROR_RT_PARAM_INVALID;
    std::fill_n(value, kWords, 0U);
    return ACL_SUCCESS;
}
// Profiles take the name of a kernel from its launch: the cache of operators is off.
PTOSIM_ABI aclError aclrtCacheLastTaskOpInfo(const void* information, size_t size) {
    return information == nullptr || size == 0 ? ACL_ERROR_RT_PARAM_INVALID : ACL_SUCCESS;
}
// Error registers of cores: none, because a launch that fails has a diagnostic.
PTOSIM_ABI rtError_t rtGetExceptionRegInfo(const void*, void** registers, uint32_t* cores) {
    if (registers == nullptr || cores == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *registers = nullptr;
    *cores = 0;
    return ACL_SUCCESS;
}
// Versions of installed packages: there is no driver, and no package of CANN.
PTOSIM_ABI aclError aclsysGetVersionStr(const char*, char*) { return ACL_ERROR_RT_PARAM_INVALID; }
PTOSIM_ABI aclError aclsysGetVersionNum(char*, int32_t*) { return ACL_ERROR_RT_PARAM_INVALID; }

// ---- torch_npu.profiler -------------------------------------------------------------------------

// Begins (1) or ends (0) a profile.
PTOSIM_ABI void ptosim_profile(int on) {
    AclDevice& device = AclDevice::get();
    {
        const std::lock_guard lock(device.mutex());
        device.run_pending();
    }
    if (on != 0)
        device.profile().start();
    else
        device.profile().stop();
}
// The launches since the profile began, or the call before, as a JSON list. Valid until the next call.
PTOSIM_ABI const char* ptosim_profiled_launches() {
    static std::string& text = *new std::string;
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    device.run_pending();
    const auto clock = static_cast<uint64_t>(device.model().clock);
    Json list = Json::array();
    for (const ptosim::LaunchProfile::Launch& launch : device.profile().take())
        list.push_back({{"name", launch.name},
                        {"type", launch.type},
                        {"cores", launch.cores},
                        {"blocks", launch.blocks},
                        {"stream", launch.stream},
                        {"begin_us", ptosim::microseconds(launch.begin, clock)},
                        {"time_us", ptosim::microseconds(launch.end - launch.begin, clock)}});
    text = ptosim::dump_json(list);
    return text.c_str();
}
