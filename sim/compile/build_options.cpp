#include <charconv>
#include <filesystem>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/build.h"
#include "sim/machine/model/installation.h"

namespace ptosim {
namespace {

bool ends_with(const std::string& word, std::initializer_list<const char*> endings) {
    for (const char* ending : endings)
        if (word.ends_with(ending)) return true;
    return false;
}

// Compiler options that take the next word as their value.
bool takes_word(const std::string& word) {
    return word == "-I" || word == "-D" || word == "-U" || word == "-include" ||
           word == "-isystem" || word == "-iquote" || word == "-idirafter";
}
bool takes_word_of_linker(const std::string& word) {
    return word == "-L" || word == "-l" || word == "-Xlinker";
}

BuildOptions::Cores parse_cores(const std::string& word) {
    if (word == "aic" || word == "cube") return BuildOptions::Cores::kAIC;
    if (word == "aiv" || word == "vec") return BuildOptions::Cores::kAIV;
    if (word == "mix") return BuildOptions::Cores::kBoth;
    if (word == "auto") return BuildOptions::Cores::kGuess;
    fail_input("H04", "--core " + word + " is not a choice of cores", "aic, aiv, mix or auto");
}

// The architecture of a core such as "dav-c220-vec".
std::optional<Arch> arch_of_core(std::string_view word) {
    for (unsigned a = 0; a < kArchCount; ++a) {
        const ArchTraits& arch = traits_of(static_cast<Arch>(a));
        if (arch.compiles_kernels && word.starts_with("dav-" + std::string(arch.compiler_core)))
            return static_cast<Arch>(a);
    }
    return std::nullopt;
}

// Parses the option of the device's compiler that names the cores: --cce-aicore-arch=dav-c220-vec.
void parse_device_arch(BuildOptions& options, const std::string& word) {
    const std::optional<Arch> arch = arch_of_core(word);
    if (!arch)
        fail_input("H04", "--cce-aicore-arch=" + word + " is not an architecture of this simulator",
                   "dav-c220 (a2a3) and dav-c310 (a5), each with -vec, -cube or nothing");
    options.arch = *arch;
    options.cores = word.ends_with("-vec")    ? BuildOptions::Cores::kAIV
                    : word.ends_with("-cube") ? BuildOptions::Cores::kAIC
                                              : BuildOptions::Cores::kBoth;
}

Arch parse_build_arch(const std::string& word) {
    const std::optional<Arch> arch = parse_arch(word);
    if (!arch || !traits_of(*arch).compiles_kernels)
        fail_input("H04", "C++ kernels are compiled for a2a3 and a5 only, not for " + word,
                   "choose another --arch, or a --chip of another architecture");
    return *arch;
}

}  // namespace

void require_library_headers(const std::string& folder) {
    if (folder.empty() || std::filesystem::exists(folder + "/pto/pto-inst.hpp")) return;
    fail_input("H02", "--pto-headers " + folder + ": no pto/pto-inst.hpp in it",
               "name the folder 'include' of a checkout of pto-isa");
}

void find_library_headers(BuildOptions& options) {
    if (options.ascendc.empty() || !options.library_headers.empty()) return;
    for (size_t i = 0; i < options.flags.size(); ++i) {
        const std::string& flag = options.flags[i];
        if (!flag.starts_with("-I")) continue;
        const bool apart = flag.size() == 2;
        if (apart && i + 1 == options.flags.size()) return;
        const std::filesystem::path folder = apart ? options.flags[i + 1] : flag.substr(2);
        std::error_code none;
        if (!std::filesystem::exists(folder / "pto/pto-inst.hpp", none) ||
            std::filesystem::equivalent(folder, include_folder(), none))
            continue;
        options.library_headers = folder.string();
        return;
    }
}

void check_threads(BuildOptions& options) {
    if (!options.threads) return;
    if (options.ascendc.empty())
        fail_input("H04", "--enable-simt needs the headers of asc-devkit", "name a checkout with --ascendc");
    if (!traits_of(options.arch).gather_threads)
        fail_input("H04", "--enable-simt: the vector cores of " + std::string(name(options.arch)) + " run no threads",
                   "compile for the 950 (--arch a5)");
    options.cores = BuildOptions::Cores::kAIV;
}

BuildOptions parse_build(const std::vector<std::string>& words) {
    BuildOptions options;
    if (const char* compiler = std::getenv("CXX")) options.compiler = compiler;
    if (const char* folder = std::getenv("PTOSIM_PTO_HEADERS")) options.library_headers = folder;
    if (const char* folder = std::getenv("PTOSIM_ASCENDC")) options.ascendc = folder;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == words.size())
                fail_input("I00", word + " needs a value",
                           "'ptosim build --help' lists the options");
            return words[++i];
        };
        const auto joined = [&](const char* name, std::string& result) {
            const std::string prefix = std::string(name) + "=";
            if (word == name)
                result = value();
            else if (word.starts_with(prefix))
                result = word.substr(prefix.size());
            else
                return false;
            return true;
        };
        std::string text;
        if (word == "-o") {
            options.output = value();
        } else if (joined("--arch", text)) {
            options.arch = parse_build_arch(text);
        } else if (joined("--core", text)) {
            options.cores = parse_cores(text);
        } else if (joined("--cxx", text)) {
            options.compiler = text;
        } else if (joined("--work", text)) {
            options.work = text;
        } else if (joined("--jobs", text)) {
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), options.jobs);
            if (error != std::errc{} || end != text.data() + text.size() || options.jobs == 0)
                fail_input("H04", "--jobs " + text + " is not a number above 0",
                           "leave it out for one job per processor");
        } else if (joined("--pto-headers", text)) {
            options.library_headers = text;
        } else if (joined("--ascendc", text)) {
            options.ascendc = text;
        } else if (word == "--cce-auto-sync=off") {
            options.auto_sync = false;
        } else if (word == "--enable-simt") {
            options.threads = true;
        } else if (word == "--report-accesses") {
            options.report_accesses = true;
        } else if (word == "--report-branches") {
            options.report_branches = true;
        } else if (word == "--verbose") {
            options.verbose = true;
        } else if (joined("--cce-aicore-arch", text)) {
            parse_device_arch(options, text);
        } else if (word.starts_with("--cce-") || word == "-xcce" || word == "-Xhost-start" ||
                   word == "-Xhost-end") {
            continue;  // an option of the device's compiler without an equivalent here
        } else if (word == "-mllvm") {
            value();
        } else if (takes_word(word)) {
            options.flags.push_back(word);
            options.flags.push_back(value());
        } else if (takes_word_of_linker(word)) {
            options.link_flags.push_back(word);
            options.link_flags.push_back(value());
        } else if (word.starts_with("-l") || word.starts_with("-L") || word.starts_with("-Wl,") ||
                   ends_with(word, {".o", ".a", ".so"})) {
            options.link_flags.push_back(word);
        } else if (word.starts_with("-")) {
            options.flags.push_back(word);
        } else if (ends_with(word, {".cpp", ".cc", ".cxx", ".c++", ".C", ".cce", ".asc"})) {
            options.sources.push_back(word);
        } else {
            fail_input("H04", word + " is neither a C++ source nor an option",
                       "sources end in .cpp, .cc, .cxx or .cce");
        }
    }
    if (options.sources.empty())
        fail_input("H04", "no source to build",
                   "for example ptosim build kernel.cpp main.cpp -o app");
    if (options.output.empty())
        fail_input("H04", "-o is missing: the name of the output",
                   "-o app makes a program, -o kernels.so a library");
    require_library_headers(options.library_headers);
    require_ascendc(options.ascendc);
    check_threads(options);
    find_library_headers(options);
    for (const std::string& source : options.sources) {
        std::error_code none;
        if (std::filesystem::equivalent(source, options.output, none) && !none)
            fail_input("H04", "-o " + options.output + " is a source of this build",
                       "-o names the program or library that is made");
    }
    return options;
}

}  // namespace ptosim
