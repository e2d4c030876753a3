#include "traces/write/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "isa/table/instruction_table.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/record/core_index.h"
#include "traces/record/time_sort.h"
#include "traces/write/json_text.h"
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
    // Instructions of a pipe start in order.
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

// Texts of operands and causes, each made once.
class Texts {
 public:
    explicit Texts(const Recording& recording)
        : recording_{recording}, locations_{recording.sources, true} {}

    const std::string& line(SourceLocation at) { return locations_.quoted(at); }
    bool brief() const { return locations_.brief(); }
    // "\"operands\":...,\"bytes\":..." of an instruction.
    const std::string& operands(const InstructionRecord& record) {
        const auto [entry, added] = operands_.try_emplace({record.operands, record.opcode});
        if (added) {
            entry->second =
                ",\"operands\":" + json_quoted(located_operands_text(recording_, record));
            if (const uint64_t bytes = moved_bytes(recording_, record))
                entry->second += ",\"bytes\":" + std::to_string(bytes);
        }
        return entry->second;
    }
    // Text that all waits of a cause share.
    const std::string& cause(const WaitCause& cause) {
        const auto [entry, added] = causes_.try_emplace(cause);
        if (added) {
            std::string& text = entry->second;
            text = ",\"reason\":" + json_quoted(name(cause.reason)) +
                   ",\"for\":" + json_quoted(short_text(cause));
            if (cause.waiter.line != 0) text += ",\"line\":" + line(cause.waiter);
            if (cause.release.line != 0) text += ",\"set_at\":" + line(cause.release);
        }
        return entry->second;
    }

 private:
    const Recording& recording_;
    LocationTexts locations_;
    std::map<std::pair<uint32_t, Opcode>, std::string> operands_;
    std::unordered_map<WaitCause, std::string, WaitCauseHash> causes_;
};

// Activity of a core: instructions that took time, in order of their starts, and its waits.
struct LaneEntry {
    std::vector<uint32_t> tasks, waits;
};

std::vector<LaneEntry> lanes_of(const Recording& recording) {
    std::vector<LaneEntry> lanes(recording.cores.size());
    std::vector<std::vector<uint32_t>> tasks = tasks_by_core(recording);
    for (size_t core = 0; core < lanes.size(); ++core) {
        std::erase_if(tasks[core], [&recording](uint32_t i) {
            const InstructionRecord& record = recording.instructions[i];
            return record.started == record.pipe_free && record.has(InstructionRecord::kCompleted);
        });
        lanes[core].tasks = std::move(tasks[core]);
    }
    for (uint32_t i = 0; i < recording.waits.size(); ++i)
        if (recording.waits[i].begin < recording.waits[i].end)
            lanes[recording.waits[i].core].waits.push_back(i);
    return lanes;
}

class Lanes {
 public:
    Lanes(const Recording& recording, const std::filesystem::path& path)
        : recording_{recording}, file_{path}, texts_{recording}, lanes_{lanes_of(recording)} {}

    void write(const Accounting& accounting) {
        const std::vector<uint16_t> order = lane_order(recording_.cores);
        text_ << '[';
        for (size_t i = 0; i < order.size(); ++i) {
            // The object of the result JSON, with more at its end.
            JsonText core;
            core.object();
            put_core(core, accounting, accounting.cores[i]);
            text_ << (i == 0 ? "\n" : ",\n") << core.view();
            if (i == 0) once();
            blocks(order[i]);
            tasks(lanes_[order[i]]);
            waits(lanes_[order[i]]);
        }
        text_ << "\n]\n";
        file_.write(text_.view());
        file_.commit();
    }

 private:
    // Fields of the first lane, about all of them.
    void once() {
        text_ << ",\"format\":\"ptosim lanes 3\",\"files\":{";
        std::set<std::string> names;
        for (size_t i = 0; texts_.brief() && i < recording_.sources.size(); ++i)
            names.insert(recording_.sources.file(i).name);
        for (const std::string& name : names)
            text_ << (name == *names.begin() ? "" : ",")
                  << json_quoted(LocationTexts::last_part(name)) << ":" << json_quoted(name);
        text_ << '}';
    }
    void blocks(uint16_t core) {
        text_ << ",\"blocks\":[";
        bool first = true;
        for (const RunRecord& run : recording_.runs) {
            if (run.core != core) continue;
            text_ << (first ? "[" : ",[") << run.identity.block << ',' << run.begin << ','
                  << run.end << ']';
            first = false;
        }
        text_ << ']';
    }
    void tasks(const LaneEntry& lane) {
        text_ << ",\"tasks\":[";
        for (const uint32_t& i : lane.tasks) {
            const InstructionRecord& record = recording_.instructions[i];
            text_ << (&i == lane.tasks.data() ? "\n{\"name\":\"" : ",\n{\"name\":\"")
                  << info(record.opcode).name << "\",\"pipe\":\"" << name(record.pipe)
                  << "\",\"start\":" << record.started << ",\"end\":" << record.pipe_free;
            if (const auto* call = recording_.sources.call(record.location, record.opcode))
                text_ << ",\"call\":" << json_quoted(call->function);
            text_ << ",\"line\":" << texts_.line(record.location) << texts_.operands(record)
                  << (record.has(InstructionRecord::kCompleted) ? "}" : ",\"unfinished\":true}");
            flush();
        }
        text_ << ']';
    }
    void waits(const LaneEntry& lane) {
        text_ << ",\"waits\":[";
        for (const uint32_t& i : lane.waits) {
            const WaitRecord& wait = recording_.waits[i];
            text_ << (&i == lane.waits.data() ? "\n{\"pipe\":\"" : ",\n{\"pipe\":\"")
                  << name(wait.pipe) << "\",\"start\":" << wait.begin << ",\"end\":" << wait.end
                  << texts_.cause(wait.cause) << (wait.open ? ",\"unfinished\":true}" : "}");
            flush();
        }
        text_ << "]}";
    }
    void flush() {
        if (text_.view().size() < kFlushBytes) return;
        file_.write(text_.view());
        text_.clear();
    }

    static constexpr size_t kFlushBytes = size_t{1} << 16;
    const Recording& recording_;
    OutputFile file_;
    Texts texts_;
    std::vector<LaneEntry> lanes_;
    Text text_{kFlushBytes + 2048};
};

}  // namespace

void write_lanes(const Recording& recording, const Accounting& accounting,
                 const std::filesystem::path& path) {
    Lanes(recording, path).write(accounting);
}

}  // namespace ptosim
