// ptosim lsp: the language server of .pto files.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "isa/core/arch.h"
#include "sim/faces/cli/commands.h"
#include "sim/faces/lsp/server.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"
#include "sim/session/fragment_cost.h"
#include "traces/analyse/analysis.h"
#include "traces/record/recording_file.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;
using assembly::Operation;
using assembly::Type;

constexpr const char* kSecondsOfCheck = "60";

// The cost of operations whose tiles and views have static shapes.
class OperationCosts {
 public:
    explicit OperationCosts(std::string chip) { options_.chip = std::move(chip); }

    std::string of(const Operation& op, const assembly::Module& module) {
        std::optional<Fragment> fragment = fragment_of(op, module);
        if (!fragment) return "cost: unknown, because it depends on values of the run";
        try {
            if (!machine_ || machine_->broken()) {
                if (machine_) return "cost: unknown";
                machine_ = std::make_unique<FragmentMachine>(options_);
            }
            return "cost: " + std::to_string(machine_->cost(*fragment).cycles) + " cycles alone on " + options_.chip;
        } catch (const DiagnosticError& error) {
            return "cost: unknown: " + std::string(error.what());
        }
    }

 private:
    // The text between the outer '<' and '>' of a type.
    static std::string inside(std::string_view type) {
        const size_t open = type.find('<'), close = type.rfind('>');
        if (open == type.npos || close == type.npos) return {};
        return std::string(type.substr(open + 1, close - open - 1));
    }

    // The operation with its tiles and arrays, without type aliases. Empty if some size is open.
    static std::optional<Fragment> fragment_of(const Operation& op, const assembly::Module& module) {
        Fragment fragment;
        std::string parts;
        bool cube = false;
        for (const assembly::Clause& clause : op.clauses) {
            if (clause.name != "ins" && clause.name != "outs") continue;
            std::string names, types;
            if (clause.items.size() != clause.types.size()) return {};
            for (size_t i = 0; i < clause.items.size(); ++i) {
                const assembly::Item& item = clause.items[i];
                const Type& type = *clause.types[i];
                if (item.kind != assembly::Item::Kind::kValue || type.text.find('?') != type.text.npos) return {};
                const std::string name = "v" + std::to_string(i) + (clause.name == "ins" ? "i" : "o");
                names += (names.empty() ? "%" : ", %") + name;
                types += (types.empty() ? "" : ", ") + std::string(type.text);
                if (type.kind == assembly::TypeKind::kTile) {
                    fragment.tiles.emplace_back(name, inside(type.text));
                    cube = cube || type.tile.space != Space::kUB;
                } else if (type.kind == assembly::TypeKind::kPartitionView) {
                    fragment.arrays.emplace_back(name, inside(type.text));
                } else if (type.kind == assembly::TypeKind::kIndex) {
                    fragment.values.emplace_back(name, "index=0");
                } else {
                    return {};
                }
            }
            parts += " " + std::string(clause.name) + "(" + names + " : " + types + ")";
        }
        if (fragment.tiles.empty()) return {};
        std::string attributes;
        const std::string_view text = std::string_view(module.text).substr(op.begin, op.end - op.begin);
        if (const size_t brace = text.find('{'); brace != text.npos && op.regions.empty()) attributes = " " + std::string(text.substr(brace));
        fragment.text = std::string(op.name) + parts + attributes;
        fragment.core = cube ? "cube" : "vector";
        return fragment;
    }

    SessionOptions options_;
    std::unique_ptr<FragmentMachine> machine_;
};

// The cycles of lines in the newest recording next to a file (a folder with recording.bin).
class RecordedLines {
 public:
    explicit RecordedLines(std::string folder) : folder_{std::move(folder)} {}

