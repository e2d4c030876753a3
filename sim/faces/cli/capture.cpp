// ptosim capture: a kit with which the owner of a board measures figures that a chip file assumes.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "isa/core/diagnostic.h"
#include "sim/faces/cli/commands.h"
#include "sim/machine/model/installation.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
    std::string out, import, chip, write, clock;
};

// Quotes a word for a shell.
std::string in_shell(const std::string& word) {
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::strchr("/._-+,:=@%", c) != nullptr;
    };
    if (std::all_of(word.begin(), word.end(), plain)) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

fs::path kit_folder() { return fs::path(models_folder()) / "capture"; }

int write_kit(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error)
        fs::copy(kit_folder(), folder,
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) fail_input("I40", folder + " cannot be written: " + error.message());
    std::cout << "the kit is in " << folder << "; on the machine with the board: VECTOR_CORES=48 "
              << in_shell(folder + "/run.sh") << "\nthen here: ptosim capture --import "
              << in_shell(folder) << "\n";
    return kOk;
}

[[noreturn]] void import_results(const CaptureOptions& options) {
    if (!fs::exists(fs::path(options.import) / "results.csv"))
        fail_input("I01", options.import + "/results.csv does not exist",
                   "run the kit's run.sh on the board: ptosim capture --out DIR writes the kit");
    std::vector<std::string> words = {"python3", kit_folder() / "capture.py", options.import,
                                      "--ptosim", program_file()};
    if (!options.chip.empty()) words.insert(words.end(), {"--chip", options.chip});
    if (!options.write.empty()) words.insert(words.end(), {"--write", options.write});
    if (!options.clock.empty()) words.insert(words.end(), {"--clock", options.clock});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::cout.flush();
    execvp(arguments[0], arguments.data());
    fail_input("I02", std::string("python3 cannot be run: ") + std::strerror(errno),
               "the import needs python3 with numpy");
}

void refuse_import_options(const CaptureOptions& options) {
    const std::pair<const char*, const std::string&> of_import[] = {
        {"--chip", options.chip}, {"--clock", options.clock}, {"--write", options.write}};
    for (const auto& [name, value] : of_import)
        if (!value.empty())
            fail_input(
                "I00", std::string(name) + " cannot be used with --out",
                "the kit is the same for all boards; give " + std::string(name) + " with --import");
}

}  // namespace

void add_capture(const Command& app, Action& action) {
    auto options = std::make_shared<CaptureOptions>();
    const Command command = app.add_subcommand(
        "capture", "Write a kit that measures a board, or import its measurements as chip figures");
    command.add_option("--out", options->out, "Write the kit into this folder");
    command.add_option("--import", options->import,
                       "A folder with results.csv and numbers.csv of a board");
    command.add_option("--chip", options->chip,
                       "With --import: the chip that is closest to the board; default ascend910b1");
    command.add_option("--clock", options->clock,
                       "With --import: clock of the board's cores in Hz; default: that of the chip");
    command.add_option("--write", options->write,
                       "With --import: write the imported figures to a chip file");
    command.callback([options, &action] {
        action = [options] {
            if (options->out.empty() == options->import.empty())
                fail_input("I00", "either --out or --import is needed",
                           "ptosim capture --out DIR writes the kit, --import DIR reads its "
                           "results");
            if (!options->out.empty()) {
                refuse_import_options(*options);
                return write_kit(options->out);
            }
            import_results(*options);
        };
    });
}

}  // namespace ptosim::cli
