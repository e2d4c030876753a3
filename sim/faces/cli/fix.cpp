#include "sim/faces/cli/fix.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "sim/faces/cli/commands.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"
#include "sim/session/documents.h"
#include "sim/session/kernel_source.h"
#include "sim/session/mend_text.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kRounds = 4;

class Repair {
 public:
    Repair(const RunOptions& options, std::vector<std::string> words)
        : options_{options},
          words_{std::move(words)},
          assembly_{is_assembly(options.kernel)},
          original_{read_file(options.kernel)} {}

    // True if `text` is without findings then.
    bool by_mends(std::vector<check::MendLine> mend) {
        text = original_;
        for (unsigned round = 0; round < kRounds && !mend.empty(); ++round) {
            text = with_mend(text, options_.kernel, mend).text;
            if (check(text, words_) == kOk) return true;
            mend = mends_of_check();
        }
        return false;
    }
    // Replaces all flags and barriers by the insertion of an assembler.
    bool by_insertion() {
        if (!assembly_) return false;
        std::string bare;
        std::string_view rest = original_;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
            const std::string_view line = rest.substr(0, end);
            const size_t first = line.find_first_not_of(" \t");
            const std::string_view operation = first == line.npos ? line : line.substr(first);
            const bool flag = operation.starts_with("pto.set_flag") ||
                              operation.starts_with("pto.wait_flag") ||
                              operation.starts_with("pto.barrier <") ||
                              operation.starts_with("pto.record_event") ||
                              operation.starts_with("pto.wait_event");
            if (!flag) bare += line;
            rest.remove_prefix(end);
        }
        std::vector<std::string> inserting;
        for (size_t i = 0; i < words_.size(); ++i) {
            if (words_[i] == "--sync")
                ++i;
            else if (!words_[i].starts_with("--sync="))
                inserting.push_back(words_[i]);
        }
        const std::string inserted = folder_.path() / "inserted.pto";
        inserting.insert(inserting.end(), {"--sync", "insert", "--emit", inserted});
        if (check(bare, inserting) != kOk || !fs::exists(inserted)) return false;
        text = read_file(inserted);
        return check(text, words_) == kOk;
    }
    const std::string& original() const { return original_; }

    std::string text;

 private:
    // The exit code of a check of the text, as a file of the kernel's name.
    int check(const std::string& content, const std::vector<std::string>& words) {
        write_file(copy_, content);
        std::vector<std::string> command{program_file(), "check", copy_};
        command.insert(command.end(), words.begin(), words.end());
        command.insert(command.end(), {"--json", result_});
        if (!assembly_)
            command.insert(command.end(),
                           {"--include", fs::absolute(options_.kernel).parent_path().string()});
        fs::remove(result_);
        return run_command(command).status;
    }
    std::vector<check::MendLine> mends_of_check() const {
        std::vector<check::MendLine> mend;
        if (!fs::exists(result_)) return mend;
        const Json result = parse_json(read_file(result_));
        for (const Json& finding : result.at("diagnostics")) {
            if (!finding.contains("mend")) continue;
            for (const Json& line : finding.at("mend").at("lines")) {
                if (line.at("file").text() != copy_) continue;
                const std::string& place = line.at("place").text();
                mend.push_back({options_.kernel, line.at("line").get<uint32_t>(),
                                place == "after"    ? check::MendLine::Place::kAfter
                                : place == "before" ? check::MendLine::Place::kBefore
                                                    : check::MendLine::Place::kInstead,
                                line.at("text").text()});
            }
        }
        return mend;
    }

    const RunOptions& options_;
    const std::vector<std::string> words_;
    const bool assembly_;
    const std::string original_;
    const TemporaryFolder folder_;
    const std::string copy_ = folder_.path() / fs::path(options_.kernel).filename();
    const std::string result_ = folder_.path() / "result.json";
};

std::string fixed_name(const std::string& kernel) {
    const fs::path path(kernel);
    return (path.parent_path() / (path.stem().string() + ".fixed" + path.extension().string()))
        .string();
}

void write(const std::string& kernel, const std::string& before, const std::string& after,
           FixOutput output, const std::string& how) {
    if (output == FixOutput::kDiff) {
        std::cout << diff_of(kernel, before, after);
        std::cerr << how << "\n";
        return;
    }
    const std::string file = output == FixOutput::kInPlace ? kernel : fixed_name(kernel);
    write_file(file, after);
    std::cerr << "repaired: " << file << " (" << how << ")\n";
}

}  // namespace

void fix_kernel(const RunOptions& options, std::span<const check::Explanation> explanations,
                const std::vector<std::string>& words, FixOutput output) {
    std::vector<check::MendLine> mend;
    bool elsewhere = false;
    for (const check::Explanation& one : explanations)
        for (const check::MendLine& line : one.mend) {
            elsewhere |= line.file != options.kernel;
            mend.push_back(line);
        }
    Repair repair(options, words);
    if (!elsewhere && repair.by_mends(mend))
        return write(options.kernel, repair.original(), repair.text, output,
                     "checked: no finding with it");
    if (repair.by_insertion())
        return write(options.kernel, repair.original(), repair.text, output,
                     "all flags and barriers were replaced by those of --sync insert; checked: no "
                     "finding with it");
    if (!mend.empty() && output == FixOutput::kDiff) {
        std::vector<std::string> files;
        for (const check::MendLine& line : mend)
            if (std::find(files.begin(), files.end(), line.file) == files.end())
                files.push_back(line.file);
        for (const std::string& file : files) {
            const std::string before = read_file(file);
            std::cout << diff_of(file, before, with_mend(before, file, mend).text);
        }
        std::cerr << "a suggestion: findings remain with it, or it could not be checked\n";
        return;
    }
    std::cerr << "not repaired: no change of flags and barriers was found that leaves no finding\n";
}

}  // namespace ptosim::cli
