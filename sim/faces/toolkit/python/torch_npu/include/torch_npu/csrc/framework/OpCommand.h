// Operators of C++ extensions on PyTorch's `npu`: the call that launches a kernel.
#pragma once

#include <c10/util/Exception.h>

#include <functional>
#include <string>

namespace at_npu::native {

class OpCommand {
 public:
    // Calls `launch`, which returns 0 on success. It is complete when this returns, with or without `sync`.
    static void RunOpApi(const std::string& name, const std::function<int()>& launch,
                         bool sync = false) {
        static_cast<void>(sync);
        const int error = launch();
        TORCH_CHECK(error == 0, name, " failed (", error, ")");
    }
    static void RunOpApiV2(const std::string& name, const std::function<int()>& launch,
                           bool sync = false) {
        RunOpApi(name, launch, sync);
    }
};

}  // namespace at_npu::native
