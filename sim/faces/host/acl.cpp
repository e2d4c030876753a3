// The acl and rt calls: check arguments, call the device, and turn errors into codes.
#include "acl/acl.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "asc_devkit/dlog_pub.h"
#include "isa/numeric/convert.h"
#include "ptosim/device.h"
#include "runtime/rt.h"
#include "sim/faces/host/acl_call.h"
#include "sim/faces/host/acl_devices.h"
#include "sim/faces/host/host_error.h"
#include "sim/machine/model/platform_figures.h"

namespace {

using ptosim::AclDevice;
using ptosim::AclDevices;
using ptosim::call;
using ptosim::HostError;
using ptosim::quick_call;

bool initialised = false;
// A context represents its device: one for each number.
char contexts[ptosim::MeetingPages::kMostRanks];

HostError bad(std::string what, int code = ACL_ERROR_RT_PARAM_INVALID) {
    return ptosim::host_error(code, std::move(what));
}

int32_t device_of_context(aclrtContext context) {
    const auto* const found = static_cast<const char*>(context);
    if (found < contexts || found >= contexts + sizeof contexts) throw bad("not a context", ACL_ERROR_RT_CONTEXT_NULL);
    return static_cast<int32_t>(found - contexts);
}

template <class T>
void check_result(T* result, const char* name) {
    if (result == nullptr) throw bad(std::string(name) + ": the pointer for its result is null");
}

constexpr uint64_t kDeviceMemory = uint64_t{64} << 30;

int64_t attribute(const AclDevice& device, aclrtDevAttr attr) {
    const ptosim::ChipModel& chip = device.model();
    const auto clusters = static_cast<int64_t>(chip.clusters);
    switch (attr) {
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
        case ACL_DEV_ATTR_CUBE_CORE_NUM:
            return clusters;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            return clusters * static_cast<int64_t>(chip.cluster.aivs);
        case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
            return static_cast<int64_t>(chip.buffer_bytes[static_cast<size_t>(ptosim::Space::kUB)]);
        case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
            return static_cast<int64_t>(kDeviceMemory);
        case ACL_DEV_ATTR_L2_CACHE_SIZE:
            return static_cast<int64_t>(chip.memory.l2.bytes);
        case ACL_DEV_ATTR_PHY_CHIP_ID:
        case ACL_DEV_ATTR_IS_VIRTUAL:
            return 0;
        default:
            throw bad("aclrtGetDeviceInfo: attribute " + std::to_string(static_cast<int>(attr)) +
                          " is not one that the simulated chip has",
                      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    }
}

}  // namespace

// ---- process and device -------------------------------------------------------------------

aclError aclInit(const char*) {
    // As on the device, a second aclInit is refused but harmless. Hosts of test suites rely on aclFinalize between the
    // two.
    if (initialised) return ACL_ERROR_REPEAT_INITIALIZE;
    initialised = true;
    return ACL_SUCCESS;
}

aclError aclFinalize(void) {
    if (!initialised) return ACL_ERROR_UNINITIALIZE;
    initialised = false;
    return call([](AclDevice& device) { device.report_leaks(); });
}

const char* aclGetRecentErrMsg(void) { return AclDevice::get().recent_message(); }

aclError aclrtSetDevice(int32_t deviceId) {
    return quick_call([&](AclDevice&) { AclDevices::get().set_current(deviceId, "aclrtSetDevice"); });
}
aclError aclrtResetDevice(int32_t deviceId) {
    return call([&](AclDevice&) { AclDevices::get().require(deviceId, "aclrtResetDevice"); });
}
aclError aclrtResetDeviceForce(int32_t deviceId) { return aclrtResetDevice(deviceId); }
aclError aclrtGetLastError(aclrtLastErrLevel level) {
    const int code = aclrtPeekAtLastError(level);
    ptosim::last_acl_error() = ACL_SUCCESS;
    return code;
}
aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return ptosim::last_acl_error(); }
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
    return quick_call([&](AclDevice& device) {
        AclDevices::get().require(static_cast<int32_t>(deviceId), "aclrtGetDeviceInfo");
        check_result(value, "aclrtGetDeviceInfo");
        *value = attribute(device, attr);
    });
}
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    constexpr aclrtDevAttr kSame[] = {ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
                                      ACL_DEV_ATTR_L2_CACHE_SIZE};
    const auto at = static_cast<size_t>(deviceInfo);
    return aclrtGetDeviceInfo(
        deviceId, at < std::size(kSame) ? kSame[at] : static_cast<aclrtDevAttr>(-1), value);
}
aclError aclrtGetDevice(int32_t* deviceId) {
    return quick_call([&](AclDevice&) {
        check_result(deviceId, "aclrtGetDevice");
        *deviceId = AclDevices::get().current_number();
    });
}
aclError aclrtGetDeviceCount(uint32_t* count) {
    return quick_call([&](AclDevice&) {
        check_result(count, "aclrtGetDeviceCount");
        *count = AclDevices::get().count();
    });
}
aclError aclrtSynchronizeDevice(void) {
    int code = 0;
    const int error = call([&](AclDevice& device) {
        device.captures().require_safe("aclrtSynchronizeDevice");
        code = device.streams().synchronize_all();
    });
    return error != 0 ? error : code;
}
aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }
aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    return quick_call([&](AclDevice&) {
        check_result(runMode, "aclrtGetRunMode");
        *runMode = ACL_HOST;
    });
}
namespace {
int64_t& system_option(aclSysParamOpt opt, const char* call) {
    static int64_t values[3] = {};
    if (opt < 0 || opt > ACL_OPT_STRONG_CONSISTENCY)
        throw ptosim::host_error(ACL_ERROR_INVALID_PARAM,
                                 std::string(call) + ": unknown option " + std::to_string(opt),
                                 "options are ACL_OPT_DETERMINISTIC to ACL_OPT_STRONG_CONSISTENCY");
    return values[opt];
}
}  // namespace
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return quick_call([&](AclDevice&) { system_option(opt, "aclrtSetSysParamOpt") = value; });
}
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return quick_call([&](AclDevice&) {
        check_result(value, "aclrtGetSysParamOpt");
        *value = system_option(opt, "aclrtGetSysParamOpt");
    });
}
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return aclrtSetSysParamOpt(opt, value);
}
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return aclrtGetSysParamOpt(opt, value);
}
const char* aclrtGetSocName(void) { return AclDevice::get().model().name.c_str(); }
aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    return call([&](AclDevice&) {
        check_result(context, "aclrtCreateContext");
        AclDevices::get().set_current(deviceId, "aclrtCreateContext");
        *context = contexts + deviceId;
    });
}
aclError aclrtDestroyContext(aclrtContext context) {
    return call([&](AclDevice&) { device_of_context(context); });
}
aclError aclrtSetCurrentContext(aclrtContext context) {
    return quick_call([&](AclDevice&) {
        AclDevices::get().set_current(device_of_context(context), "aclrtSetCurrentContext");
    });
}
aclError aclrtGetCurrentContext(aclrtContext* context) {
    return quick_call([&](AclDevice&) {
        check_result(context, "aclrtGetCurrentContext");
        *context = contexts + AclDevices::get().current_number();
    });
}
aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    return quick_call([&](AclDevice&) {
        check_result(canAccessPeer, "aclrtDeviceCanAccessPeer");
        *canAccessPeer = AclDevices::get().can_access(deviceId, peerDeviceId, "aclrtDeviceCanAccessPeer") ? 1 : 0;
    });
}
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t) {
    return quick_call([&](AclDevice&) {
        AclDevices::get().set_access(peerDeviceId, true, "aclrtDeviceEnablePeerAccess");
    });
}
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    return quick_call([&](AclDevice&) {
        AclDevices::get().set_access(peerDeviceId, false, "aclrtDeviceDisablePeerAccess");
    });
}

