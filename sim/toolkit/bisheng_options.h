// The command line of the device's compiler, as public projects write it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/native/build.h"

namespace ptosim::toolkit {

// How an option is written.
enum class Form : uint8_t {
    kAlone,         // -c
    kJoined,        // --npu-arch=dav-2201: the name ends with what stands before the value
    kNext,          // -mllvm WORD
    kJoinedOrNext,  // -oOUT, -o OUT
};

// What becomes of it here.
enum class Effect : uint8_t {
    kLanguage,    // of the sources behind it
    kArch,        // architecture and cores
    kChip,        // the same by a chip's name
    kCores,       // cores alone
    kOutput,      // -o
    kNoLink,      // -c
    kDeviceOnly,  // --cce-aicore-only
    kShared,      // -shared
    kDependency,  // -MD and its like: what make and ninja read
    kInspect,     // no compilation: handed to the C++ compiler as it is
    kLink,        // to the linker
    kPass,        // to the C++ compiler
    kIgnored,     // nothing here corresponds
    kRefused,
};

struct OptionRow {
    std::string_view name;
    Form form;
    Effect effect;
    std::string_view what;  // what it means here, or why it is ignored or refused
};
std::span<const OptionRow> option_rows();
// The same as a table for people.
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
    bool link = true, shared = false, inspect = false, device_only = false;
    std::optional<Arch> arch;  // none: the words do not say
    BuildOptions::Cores cores = BuildOptions::Cores::kBoth;
    std::vector<std::string> flags;       // of compilations
    std::vector<std::string> link_words;  // objects, libraries and flags of the linker, in order
    struct Dependencies {
        bool wanted = false, phony = false, system = true;
        std::string file;                  // -MF; empty: beside the output
        std::vector<std::string> targets;  // as the rule shows them; empty: the output
    } dependencies;
};

// The words of a text: separated by spaces, quoted, backslashes as in a shell.
std::vector<std::string> split_words(const std::string& text);
// Words from files (@FILE) in their location. Throws DiagnosticError (I01).
std::vector<std::string> expand_responses(const std::vector<std::string>& words);

// Throws DiagnosticError (H04), which names the option.
BishengOptions parse_bisheng(const std::vector<std::string>& words);

// Whether a source is compiled for the device, too.
bool has_kernels(const BishengInput& input);

}  // namespace ptosim::toolkit
