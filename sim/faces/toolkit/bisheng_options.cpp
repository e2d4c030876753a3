#include "sim/faces/toolkit/bisheng_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/faces/toolkit/layout.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim::toolkit {
namespace {

using enum Form;
using enum Effect;

constexpr std::string_view kTuning = "tunes the device's code generator; kernels run natively here";

// The row with the longest matching name applies.
constexpr OptionRow kRows[] = {
    {"-x", kJoinedOrNext, kLanguage, "`cce` and `asc`: kernels and their host part; `c++`, `c`"},
    {"--asc-aicore-lang", kAlone, kLanguage, "as `-xasc`"},
    {"--npu-arch=", kJoined, kArch, "`dav-2201` (a2a3), `dav-3510` (a5); cube and vector core"},
    {"--cce-aicore-arch=", kJoined, kArch,
     "`dav-c220` (a2a3), `dav-c310` (a5); `-vec`, `-cube` for one type of core"},
    {"--npu-soc=", kJoined, kChip, "the architecture of the chip; `--npu-arch` goes before it"},
    {"--cce-soc-version=", kJoined, kChip, "as `--npu-soc`"},
    {"--cce-soc-core-type=", kJoined, kCores, "`CubeCore`, `VecCore`, anything else: both"},
    {"-o", kJoinedOrNext, kOutput, "the output"},
    {"-c", kAlone, kNoLink, "an object with the host part and the images of the kernels"},
    {"-shared", kAlone, kShared, "a shared library"},
    {"--shared", kAlone, kShared, "a shared library"},
    {"-MD", kAlone, kDependency, "a make rule with the dependencies of the output"},
    {"-MMD", kAlone, kDependency, "the same without the system's headers"},
    {"-MP", kAlone, kDependency, "with empty rules for the headers"},
    {"-MF", kJoinedOrNext, kDependency, "the file of the rule"},
    {"-MT", kJoinedOrNext, kDependency, "the target of the rule"},
    {"-MQ", kJoinedOrNext, kDependency, "the target, quoted for make"},
    {"-E", kAlone, kInspect, "of host sources"},
    {"-S", kAlone, kInspect, "of host sources"},
    {"-M", kAlone, kInspect, "of host sources"},
    {"-MM", kAlone, kInspect, "of host sources"},
    {"-fsyntax-only", kAlone, kInspect, "of host sources"},
    {"-###", kAlone, kInspect, "of host sources"},
    {"-I", kJoinedOrNext, kPass, "headers; those of the simulator go first"},
    {"-D", kJoinedOrNext, kPass, "macros"},
    {"-U", kJoinedOrNext, kPass, "macros"},
    {"-include", kNext, kPass, "headers"},
    {"-isystem", kJoinedOrNext, kPass, "headers"},
    {"-iquote", kJoinedOrNext, kPass, "headers"},
    {"-idirafter", kJoinedOrNext, kPass, "headers"},
    {"-l", kJoinedOrNext, kLink, "libraries"},
    {"-L", kJoinedOrNext, kLink, "folders of libraries"},
    {"-Wl,", kJoined, kLink, "the linker's own options"},
    {"-Xlinker", kNext, kLink, "the linker's own options"},
    {"-T", kNext, kLink, "the linker's own options"},
    {"-u", kNext, kLink, "the linker's own options"},
    {"-z", kNext, kLink, "the linker's own options"},
    {"-s", kAlone, kLink, "strips symbols; kernels stay"},
    {"-static-lib", kJoined, kLink, "the linker's own options"},
    {"-rdynamic", kAlone, kLink, "the linker's own options"},
    {"-nostdlib", kAlone, kLink, "the linker's own options"},
    {"--cce-fatobj-link", kAlone, kIgnored, "every link collects the kernels of its objects"},
    {"-mllvm", kNext, kIgnored, kTuning},
    {"-Xhost-start", kAlone, kIgnored, "options of the group apply to host and device"},
    {"-Xhost-end", kAlone, kIgnored, "see `-Xhost-start`"},
    {"-Xaicore-start", kAlone, kIgnored, "options of the group apply to host and device"},
    {"-Xaicore-end", kAlone, kIgnored, "see `-Xaicore-start`"},
    {"--cce-res-usage", kAlone, kIgnored, "registers and stacks of threads are not counted"},
    {"--cce-enable-print", kAlone, kIgnored, "kernels print always"},
    {"--cce-pto-enable", kAlone, kIgnored, "tile functions are always known"},
    {"-cce-enable-mix", kAlone, kIgnored, "kernels for both core types are launched on clusters"},
    {"--cce-enable-mix", kAlone, kIgnored, "kernels for both core types are launched on clusters"},
    {"-fenable-matrix", kAlone, kIgnored, "types of the vendor's tile language, not of kernels"},
    {"--cce-aicore-enable-tl", kAlone, kIgnored, "the vendor's tile language, not of kernels"},
    {"--enable-pto-tile-fusion", kAlone, kIgnored,
     "loops of neighbouring tile functions become one, which changes no result; times here are of separate ones"},
    {"--cce-simd-vf-fusion=", kJoined, kIgnored, kTuning},
    {"--cce-aicore-vec-misched=", kJoined, kIgnored, kTuning},
    {"--cce-aicore-record-overflow", kJoined, kIgnored, kTuning},
    {"--cce-aicore-block-local-init", kAlone, kIgnored, kTuning},
    {"--cce-aicore-dcci-", kJoined, kIgnored, kTuning},
    {"--cce-aicore-stack-size=", kJoined, kIgnored, "kernels have a stack of the host's"},
    {"--cce-auto-sync", kJoined, kIgnored, "on for Ascend C"},
    {"--cce-auto-sync=off", kAlone, kNoAutoSync, "Ascend C without inserted flags and barriers"},
    {"--cce-long-call=", kJoined, kIgnored, kTuning},
    {"--cce-disable-kernel-global-attr-check", kAlone, kIgnored, kTuning},
    {"--cce-generate-aicore-debug-info", kJoined, kIgnored, "lines are known by `-g` or without"},
    {"-cce-kernel-launch=", kJoined, kIgnored, "ptosim has one form of launches"},
    {"-dc", kAlone, kIgnored, "objects are joined by every link"},
    {"--run-mode=", kJoined, kIgnored, "there is one: the simulated device"},
    {"-Werror", kJoined, kIgnored, "this compiler warns of other things than the vendor's"},
    {"-Wno-everything", kAlone, kIgnored, "as `-w`, of clang"},
    {"-Qunused-arguments", kAlone, kIgnored, "of clang"},
    {"-fcolor-diagnostics", kAlone, kIgnored, "of clang"},
    {"-ferror-limit=", kJoined, kIgnored, "of clang"},
    {"-stdlib=libstdc++", kAlone, kIgnored, "that is the library"},
    {"--gcc-toolchain=", kJoined, kIgnored, "the installed compiler finds its own libraries"},
    {"--cce-pto-auto-enable", kAlone, kRefused,
     "auto mode: the vendor's compiler chooses addresses and flags, but ptosim does not"},
    {"--cce-aicore-only", kAlone, kDeviceOnly,
     "no host part: with `-c` an object of one core type for `ld.lld -m aicorelinux`, else a device binary"},
    {"--cce-build-static-lib", kAlone, kRefused, "link objects, or make a shared library"},
    {"-lib", kAlone, kRefused, "link objects, or make a shared library"},
    {"-cc1", kAlone, kRefused, "the vendor's compiler from inside"},
    {"--enable-simt", kAlone, kThreads, "kernels are the code of one thread (`dav-3510`)"},
    {"--target=", kJoined, kRefused, "programs are made for this machine"},
    {"-target", kNext, kRefused, "programs are made for this machine"},
};

struct Name {
    std::string_view word;
    Arch arch;
};
// Names in addition to the ones in isa/core/arch.def ("dav-c220").
constexpr Name kArchNames[] = {
    {"dav-2201", Arch::kA2A3}, {"dav-3510", Arch::kA5}, {"dav-3101", Arch::kA5}};

bool fits(const OptionRow& row, std::string_view word) {
    if (row.form == kAlone || row.form == kNext) return word == row.name;
    return word.starts_with(row.name);
}

const OptionRow* find_row(std::string_view word) {
    const OptionRow* best = nullptr;
    for (const OptionRow& row : kRows)
        if (fits(row, word) && (best == nullptr || row.name.size() > best->name.size()))
            best = &row;
    return best;
}

std::optional<Arch> arch_named(std::string_view word) {
    for (const Name& name : kArchNames)
        if (word == name.word) return name.arch;
    for (unsigned a = 0; a < kArchCount; ++a) {
        const ArchTraits& arch = traits_of(static_cast<Arch>(a));
        if (arch.compiles_kernels && word == "dav-" + std::string(arch.compiler_core))
            return static_cast<Arch>(a);
    }
    return std::nullopt;
}

class Parser {
 public:
    explicit Parser(const std::vector<std::string>& words) : words_{words} {}

