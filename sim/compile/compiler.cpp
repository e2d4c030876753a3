#include "sim/compile/compiler.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/kernel_cores.h"
#include "sim/compile/rewrite.h"
#include "sim/compile/scalar_code.h"
#include "sim/files/command.h"
#include "sim/machine/model/installation.h"
#include "sim/native/scalar_accesses.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

// Functions that would end or leave the whole process. In kernels they end the kernel: they are linked to definitions
// in include/ptosim/launch.h.
constexpr const char* kWrapped[] = {
    "exit",     "_exit",      "_Exit",        "quick_exit",    "abort",           "longjmp",
    "_longjmp", "siglongjmp", "pthread_exit", "__assert_fail", "__stack_chk_fail"};

// Variables that compilers and linkers read.
constexpr const char* kVariables[] = {"GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH",
                                      "LD_LIBRARY_PATH", "CCC_OVERRIDE_OPTIONS"};

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

// The file of a program's name, found in PATH, and its state.
std::string program_file(const std::string& name) {
    const auto state = [](const fs::path& path) -> std::string {
        struct stat info {};
        if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
        return path.string() + " " + std::to_string(info.st_size) + " " +
               std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec);
    };
    if (name.find('/') != name.npos) return state(name);
    std::istringstream folders(variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const std::string found = state(fs::path(folder) / name); !found.empty()) return found;
    return name;
}

// Removes -isystem FOLDER, which would cancel the folder's -I and its first place.
Words without_folder(const Words& flags, const std::string& folder) {
    if (folder.empty()) return flags;
    const fs::path same = fs::weakly_canonical(folder);
    Words rest;
    for (size_t i = 0; i < flags.size(); ++i) {
        constexpr std::string_view kOption = "-isystem";
        const bool apart = flags[i] == kOption && i + 1 < flags.size();
        if (apart && fs::weakly_canonical(flags[i + 1]) == same) {
            ++i;
            continue;
        }
        if (flags[i].starts_with(kOption) && fs::weakly_canonical(flags[i].substr(kOption.size())) == same) continue;
        rest.push_back(flags[i]);
    }
    return rest;
}

std::string npu_arch_macro(Arch arch, bool ascendc) {
    return "-D__NPU_ARCH__=" + std::string(ascendc ? traits_of(arch).ascendc_npu_arch : traits_of(arch).npu_arch);
}

Words pass_macros(Pass pass, Arch arch, const std::string& module, bool ascendc, bool threads) {
    const std::string core(traits_of(arch).compiler_core);  // "c220"
    const bool registers = traits_of(arch).vector_operands == VectorOperands::kRegisters;
    Words words = {npu_arch_macro(arch, ascendc),
                   registers ? "-DREGISTER_BASE" : "-DMEMORY_BASE",
                   "-DPTOSIM_MODULE=" + module,
                   "-D__global__=" + std::string(kKernelMark),
                   "-D__vector__=" + std::string(kVectorMark),
                   "-D__cube__=" + std::string(kCubeMark),
                   "-D__mix__(...)=" + std::string(kMixMark) + "(__VA_ARGS__)",
                   // Headers of Ascend C do not define the macro if a plug-in has defined it.
                   "-D__PLUGIN__KERNEL_TASK_TYPE_DEFAULT_DEFINED__",
                   "-DKERNEL_TASK_TYPE_DEFAULT(type)=" + std::string(kTaskTypeMark) + "(type)"};
    const std::string generation = "C" + core.substr(1);
    switch (pass) {
        case Pass::kHost:
            words.push_back("-DPTOSIM_HOST_PASS");
            break;
        case Pass::kAIC:
            append(words, {"-D__DAV_CUBE__", "-D__DAV_" + generation + "_CUBE__"});
            break;
        case Pass::kAIV:
            append(words, {"-D__DAV_VEC__", "-D__DAV_" + generation + "_VEC__"});
            break;
    }
    // Defined as by the device's compiler for headers of Ascend C.
    if (ascendc && !threads) words.push_back(pass == Pass::kHost ? "-D__NPU_HOST__" : "-D__NPU_DEVICE__");
    // As the compiler of operators defines it: headers of Ascend C for a2a3 ignore SetL2CacheHint otherwise.
    if (ascendc && pass != Pass::kHost && !registers) words.push_back("-DL2_CACHE_HINT");
    // Variables of the device, which headers define: objects with several kernels' sources have one each.
    if (ascendc && pass == Pass::kHost)
        append(words, {"-Dworkgroup_local=gnu::weak", "-Dblock_local=gnu::weak"});
    if (pass != Pass::kHost)
        append(words, {"-DPTOSIM_DEVICE_PASS", "-D__CCE_AICORE__=" + core.substr(1)});
    return words;
}

bool has_option(const Words& flags, std::string_view begin) {
    return std::any_of(flags.begin(), flags.end(),
                       [&](const std::string& flag) { return flag.starts_with(begin); });
}

}  // namespace

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

