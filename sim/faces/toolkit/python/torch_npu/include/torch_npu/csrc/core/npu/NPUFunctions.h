// Devices of PyTorch's `npu`, for C++ extensions.
#pragma once

#include "torch_npu/csrc/core/npu/NPUStream.h"

extern "C" int ptosim_torch_device_count();

namespace c10_npu {

inline c10::DeviceIndex device_count() {
    return static_cast<c10::DeviceIndex>(ptosim_torch_device_count());
}
inline void set_device(c10::DeviceIndex device) { ptosim_torch_set_device(device); }

}  // namespace c10_npu
