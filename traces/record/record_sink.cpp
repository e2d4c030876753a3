#include "traces/record/record_sink.h"

#include <algorithm>
#include <tuple>

#include "traces/record/time_sort.h"

namespace ptosim {

void RecordingBuilder::launch_begin(const LaunchRecord& launch) {
    if (recording_.launches.empty()) recording_.begin = launch.begin;
    recording_.launches.push_back(launch);
    recording_.launches.back().open = true;
    saw(launch.begin);
}

void RecordingBuilder::launch_end(Cycle time) {
    saw(time);
    if (recording_.launches.empty()) return;
    recording_.launches.back().end = time;
    recording_.launches.back().open = false;
}

void RecordingBuilder::instruction(const InstructionRecord& record) {
    saw(record.completed);
    recording_.instructions.push_back(record);
}

void RecordingBuilder::wait(const WaitRecord& record) {
    saw(record.end);
    recording_.waits.push_back(record);
}

void RecordingBuilder::flag(const FlagRecord& record) {
    saw(record.set);
    recording_.flags.push_back(record);
}

void RecordingBuilder::run_begin(const RunRecord& record) {
    saw(record.begin);
    begun_[record.core] = record;
}

void RecordingBuilder::run(const RunRecord& record) {
    saw(record.end);
    begun_.erase(record.core);
    recording_.runs.push_back(record);
}

void RecordingBuilder::end(Cycle time, bool early) {
    saw(time);
    recording_.end = time;
    recording_.ended_early = early;
    ended_ = true;
}

void RecordingBuilder::expect(size_t records) {
    recording_.instructions.reserve(records);
    recording_.waits.reserve(records);
    recording_.flags.reserve(records);
}

Recording RecordingBuilder::take() {
    Recording& r = recording_;
    if (!ended_) {
        r.end = std::max(latest_, r.begin);
        r.ended_early = true;
        for (auto [core, run] : begun_) {
            run.end = r.end;
            run.open = true;
            r.runs.push_back(run);
        }
    }
    if (!r.launches.empty() && r.launches.back().open) r.launches.back().end = r.end;
    sort_by_time(
        r.instructions, [](const InstructionRecord& i) { return i.issued; },
        [](const InstructionRecord& a, const InstructionRecord& b) {
            return std::tie(a.core, a.sequence) < std::tie(b.core, b.sequence);
        });
    sort_by_time(
        r.waits, [](const WaitRecord& w) { return w.begin; },
        [](const WaitRecord& a, const WaitRecord& b) {
            return std::tie(a.core, a.pipe) < std::tie(b.core, b.pipe);
        });
    sort_by_time(
        r.flags, [](const FlagRecord& f) { return f.set; },
        [](const FlagRecord& a, const FlagRecord& b) {
            return std::tie(a.from, a.set_sequence, a.core, a.consumed) <
                   std::tie(b.from, b.set_sequence, b.core, b.consumed);
        });
    sort_by_time(
        r.runs, [](const RunRecord& run) { return run.begin; },
        [](const RunRecord& a, const RunRecord& b) { return a.core < b.core; });
    return std::move(recording_);
}

}  // namespace ptosim
