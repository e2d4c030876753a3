// ptosim check KERNEL...
#include <algorithm>
#include <filesystem>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/fix.h"
#include "sim/faces/cli/python_command.h"
#include "sim/faces/cli/run_options.h"
#include "sim/session/kept_task.h"

namespace ptosim::cli {
namespace {

// The words of this command line that apply to each kernel: all except the kernels.
std::vector<std::string> words_without(const std::vector<std::string>& kernels) {
    std::vector<std::string> words(own_words().begin() + 1, own_words().end());
    for (const std::string& kernel : kernels) {
        const auto found = std::find(words.rbegin(), words.rend(), kernel);
        if (found != words.rend()) words.erase(std::next(found).base());
    }
    return words;
}

// Without the options of repairs, which a check of a repaired kernel must not have, and its files
// of output.
std::vector<std::string> words_of_repair(const std::string& kernel) {
    std::vector<std::string> words;
    const std::vector<std::string> all = words_without({kernel});
    for (size_t i = 0; i < all.size(); ++i) {
        const std::string& word = all[i];
        const std::string name = word.substr(0, word.find('='));
        if (name == "--fix" || name == "--diff" || name == "--in-place" || name == "-v" ||
            name == "--verbose")
            continue;
        if (name == "--json" || name == "--report" || name == "--format" || name == "--trace" ||
            name == "--scope") {
            if (name == word) ++i;
            continue;
        }
        words.push_back(word);
    }
    return words;
}

// Runs in separate processes, several at a time, with one summary, by the Python package.
int check_several(const RunOptions& options, const std::vector<std::string>& more) {
    std::vector<std::string> kernels{options.kernel};
    kernels.insert(kernels.end(), more.begin(), more.end());
    std::vector<std::string> words{"--several"};
    words.insert(words.end(), kernels.begin(), kernels.end());
    words.emplace_back("--");
    const std::vector<std::string> others = words_without(kernels);
    words.insert(words.end(), others.begin(), others.end());
    return run_python_command("check", words);
}

}  // namespace

void add_check(const Command& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    options->check = "all";
    options->causes = true;
    options->scope = true;
    options->schedules = ScheduleChoice::kCheapCount;
    options->schedules_if_cheap = true;
    options->paths = PathBudget::kRuns;
    const Command command =
        app.add_subcommand("check", "Run kernels under every checker: races, flags, memory");
    auto more = std::make_shared<std::vector<std::string>>();
    auto jobs = std::make_shared<uint32_t>(0);
    struct Fix {
        bool file = false, diff = false, in_place = false;
        FixOutput output() const {
            return in_place ? FixOutput::kInPlace
                   : diff   ? FixOutput::kDiff
                   : file   ? FixOutput::kFile
                            : FixOutput::kNone;
        }
    };
    auto fix = std::make_shared<Fix>();
    command.add_options_later([command, options, more, jobs, fix] {
        add_run_options(command, *options);
        command.add_option(
            "MORE", *more,
            "More kernels, folders of kernels, or lists of kernels; one summary covers all");
        command.add_flag(
            "--fix", fix->file,
            "Repair flags and barriers, check the repaired kernel, and write it to NAME.fixed.pto");
        command.add_flag("--diff", fix->diff,
                         "Like --fix, but print a patch of the kernel's lines instead");
        command.add_flag("--in-place", fix->in_place,
                         "Like --fix, but write to the kernel's own file");
        command
            .add_option("--jobs", *jobs,
                        "Number of kernels to check at a time; default: the number of processors")
            .type_name("N")
            .range(1, 1024);
    });
    command.callback([options, more, fix, &action] {
        action = [options, more, fix] {
            if (fix->output() != FixOutput::kNone)
                options->repair = [options, fix](std::span<const check::Explanation> explanations) {
                    fix_kernel(*options, explanations, words_of_repair(options->kernel),
                               fix->output());
                };
            options->rerun = !options->trace.empty() && options->mode != "functional";
            const bool folder =
                !options->dry_run && std::filesystem::is_directory(options->kernel) && !is_kept_task(options->kernel);
            const bool list = options->kernel.ends_with(".json");
            return more->empty() && !folder && !list ? run_kernel(*options)
                                                     : check_several(*options, *more);
        };
    });
}

}  // namespace ptosim::cli
