#include "traces/traces.h"

#include "traces/chrome_trace.h"
#include "traces/lanes.h"
#include "traces/output_file.h"

namespace ptosim {

std::vector<std::filesystem::path> write_traces(const Recording& recording,
                                                const std::filesystem::path& folder) {
    make_folder(folder);
    const Accounting accounting = account(recording);
    std::vector<std::filesystem::path> written;
    written.push_back(folder / "trace.json");
    write_chrome_trace(recording, written.back());
    written.push_back(folder / "lanes.json");
    write_lanes(recording, accounting, written.back());
    written.push_back(folder / "summary.txt");
    OutputFile summary{written.back()};
    summary.write(summary_text(accounting));
    summary.commit();
    return written;
}

}  // namespace ptosim
