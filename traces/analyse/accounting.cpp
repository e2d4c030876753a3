#include "traces/analyse/accounting.h"

#include <algorithm>
#include <numeric>

#include "traces/analyse/scalar_extent.h"
#include "traces/record/core_index.h"

namespace ptosim {

namespace {
constexpr uint32_t kOpenTag = UINT32_MAX;  // of the part of a wait that has no site yet

// Into a list in order; whether it overlaps a neighbour.
bool insert(std::vector<Interval>& intervals, const Interval& interval) {
    const auto after = std::upper_bound(intervals.begin(), intervals.end(), interval, comes_before);
    const auto at = intervals.insert(after, interval);
    return (at != intervals.begin() && std::prev(at)->end > interval.begin) ||
           (std::next(at) != intervals.end() && interval.end > std::next(at)->begin);
}
}  // namespace

Cycle PipeAccount::wait() const { return std::accumulate(waits.begin(), waits.end(), Cycle{0}); }

bool CoreAccount::shows(Pipe pipe) const {
    const PipeAccount& account = pipes[static_cast<size_t>(pipe)];
    return has_pipe(core.type, pipe) || account.instructions > 0 || account.busy > 0 ||
           account.wait() > 0;
}

uint64_t Accounting::instructions() const {
    uint64_t sum = 0;
    for (const CoreAccount& core : cores) sum += core.instructions;
    return sum;
}

void CoreMeter::push_between(Lane& lane, const Interval& interval) {
    ++pending_;
    lane.pending.push_back(interval);
    // The end of a wait comes before the instructions that are still running, so that intervals are
    // nearly in order already.
    constexpr size_t kNear = 16;
    size_t at = lane.pending.size() - 1;
    const size_t last = at < kNear ? 0 : at - kNear;
    for (; at > last && comes_before(interval, lane.pending[at - 1]); --at)
        lane.pending[at] = lane.pending[at - 1];
    lane.pending[at] = interval;
    // Also if it is not in its place yet: then what comes before it begins, and ends, later.
    lane.overlap = lane.overlap || (at > 0 && lane.pending[at - 1].end > interval.begin) ||
                   (at + 1 < lane.pending.size() && interval.end > lane.pending[at + 1].begin);
}

uint32_t CoreMeter::site(Lane& lane, const WaitCause& cause) {
    // A loop waits at a few places.
    const std::array<uint64_t, 3> words = cause.words();
    Lane::RecentSite& recent = lane.recent_sites[WaitCauseHash()(words) >> 58];
    if (recent.cause == words) return recent.number;
    const auto [entry, added] =
        lane.site_index.emplace(cause, static_cast<uint32_t>(lane.sites.size()));
    if (added) {
        lane.sites.emplace_back();
        lane.sites.back().cause = cause;
    }
    recent = {words, entry->second};
    return recent.number;
}

void CoreMeter::add_wait(Pipe pipe, Cycle begin, Cycle end, const WaitCause& cause, bool open) {
    if (end <= begin && !open) return;  // it was reported, but took no time
    Lane& lane = this->lane(pipe);
    const uint32_t tag = site(lane, cause);
    ++lane.sites[tag].count;
    lane.sites[tag].open |= open;
    push(lane, {begin, end, Activity::kWait, tag});
}

void CoreMeter::add_run(Cycle begin, Cycle end) {
    push(lane(Pipe::kS), {begin, end, Activity::kRun, 0});
    account_.finished = std::max(account_.finished, end);
    ++account_.blocks;
}

void CoreMeter::OpenWorks::grow() {
    std::vector<OpenWork> larger(2 * ring_.size());
    const uint64_t count = size();
    for (uint64_t i = 0; i < count; ++i) larger[i] = (*this)[i];
    ring_.swap(larger);
    mask_ = ring_.size() - 1;
    first_ = 0;
    end_ = count;
}

void CoreMeter::OpenWorks::close_late(uint64_t sequence) {
    uint64_t at = first_;
    while (at != end_ && ring_[at & mask_].sequence != sequence) ++at;
    if (at == end_) return;
    for (; at != first_; --at) ring_[at & mask_] = ring_[(at - 1) & mask_];
    ++first_;
}

WaitCause& CoreMeter::open_wait(Pipe pipe, Cycle now) {
    close_wait(pipe, now);  // one at a time
    OpenWait& open = lane(pipe).open;
    open.waiting = true;
    open.begin = now;
    open.settled = 0;
    return open.cause;
}

void CoreMeter::close_wait(Pipe pipe, Cycle now, bool open) {
    Lane& lane = this->lane(pipe);
    if (!lane.open.waiting) return;
    lane.open.waiting = false;
    add_wait(pipe, lane.open.begin, now, lane.open.cause, open);
    if (lane.open.settled > 0) lane.sites[site(lane, lane.open.cause)].cycles += lane.open.settled;
    if (pending_ >= settle_at_) settle_some(now);
}

void CoreMeter::open_run(Cycle now) { open_run_ = now; }

void CoreMeter::close_run(Cycle now) {
    if (open_run_ == kNever) return;
    add_run(open_run_, now);
    open_run_ = kNever;
}

void CoreMeter::cut(Cycle now) {
    for (unsigned i = 0; i < kPipeCount; ++i) {
        OpenWorks& works = lanes_[i].works;
        for (uint64_t w = 0; w < works.size(); ++w)
            add_work(static_cast<Pipe>(i), works[w].begin, now,
                     works[w].opcode != Opcode::kCount && is_sync(works[w].opcode));
        works = {};
    }
    for (unsigned i = 0; i < kPipeCount; ++i) close_wait(static_cast<Pipe>(i), now, true);
    close_run(now);
}

bool CoreMeter::anything_open() const {
    return open_run_ != kNever || issued_ > account_.instructions ||
           std::any_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return lane.open.waiting || lane.works.size() > 0; });
}