    std::map<uint32_t, std::string> of(const std::string& path) {
        const fs::path found = folder_.empty() ? newest(fs::path(path).parent_path()) : fs::path(folder_);
        std::error_code none;
        const fs::path file = found / kRecordingName;
        const auto time = fs::last_write_time(file, none);
        if (found.empty() || none) return {};
        if (file != file_ || time != time_) {
            file_ = file;
            time_ = time;
            try {
                lines_ = analyse(read_recording(found)).lines;
            } catch (const DiagnosticError&) {
                lines_.clear();
            }
        }
        std::map<uint32_t, std::string> texts;
        const std::string name = fs::path(path).filename().string() + ":";
        for (const Hotspot& line : lines_) {
            if (line.busy == 0 && line.wait == 0) continue;  // setting a flag
            const size_t at = line.name.rfind('/') == std::string::npos ? 0 : line.name.rfind('/') + 1;
            if (line.name.compare(at, name.size(), name) != 0) continue;
            texts[static_cast<uint32_t>(std::strtoul(line.name.c_str() + at + name.size(), nullptr, 10))] =
                std::to_string(line.busy) + " cycles" + (line.wait > 0 ? ", waits " + std::to_string(line.wait) : "");
        }
        return texts;
    }

 private:
    static fs::path newest(const fs::path& parent) {
        fs::path best;
        fs::file_time_type best_time;
        std::error_code none;
        for (const fs::directory_entry& entry : fs::directory_iterator(parent, none)) {
            const auto time = fs::last_write_time(entry.path() / kRecordingName, none);
            if (none || (!best.empty() && time <= best_time)) continue;
            best = entry.path();
            best_time = time;
        }
        return best;
    }

    const std::string folder_;
    fs::path file_;
    fs::file_time_type time_;
    std::vector<Hotspot> lines_;
};

// The words after "// run:" in a kernel, as 'ptosim compare' takes them.
std::vector<std::string> words_of_check(const std::string& path) {
    std::istringstream text(read_text(path));
    constexpr std::string_view kMark = "// run:";
    std::vector<std::string> words;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with(kMark)) continue;
        std::istringstream rest(line.substr(kMark.size()));
        for (std::string word; rest >> word;) words.push_back(word);
        break;
    }
    return words;
}

Json checked(const std::string& path) {
    std::vector<std::string> words;
    try {
        words = words_of_check(path);
    } catch (const DiagnosticError&) {
        return {};
    }
    if (words.empty()) return {};
    const TemporaryFolder folder;
    const std::string result = folder.path() / "result.json";
    const fs::path file(path);
    std::vector<std::string> command{"env", "-C", file.parent_path().string(), "timeout", "-k", "5", kSecondsOfCheck,
                                     program_file(), "check", file.filename().string()};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--json", result});
    run_command(command);
    if (!fs::exists(result)) return {};
    return parse_json(read_file(result), {.discards = true});
}

struct LspOptions {
    std::string chip = "ascend910b1", recording;
};

int run_lsp(const LspOptions& options) {
    std::map<Arch, ChipModel> chips;
    const Arch own = load_chip(options.chip, {}).arch;
    const auto chip_of = [&](std::optional<Arch> arch) -> const ChipModel& {
        const auto [at, added] = chips.try_emplace(arch.value_or(own));
        if (added) at->second = load_chip(at->first == own ? options.chip : std::string(traits_of(at->first).default_chip), {});
        return at->second;
    };
    OperationCosts costs(options.chip);
    RecordedLines recorded(options.recording);
    lsp::Facts facts{chip_of, isa_page,
                     [&](const Operation& op, const assembly::Module& module) { return costs.of(op, module); },
                     [&](const std::string& path) { return recorded.of(path); }, checked};
    // The protocol has standard output for itself.
    const int out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    debug::ProtocolStream stream(STDIN_FILENO, out);
    return lsp::Server(stream, std::move(facts)).serve();
}

}  // namespace

void add_lsp(const Command& app, Action& action) {
    auto options = std::make_shared<LspOptions>();
    const Command command = app.add_subcommand("lsp", "Serve an editor's questions about .pto files (Language Server Protocol)");
    command.add_option("--chip", options->chip, "The chip of costs and limits: a chip's name, or a chip file")
        .capture_default_str();
    command.add_option("--recording", options->recording,
                       "The recording whose cycles are shown; default: the newest folder with one next to the file")
        .type_name("DIR");
    command.callback([options, &action] { action = [options] { return run_lsp(*options); }; });
}

}  // namespace ptosim::cli
