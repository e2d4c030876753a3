#include "sim/session/output_paths.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"
#include "sim/session/kernel_source.h"
#include "traces/record/recording_file.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

// One name for a file, existing or not, after resolving links.
fs::path resolved(const std::string& path) {
    std::error_code error;
    fs::path result = fs::weakly_canonical(fs::absolute(path), error);
    return error ? fs::absolute(path).lexically_normal() : result;
}

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    return a == b || (fs::equivalent(a, b, error) && !error);
}

bool may_be_anything(const std::string& path) {
    std::error_code error;
    return path.empty() || path == "-" ||
           (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

// Files written by hand. An array or a report that would replace one is a mistake in the command
// line.
bool is_written_by_hand(const fs::path& path) {
    if (has_assembly_name(path) || is_source(path)) return true;
    static constexpr std::string_view kNames[] = {".h", ".hpp", ".py"};
    const std::string name = path.extension().string();
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Files made from recordings: traces/traces.h has the names of each format.
constexpr std::string_view kMade[] = {
    "trace.json",
    "lanes.json",
    "summary.txt",
    "report.md",
    "trials.tsv",
    "report.json",
    "agent.json",
    "report.html",
    "swimlane.svg",
    "swimlane.png",
    "deps.json",
    "pmu.csv",
    "chip_swimlane_records.json",
};

void remove_earlier_run(const fs::path& folder) {
    std::error_code ignored;
    // Without a recording these files belong to something else.
    if (!fs::exists(folder / kRecordingName, ignored)) return;
    std::vector<fs::path> made;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool map = name.starts_with("name_map_") && name.ends_with(".json");
        if (map || std::find(std::begin(kMade), std::end(kMade), name) != std::end(kMade))
            made.push_back(entry.path());
    }
    for (const fs::path& file : made) fs::remove(file, ignored);
    fs::remove_all(folder / "simulator", ignored);
    fs::remove(folder / kRecordingName, ignored);
}

}  // namespace

void OutputPaths::add_input(const std::string& path, const std::string& what) {
    if (!may_be_anything(path)) inputs_.push_back({resolved(path), what});
}

void OutputPaths::add_output(const std::string& path, const std::string& what,
                             const std::string& own) {
    add(path, what, own);
    std::error_code ignored;
    if (!may_be_anything(path) && is_written_by_hand(resolved(path)) && fs::exists(path, ignored))
        fail_input("I62", what + ": " + path + " is a source file, which this output would replace",
                   "write it to another file");
}

void OutputPaths::add_kernel_output(const std::string& path, const std::string& what) {
    add(path, what, {});
}

void OutputPaths::add(const std::string& path, const std::string& what, const std::string& own) {
    if (may_be_anything(path)) return;
    const fs::path target = resolved(path);
    const auto taken = [&](const Listed& other) { return same_file(other.path, target); };
    const auto refuse = [&](const Listed& other, const char* why) {
        fail_input("I62", what + ": " + path + " is " + why + other.what,
                   "write it to another file");
    };
    const bool is_own = !own.empty() && same_file(resolved(own), target);
    const auto input = std::find_if(inputs_.begin(), inputs_.end(), taken);
    if (input != inputs_.end() && !is_own) refuse(*input, "read by this run: ");
    const auto output = std::find_if(outputs_.begin(), outputs_.end(), taken);
    if (output != outputs_.end()) refuse(*output, "also written by ");
    outputs_.push_back({target, what});
}

void OutputPaths::add_standard_output(const std::string& what) {
    if (!standard_output_.empty())
        fail_input("I62", what + ": standard output is also written by " + standard_output_,
                   "name a file for one of the two (--report FILE for findings)");
    standard_output_ = what;
}

TraceFolder::TraceFolder(const std::string& path) {
    make_folder(path);
    lock_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // File systems without locks cannot report a conflict.
    if (lock_ >= 0 && flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(lock_);
        fail_input("I63", path + ": another run is recording into this folder",
                   "give each run a separate folder with --trace or PTOSIM_TRACE");
    }
    remove_earlier_run(path);
}

TraceFolder::~TraceFolder() {
    if (lock_ >= 0) close(lock_);
}

}  // namespace ptosim
