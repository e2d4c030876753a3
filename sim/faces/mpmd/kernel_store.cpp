#include "sim/faces/mpmd/kernel_store.h"

#include "sim/faces/mpmd/problem.h"

namespace ptosim::mpmd {

void KernelStore::add(const char* name, const void* begin, const void* end) {
    Stored stored;
    stored.name = name;
    const auto* first = static_cast<const std::byte*>(begin);
    stored.images = {first, static_cast<const std::byte*>(end)};
    stored.modules = std::make_unique<NativeModules>(
        read_images(stored.images, stored.name), stored.name);
    const std::lock_guard lock(mutex_);
    stored.kernel = stored.modules->only(stored.name, sources_);
    if (!stored.kernel)
        throw DiagnosticError(problem("H01", stored.name + ": several kernels, expected one", ""));
    kernels_[begin] = std::move(stored);
}

void KernelStore::note_made(const void* begin, std::string how) {
    const std::lock_guard lock(mutex_);
    if (const auto found = kernels_.find(begin); found != kernels_.end()) found->second.made = std::move(how);
}

void KernelStore::remove(const void* begin) {
    const std::lock_guard lock(mutex_);
    kernels_.erase(begin);
}

const KernelStore::Stored& KernelStore::find(const void* begin, CoreId core) const {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(begin);
    if (found == kernels_.end() || !found->second.kernel->runs_on(core.type))
        throw DiagnosticError(problem(
            "H31",
            (found == kernels_.end() ? std::string("a task") : "kernel " + found->second.name) +
                " has no code for " + ptosim::name(core),
            "compile the kernel for the type of core that its tasks run on"));
    return found->second;
}

}  // namespace ptosim::mpmd