const char* name(Pass pass) {
    return pass == Pass::kHost ? "host" : pass == Pass::kAIC ? "aic" : "aiv";
}

std::string default_compiler(const BuildOptions& options) {
    if (!options.compiler.empty()) return options.compiler;
    if (!options.uses_intrinsics()) return "c++";
    // include/cce/language.hpp needs arithmetic with __bf16.
    for (const char* name : {"clang++-22", "clang++-21", "clang++-20", "clang++-19"})
        if (program_file(name) != name) return name;
    return "clang++";
}

Compiler::Compiler(const BuildOptions& options)
    : options_{options}, program_{default_compiler(options)} {
    const CommandResult version = run_command({program_, "--version"});
    const bool own_headers = !options.uses_intrinsics();
    if (version.status != 0)
        fail_input("H02", "C++ compiler not found: '" + program_ + "'",
                   own_headers
                       ? "install g++ or clang++, or name one with --cxx or the variable CXX"
                       : "--pto-headers and --ascendc need clang++ 19 or newer: apt-get install clang-19");
    gnu_ = version.messages.find("clang") == version.messages.npos;
    if (gnu_ && !own_headers)
        fail_input("H02", "'" + program_ + "' cannot compile with --pto-headers or --ascendc",
                   "use clang++ 19 or newer (apt-get install clang-19, --cxx clang++-19)");
    identity_ = program_file(program_) + "\n" + version.messages;
    for (const char* name : kVariables)
        identity_ += std::string(name) + "=" + variable(name) + "\n";
    identity_ += identity_text(instrumentation());
    if (!options.ascendc.empty()) ascendc_ = ascendc_flags(options.ascendc);
}

// Code below tiles always reports its accesses, because accesses of UB take time.
Instrumentation Compiler::instrumentation() const {
    return {.gnu = gnu_,
            .below_tiles = options_.uses_intrinsics(),
            .accesses = options_.report_accesses || options_.uses_intrinsics(),
            .branches = options_.report_branches};
}

bool Compiler::is_library_header(const std::string& file) const {
    if (!options_.uses_intrinsics()) return false;
    const std::string name = fs::weakly_canonical(file).string();
    Words folders{include_folder()};
    std::error_code none;
    if (!options_.library_headers.empty()) folders.push_back(options_.library_headers);
    // Its examples and tests, which are below none of its folders with headers, are the user's code.
    for (const std::string& word : ascendc_)
        if (word != "-isystem" && !fs::equivalent(word, options_.ascendc, none)) folders.push_back(word);
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return name.starts_with(fs::weakly_canonical(folder).string() + "/");
    });
}

Words Compiler::common_flags() const {
    // The headers of this simulator come before others of the same names.
    Words words = {"-std=c++17", "-fPIC"};
    if (!options_.library_headers.empty()) words.push_back("-I" + options_.library_headers);
    append(words, ascendc_);
    words.push_back("-I" + include_folder());
    append(words, without_folder(options_.flags, options_.library_headers));
    return words;
}

Words Compiler::preprocess(const std::string& source, Pass pass, const std::string& module,
                           const std::string& text, const std::string& dependencies) const {
    Words words = {program_, "-E", "-x", "c++"};
    if (!module.empty())
        append(words, pass_macros(pass, options_.arch, module, !options_.ascendc.empty(), options_.threads));
    if (!module.empty() && !options_.ascendc.empty() && options_.auto_sync &&
        !has_option(options_.flags, "-DPTOSIM_AUTO_SYNC="))
        words.push_back("-DPTOSIM_AUTO_SYNC=1");
    if (!module.empty() && !options_.ascendc.empty()) words.push_back("-D__CCE__=1");
    if (!module.empty() && options_.uses_intrinsics()) words.push_back("-DPTOSIM_CALL_FRAMES=1");
    if (!module.empty() && options_.thread_functions) words.push_back("-DPTOSIM_THREAD_FUNCTIONS");
    if (!module.empty() && options_.threads) words.push_back("-D__NPU_COMPILER_INTERNAL_PURE_SIMT__");
    if (module.empty())
        words.push_back(npu_arch_macro(options_.arch, !options_.ascendc.empty()));
    append(words, common_flags());
    if (!module.empty())
        append(words, {"-include", "ptosim/launch.h", "-include",
                       options_.threads             ? "cce/thread_language.hpp"
                       : options_.uses_intrinsics() ? "cce/language.hpp"
                                                    : "pto/common/device_language.hpp"});
    append(words, {"-MD", "-MF", dependencies, source, "-o", text});
    return words;
}

bool Compiler::counts(Pass pass) const { return pass != Pass::kHost && counts_scalar_code(); }

std::string Compiler::counted(const std::string& assembly) const {
    const std::string own = fs::weakly_canonical(include_folder()).string() + "/";
    return with_counted_code(assembly, [&](std::string_view file) {
        return !fs::weakly_canonical(file).string().starts_with(own);
    });
}

