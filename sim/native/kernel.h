// Kernels compiled from C++ by `ptosim build`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/native/assembly_kernels.h"
#include "sim/native/call_sites.h"
#include "sim/native/library.h"
#include "sim/native/line_traps.h"
#include "sim/native/thread_fences.h"

namespace ptosim {

// One kernel function, for AICs, AIVs, or both.
class NativeKernel : public Kernel {
 public:
    // Makes a kernel with the parameters of its entry. Kernels of one launch share their sources; locations refer to
    // `sources`.
    NativeKernel(std::string name, const ptosim_entry& entry,
                 std::shared_ptr<SourceMap> sources = std::make_shared<SourceMap>());
    // Adds the kernel's function on one core type. The library must outlive the kernel.
    void add(NativeLibrary& library, size_t entry);

    std::string_view name() const override { return name_; }
    const SourceMap& sources() const override { return *sources_; }
    std::span<const Parameter> parameters() const override { return parameters_; }
    bool runs_on(CoreType core) const override { return part(core).library != nullptr; }
    // Compiled kernels order their pipes themselves, which cannot be checked before they run.
    bool has_explicit_sync() const override { return true; }
    // False if nothing in its libraries reads which block it is.
    bool asks_for_block() const;
    bool follows_pointers() const override { return true; }
    std::string_view unrecorded_source() const override;
    void run(KernelPort& port, KernelArguments arguments) const override;

    // The location for a location reported by the kernel's code; unknown if it is in none of its files.
    SourceLocation locate(ptosim_location where) const;
    // The line of the user's code from which a call of the simulator was reached, for an instruction of this name.
    // `chain` is in code of this core type. The library's function is added to the sources.
    SourceLocation locate_call(CoreType core, const CallChain& chain,
                               std::string_view instruction) const;
    // The source location of an address in its code on this core type; unknown unless it was compiled with
    // access_flags().
    SourceLocation locate_code(CoreType core, const void* code) const;
    // Reads the lines of its code outside of these folders, for follow_lines(). False if it has none.
    bool read_lines(std::span<const std::string> without);
    // The object of its image on this core type that holds an address.
    std::optional<NativeLibrary::Data> data_at(CoreType core, uint64_t address) const {
        return part(core).library->data_at(address);
    }
    // Empty before read_lines().
    const std::vector<LineCode>& lines(CoreType core) const { return part(core).lines; }
    // A path for other processes to read the library of a core type (NativeLibrary::symbol_file).
    std::string symbol_file(CoreType core) const { return part(core).library->symbol_file(); }
    // The memory fences of its threads in the present launch.
    ThreadFences& fences() const { return fences_; }
    // The assembly to run on a core of the architecture. Throws like AssemblyKernels.
    const assembly::AssemblyKernel& assembly(const ptosim_assembly& kernel, Arch arch) const {
        return assemblies_.get(kernel, arch);
    }

 private:
    struct Part {
        NativeLibrary* library = nullptr;
        size_t entry = 0;
        std::shared_ptr<CallSites> calls{};
        std::vector<LineCode> lines{};
    };
    // Finds a file by the compiler's name for it, which may be relative to the folder in which it ran.
    SourceLocation find_file(const std::string& file, uint32_t line) const;
    const Part& part(CoreType core) const { return parts_[static_cast<size_t>(core)]; }

    std::string name_;
    std::vector<Parameter> parameters_;
    Part parts_[2];
    std::shared_ptr<SourceMap> sources_;  // the files that the libraries were compiled from
    std::map<std::string, uint16_t, std::less<>> files_;
    mutable AssemblyKernels assemblies_;  // bound on first use
    mutable ThreadFences fences_{};
    // The numbers of `files_` by the addresses of names: a lookup without comparing text, because every instruction has
    // a name.
    mutable std::map<const char*, uint16_t> known_;
    // Locations of code: by address, and by the offset in its library, of which each core may have a copy.
    mutable std::map<const void*, SourceLocation> code_;
    mutable std::map<std::pair<CoreType, uint64_t>, SourceLocation> code_by_offset_;
};

// The kernels of a file made by `ptosim build`.
class NativeModules {
 public:
    // `origin` names the file in messages. Throws DiagnosticError (H01).
    NativeModules(std::vector<NativeImage> images, const std::string& origin);
    // The kernel of modules that have exactly one, with the name and the sources of the caller; null if they have none
    // or several.
    std::unique_ptr<NativeKernel> only(const std::string& name, std::shared_ptr<SourceMap> sources);

    // Adds images of a library that was loaded later. Throws DiagnosticError (H01).
    void add(std::vector<NativeImage> images, const std::string& origin);

    Arch arch() const { return arch_; }
    // Names for find(), without duplicates.
    std::vector<std::string> names() const;
    // Finds a kernel by the name of its function or, if launches have made several from one template, by the text in
    // names(). Null if there is none, or (`several`) more than one.
    std::unique_ptr<NativeKernel> find(const std::string& name, bool& several);
    // The name of a module's kernel with this tiling key, by which a binary's launch finds it: "Add_1" of the
    // functions Add_1_mix_aic and Add_1_mix_aiv. Empty: there is none.
    std::string name_of_key(const std::string& module, uint64_t key) const;
    // True if a module has a kernel of this name, with or without the suffix of a core.
    bool has_kernel(const std::string& module, std::string_view name) const;
    // Finds the kernel that a launch names; without a site, the function of that name in the executable or library of
    // the launching module.
    std::unique_ptr<NativeKernel> find_launch(const ptosim_launch_request& request,
                                              std::shared_ptr<SourceMap> sources = std::make_shared<SourceMap>());

 private:
    template <class Matches>
    std::unique_ptr<NativeKernel> collect(
        const std::string& name, Matches matches, bool& several,
        std::shared_ptr<SourceMap> sources = std::make_shared<SourceMap>());

    std::vector<std::unique_ptr<NativeLibrary>> libraries_;
    std::map<const NativeLibrary*, unsigned> outputs_;  // the executable or library that contains each
    unsigned last_output_ = 0;
    Arch arch_ = Arch::kA2A3;
};

}  // namespace ptosim
