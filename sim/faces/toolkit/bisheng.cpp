#include "sim/faces/toolkit/bisheng.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/compiler.h"
#include "sim/compile/device_objects.h"
#include "sim/compile/tiling_library.h"
#include "sim/faces/toolkit/bisheng_options.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

// Not CXX, because build systems set that to bisheng itself.
std::string machine_compiler() {
    const char* name = std::getenv("PTOSIM_CXX");
    return name != nullptr && *name != 0 ? name : "c++";
}

[[noreturn]] void become(const Words& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::cout.flush();
    execvp(arguments[0], arguments.data());
    fail_input("H02", words[0] + ": cannot be run: " + std::strerror(errno),
               "PTOSIM_CXX names the C++ compiler of this machine");
}

// True for flags of both compiling and linking.
bool is_of_links(const std::string& flag) {
    return flag.starts_with("-f") || flag.starts_with("-m") || flag.starts_with("-O") ||
           flag.starts_with("-g") || flag == "-pthread" || flag == "-pie" || flag == "-no-pie" ||
           flag.starts_with("-static");
}

// True for flags that set position independence: objects of kernels must also fit into libraries, whatever the program
// requests.
bool is_position(const std::string& flag) {
    return flag == "-fPIE" || flag == "-fpie" || flag == "-fno-pie" || flag == "-fno-PIE" ||
           flag == "-fno-pic" || flag == "-fno-PIC" || flag == "-pie" || flag == "-no-pie";
}

// True for C++ that uses the type `__fp16`, which only bisheng's compiler supports.
bool names_half(const BishengInput& input) {
    if (input.language == Language::kC || input.file.ends_with(".c") || !fs::is_regular_file(input.file))
        return false;
    return read_file(input.file).find("__fp16") != std::string::npos;
}

class Driver {
 public:
    explicit Driver(BishengOptions options)
        : options_{std::move(options)}, compiler_{machine_compiler()} {}

    int run() {
        if (options_.inputs.empty() && options_.link_words.empty())
            fail_input("H04", "bisheng: no input", "bisheng --help lists the options");
        const bool kernels =
            std::any_of(options_.inputs.begin(), options_.inputs.end(), &has_kernels);
        if (kernels && options_.inspect)
            fail_input("H04", "bisheng: a source with kernels can only be compiled",
                       "leave out -E, -S, -M and -fsyntax-only, which are for host sources");
        if (options_.device_only) return device_binary();
        if (!kernels) become(host_command(options_.inputs, options_.link, options_.output));
        const TemporaryFolder folder;
        Words objects;
        for (const BishengInput& input : options_.inputs)
            objects.push_back(object(input, folder.path() / std::to_string(objects.size())));
        if (options_.link) link(objects);
        return 0;
    }

 private:
    // The C++ compiler's command for sources without kernels; also links if `link`.
    Words host_command(const std::vector<BishengInput>& inputs, bool link,
                       const std::string& output) const {
        Words words = {compiler_, "-I" + include_folder()};
        append(words, options_.flags);
        if (!inputs.empty() && !checkout().empty()) append(words, ascendc_flags(checkout()));
        if (std::any_of(inputs.begin(), inputs.end(), &names_half))
            append(words, {"-include", "pto/common/numbers.hpp"});
        if (!inputs.empty()) append(words, dependency_words(output));
        for (const BishengInput& input : inputs) {
            const bool c = input.language == Language::kC ||
                           (input.language == Language::kByEnding && input.file.ends_with(".c"));
            append(words, {"-x", c ? "c" : "c++", input.file});
        }
        if (!inputs.empty()) append(words, {"-x", "none"});
        if (!link && !options_.inspect) words.push_back("-c");
        if (link && !options_.inspect) append(words, link_words());
        if (!output.empty()) append(words, {"-o", output});
        return words;
    }

    // The checkout of asc-devkit; empty without one.
    static std::string checkout() {
        const char* folder = std::getenv("PTOSIM_ASCENDC");
        return folder == nullptr ? "" : folder;
    }

    Words dependency_words(const std::string&) const {
        const BishengOptions::Dependencies& d = options_.dependencies;
        Words words;
        if (d.wanted) words.push_back(d.system ? "-MD" : "-MMD");
        if (d.phony) words.push_back("-MP");
        if (!d.file.empty()) append(words, {"-MF", d.file});
        for (const std::string& target : d.targets) append(words, {"-MT", target});
        return words;
    }

    // Libraries come after the sources' objects: libptosim is linked if an object uses it.
    Words link_words() const {
        Words words;
        if (options_.shared) words.push_back("-shared");
        for (const std::string& word : options_.link_words)
            words.push_back(word == "-ltiling_api" && !checkout().empty()
                                ? tiling_library(checkout(), compiler_)
                                : word);
        // Other libraries of the toolkit are named without a folder.
        if (const char* toolkit = std::getenv("ASCEND_HOME_PATH"))
            words.push_back("-L" + std::string(toolkit) + "/lib64");
        append(words, {"-L" + library_folder(), "-Wl,--as-needed", "-lptosim",
                       "-Wl,-rpath," + library_folder()});
        return words;
    }

