#include "sim/system/waiting_host.h"

#include "sim/host/acl_device.h"

namespace {

ptosim::Links* links() {
    ptosim::AclDevice* const device = ptosim::AclDevice::made();
    return device == nullptr ? nullptr : device->communicators().links();
}

}  // namespace

uint64_t ptosim_host_park() {
    if (ptosim::AclDevice* const device = ptosim::AclDevice::made()) {
        const std::lock_guard lock(device->mutex());
        device->run_pending();
    }
    ptosim::Links* const chip = links();
    if (chip == nullptr) return 0;
    chip->park();
    return chip->now();
}
void ptosim_host_serve(int (*waiting)(void* of), void* of) {
    if (ptosim::Links* const chip = links()) chip->serve([&] { return waiting(of) != 0; });
}
void ptosim_host_leave(uint64_t last_came) {
    if (ptosim::Links* const chip = links()) chip->leave(last_came);
}