// ---- memory -------------------------------------------------------------------------------

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return quick_call([&](AclDevice& device) {
        check_result(devPtr, "aclrtMalloc");
        *devPtr = reinterpret_cast<void*>(device.memory().allocate(size));
    });
}
aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig*) {
    return aclrtMalloc(devPtr, size, policy);
}
aclError aclrtFree(void* devPtr) {
    return call([&](AclDevice& device) { device.memory().release(devPtr); });
}

// ---- reserved addresses

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp*, aclrtMemGranularityOptions,
                                          size_t* granularity) {
    return quick_call([&](AclDevice&) {
        check_result(granularity, "aclrtMemGetAllocationGranularity");
        *granularity = ptosim::ReservedMemory::kGranularity;
    });
}
aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t, void* expectPtr, uint64_t) {
    return call([&](AclDevice& device) {
        check_result(virPtr, "aclrtReserveMemAddress");
        if (expectPtr != nullptr)
            throw bad("aclrtReserveMemAddress: expectPtr is not null",
                      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        *virPtr = reinterpret_cast<void*>(device.reserved().reserve(device.memory(), size));
    });
}
aclError aclrtReleaseMemAddress(void* virPtr) {
    return call([&](AclDevice& device) {
        device.reserved().release(device.memory(), reinterpret_cast<uint64_t>(virPtr));
    });
}
aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t) {
    return quick_call([&](AclDevice& device) {
        check_result(handle, "aclrtMallocPhysical");
        if (prop != nullptr && prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
            throw bad("aclrtMallocPhysical: memory of the host", ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        *handle = reinterpret_cast<void*>(device.reserved().make(size));
    });
}
aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
    return call(
        [&](AclDevice& device) { device.reserved().free(reinterpret_cast<uint64_t>(handle)); });
}
aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t) {
    return call([&](AclDevice& device) {
        if (offset != 0) throw bad("aclrtMapMem: an offset", ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        device.reserved().map(device.memory(), reinterpret_cast<uint64_t>(virPtr), size,
                              reinterpret_cast<uint64_t>(handle));
    });
}
aclError aclrtUnmapMem(void* virPtr) {
    return call(
        [&](AclDevice& device) { device.reserved().unmap(reinterpret_cast<uint64_t>(virPtr)); });
}

// For programs that also name devices that there are not: selects the device if this process has it. Returns the number
// of devices that one process can use.
PTOSIM_ABI int ptosim_select_device(int number) {
    AclDevices& all = AclDevices::get();
    const auto count = all.may_be_several() ? static_cast<int>(all.count()) : 1;
    if (count > 1 && number >= 0 && number < count) aclrtSetDevice(number);
    return count;
}

// For allocators that keep freed memory: work that is submitted before ptosim_free_delayed may use it.
PTOSIM_ABI aclError ptosim_free_later(void* pointer) {
    return quick_call([&](AclDevice& device) { device.memory().release_later(pointer); });
}
PTOSIM_ABI aclError ptosim_free_delayed() {
    return quick_call([](AclDevice& device) {
        if (!device.memory().has_delayed()) return;
        device.run_pending();
        device.memory().release_delayed();
    });
}
aclError aclrtMallocHost(void** hostPtr, size_t size) {
    return quick_call([&](AclDevice& device) {
        check_result(hostPtr, "aclrtMallocHost");
        *hostPtr = device.memory().allocate_host(size);
    });
}
aclError aclrtFreeHost(void* hostPtr) {
    return call([&](AclDevice& device) { device.memory().release_host(hostPtr); });
}
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
    return call([&](AclDevice& device) {
        device.captures().require_safe("aclrtMemcpy");
        device.memory().copy(dst, destMax, src, count, kind);
        device.communicators().host_wrote(dst, count);
    });
}
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
    const auto again = [=](void* other) { return aclrtMemcpyAsync(dst, destMax, src, count, kind, other); };
    return call([&](AclDevice& device) {
        device.streams().stream(stream);
        if (device.captures().model_of(stream) != nullptr &&
            (device.memory().is_pageable(dst) || device.memory().is_pageable(src)))
            device.captures().require_safe("aclrtMemcpyAsync of host memory that aclrtMallocHost has not made");
        if (device.captures().take(stream, again)) return;
        device.memory().copy(dst, destMax, src, count, kind, stream);
        device.communicators().host_wrote(dst, count);
    });
}
// Rows of a rectangle by `copy`, until one fails.
template <class Copy>
static aclError copy_rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                          size_t height, const char* function, const Copy& copy) {
    if (width > dpitch || width > spitch)
        return call([&](AclDevice&) {
            throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID,
                                     std::string(function) + " of rows of " +
                                         std::to_string(width) + " bytes that begin " +
                                         std::to_string(dpitch) + " and " + std::to_string(spitch) +
                                         " bytes after one another",
                                     "give rows that do not overlap");
        });
    for (size_t row = 0; row < height; ++row)
        if (const aclError error = copy(static_cast<char*>(dst) + row * dpitch,
                                        static_cast<const char*>(src) + row * spitch);
            error != ACL_SUCCESS)
            return error;
    return ACL_SUCCESS;
}
aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
    return copy_rows(
        dst, dpitch, src, spitch, width, height, "aclrtMemcpy2d",
        [&](void* to, const void* from) { return aclrtMemcpy(to, width, from, width, kind); });
}
aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
    return copy_rows(dst, dpitch, src, spitch, width, height, "aclrtMemcpy2dAsync",
                     [&](void* to, const void* from) {
                         return aclrtMemcpyAsync(to, width, from, width, kind, stream);
                     });
}
aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return call([&](AclDevice& device) {
        device.captures().require_safe("aclrtMemset");
        device.memory().set(devPtr, maxCount, value, count);
        device.communicators().host_wrote(devPtr, count);
    });
}
aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
    const auto again = [=](void* other) { return aclrtMemsetAsync(devPtr, maxCount, value, count, other); };
    return call([&](AclDevice& device) {
        device.streams().stream(stream);
        if (device.captures().take(stream, again)) return;
        device.memory().set(devPtr, maxCount, value, count, stream);
        device.communicators().host_wrote(devPtr, count);
    });
}
aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
    return call([&](AclDevice& device) {
        check_result(free, "aclrtGetMemInfo");
        check_result(total, "aclrtGetMemInfo");
        *total = kDeviceMemory;
        *free = kDeviceMemory - std::min(kDeviceMemory, device.memory().allocated());
    });
}
aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType, aclrtStream stream) {
    return call([&](AclDevice& device) {
        device.streams().stream(stream);
        device.memory().check_range(src, size, "aclrtCmoAsync:");
    });
}

