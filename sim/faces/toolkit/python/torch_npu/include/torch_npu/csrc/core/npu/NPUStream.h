// The device and the streams of PyTorch's `npu`, for C++ extensions: the values set by torch.npu.set_device() and
// torch.npu.stream().
#pragma once

#include <acl/acl.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

// Defined by the library that torch_npu has loaded.
extern "C" {
int ptosim_torch_device();
void ptosim_torch_set_device(int index);
void* ptosim_torch_stream();
void ptosim_torch_set_stream(void* stream);
}

namespace c10_npu {

inline c10::DeviceIndex current_device() {
    return static_cast<c10::DeviceIndex>(ptosim_torch_device());
}
inline aclError GetDevice(int32_t* device) {
    *device = ptosim_torch_device();
    return ACL_SUCCESS;
}
inline aclError SetDevice(c10::DeviceIndex device) {
    ptosim_torch_set_device(device);
    return ACL_SUCCESS;
}

class NPUStream {
 public:
    explicit NPUStream(aclrtStream stream) : stream_{stream} {}

    // The handle. `need_empty` has no effect, because nothing is queued before it.
    aclrtStream stream(bool need_empty = true) const {
        static_cast<void>(need_empty);
        return stream_;
    }
    operator aclrtStream() const { return stream_; }
    operator c10::Stream() const {
        return c10::Stream(c10::Stream::UNSAFE, device(), reinterpret_cast<c10::StreamId>(stream_));
    }
    c10::DeviceIndex device_index() const { return current_device(); }
    c10::Device device() const { return {c10::DeviceType::PrivateUse1, current_device()}; }
    void synchronize() const { aclrtSynchronizeStream(stream_); }
    bool query() const { return true; }
    bool operator==(const NPUStream& other) const { return stream_ == other.stream_; }
    bool operator!=(const NPUStream& other) const { return stream_ != other.stream_; }

 private:
    aclrtStream stream_;
};

// Every device index denotes the one simulated device.
inline NPUStream getCurrentNPUStream(c10::DeviceIndex = -1) {
    return NPUStream(ptosim_torch_stream());
}
inline NPUStream getDefaultNPUStream(c10::DeviceIndex = -1) { return NPUStream(nullptr); }
inline void setCurrentNPUStream(NPUStream stream) { ptosim_torch_set_stream(stream.stream()); }

}  // namespace c10_npu

// Extensions that include this header call its functions, too.
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
