#include "sim/machine/timing/thread_time.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

namespace ptosim {
namespace {

// The distance of the addresses if they are equally spaced over two lanes or more.
std::optional<int64_t> spacing(const WarpInstruction& instruction) {
    const auto first = static_cast<unsigned>(std::countr_zero(instruction.active));
    const uint32_t others = instruction.active & (instruction.active - 1);
    if (others == 0) return std::nullopt;
    const auto second = static_cast<unsigned>(std::countr_zero(others));
    const auto& at = instruction.addresses;
    const auto step = static_cast<int64_t>(at[second] - at[first]) / static_cast<int64_t>(second - first);
    bool spaced = true;
    for_lanes(others, [&](unsigned lane) {
        spaced = spaced && at[lane] == at[first] + static_cast<uint64_t>(step * static_cast<int64_t>(lane - first));
    });
    return spaced ? std::optional(step) : std::nullopt;
}

// Lines that the lanes' bytes need at least.
unsigned least_lines(const WarpInstruction& instruction, unsigned lines) {
    const uint64_t bytes =
        uint64_t{static_cast<unsigned>(std::popcount(instruction.active))} * instruction.bytes;
    return std::min<unsigned>(
        lines, static_cast<unsigned>((bytes + ThreadTime::kLine - 1) / ThreadTime::kLine));
}

// Passes of the banks of UB: words of 8 bytes in 8 groups of 4; a word is read once for all lanes.
unsigned waves_of(const WarpInstruction& instruction) {
    constexpr unsigned kQueues = 32;
    std::array<std::array<uint64_t, 2 * kWarpLanes>, kQueues> words;
    std::array<uint8_t, kQueues> counts{};
    unsigned most = 1;
    for_lanes(instruction.active, [&](unsigned lane) {
        const uint64_t first = instruction.addresses[lane] / 8;
        const uint64_t last = (instruction.addresses[lane] + instruction.bytes - 1) / 8;
        for (uint64_t word = first; word <= last; ++word) {
            auto& queue = words[word % kQueues];
            uint8_t& count = counts[word % kQueues];
            if (std::find(queue.begin(), queue.begin() + count, word) != queue.begin() + count) continue;
            queue[count++] = word;
            most = std::max<unsigned>(most, count);
        }
    });
    return most;
}

uint64_t cache_bytes(const ChipModel& chip, uint64_t shared) {
    const parameter_groups::Threads& threads = chip.aiv.threads;
    const uint64_t ub = chip.reach(Space::kUB);
    const uint64_t left = ub - std::min<uint64_t>(ub, shared + threads.reserved);
    return std::clamp<uint64_t>(left, threads.cache_least, threads.cache_most);
}

}  // namespace

ThreadTime::Figures::Figures(const ChipModel& chip)
    : call{chip.aiv.threads.call},
      issue{chip.aiv.threads.issue},
      dependent{std::max<Milli>(issue, chip.aiv.threads.dependent)},
      wave{chip.aiv.threads.wave},
      ub{chip.aiv.threads.ub},
      hit{chip.aiv.threads.hit},
      miss{chip.aiv.threads.miss},
      load_line{chip.aiv.threads.load_line},
      store{chip.aiv.threads.store},
      store_line{chip.aiv.threads.store_line},
      store_wide_line{chip.aiv.threads.store_wide_line},
      barrier{chip.aiv.threads.barrier},
      warp_function{chip.aiv.threads.warp_function},
      ub_atomic{chip.aiv.threads.ub_atomic},
      ub_atomic_result{chip.aiv.threads.ub_atomic_result},
      atomic{chip.aiv.threads.atomic},
      atomic_service{chip.aiv.threads.atomic_service},
      atomic_trip{chip.aiv.threads.atomic_trip},
      atomic_result{chip.aiv.threads.atomic_result},
      atomic_handover{chip.aiv.threads.atomic_handover},
      behind_l2{chip.memory.hbm.latency} {}

ThreadTime::Cache::Cache(uint64_t bytes, unsigned ways)
    : sets_{std::max<size_t>(1, bytes / kLine / ways)}, ways_{ways}, lines_(sets_ * ways, ~uint64_t{0}) {}

bool ThreadTime::Cache::access(uint64_t line, bool keeps) {
    const auto begin = lines_.begin() + static_cast<ptrdiff_t>(line % sets_ * ways_);
    const auto end = begin + static_cast<ptrdiff_t>(ways_);
    const auto found = std::find(begin, end, line);
    const bool hit = found != end;
    if (hit)
        std::rotate(begin, found, found + 1);
    else if (keeps) {
        std::rotate(begin, end - 1, end);
        *begin = line;
    }
    return hit;
}

ThreadTime::ThreadTime(const ChipModel& chip, ThreadMemory& memory, const ThreadLaunch& launch,
                       Cycle begin, ThreadTally* tally, Assumed assumed)
    : figures_{chip},
      memory_{memory},
      warps_((launch.threads + kWarpLanes - 1) / kWarpLanes),
      issue_free_(std::max<size_t>(1, chip.aiv.threads.schedulers)),
      issue_busy_(issue_free_.size()),
      begin_{begin * 1000},
      cache_{cache_bytes(chip, launch.shared),
             static_cast<unsigned>(std::max<uint64_t>(1, chip.aiv.threads.ways))},
      tally_{tally},
      assumed_{assumed} {
    if (launch.called)
        for (Warp& warp : warps_) warp.ready = figures_.call;
}

void ThreadTime::execute(const WarpInstruction& instruction) {
    Operation operation;
    operation.code = instruction.code;
    operation.instructions = instruction.instructions;
    operation.kind = instruction.kind;
    operation.local = instruction.local;
    operation.past_cache = instruction.past_cache;
    operation.used = instruction.used;
    operation.wide = instruction.bytes >= 8;
    if (instruction.kind <= Kind::kAtomic) find_lines(instruction, operation);
    warps_[instruction.warp].operations.push_back(operation);
}

void ThreadTime::find_lines(const WarpInstruction& instruction, Operation& operation) {
    const std::optional<int64_t> stride = spacing(instruction);
    operation.independent = stride.has_value();
    operation.first_line = static_cast<uint32_t>(lines_.size());
    if (instruction.kind == Kind::kAtomic) {
        // Lanes by address, and by sector.
        std::array<uint64_t, kWarpLanes> sorted{};
        size_t count = 0;
        for_lanes(instruction.active, [&](unsigned lane) { sorted[count++] = instruction.addresses[lane]; });
        std::sort(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(count));
        uint16_t same = 0, in_line = 0, most = 0, most_in_line = 0;
        for (size_t i = 0; i < count; ++i) {
            same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
            const bool goes_on = i > 0 && sorted[i] / kLine == sorted[i - 1] / kLine;
            in_line = goes_on ? in_line + 1 : 1;
            if (!goes_on) lines_.push_back(sorted[i] / kLine);
            most = std::max(most, same);
            most_in_line = std::max(most_in_line, in_line);
        }
        operation.waves = most;
        operation.most = most_in_line;
    } else if (instruction.local) {
        operation.waves =
            assumed_ == Assumed::kNoConflicts ? 1 : static_cast<uint16_t>(waves_of(instruction));
        if (tally_ != nullptr)
            tally_->access_local(instruction.code, operation.waves, stride.value_or(0));
        return;
    } else {
        const size_t begin = lines_.size();
        for_lanes(instruction.active, [&](unsigned lane) {
            const uint64_t first = instruction.addresses[lane] / kLine;
            const uint64_t last = (instruction.addresses[lane] + instruction.bytes - 1) / kLine;
            for (uint64_t line = first; line <= last; ++line)
                if (std::find(lines_.begin() + static_cast<ptrdiff_t>(begin), lines_.end(), line) == lines_.end())
                    lines_.push_back(line);
        });
        const auto lines = static_cast<unsigned>(lines_.size() - begin),
                   least = least_lines(instruction, lines);
        if (assumed_ == Assumed::kCoalesced) lines_.resize(begin + least);
        if (tally_ != nullptr)
            tally_->access_global(instruction.code, lines, least, stride.value_or(0));
    }
    operation.lines = static_cast<uint16_t>(lines_.size() - operation.first_line);
}

// Advances the warp that may issue first, until none has anything left.
void ThreadTime::advance() {
    const auto later = std::greater<>();
    queue_.clear();
    for (unsigned i = 0; i < warps_.size(); ++i)
        if (!warps_[i].operations.empty()) queue_.emplace_back(warps_[i].ready, i);
    std::make_heap(queue_.begin(), queue_.end(), later);
    while (!queue_.empty()) {
        std::pop_heap(queue_.begin(), queue_.end(), later);
        const unsigned index = queue_.back().second;
        Warp& warp = warps_[index];
        step(index);
        if (warp.next == warp.operations.size()) {
            warp.operations.clear();
            warp.next = 0;
            queue_.pop_back();
            continue;
        }
        queue_.back().first = warp.ready;
        std::push_heap(queue_.begin(), queue_.end(), later);
    }
    lines_.clear();
}

// Issues the warp's next operation; if it has been issued and its loads have arrived, executes it.
void ThreadTime::step(unsigned index) {
    Warp& warp = warps_[index];
    const unsigned scheduler = index % static_cast<unsigned>(issue_free_.size());
    Operation& operation = warp.operations[warp.next];
    if (!operation.issued) {
        Milli at = std::max(warp.ready, issue_free_[scheduler]);
        const uint64_t count = operation.instructions + 1;  // and its own
        const Milli selected = count * figures_.issue;
        if (tally_ != nullptr) {
            tally_->add(index, ThreadState::kNotSelected, warp.ready, at);
            tally_->add(index, ThreadState::kIssues, at, at + selected);
            tally_->add(index, ThreadState::kDependency, at + selected,
                        at + count * figures_.dependent);
        }
        issue_free_[scheduler] = at + selected;
        issue_busy_[scheduler] += selected;
        at += count * figures_.dependent;
        if (awaits_loads(warp, operation)) {
            if (tally_ != nullptr && warp.pending > at)
                tally_->add(
                    index,
                    warp.awaits_global ? ThreadState::kGlobalMemory : ThreadState::kLocalMemory, at,
                    warp.pending);
            at = std::max(at, warp.pending);
            warp.load_count = 0;
            warp.awaits_global = false;
        }
        operation.issued = true;
        warp.ready = at;
        return;
    }
    ++warp.next;
    const Milli at = std::max(warp.ready, unit_free_);
    const bool accesses = operation.kind <= Kind::kAtomic;
    if (tally_ != nullptr && accesses && operation.kind != Kind::kLoad)
        tally_->add(index, ThreadState::kUnit, warp.ready, at);
    switch (operation.kind) {
        case Kind::kLoad:
            warp.loads[warp.load_count++] = operation.code;
            warp.pending = std::max(warp.pending, load(operation, at));
            warp.awaits_global = warp.awaits_global || !operation.local;
            break;
        case Kind::kStore:
            warp.ready = store(operation, at);
            if (tally_ != nullptr) tally_->add(index, ThreadState::kUnit, at, warp.ready);
            break;
        case Kind::kAtomic:
            warp.ready = atomic(operation, at);
            if (tally_ != nullptr) tally_->add(index, ThreadState::kAtomic, at, warp.ready);
            break;
        case Kind::kWarp:
            warp.ready += figures_.warp_function;
            break;
        default:
            break;
    }
    if (accesses) unit_busy_ += unit_free_ - at;
}

bool ThreadTime::awaits_loads(const Warp& warp, const Operation& operation) {
    if (operation.kind == Kind::kClock) return false;
    if (operation.kind != Kind::kLoad) return true;
    const auto begin = warp.loads.begin(), end = begin + warp.load_count;
    return operation.local || !operation.independent || warp.load_count == warp.loads.size() ||
           std::find(begin, end, operation.code) != end;
}

// Returns when its data arrive.
Milli ThreadTime::load(const Operation& operation, Milli at) {
    if (operation.local) {
        unit_free_ = at + operation.waves * figures_.wave;
        return unit_free_ + figures_.ub;
    }
    Milli held = figures_.wave, latency = figures_.hit;
    for (unsigned i = 0; i < operation.lines; ++i) {
        const uint64_t line = lines_[operation.first_line + i];
        if (cache_.access(line, !operation.past_cache)) continue;
        held += figures_.load_line;
        if (tally_ != nullptr) tally_->miss();
        const uint64_t behind = memory_.touch_line(line * kLine, false);
        traffic_.read += kLine;
        traffic_.behind_l2 += behind;
        latency = std::max<Milli>(latency, figures_.miss + (behind != 0 ? figures_.behind_l2 : 0));
    }
    unit_free_ = at + held;
    return unit_free_ + latency;
}

// Returns when the unit has taken it.
Milli ThreadTime::store(const Operation& operation, Milli at) {
    if (operation.local) {
        unit_free_ = at + operation.waves * figures_.wave;
        return unit_free_;
    }
    for (unsigned i = 0; i < operation.lines; ++i) {
        const uint64_t line = lines_[operation.first_line + i];
        cache_.access(line, !operation.past_cache);
        traffic_.behind_l2 += memory_.touch_line(line * kLine, true);
        traffic_.written += kLine;
    }
    const Milli line = operation.wide ? figures_.store_wide_line : figures_.store_line;
    unit_free_ = at + std::max<Milli>(figures_.store, operation.lines * line);
    return unit_free_;
}

// Without a result, additions to several addresses of a sector are one request.
Milli ThreadTime::atomic(const Operation& operation, Milli at) {
    if (operation.local) {
        unit_free_ = at + operation.waves * (operation.used ? figures_.ub_atomic_result : figures_.ub_atomic);
        return operation.used ? unit_free_ + figures_.ub : unit_free_;
    }
    const bool each = operation.used || operation.wide;
    const Milli time = each ? operation.most * figures_.atomic_result : operation.waves * figures_.atomic_service;
    const Milli handover = each ? operation.most * figures_.atomic_handover : 0;
    Milli end = at + operation.most * (each ? figures_.atomic_trip : 0);
    for (unsigned i = 0; i < operation.lines; ++i) {
        const uint64_t line = lines_[operation.first_line + i];
        end = std::max(end, memory_.hold_sector(line, begin_ + at, time, handover) - begin_);
        traffic_.behind_l2 += memory_.touch_line(line * kLine, true);
        traffic_.written += kLine;
    }
    unit_free_ = at + std::max<Milli>(figures_.store, operation.lines * figures_.store_line);
    if (!each && operation.waves > 1) unit_free_ = std::max(unit_free_, at + operation.waves * figures_.atomic);
    return each || operation.waves > 1 ? std::max(end, unit_free_) : unit_free_;
}

void ThreadTime::release_barrier() {
    const Milli all = elapsed() + figures_.barrier;
    for (unsigned i = 0; i < warps_.size(); ++i) {
        if (tally_ != nullptr) tally_->add(i, ThreadState::kBarrier, warps_[i].ready, all);
        warps_[i].ready = all;
    }
}

Milli ThreadTime::least() const {
    return std::max(unit_busy_, *std::max_element(issue_busy_.begin(), issue_busy_.end()));
}

Milli ThreadTime::elapsed() const {
    Milli most = 0;
    for (const Warp& warp : warps_) most = std::max({most, warp.ready, warp.pending});
    return std::max(most, unit_free_);
}

}  // namespace ptosim
