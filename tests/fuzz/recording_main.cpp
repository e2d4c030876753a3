// Recordings, and everything that `ptosim report` makes of one.
#include <stdexcept>

#include "sim/files/temporary_folder.h"
#include "tests/fuzz/target.h"
#include "traces/traces.h"

void ptosim::fuzz::read(std::string_view input) {
    static const TemporaryFolder folder;
    const Recording recording = read_recording(file_with(input));
    const Analysis analysis = analyse(recording);
    summary_text(analysis.accounting, analysis.advice);
    write_traces(recording, folder.path(),
                 "html,report,agent,chrome,lanes,summary,insight,swimlane", 1000, &analysis);
}
