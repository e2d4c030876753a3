// Operators of C++ extensions on PyTorch's `npu`: the call that launches a kernel.
#pragma once

#include <c10/util/Exception.h>

#include <functional>
#include <string>
#include <utility>

namespace at_npu::native {

class OpCommand {
 public:
    using PROC_FUNC = std::function<int()>;

    // Calls `launch`, which returns 0 on success. It is complete when this returns, with or without `sync`.
    static void RunOpApi(const std::string& name, const PROC_FUNC& launch, bool sync = false) {
        static_cast<void>(sync);
        const int error = launch();
        TORCH_CHECK(error == 0, name, " failed (", error, ")");
    }
    static void RunOpApiV2(const std::string& name, const PROC_FUNC& launch, bool sync = false) {
        RunOpApi(name, launch, sync);
    }

    // The same in steps. Commands without a handler, which name the vendor's own operators, cannot
    // be run.
    OpCommand& Name(const std::string& name) {
        name_ = name;
        return *this;
    }
    void SetCustomHandler(PROC_FUNC launch) { launch_ = std::move(launch); }
    void Run() {
        TORCH_CHECK(launch_, name_,
                    ": an operator of the vendor's library, which ptosim's toolkit has not");
        RunOpApi(name_, launch_);
    }

 private:
    std::string name_;
    PROC_FUNC launch_;
};

}  // namespace at_npu::native