void CoreMeter::settle_some(Cycle now) {
    // The occupancy of an instruction in flight is not known before it completes.
    for (const Lane& lane : lanes_)
        for (uint64_t w = 0; w < lane.works.size(); ++w) now = std::min(now, lane.works[w].begin);
    settle(now);
    // If little could be counted, wait for twice as much before the next attempt.
    settle_at_ = std::max(kSettleAt, 2 * pending_);
}

// Two lists of stretches in order that do not touch, as one such list.
void CoreMeter::unite(const Stretches& a, const Stretches& b, Stretches& both) {
    both.clear();
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        const bool from_a = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
        const auto& [begin, end] = from_a ? a[i++] : b[j++];
        if (!both.empty() && begin <= both.back().second)
            both.back().second = std::max(both.back().second, end);
        else
            both.emplace_back(begin, end);
    }
}

// Like sweep_intervals(), but an interval that overlaps nothing owns its cycles.
template <class Piece>
void CoreMeter::for_pieces(Lane& lane, Cycle from, Cycle to, Piece&& piece) {
    if (lane.overlap) return sweep_intervals(lane.pending, from, to, piece, active_);
    for (const Interval& interval : lane.pending) {
        const Cycle begin = std::max(interval.begin, from), end = std::min(interval.end, to);
        if (begin < end) piece(begin, end, interval);
    }
}

// The cycles in which the pipe was busy go to busy_.
void CoreMeter::settle(unsigned pipe, Cycle limit) {
    Lane& lane = lanes_[pipe];
    PipeAccount& account = account_.pipes[pipe];
    const bool scalar = static_cast<Pipe>(pipe) == Pipe::kS;
    const bool running = scalar && open_run_ != kNever;
    if (lane.open.waiting)
        lane.overlap |= insert(lane.pending, {lane.open.begin, limit, Activity::kWait, kOpenTag});
    // The current run owns the cycles that nothing else owns: their rest, if the others do not
    // overlap.
    const bool owns_rest = running && !lane.overlap;
    const bool inserted = running && !owns_rest;
    if (inserted) lane.overlap |= insert(lane.pending, {open_run_, limit, Activity::kRun, kOpenTag});
    const Cycle run_begin = std::max(open_run_, settled_);
    Cycle others = 0;  // cycles of the run that they own
    busy_.clear();
    for_pieces(lane, settled_, limit, [&](Cycle begin, Cycle end, const Interval& owner) {
        const Cycle cycles = end - begin;
        if (owns_rest && end > run_begin) others += end - std::max(begin, run_begin);
        if (owner.activity != Activity::kWait) {
            account.busy += cycles;
            if (scalar) return;
            if (!busy_.empty() && busy_.back().second == begin)
                busy_.back().second = end;
            else
                busy_.emplace_back(begin, end);
        } else if (owner.tag == kOpenTag) {
            lane.open.settled += cycles;
        } else {
            lane.sites[owner.tag].cycles += cycles;
        }
    });
    if (owns_rest && limit > run_begin) account.busy += limit - run_begin - others;
    forget_counted(lane, limit, lane.open.waiting || inserted);
}

// `opened`: some of the intervals are parts of the current wait or run.
void CoreMeter::forget_counted(Lane& lane, Cycle limit, bool opened) {
    if (!lane.overlap && !opened) {  // those that remain are the last
        auto kept = lane.pending.end();
        while (kept != lane.pending.begin() && std::prev(kept)->end > limit) --kept;
        lane.pending.erase(lane.pending.begin(), kept);
        return;
    }
    std::erase_if(lane.pending, [&](const Interval& interval) {
        return interval.end <= limit || (opened && interval.tag == kOpenTag);
    });
    lane.overlap = false;
    for (size_t i = 1; i < lane.pending.size(); ++i)
        lane.overlap = lane.overlap || lane.pending[i - 1].end > lane.pending[i].begin;
}

