#include "sim/faces/toolkit/msprof.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "isa/core/diagnostic.h"
#include "sim/faces/toolkit/kernel_tables.h"
#include "sim/faces/toolkit/msprof_options.h"
#include "sim/faces/toolkit/recorded_program.h"
#include "sim/files/files.h"
#include "traces/record/recording_file.h"
#include "traces/write/insight.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

// The numbers of the selected launches.
std::vector<size_t> chosen_launches(const Recording& recording, const MsprofOptions& options) {
    std::vector<size_t> chosen;
    std::string names;
    for (size_t i = 0; i < recording.launches.size(); ++i) {
        const std::string& kernel = recording.launches[i].kernel;
        if (names.find(kernel) == names.npos) names += (names.empty() ? "" : ", ") + kernel;
        const bool wanted =
            options.kernels.empty() ||
            std::any_of(options.kernels.begin(), options.kernels.end(),
                        [&](const std::string& pattern) { return names_kernel(pattern, kernel); });
        if (wanted && chosen.size() < options.launches) chosen.push_back(i);
    }
    if (chosen.empty())
        fail_input("H04", "msprof: no launch of a kernel that --kernel-name names",
                   names.empty() ? "the program has launched none" : "it has launched: " + names);
    return chosen;
}

// One launch: the folder itself; several: FOLDER/KERNEL/NUMBER.
void write_results(const Recording& recording, const MsprofOptions& options,
                   const fs::path& folder) {
    const std::vector<size_t> chosen = chosen_launches(recording, options);
    std::map<std::string, unsigned> numbers;
    for (const size_t launch : chosen) {
        const std::string& kernel = recording.launches[launch].kernel;
        fs::path to = folder;
        if (chosen.size() > 1) to = to / kernel / std::to_string(numbers[kernel]++);
        make_folder(to.string());
        std::cout << "[INFO] Start profiling on kernel: " << kernel << "\n";
        const Recording part = part_of(recording, launch);
        write_insight(part, to / "simulator");
        if (!options.simulator) write_kernel_tables(part, options.chip, to);
    }
}

}  // namespace

int run_msprof(const std::vector<std::string>& words) {
    const MsprofOptions options = parse_msprof(words);
    if (options.help) {
        std::cout << "Usage: msprof op [simulator] [OPTIONS] PROGRAM WORDS\n\n"
                     "Profiles the kernels that a program launches on the simulated chip.\n\n"
                     "Options:\n\n"
                  << msprof_options_markdown();
        return 0;
    }
    if (!options.exported.empty()) {
        const Recording recording = read_recording(options.exported);
        write_results(recording, options, make_run_folder("OPPROF", options.output));
        std::cout << "[INFO] Profiling running finished. All task success.\n";
        return 0;
    }
    const fs::path folder = make_run_folder("OPPROF", options.output);
    const fs::path dump = folder / "dump";
    const int status = run_recorded({"msprof", options.command, dump, options.chip, options.minutes});
    if (!fs::exists(dump / kRecordingName)) {
        if (status != 0) return status;
        fail_input("H04", "msprof: '" + options.command[0] + "' has launched no kernel",
                   "it must be built with this toolkit");
    }
    write_results(read_recording(dump), options, folder);
    std::cout << "[INFO] Profiling results saved in " << folder.string() << "\n";
    if (status == 0) std::cout << "[INFO] Profiling running finished. All task success.\n";
    return status;
}

}  // namespace ptosim::toolkit
