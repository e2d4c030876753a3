#include "sim/system/waiting_host.h"

#include "sim/faces/host/acl_devices.h"

namespace {

ptosim::Links* links() {
    ptosim::AclDevices* const all = ptosim::AclDevices::made();
    return all == nullptr ? nullptr : all->current().communicators().links();
}

}  // namespace

uint64_t ptosim_host_park() {
    if (ptosim::AclDevices* const all = ptosim::AclDevices::made()) {
        const std::lock_guard lock(all->mutex());
        all->current().run_pending();
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