Words Compiler::assemble(const std::string& text, const std::string& object) const {
    return {program_, "-c", text, "-o", object};
}

Words Compiler::compile_flags_of(Pass pass, bool kernels) const {
    Words words = {program_};
    append(words, common_flags());
    if (pass != Pass::kHost) {
        append(words, compile_flags(instrumentation()));
        // No symbols that two copies would share; nothing of the host's part remains. Writes beyond local arrays are
        // detected when their function returns.
        append(words, {"-fvisibility=hidden", "-fvisibility-inlines-hidden", "-ffunction-sections",
                       "-fdata-sections", "-fno-strict-aliasing", "-ffp-contract=off",
                       "-fstack-protector-strong"});
        if (gnu_) words.push_back("-fno-gnu-unique");
        if (counts(pass)) append(words, counted_code_flags(gnu_));
        // Findings name the line that calls a library (sim/native/call_sites.h).
        if (options_.uses_intrinsics())
            append(words, {"-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"});
        if (options_.uses_intrinsics() && !has_option(options_.flags, "-g"))
            words.push_back("-gline-tables-only");
        // Scalar code takes time, so it should be like that of the device's compiler, which optimises.
        if (!has_option(options_.flags, "-O")) words.push_back("-O1");
        // A division by zero does not trap in kernels (sim/native/division.h), so code after it must still test its
        // divisor for zero, as in the output of the device's compiler, an older clang.
        if (options_.uses_intrinsics()) append(words, {"-mllvm", "-dom-conditions-max-uses=0"});
        // Code that two branches share would have the line of neither.
        if (options_.uses_intrinsics())
            append(words, {"-mllvm", "-sink-common-insts=0", "-mllvm", "-hoist-common-insts=0", "-mllvm",
                           "-enable-tail-merge=0"});
        // For debuggers; the instrumentation has flags of its own for lines and levels.
        for (const std::string& flag : options_.flags)
            if (flag.starts_with("-g") || flag == "-O0" || flag == "-Og") words.push_back(flag);
        // -g would change the lines of instructions, by which those of the user are counted.
        if (gnu_) words.push_back("-gno-statement-frontiers");
    }
    // Include folders are only for the preprocessor.
    words.push_back(gnu_ ? "-fpreprocessed" : "-Wno-unused-command-line-argument");
    if (kernels) words.push_back(gnu_ ? "-Wno-attributes" : "-Wno-unknown-attributes");
    if (options_.uses_intrinsics()) {
        // No memcpy of UB, because it does not exist for an address space.
        append(words, {"-fdeclspec", "-Wno-c++20-extensions", "-Wno-unknown-warning-option",
                       "-Wno-missing-template-arg-list-after-template-kw", "-fno-builtin"});
    }
    return words;
}

Words Compiler::compile(Pass pass, bool kernels, const std::string& text, const std::string& output) const {
    Words words = compile_flags_of(pass, kernels);
    append(words, {counts(pass) ? "-S" : "-c", text, "-o", output});
    return words;
}

// The file contains the text, for messages.
Words Compiler::compile_headers(Pass pass, const std::string& text, const std::string& output) const {
    Words words = compile_flags_of(pass, true);
    append(words, {"-w", "-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-fmodules-embed-all-files", "-Xclang", "-fno-pch-timestamp",
                   "-Xclang", "-o", "-Xclang", output, text});
    return words;
}

Words Compiler::compile_after(const std::string& headers, Pass pass, const std::string& text, const std::string& output) const {
    Words words = compile_flags_of(pass, true);
    append(words, {"-Xclang", "-include-pch", "-Xclang", headers, "-Xclang", "-fno-validate-pch", counts(pass) ? "-S" : "-c", text, "-o",
                   output});
    return words;
}

Words Compiler::compile_own(const std::string& source, const std::string& object) const {
    return {program_,
            "-std=c++17",
            "-fPIC",
            "-I" + include_folder(),
            "-c",
            source,
            "-o",
            object};
}

std::string exported_by_kernels() { return include_folder() + "/ptosim/kernel.map"; }

Words Compiler::link_kernels(const Words& objects, const std::string& library) const {
    Words words = {program_, "-shared", "-o", library};
    append(words, objects);
    append(words, {"-Wl,--gc-sections", "-Wl,-z,lazy", "-Wl,--version-script=" + exported_by_kernels()});
    for (const char* function : kWrapped) words.push_back(std::string("-Wl,--wrap=") + function);
    // The first byte of UB after arrays of fixed size, which LocalArray (include/cce/local_array.hpp) allocates.
    if (!options_.ascendc.empty()) words.push_back("-Wl,--defsym=_ZN7AscendC14dynamicStartUBE=0");
    if (options_.threads) words.push_back("-Wl,--wrap=printf");
    append(words, link_flags(instrumentation()));
    return words;
}

}  // namespace ptosim
