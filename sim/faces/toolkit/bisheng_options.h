// The command line of the device's compiler, as used in public projects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compile/build.h"

namespace ptosim::toolkit {

// Syntax of an option.
enum class Form : uint8_t {
    kAlone,         // -c
    kJoined,        // --npu-arch=dav-2201: the name includes the text before the value
    kNext,          // -mllvm WORD
    kJoinedOrNext,  // -oOUT, -o OUT
};

// Effect of an option in this program.
enum class Effect : uint8_t {
    kLanguage,    // of the sources after it
    kArch,        // architecture and cores
    kChip,        // the same, by the name of a chip
    kCores,       // cores only
    kOutput,      // -o
    kNoLink,      // -c
    kDeviceOnly,  // --cce-aicore-only
    kThreads,     // --enable-simt
    kNoAutoSync,  // --cce-auto-sync=off
    kShared,      // -shared
    kDependency,  // -MD and similar: rules for make and ninja
    kInspect,     // no compilation: passed unchanged to the C++ compiler
    kLink,        // to the linker
    kPass,        // to the C++ compiler
    kIgnored,     // without an equivalent here
    kRefused,
};

struct OptionRow {
    std::string_view name;
    Form form;
    Effect effect;
    std::string_view what;  // its meaning here, or the reason for ignoring or refusing it
};
std::span<const OptionRow> option_rows();
// The same as a Markdown table.
std::string options_markdown();

// The source languages.
enum class Language : uint8_t { kByEnding, kCce, kCpp, kC };

struct BishengInput {
    std::string file;
    Language language = Language::kByEnding;
};

struct BishengOptions {
    std::vector<BishengInput> inputs;  // sources, in order
    std::string output;
    bool link = true, shared = false, inspect = false, device_only = false, auto_sync = true, threads = false;
    std::optional<Arch> arch;  // empty: not given
    BuildOptions::Cores cores = BuildOptions::Cores::kBoth;
    std::vector<std::string> flags;       // of compilations
    std::vector<std::string> link_words;  // objects, libraries and flags of the linker, in order
    struct Dependencies {
        bool wanted = false, phony = false, system = true;
        std::string file;                  // -MF; empty: next to the output
        std::vector<std::string> targets;  // targets of the rule; empty: the output
    } dependencies;
};

// Splits a text into words: at spaces, with quotes and backslashes as in a shell.
std::vector<std::string> split_words(const std::string& text);
// Replaces @FILE by the words in the file. Throws DiagnosticError (I01).
std::vector<std::string> expand_responses(const std::vector<std::string>& words);

// Throws DiagnosticError (H04), which names the option.
BishengOptions parse_bisheng(const std::vector<std::string>& words);

// True if a source is also compiled for the device.
bool has_kernels(const BishengInput& input);

}  // namespace ptosim::toolkit
