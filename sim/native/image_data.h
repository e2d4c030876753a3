// Constants and statics of a kernel's image that it accesses as global memory: on a device the image lies there.
#pragma once

#include "sim/native/running_kernel.h"

namespace ptosim {

// The address of the object in the image that holds `address`, as the machine has it; other addresses as they are.
uint64_t address_of_image_data(const Running& core, uint64_t address);

// The address by which the machine reads (and does not write) what the kernel's code has at `address`.
inline uint64_t global_address(const Running& core, uint64_t address) {
    if (address - core.global_begin < core.global_size || address < PTOSIM_UB_END) return address;
    return address_of_image_data(core, address);
}

}  // namespace ptosim
