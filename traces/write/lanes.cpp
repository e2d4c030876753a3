#include "traces/write/lanes.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "isa/instruction_table.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/record/core_index.h"
#include "traces/record/time_sort.h"
#include "traces/write/summary.h"
#include "traces/write/text.h"

namespace ptosim {

namespace {

// The instructions that started, by core, in order of their starts.
std::vector<std::vector<uint32_t>> tasks_by_core(const Recording& recording) {
    struct Task {
        Cycle started;
        uint32_t sequence, index;
    };
    // What a pipe starts is in order.
    std::vector<std::array<std::vector<Task>, kPipeCount>> of_pipes(recording.cores.size());
    for (uint32_t i = 0; i < recording.instructions.size(); ++i) {
        const InstructionRecord& record = recording.instructions[i];
        if (record.has(InstructionRecord::kStarted))
            of_pipes[record.core][static_cast<size_t>(record.pipe)].push_back(
                {record.started, record.sequence, i});
    }
    std::vector<std::vector<uint32_t>> tasks(recording.cores.size());
    std::vector<Task> all;
    for (size_t core = 0; core < tasks.size(); ++core) {
        all.clear();
        for (const std::vector<Task>& list : of_pipes[core])
            all.insert(all.end(), list.begin(), list.end());
        merge_runs(all, [](const Task& a, const Task& b) {
            return std::tie(a.started, a.sequence) < std::tie(b.started, b.sequence);
        });
        tasks[core].reserve(all.size());
        for (const Task& task : all) tasks[core].push_back(task.index);
    }
    return tasks;
}

void write_task(const InstructionRecord& record, const RunRecord* run, LocationTexts& locations,
                Text& text) {
    constexpr size_t kMost = 250;  // and the place
    const std::string& line = locations.quoted(record.location);
    Cursor out = text.begin(kMost + line.size());
    out << "{\"name\":\"" << info(record.opcode).name << "\",\"pipe\":\"" << name(record.pipe)
        << "\",\"start\":" << record.started << ",\"end\":" << record.pipe_free
        << ",\"line\":" << line;
    if (run != nullptr) out << ",\"block\":" << uint64_t{run->identity.block};
    if (!record.has(InstructionRecord::kCompleted)) out << ",\"unfinished\":true";
    text.put(out << '}');
}

}  // namespace

void write_lanes(const Recording& recording, const Accounting& accounting,
                 const std::filesystem::path& path) {
    OutputFile file{path};
    LocationTexts locations{recording.sources};
    constexpr size_t kFlushBytes = size_t{1} << 16;
    Text text(kFlushBytes + 2048);
    const auto tasks = tasks_by_core(recording);
    std::vector<std::vector<const RunRecord*>> runs(recording.cores.size());
    for (const RunRecord& run : recording.runs) runs[run.core].push_back(&run);

    const std::vector<uint16_t> order = lane_order(recording.cores);
    file.write("[");
    for (size_t i = 0; i < order.size(); ++i) {
        // The object of the result JSON, with the tasks added at its end.
        JsonText head;
        head.object();
        put_core(head, accounting, accounting.cores[i]);
        text << (i == 0 ? "\n" : ",\n") << head.view() << ",\"tasks\":[";
        size_t run = 0;
        const auto& core_runs = runs[order[i]];
        bool first = true;
        for (uint32_t index : tasks[order[i]]) {
            const InstructionRecord& record = recording.instructions[index];
            while (run + 1 < core_runs.size() && core_runs[run + 1]->begin <= record.started) ++run;
            text << (first ? "\n" : ",\n");
            write_task(record, run < core_runs.size() ? core_runs[run] : nullptr, locations, text);
            first = false;
            if (text.view().size() < kFlushBytes) continue;
            file.write(text.view());
            text.clear();
        }
        text << "]}";
        file.write(text.view());
        text.clear();
    }
    file.write("\n]\n");
    file.commit();
}

}  // namespace ptosim