// ---- streams and events -------------------------------------------------------------------

aclError aclrtCreateStream(aclrtStream* stream) {
    return quick_call([&](AclDevice& device) {
        check_result(stream, "aclrtCreateStream");
        *stream = device.streams().make_stream();
    });
}
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}
aclError aclrtDestroyStream(aclrtStream stream) {
    return call([&](AclDevice& device) {
        device.captures().require_running(stream, "aclrtDestroyStream");
        device.streams().destroy_stream(stream);
    });
}
aclError aclrtSynchronizeStream(aclrtStream stream) {
    int code = 0;
    const int error = call([&](AclDevice& device) {
        device.captures().require_running(stream, "aclrtSynchronizeStream");
        code = device.streams().synchronize(stream);
    });
    return error != 0 ? error : code;
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return aclrtSynchronizeStream(stream);
}
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    return call([&](AclDevice& device) {
        check_result(status, "aclrtStreamQuery");
        device.streams().stream(stream);
        device.captures().require_running(stream, "aclrtStreamQuery");
        *status = ACL_STREAM_STATUS_COMPLETE;
    });
}
aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
    return quick_call([&](AclDevice& device) {
        check_result(streamId, "aclrtStreamGetId");
        *streamId = device.streams().stream(stream).number;
    });
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    return quick_call([&](AclDevice& device) { device.await(stream, event); });
}
aclError aclrtCreateEvent(aclrtEvent* event) {
    return quick_call([&](AclDevice& device) {
        check_result(event, "aclrtCreateEvent");
        *event = device.streams().make_event();
    });
}
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }
aclError aclrtDestroyEvent(aclrtEvent event) {
    return call([&](AclDevice& device) { device.streams().destroy_event(event); });
}
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    return quick_call([&](AclDevice& device) { device.record(event, stream); });
}
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    return call([&](AclDevice& device) {
        check_result(status, "aclrtQueryEventStatus");
        device.captures().require_uncaptured(event, "aclrtQueryEventStatus");
        const bool recorded = device.streams().event(event).recorded;
        if (recorded) device.streams().synchronize_event(event);
        *status =
            recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    });
}
aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return call([&](AclDevice& device) {
        device.captures().require_uncaptured(event, "aclrtSynchronizeEvent");
        device.streams().synchronize_event(event);
    });
}
aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    return call([&](AclDevice& device) {
        check_result(ms, "aclrtEventElapsedTime");
        *ms = static_cast<float>(device.streams().milliseconds(startEvent, endEvent));
    });
}

