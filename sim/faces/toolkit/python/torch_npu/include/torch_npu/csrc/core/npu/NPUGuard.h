// Guards of the current device of PyTorch's `npu`.
#pragma once

#include <c10/core/DeviceGuard.h>

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace c10_npu {

struct NPUGuard : c10::DeviceGuard {
    explicit NPUGuard(c10::DeviceIndex index)
        : DeviceGuard({c10::DeviceType::PrivateUse1, index}) {}
    explicit NPUGuard(c10::Device device) : DeviceGuard(device) {}
};

// Tensors of the CPU change no device.
struct OptionalNPUGuard : c10::OptionalDeviceGuard {
    OptionalNPUGuard() = default;
    explicit OptionalNPUGuard(std::optional<c10::Device> device) {
        if (device && device->is_privateuseone()) reset_device(*device);
    }
    explicit OptionalNPUGuard(c10::DeviceIndex index)
        : OptionalDeviceGuard(c10::Device{c10::DeviceType::PrivateUse1, index}) {}
};

}  // namespace c10_npu
