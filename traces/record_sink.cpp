#include "traces/record_sink.h"

#include <algorithm>
#include <tuple>

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

void RecordingBuilder::run(const RunRecord& record) {
    saw(record.end);
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
    }
    if (!r.launches.empty() && r.launches.back().open) r.launches.back().end = r.end;
    const auto sort = [](auto& records, auto key) {
        const auto before = [&key](const auto& a, const auto& b) { return key(a) < key(b); };
        if (!std::is_sorted(records.begin(), records.end(), before))
            std::stable_sort(records.begin(), records.end(), before);
    };
    // In place: they are many, and no two are equal.
    const auto earlier = [](const InstructionRecord& a, const InstructionRecord& b) {
        return std::tie(a.issued, a.core, a.sequence) < std::tie(b.issued, b.core, b.sequence);
    };
    if (!std::is_sorted(r.instructions.begin(), r.instructions.end(), earlier))
        std::sort(r.instructions.begin(), r.instructions.end(), earlier);
    sort(r.waits, [](const WaitRecord& w) { return std::tuple(w.begin, w.core, w.pipe); });
    sort(r.flags, [](const FlagRecord& f) {
        return std::tuple(f.set, f.from, f.set_sequence, f.core, f.consumed);
    });
    sort(r.runs, [](const RunRecord& run) { return std::tuple(run.begin, run.core); });
    return std::move(recording_);
}

}  // namespace ptosim