// ---- numbers ------------------------------------------------------------------------------

float aclFloat16ToFloat(aclFloat16 value) {
    return ptosim::convert<ptosim::DType::kF32, ptosim::DType::kF16>(ptosim::Half{value});
}
aclFloat16 aclFloatToFloat16(float value) {
    return ptosim::convert<ptosim::DType::kF16, ptosim::DType::kF32>(value).bits;
}

// ---- rt -----------------------------------------------------------------------------------

rtError_t rtSetDevice(int32_t device) { return aclrtSetDevice(device); }
rtError_t rtDeviceReset(int32_t device) { return aclrtResetDevice(device); }
rtError_t rtStreamCreate(rtStream_t* stream, int32_t) { return aclrtCreateStream(stream); }
rtError_t rtStreamDestroy(rtStream_t stream) { return aclrtDestroyStream(stream); }
rtError_t rtStreamSynchronize(rtStream_t stream) { return aclrtSynchronizeStream(stream); }
rtError_t rtMalloc(void** devPtr, uint64_t size, rtMemType_t, uint16_t) {
    return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}
rtError_t rtFree(void* devPtr) { return aclrtFree(devPtr); }
rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t count,
                   rtMemcpyKind_t kind) {
    return aclrtMemcpy(dst, destMax, src, count, static_cast<aclrtMemcpyKind>(kind));
}
rtError_t rtGetAiCoreCount(uint32_t* count) {
    return call([&](AclDevice& device) {
        check_result(count, "rtGetAiCoreCount");
        *count = static_cast<uint32_t>(device.model().clusters);
    });
}
aclError aclrtGetHardwareSyncAddr(void** addr) {
    return call([&](AclDevice& device) {
        check_result(addr, "aclrtGetHardwareSyncAddr");
        *addr = reinterpret_cast<void*>(device.memory().control_address());
    });
}
rtError_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len) {
    return call([&](AclDevice& device) {
        check_result(addr, "rtGetC2cCtrlAddr");
        check_result(len, "rtGetC2cCtrlAddr");
        *addr = device.memory().control_address();
        *len = 4096;
    });
}