    // Kernels without a host part.
    int device_binary() {
        using enum BuildOptions::Cores;
        const bool object = !options_.link;
        if (object && (options_.inputs.size() != 1 || options_.cores == kBoth))
            fail_input("H04", "bisheng: --cce-aicore-only -c makes an object of one source for one core type",
                       "name the core type (--cce-aicore-arch=dav-c220-vec, -cube); leave -c out for a binary");
        const std::string output = !options_.output.empty() ? options_.output
                                   : object ? fs::path(options_.inputs[0].file).stem().string() + ".o"
                                            : "a.out";
        check_writable(output);
        const TemporaryFolder folder;
        Words objects;
        for (const BishengInput& input : options_.inputs)
            for (const auto cores : {kAIC, kAIV}) {
                if (options_.cores != kBoth && options_.cores != cores) continue;
                BuildOptions options = build_options(input);
                options.cores = cores;
                options.idle_cores = options_.cores == kBoth;
                const KernelObject made = build_device_object(options);
                objects.push_back(object ? output
                                         : (folder.path() / (std::to_string(objects.size()) + ".o")).string());
                write_file(objects.back(), made.content);
                write_rule(made.dependencies, output);
            }
        append(objects, options_.link_words);
        if (!object) link_device_binary(objects, output);
        return 0;
    }

    // Makes the object of a source and returns its path.
    std::string object(const BishengInput& input, const fs::path& location) {
        const std::string stem = fs::path(input.file).stem().string();
        const std::string output = options_.link             ? location.string() + ".o"
                                   : options_.output.empty() ? stem + ".o"
                                                             : options_.output;
        if (has_kernels(input)) {
            const KernelObject made = build_object(build_options(input));
            write_file(output, made.content);
            write_rule(made.dependencies, options_.link ? stem + ".o" : output);
        } else {
            command(host_command({input}, false, output), input.file + " does not compile");
        }
        return output;
    }

    BuildOptions build_options(const BishengInput& input) const {
        BuildOptions options;
        options.auto_sync = options_.auto_sync;
        options.sources = {input.file};
        options.arch = options_.arch.value_or(Arch::kA2A3);
        options.cores = options_.cores;
        options.idle_cores = true;
        options.infer_vector_kernels = infers_core_types(options.arch);
        if (const char* folder = std::getenv("PTOSIM_PTO_HEADERS"))
            options.library_headers = folder;
        require_library_headers(options.library_headers);
        options.ascendc = checkout();
        require_ascendc(options.ascendc);
        options.threads = options_.threads;
        check_threads(options);
        // Kernels on the level of intrinsics use a separate compiler, unless one is chosen.
        if (std::getenv("PTOSIM_CXX") != nullptr) options.compiler = compiler_;
        std::copy_if(options_.flags.begin(), options_.flags.end(),
                     std::back_inserter(options.flags),
                     [](const std::string& flag) { return !is_position(flag); });
        find_library_headers(options);
        return options;
    }

    static std::string escaped(const std::string& file) {
        std::string text;
        for (const char c : file) {
            if (c == ' ' || c == '#') text += '\\';
            if (c == '$') text += '$';
            text += c;
        }
        return text;
    }

    // Writes a dependency rule for make and ninja.
    void write_rule(const std::vector<std::string>& files, const std::string& output) const {
        const BishengOptions::Dependencies& d = options_.dependencies;
        if (!d.wanted) return;
        std::string text, rules;
        for (const std::string& target : d.targets) text += (text.empty() ? "" : " ") + target;
        if (d.targets.empty()) text = escaped(output);
        text += ":";
        for (const std::string& file : files) {
            if (!d.system && file.starts_with("/usr/")) continue;
            text += " \\\n  " + escaped(file);
            if (d.phony && &file != &files.front()) rules += escaped(file) + ":\n";
        }
        const std::string beside = fs::path(output).replace_extension(".d").string();
        write_file(d.file.empty() ? beside : d.file, text + "\n" + rules);
    }

    // The output is either complete or unchanged.
    void link(const Words& objects) const {
        const fs::path output = options_.output.empty() ? "a.out" : options_.output;
        check_writable(output.string());
        const fs::path linked = output.string() + "." + std::to_string(getpid()) + ".tmp";
        Words words = {compiler_};
        for (const std::string& flag : options_.flags)
            if (is_of_links(flag)) words.push_back(flag);
        append(words, objects);
        append(words, link_words());
        append(words, {"-o", linked.string()});
        try {
            command(words, output.string() + " cannot be linked");
        } catch (const DiagnosticError&) {
            std::error_code error;
            fs::remove(linked, error);
            throw;
        }
        fs::rename(linked, output);
    }

    static void command(const Words& words, const std::string& what) {
        const CommandResult result = run_command(words);
        std::cerr << result.messages;
        if (result.status != 0)
            fail_input("H02", what, "the messages above are the compiler's: " + words[0]);
    }

    BishengOptions options_;
    std::string compiler_;
};

bool asks_compiler(const std::string& word) {
    return word == "-v" || word == "-dumpversion" || word == "-dumpmachine" ||
           word == "-dumpfullversion" || word.starts_with("-print-") ||
           word.starts_with("--print-");
}

void print_help() {
    std::cout
        << "Usage: bisheng OPTIONS FILES\n\n"
           "Compiles kernels and their hosts for the simulated chip, by the command lines of\n"
           "the device's own compiler. Other options are those of the C++ compiler.\n\n"
        << options_markdown();
}

}  // namespace

int run_bisheng(const std::vector<std::string>& given) {
    const std::vector<std::string> words = expand_responses(given);
    const bool alone = std::all_of(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with("-"); });
    for (const std::string& word : words) {
        if (word == "--help") {
            print_help();
            return 0;
        }
        if (word == "--version") std::cout << "bisheng of ptosim, on\n";
        if (word == "--version" || (alone && asks_compiler(word))) {
            Words question = {machine_compiler()};
            append(question, words);
            become(question);
        }
    }
    return Driver(parse_bisheng(words)).run();
}

// According to CANN, restrictions of compiling operators for AI Core: on A2 and A3, but not on the 950.
bool infers_core_types(Arch arch) {
    static constexpr Arch kInferring[] = {Arch::kA2A3};
    return std::find(std::begin(kInferring), std::end(kInferring), arch) != std::end(kInferring);
}

}  // namespace ptosim::toolkit