    BishengOptions run() {
        for (at_ = 0; at_ < words_.size(); ++at_) {
            const std::string& word = words_[at_];
            if (word == "-" || !word.starts_with("-"))
                input(word);
            else if (const OptionRow* row = find_row(word))
                option(*row, word);
            else if (word.starts_with("--cce-") || word.starts_with("-cce-"))
                fail_input("H04", "bisheng: " + word + " is not supported",
                           "remove it if it tunes the device's code, which ptosim runs natively");
            else
                options_.flags.push_back(word);
        }
        if (!options_.arch) options_.arch = of_chip_;
        return std::move(options_);
    }

 private:
    void input(const std::string& word) {
        static const std::set<std::string_view>& endings = *new std::set<std::string_view>{
            ".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".cce", ".asc", ".h", ".hpp"};
        const size_t dot = word.rfind('.');
        const bool source =
            dot != word.npos && endings.contains(std::string_view(word).substr(dot));
        // The object takes the source's place among objects and libraries, whose order matters for linking.
        if (source || language_ != Language::kByEnding) {
            const bool object =
                word.ends_with(".o") || word.ends_with(".a") || word.find(".so") != word.npos;
            if (source || !object) {
                options_.inputs.push_back({word, language_});
                return;
            }
        }
        options_.link_words.push_back(word);
    }

    std::string value(const OptionRow& row, const std::string& word) {
        if (row.form == kJoined || (row.form == kJoinedOrNext && word.size() > row.name.size()))
            return word.substr(row.name.size());
        if (at_ + 1 == words_.size()) fail_input("H04", "bisheng: " + word + " needs a value");
        return words_[++at_];
    }

    void option(const OptionRow& row, const std::string& word) {
        const std::string of = row.form == kAlone ? "" : value(row, word);
        std::vector<std::string> whole = {word};
        if (row.form == kNext || (row.form == kJoinedOrNext && word.size() == row.name.size()))
            whole.push_back(of);
        const auto keep = [&](std::vector<std::string>& list) {
            list.insert(list.end(), whole.begin(), whole.end());
        };
        switch (row.effect) {
            case kLanguage:
                return language(row.form == kAlone ? "asc" : of);
            case kArch:
                return architecture(word, of);
            case kChip:
                return chip(word, of);
            case kCores:
                return cores(of);
            case kOutput:
                options_.output = of;
                return;
            case kNoLink:
                options_.link = false;
                return;
            case kThreads:
                options_.threads = true;
                return;
            case kDeviceOnly:
                options_.device_only = true;
                return;
            case kNoAutoSync:
                options_.auto_sync = false;
                return;
            case kShared:
                options_.shared = true;
                return;
            case kDependency:
                return dependency(row.name, of);
            case kInspect:
                options_.inspect = true;
                return keep(options_.flags);
            case kPass:
                return keep(options_.flags);
            case kLink:
                return keep(options_.link_words);
            case kIgnored:
                return;
            case kRefused:
                fail_input("H04", "bisheng: " + word + " is not supported here",
                           std::string(row.what));
        }
    }

    void language(const std::string& name) {
        if (name == "cce" || name == "asc")
            language_ = Language::kCce;
        else if (name == "c++")
            language_ = Language::kCpp;
        else if (name == "c")
            language_ = Language::kC;
        else if (name == "none")
            language_ = Language::kByEnding;
        else
            fail_input("H04", "bisheng: -x " + name + " is not a language of this compiler",
                       "cce, asc, c++, c");
    }

    void architecture(const std::string& word, const std::string& name) {
        std::string_view core = name;
        options_.cores = BuildOptions::Cores::kBoth;
        if (core.ends_with("-vec")) options_.cores = BuildOptions::Cores::kAIV;
        if (core.ends_with("-cube")) options_.cores = BuildOptions::Cores::kAIC;
        if (options_.cores != BuildOptions::Cores::kBoth) core = core.substr(0, core.rfind('-'));
        options_.arch = arch_named(core);
        if (!options_.arch)
            fail_input("H04", "bisheng: " + word + ": no architecture that kernels are built for",
                       "dav-2201 and dav-c220 (a2a3), dav-3510 and dav-c310 (a5)");
    }

    void chip(const std::string& word, const std::string& name) {
        if (const std::string model = chip_of(name); !model.empty()) {
            of_chip_ = load_chip(model, {}).arch;
            return;
        }
        fail_input("H04", "bisheng: " + word + ": no chip that kernels are built for",
                   "Ascend910B1 and the like, Ascend910_93.. (a2a3), Ascend950.. (a5)");
    }

    void cores(const std::string& name) {
        options_.cores = name == "CubeCore"  ? BuildOptions::Cores::kAIC
                         : name == "VecCore" ? BuildOptions::Cores::kAIV
                                             : BuildOptions::Cores::kBoth;
    }

    void dependency(std::string_view name, const std::string& of) {
        BishengOptions::Dependencies& d = options_.dependencies;
        d.wanted = d.wanted || name == "-MD" || name == "-MMD";
        if (name == "-MMD") d.system = false;
        if (name == "-MP") d.phony = true;
        if (name == "-MF") d.file = of;
        if (name == "-MT" || name == "-MQ") d.targets.push_back(of);
    }

    const std::vector<std::string>& words_;
    size_t at_ = 0;
    BishengOptions options_;
    Language language_ = Language::kByEnding;
    std::optional<Arch> of_chip_;
};

}  // namespace

std::span<const OptionRow> option_rows() { return kRows; }

std::string options_markdown() {
    std::string text = "| option | here | meaning, or why |\n|---|---|---|\n";
    for (const OptionRow& row : kRows) {
        const char* const value = row.form == kNext ? " WORD" : row.form == kJoined ? "..." : "";
        const char* const here = row.effect == kIgnored   ? "ignored"
                                 : row.effect == kRefused ? "refused"
                                                          : "honoured";
        text += "| `" + std::string(row.name) + value + "` | " + here + " | " +
                std::string(row.what) + " |\n";
    }
    return text;
}

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            if (inside) words.push_back(std::move(word));
            word.clear();
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (inside) words.push_back(std::move(word));
    return words;
}

std::vector<std::string> expand_responses(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) {
        if (!word.starts_with("@") || word.size() == 1) {
            all.push_back(word);
            continue;
        }
        const std::vector<std::string> more =
            expand_responses(split_words(read_text(word.substr(1))));
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

BishengOptions parse_bisheng(const std::vector<std::string>& words) { return Parser(words).run(); }

bool has_kernels(const BishengInput& input) {
    if (input.language != Language::kByEnding) return input.language == Language::kCce;
    return input.file.ends_with(".cce") || input.file.ends_with(".asc");
}

}  // namespace ptosim::toolkit