rtError_t rtGetSocVersion(char* version, const uint32_t room) {
    return call([&](AclDevice& device) {
        check_result(version, "rtGetSocVersion");
        const std::string name = ptosim::soc_name(device.model());
        if (name.size() >= room)
            throw bad("rtGetSocVersion: " + name + " has no room in " + std::to_string(room) + " bytes");
        std::copy_n(name.c_str(), name.size() + 1, version);
    });
}

// ---- log ----------------------------------------------------------------------------------

int32_t CheckLogLevel(int32_t, int32_t level) { return level >= DLOG_ERROR ? 1 : 0; }
void DlogRecord(int32_t, int32_t, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fputs("[ERROR] ", stderr);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
}

// ---- ptosim -------------------------------------------------------------------------------

double ptosim_memory_rate() {
    double rate = 0;
    call([&](AclDevice& device) { rate = static_cast<double>(device.model().memory.hbm.rate.value()); });
    return rate;
}

void* ptosim_shared_memory(uint64_t size) {
    void* memory = nullptr;
    call([&](AclDevice& device) {
        const uint64_t address = device.memory().allocate(size);
        device.device_memory().share(address);
        memory = reinterpret_cast<void*>(address);
    });
    return memory;
}

static std::atomic<uint64_t> tiling_key{0};
void ptosim_set_tiling_key(uint64_t key) { tiling_key = key; }
uint64_t ptosim_tiling_key() { return tiling_key; }

void ptosim_host_message(const char* text) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    device.set_message(text);
}

const char* ptosim_chip_figure(const char* group, const char* key) {
    const char* text = nullptr;
    call([&](AclDevice& device) {
        static const ptosim::PlatformFigures figures = ptosim::platform_figures(device.model());
        const auto values = figures.find(group);
        if (values == figures.end()) return;
        const auto value = values->second.find(key);
        if (value != values->second.end()) text = value->second.c_str();
    });
    return text;
}
