// The kernels of a program's tasks, by the address of their images.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "sim/machine/observe/observer.h"
#include "sim/native/kernel.h"

namespace ptosim::mpmd {

class KernelStore {
 public:
    struct Stored {
        std::string name;
        std::unique_ptr<NativeModules> modules;
        std::unique_ptr<NativeKernel> kernel;
        std::span<const std::byte> images;
        std::string made;  // how, as ptosim_mpmd_kernel_made has it; may be empty
    };

    // Throws DiagnosticError (H01) unless the images belong to one kernel.
    void add(const char* name, const void* begin, const void* end);
    void note_made(const void* begin, std::string how);
    // Its source locations remain, because recordings and findings refer to them.
    void remove(const void* begin);
    // Throws DiagnosticError (H31) if no kernel has code for this core.
    const Stored& find(const void* begin, CoreId core) const;

    // The sources of all kernels added so far.
    const std::shared_ptr<SourceMap>& sources() const { return sources_; }

 private:
    mutable std::mutex mutex_;
    std::map<const void*, Stored> kernels_;
    const std::shared_ptr<SourceMap> sources_ = std::make_shared<SourceMap>();
};

}  // namespace ptosim::mpmd
