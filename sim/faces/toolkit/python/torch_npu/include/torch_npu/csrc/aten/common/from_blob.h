// Tensors of memory of the device that something else owns.
#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace at_npu::native {

inline at::Tensor from_blob(void* data, at::IntArrayRef sizes, at::IntArrayRef strides,
                            int64_t offset, const std::function<void(void*)>& deleter,
                            const at::TensorOptions& options = {},
                            const std::optional<at::Device> device = std::nullopt) {
    const at::Device where =
        device.value_or(options.device().is_privateuseone()
                            ? options.device()
                            : at::Device(c10::DeviceType::PrivateUse1, c10_npu::current_device()));
    int64_t last = offset;
    for (size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
    const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
    const size_t bytes = empty ? 0 : static_cast<size_t>(last + 1) * options.dtype().itemsize();
    at::DataPtr memory(data, data, nullptr, where);
    if (deleter) memory = c10::InefficientStdFunctionContext::makeDataPtr(data, deleter, where);
    at::Tensor made = at::empty({0}, options.device(where));
    const c10::StorageImplCreateHelper make = c10::GetStorageImplCreate(where.type());
    made.set_(c10::Storage(make(c10::StorageImpl::use_byte_size_t(), bytes, std::move(memory),
                                nullptr, false)),
              offset, sizes, strides);
    return made;
}
inline at::Tensor from_blob(void* data, at::IntArrayRef sizes, at::IntArrayRef strides,
                            const at::TensorOptions& options = {},
                            const std::optional<at::Device> device = std::nullopt) {
    return from_blob(data, sizes, strides, 0, nullptr, options, device);
}
inline at::Tensor from_blob(void* data, at::IntArrayRef sizes,
                            const at::TensorOptions& options = {},
                            const std::optional<at::Device> device = std::nullopt) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
    return from_blob(data, sizes, strides, 0, nullptr, options, device);
}

}  // namespace at_npu::native
