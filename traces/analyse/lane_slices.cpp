#include "traces/analyse/lane_slices.h"

#include <algorithm>
#include <iterator>

#include "traces/analyse/scalar_extent.h"
#include "traces/record/time_sort.h"

namespace ptosim {

namespace {
// Slices that take no time come before others that begin at that time.
bool comes_first(const Slice& a, const Slice& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.end != b.end) return a.end < b.end;
    return a.index < b.index;
}
}  // namespace

std::vector<CoreLanes> lane_slices(const Recording& recording) {
    using Pending = std::array<std::vector<Interval>, kPipeCount>;
    std::vector<Pending> pending(recording.cores.size());
    std::vector<CoreLanes> instants(recording.cores.size());  // instructions that took no time
    std::vector<CoreLanes> result(recording.cores.size());
    const auto index = [](size_t i) { return static_cast<uint32_t>(i); };

    std::vector<std::array<size_t, kPipeCount>> counts(recording.cores.size());
    for (const InstructionRecord& record : recording.instructions)
        ++counts[record.core][static_cast<size_t>(record.pipe)];
    for (const WaitRecord& wait : recording.waits)
        ++counts[wait.core][static_cast<size_t>(wait.pipe)];
    for (size_t core = 0; core < counts.size(); ++core)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe)
            pending[core][pipe].reserve(counts[core][pipe]);

    for (size_t i = 0; i < recording.instructions.size(); ++i) {
        const InstructionRecord& record = recording.instructions[i];
        if (!record.has(InstructionRecord::kStarted)) continue;
        const Activity activity =
            record.has(InstructionRecord::kSync) ? Activity::kSync : Activity::kWork;
        const auto pipe = static_cast<size_t>(record.pipe);
        if (record.started < record.pipe_free)
            pending[record.core][pipe].push_back(
                {record.started, record.pipe_free, activity, index(i)});
        else
            instants[record.core][pipe].push_back(
                {record.started, record.started, activity, index(i)});
    }
    for (size_t i = 0; i < recording.waits.size(); ++i) {
        const WaitRecord& wait = recording.waits[i];
        if (wait.begin < wait.end)
            pending[wait.core][static_cast<size_t>(wait.pipe)].push_back(
                {wait.begin, wait.end, Activity::kWait, index(i)});
    }
    const std::vector<Cycle> recorded_until = scalar_recorded_until(recording);
    for (size_t i = 0; i < recording.runs.size(); ++i) {
        RunRecord run = recording.runs[i];
        if (run.open) run.end = std::min(run.end, recorded_until[run.core]);
        if (run.begin < run.end)
            pending[run.core][static_cast<size_t>(Pipe::kS)].push_back(
                {run.begin, run.end, Activity::kRun, index(i)});
    }

    std::vector<const Interval*> active;  // of sweep_intervals()
    for (size_t core = 0; core < pending.size(); ++core)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe) {
            // Instructions, waits and runs, each in order.
            merge_runs(pending[core][pipe], comes_before);
            Lane& points = instants[core][pipe];
            if (!std::is_sorted(points.begin(), points.end(), comes_first))
                std::sort(points.begin(), points.end(), comes_first);
            Lane drawn;
            drawn.reserve(pending[core][pipe].size());
            sweep_intervals(
                pending[core][pipe], recording.begin, recording.end,
                [&drawn](Cycle begin, Cycle end, const Interval& owner) {
                    drawn.push_back({begin, end, owner.activity, owner.tag});
                },
                active);
            pending[core][pipe] = {};
            Lane& lane = result[core][pipe];
            if (points.empty()) {
                lane = std::move(drawn);
                continue;
            }
            lane.reserve(drawn.size() + points.size());
            std::merge(points.begin(), points.end(), drawn.begin(), drawn.end(),
                       std::back_inserter(lane), comes_first);
            points = {};
        }
    return result;
}

namespace {

bool works(const Slice& slice) {
    return slice.begin < slice.end &&
           (slice.activity == Activity::kWork || slice.activity == Activity::kRun);
}

Cycle inside(const Slice& slice, Cycle margin) {
    return slice.end - slice.begin > margin ? slice.end - margin : slice.begin;
}

// The first slice that begins after `time`.
Lane::const_iterator after(const Lane& lane, Cycle time) {
    return std::upper_bound(lane.begin(), lane.end(), time,
                            [](Cycle t, const Slice& slice) { return t < slice.begin; });
}

// The slice of the wait that took the flag; if there is none, or if it is too short to point
// into, the work that came next.
const Slice* find_destination(const Recording& recording, const Lane& lane, const FlagRecord& flag,
                              Cycle margin) {
    const Slice* wait = nullptr;
    const auto next = after(lane, flag.consumed);
    for (auto slice = next; slice != lane.begin() && next - slice < 8;) {
        --slice;
        if (slice->activity == Activity::kWait &&
            recording.waits[slice->index].sequence == flag.wait_sequence) {
            wait = &*slice;
            break;
        }
    }
    if (wait != nullptr && wait->end - wait->begin > margin) return wait;
    const auto first =
        std::lower_bound(lane.begin(), lane.end(), flag.consumed,
                         [](const Slice& slice, Cycle t) { return slice.begin < t; });
    const auto work = std::find_if(first, lane.end(), works);
    return work != lane.end() ? &*work : wait;
}

}  // namespace

Arrow find_arrow(const Recording& recording, const std::vector<CoreLanes>& lanes,
                 const FlagRecord& flag, Cycle margin) {
    Arrow arrow;
    if (flag.consumed == kNever) return arrow;
    const Lane& to = lanes[flag.core][static_cast<size_t>(flag.destination)];
    const Slice* destination = find_destination(recording, to, flag, margin);
    if (destination == nullptr) return arrow;
    arrow.to = destination->activity == Activity::kWait ? inside(*destination, margin)
                                                        : destination->begin;
    // The last work of the producer before the set.
    const Lane& from = lanes[flag.from][static_cast<size_t>(flag.source)];
    const Cycle latest = std::min(flag.set, arrow.to);
    for (auto slice = after(from, latest); slice != from.begin();) {
        --slice;
        if (!works(*slice)) continue;
        arrow.from = std::min(inside(*slice, margin), latest);
        arrow.drawn = true;
        break;
    }
    return arrow;
}

}  // namespace ptosim
