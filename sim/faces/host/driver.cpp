// Calls of the driver by which runtimes map the registers of cores. Structures are laid out as in cann/pypto,
// framework/src/machine/runtime/runtime.cpp.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "acl/acl.h"
#include "ptosim/kernel_abi.h"
#include "sim/faces/host/acl_device.h"
#include "sim/native/control_registers.h"

namespace {

using ptosim::AclDevice;
using ptosim::ControlRegisters;

constexpr int kFailed = -1;

struct MapRequest {
    unsigned process, resource, core;
};

}  // namespace

// A bit for each cube core that there is.
PTOSIM_ABI int halGetDeviceInfoByBuff(uint32_t, int32_t, int32_t, void* bits, int32_t* size) {
    if (bits == nullptr || size == nullptr || *size < static_cast<int32_t>(sizeof(uint64_t))) return kFailed;
    const uint64_t clusters = AclDevice::get().model().clusters.value();
    const uint64_t cores = (uint64_t{1} << clusters) - 1;
    std::memset(bits, 0, static_cast<size_t>(*size));
    std::memcpy(bits, &cores, sizeof cores);
    return 0;
}

// a2a3: the registers of all cores.
PTOSIM_ABI int halMemCtl(int type, void*, size_t, void* mapped, size_t*) {
    const uint64_t address = ControlRegisters::get().map(AclDevice::get().model().arch);
    if (type != 0 || mapped == nullptr || address == 0) return kFailed;
    std::memcpy(mapped, &address, sizeof address);
    return 0;
}

// Maps the control registers of a cluster (a5).
PTOSIM_ABI int halResMap(unsigned, const MapRequest* request, unsigned long* mapped, unsigned* bytes) {
    if (request == nullptr || mapped == nullptr || bytes == nullptr ||
        ControlRegisters::get().map(AclDevice::get().model().arch) == 0)
        return kFailed;
    *mapped = ControlRegisters::get().cluster(request->core);
    return 0;
}