void CoreMeter::settle(Cycle limit) {
    if (limit <= settled_) return;
    together_.clear();
    pending_ = 0;
    for (unsigned i = 0; i < kPipeCount; ++i) {
        Lane& lane = lanes_[i];
        if (lane.pending.empty() && !lane.open.waiting && (i != 0 || open_run_ == kNever)) continue;
        settle(i, limit);
        pending_ += lane.pending.size();
        if (busy_.empty()) continue;
        unite(together_, busy_, merged_);
        together_.swap(merged_);
    }
    for (const auto& [begin, end] : together_) account_.active += end - begin;
    settled_ = limit;
}

std::string release_call(const Sources& sources, const WaitCause& cause) {
    const SourceMap::Call* const call = cause.reason == BlockReason::kFlag
                                            ? sources.call(cause.release, Opcode::kSET_FLAG)
                                            : nullptr;
    return call == nullptr ? std::string() : call->function;
}

CoreAccount CoreMeter::finish(Cycle begin, Cycle end, const Sources& sources) const {
    CoreMeter meter = *this;  // the machine may go on
    meter.cut(end);
    meter.settle(end);
    for (unsigned i = 0; i < kPipeCount; ++i) {
        PipeAccount& account = meter.account_.pipes[i];
        account.sites = std::move(meter.lanes_[i].sites);
        for (WaitSite& site : account.sites) {
            site.waiter = sources.text(site.cause.waiter);
            site.release = sources.text(site.cause.release);
            if (const auto* call = sources.call(site.cause.waiter, site.cause.opcode))
                site.waiter_call = call->function;
            site.release_call = release_call(sources, site.cause);
            account.waits[static_cast<size_t>(site.cause.reason)] += site.cycles;
        }
        std::erase_if(account.sites,
                      [](const WaitSite& site) { return site.cycles == 0 && !site.open; });
        std::sort(account.sites.begin(), account.sites.end(),
                  [](const WaitSite& a, const WaitSite& b) {
                      return a.cycles != b.cycles ? a.cycles > b.cycles : a.cause < b.cause;
                  });
        account.idle = (end - begin) - account.busy - account.wait();
    }
    if (issued_ > account_.instructions)
        meter.account_.unfinished = issued_ - account_.instructions;
    return meter.account_;
}

Accounting account(const Recording& recording) {
    Accounting result;
    result.begin = recording.begin;
    result.end = recording.end;
    result.ended_early = recording.ended_early;
    result.diagnostics = recording.diagnostics.size();
    if (recording.program) result.program = recording.program->facts;
    result.launches = recording.launches.size();
    if (!recording.launches.empty()) {
        const LaunchRecord& launch = recording.launches.front();
        result.chip = launch.chip;
        result.kernel = launch.kernel;
        result.clock_hz = launch.clock_hz;
        result.blocks = launch.blocks;
    }
    std::vector<CoreMeter> meters;
    for (CoreId core : recording.cores) meters.emplace_back(core, recording.begin);
    // Each lane's waits between its work, in order of time: then nothing needs to be sorted.
    struct Waits {
        std::vector<uint32_t> list;
        size_t next = 0;
    };
    std::vector<std::array<Waits, kPipeCount>> waits(recording.cores.size());
    for (uint32_t i = 0; i < recording.waits.size(); ++i) {
        const WaitRecord& wait = recording.waits[i];
        waits[wait.core][static_cast<size_t>(wait.pipe)].list.push_back(i);
    }
    const auto add_waits = [&](size_t core, Waits& some, Cycle until) {
        for (; some.next < some.list.size(); ++some.next) {
            const WaitRecord& wait = recording.waits[some.list[some.next]];
            if (wait.begin > until) return;
            meters[core].add_wait(wait.pipe, wait.begin, wait.end, wait.cause, wait.open);
        }
    };
    const std::vector<Cycle> recorded_until = scalar_recorded_until(recording);
    std::vector<bool> open(recording.cores.size());
    for (const RunRecord& run : recording.runs) {
        meters[run.core].add_run(run.begin,
                                 run.open ? std::min(run.end, recorded_until[run.core]) : run.end);
        open[run.core] = open[run.core] || run.open;
    }
    for (const InstructionRecord& record : recording.instructions) {
        CoreMeter& meter = meters[record.core];
        if (record.has(InstructionRecord::kStarted)) {
            add_waits(record.core, waits[record.core][static_cast<size_t>(record.pipe)],
                      record.started);
            meter.add_work(record.pipe, record.started, record.pipe_free,
                           record.has(InstructionRecord::kSync));
        }
        if (record.has(InstructionRecord::kCompleted))
            meter.count_instruction(record.pipe);
        else
            meter.count_unfinished();
    }
    for (size_t core = 0; core < waits.size(); ++core)
        for (Waits& some : waits[core]) add_waits(core, some, kNever);
    for (uint16_t core : lane_order(recording.cores)) {
        result.cores.push_back(
            meters[core].finish(recording.begin, recording.end, recording.sources));
        if (open[core]) result.cores.back().finished = recording.end;
    }
    return result;
}

}  // namespace ptosim
