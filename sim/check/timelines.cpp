#include "sim/check/timelines.h"

#include <algorithm>
#include <iterator>

#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"
#include "isa/table/remote_operands.h"

namespace ptosim::check {
namespace {

// Number of addresses with separate clocks. All others share one.
constexpr size_t kMostAddresses = 4096;
constexpr uint64_t kElsewhere = 0;

void raise(RemoteTicks& ticks, const RemoteTicks& others) {
    ticks.ticks.resize(std::max(ticks.ticks.size(), others.ticks.size()));
    for (size_t i = 0; i < others.ticks.size(); ++i) ticks.ticks[i] = std::max(ticks.ticks[i], others.ticks[i]);
    ticks.chips = joined(ticks.chips, others.chips);
}

}  // namespace

void Timelines::launch(const LaunchEvent& event) {
    arch_ = event.arch;
    scoreboard_ = event.scoreboard;
    flag_sets_ = event.flag_sets;
    for (const CoreLines& core : cores_) keep_acquired(core);
    if (acquired_) ended_chips_.add(*acquired_);
    cores_.clear();
    cores_.resize(event.cores.size());
    ended_ = {};
    has_parts_ = false;
    std::erase_if(at_address_, [](const auto& released) { return released.second.chips == nullptr; });
    for (auto& [address, released] : at_address_) released = {0, std::vector<Tick>(cores_.size() * kLanes), released.chips};
    for (auto& numbers : index_) numbers.clear();
    for (size_t i = 0; i < event.cores.size(); ++i) {
        const CoreId id = event.cores[i];
        cores_[i].state.id = id;
        auto& numbers = index_[static_cast<size_t>(id.type)];
        if (numbers.size() <= id.index) numbers.resize(id.index + size_t{1});
        numbers[id.index] = static_cast<uint16_t>(i);
    }
}

uint16_t Timelines::index(CoreId core) const {
    return index_[static_cast<size_t>(core.type)][core.index];
}

std::vector<CoreId> Timelines::owners(CoreId core, const Access& access) const {
    if (access.peers == kOwnCore) return {core};
    std::vector<CoreId> cores;
    for (const uint8_t peer : {kRemoteAic, kRemoteAiv0, kRemoteAiv1}) {
        if ((access.peers & peer) == 0) continue;
        const CoreId owner = peer_core(core, peer);
        const uint16_t at = owner.index < index_[static_cast<size_t>(owner.type)].size()
                                ? index(owner)
                                : UINT16_MAX;
        if (at < cores_.size() && cores_[at].state.id == owner) cores.push_back(owner);
    }
    return cores;
}

Stamp Timelines::now(CoreId core, Pipe pipe, bool writes) const {
    const uint16_t i = index(core);
    const CoreLines& lines = cores_[i];
    const bool store = pipe == Pipe::kS && writes;
    const Timeline& line = store ? lines.stores : lines.pipes[static_cast<size_t>(pipe)];
    return {i, pipe, line.tick, lines.state.block, store};
}

bool Timelines::ordered(const Stamp& earlier, const Stamp& later, bool global) const {
    const Clock& clock = cores_[later.core].pipes[static_cast<size_t>(later.pipe)].clock;
    if (earlier.core == later.core) {
        if (global && earlier.block != later.block) {
            const std::vector<Tick>& behind = cores_[later.core].behind;
            return !behind.empty() && behind[earlier.core * size_t{kLanes} + earlier.lane()] >= earlier.tick;
        }
        if (scoreboard_ || (earlier.pipe == later.pipe && in_order(later.pipe))) return true;
        return clock.local[earlier.lane()] >= earlier.tick;
    }
    if (!clock.remote) return false;
    const size_t at = earlier.core * size_t{kLanes} + earlier.lane();
    return clock.remote->ticks[at] >= earlier.tick;
}

// ---- within a core ------------------------------------------------------------------------

Tick Timelines::release_tick(Timeline& line) {
    if (!line.touched) return line.tick - 1;
    line.touched = false;
    return line.tick++;
}

Clock Timelines::release(CoreLines& core, Pipe pipe) {
    Timeline& line = core.pipes[static_cast<size_t>(pipe)];
    Clock clock = line.clock;
    clock[pipe] = release_tick(line);
    if (scoreboard_)
        for (unsigned p = 0; p < kPipeCount; ++p)
            if (static_cast<Pipe>(p) != pipe) clock.local[p] = release_tick(core.pipes[p]);
    if (scoreboard_) clock.local[kScalarStores] = release_tick(core.stores);
    return clock;
}

Clock Timelines::release_stores(CoreLines& core) {
    Clock clock = release(core, Pipe::kS);
    clock.local[kScalarStores] = release_tick(core.stores);
    return clock;
}

void Timelines::join_all_pipes(CoreLines& core) {
    Timeline& scalar = core.pipes[static_cast<size_t>(Pipe::kS)];
    for (unsigned p = 0; p < kPipeCount; ++p)
        if (static_cast<Pipe>(p) != Pipe::kS)
            scalar.clock.join(release(core, static_cast<Pipe>(p)));
    scalar.clock.local[kScalarStores] = release_tick(core.stores);
}

void Timelines::await_stores(CoreId id) {
    CoreLines& core = lines(id);
    core.pipes[static_cast<size_t>(Pipe::kS)].clock.local[kScalarStores] = release_tick(core.stores);
}

void Timelines::part_begin(const PartEvent& event) {
    has_parts_ = true;
    for (const CoreId core : event.cores) lines(core).behind_ended = event.behind_ended;
}

// Orders everything that has ended before the rest of the core's work.
void Timelines::put_behind_ended(CoreLines& core) {
    auto remote = std::make_shared<RemoteTicks>(ended_);
    remote->version = ++core.remote_version;
    learn(core, core.pipes[static_cast<size_t>(Pipe::kS)], std::move(remote));
}

void Timelines::keep_acquired(const CoreLines& core) {
    for (const Timeline& line : core.pipes)
        if (line.clock.remote) acquired_ = joined(acquired_, line.clock.remote->chips);
}

void Timelines::block_begin(const RunEvent& event) {
    CoreLines& core = lines(event.core);
    core.state.block = event.identity.block;
    keep_acquired(core);
    // Order that the last block on this core had acquired from others does not apply to this one.
    for (Timeline& line : core.pipes) line.clock.remote.reset();
    core.behind.clear();
    if (!core.behind_ended || ended_.ticks.empty()) return;
    core.behind = ended_.ticks;
    put_behind_ended(core);
}

void Timelines::block_end(const RunEvent& event) {
    CoreLines& core = lines(event.core);
    join_all_pipes(core);
    if (has_parts_) raise(ended_, flatten(core, release_stores(core)));
}

void Timelines::issue(const InstructionEvent& event) {
    if (event.pipe == Pipe::kS) return;
    CoreLines& core = lines(event.core);
    core.pipes[static_cast<size_t>(event.pipe)].issued.push_back(release(core, Pipe::kS));
}

// Getting a buffer id (mode 0) or releasing it (mode 1) is ordered after all earlier releases in the program. Later
// releases in the program may be earlier in time.
void Timelines::pass_buffer_token(CoreLines& core, const InstructionEvent& event) {
    constexpr uint64_t kLongest = 4096;  // instructions in flight at once
    const Attributes& a = event.instruction->attributes;
    const bool get = event.instruction->opcode == Opcode::kGET_BUF;
    Timeline& line = core.pipes[static_cast<size_t>(event.pipe)];
    auto& buffer = core.buffers[a.event_id];
    if (get == (a.buffer_mode == 0))
        for (std::deque<Release>& releases : buffer) {
            while (releases.size() > 1 && releases[1].sequence + kLongest < event.sequence)
                releases.pop_front();
            const auto later =
                std::find_if(releases.begin(), releases.end(),
                             [&](const Release& r) { return r.sequence > event.sequence; });
            if (later != releases.begin()) line.clock.join(std::prev(later)->clock);
        }
    line.touched = true;
    if (get) return;
    Clock clock = event.pipe == Pipe::kS ? release_stores(core) : release(core, event.pipe);
    buffer[static_cast<size_t>(event.pipe)].push_back({event.sequence, std::move(clock), {}});
}

void Timelines::start(const InstructionEvent& event) {
    CoreLines& core = lines(event.core);
    const Attributes& a = event.instruction->attributes;
    const Opcode opcode = event.instruction->opcode;
    Timeline& line = core.pipes[static_cast<size_t>(event.pipe)];
    const bool token = opcode == Opcode::kGET_BUF || opcode == Opcode::kRLS_BUF;
    if (event.pipe == Pipe::kS) {
        if (token)
            pass_buffer_token(core, event);
        else if (opcode == Opcode::kPIPE_BARRIER && a.destination_pipe == Pipe::kAll)
            join_all_pipes(core);
        else if (info(opcode).timing != TimingClass::kFlag)
            core.stores.touched = line.touched = true;
        return;
    }
    line.clock.join(line.issued.front());
    line.issued.pop_front();
    // The scalar unit waits for them, and reads its operands before the pipe begins.
    Timeline& scalar = core.pipes[static_cast<size_t>(Pipe::kS)];
    for (const Pipe earlier : awaited_pipes(*event.instruction, arch_)) {
        if (earlier == event.pipe) continue;
        const Clock before = release(core, earlier);
        line.clock.join(before);
        scalar.clock.join(before);
        scalar.touched = true;
    }
    if (token)
        pass_buffer_token(core, event);
    else if (opcode == Opcode::kSET_FLAG || opcode == Opcode::kCROSS_SET ||
             opcode == Opcode::kINTRA_SET)
        line.releases.push_back(
            {event.sequence,
             release(core, event.pipe),
             {{}, {}, event.pipe, 0, a.fifo, a.fifo_slots, a.fifo_slot_bytes, a.fifo_split,
              a.fifo_pitch}});
    else if (opcode == Opcode::kPIPE_BARRIER)
        line.clock.join(release(core, event.pipe));
    else if (opcode != Opcode::kWAIT_FLAG)
        line.touched = true;
}

void Timelines::finish(const InstructionEvent& event) {
    if (event.pipe == Pipe::kS || awaited_pipes(*event.instruction, arch_).empty()) return;
    CoreLines& core = lines(event.core);
    core.pipes[static_cast<size_t>(Pipe::kS)].clock.join(release(core, event.pipe));
}

// A pipe's set takes effect when it completes, with the clock that its pipe had at the start. For S both are the same
// time.
Timelines::Release Timelines::released(CoreLines& core, const FlagEvent& event) {
    auto& releases = core.pipes[static_cast<size_t>(event.source)].releases;
    while (!releases.empty() && releases.front().sequence < event.sequence) releases.pop_front();
    if (releases.empty() || releases.front().sequence != event.sequence)
        return {event.sequence,
                event.source == Pipe::kS ? release_stores(core) : release(core, event.source),
                {}};
    Release result = std::move(releases.front());
    releases.pop_front();
    return result;
}

Timelines::SetOrder Timelines::flag_set(const FlagEvent& event) {
    CoreLines& core = lines(event.from);
    auto [sequence, clock, sent] = released(core, event);
    if (event.cross_core) {
        sent.ticks = flatten(core, clock);
        sent.location = event.location;
        sent.pipe = event.source;
        sent.time = event.time;
        core.state.sent[{event.cross_mode, event.id}].push_back(std::move(sent));
        return SetOrder::kInTurn;
    }
    Flag& flag = core.state.flags[{event.source, event.destination, event.id}];
    const SetOrder order = order_of_set(flag, clock[event.destination]);
    if (flag_sets_ > 1) note_bound(flag, clock[event.destination]);
    ++flag.sets;
    flag.destination = event.destination;
    if (flag.pending && flag_sets_ > 1 && flag.later.size() + 1 < flag_sets_)
        flag.later.push_back(std::move(clock));
    else
        flag.clock = std::move(clock);
    flag.pending = true;
    flag.before = flag.set;
    flag.set = event.location;
    flag.set_by = event.sequence;
    flag.set_time = event.time;
    return order;
}

Timelines::SetOrder Timelines::order_of_set(const Flag& flag, Tick seen) const {
    if (flag_sets_ == 1)
        return flag.waited == 0 || seen >= flag.waited ? SetOrder::kInTurn : SetOrder::kNoRoom;
    const auto behind = [&](uint64_t back) {
        return flag.sets < back || set_behind(flag, seen, back);
    };
    if (behind(1)) return SetOrder::kInTurn;
    return behind(flag_sets_) ? SetOrder::kEarly : SetOrder::kNoRoom;
}

bool Timelines::set_behind(const Flag& flag, Tick seen, uint64_t back) {
    const uint64_t wait = flag.sets - back;  // number of that wait
    const uint64_t oldest = flag.waits - flag.taken.size();
    return wait < flag.waits && wait >= oldest && seen >= flag.taken[wait - oldest];
}

void Timelines::note_bound(Flag& flag, Tick seen) const {
    for (uint64_t back = 1; back <= flag_sets_ && back <= flag.sets; ++back)
        if (set_behind(flag, seen, back)) {
            flag.bound = std::max(flag.bound, back);
            return;
        }
    flag.unbounded = flag.sets;
}

bool Timelines::flag_wait(const FlagEvent& event) {
    CoreLines& core = lines(event.core);
    if (!event.cross_core) {
        Flag& flag = core.state.flags[{event.source, event.destination, event.id}];
        Timeline& line = core.pipes[static_cast<size_t>(event.destination)];
        if (!line.issued.empty()) line.clock.join(line.issued.front());  // of this wait
        line.touched = true;
        if (event.carried) return true;  // everything that it orders belongs to another launch
        flag.wait = event.location;
        flag.waited = line.tick;
        const bool useful = line.clock.join(flag.clock);
        flag.pending = !flag.later.empty();
        if (flag_sets_ == 1) return useful;
        ++flag.waits;
        flag.taken.push_back(line.tick);
        if (flag.taken.size() > flag_sets_) flag.taken.pop_front();
        if (flag.pending) {
            flag.clock = std::move(flag.later.front());
            flag.later.pop_front();
        }
        return useful;
    }
    Timeline& line = core.pipes[static_cast<size_t>(event.destination)];
    Core::Count& count = core.state.counts[event.id];
    ++count.waits;
    count.taken.emplace_back(event.destination, line.tick);
    if (count.taken.size() > kSignals) count.taken.pop_front();
    line.touched = true;
    auto& arrived = core.state.arrived[event.id];
    if (arrived.empty()) return true;
    if (!line.issued.empty()) line.clock.join(line.issued.front());  // of this wait
    auto remote = std::make_shared<RemoteTicks>(std::move(arrived.front().ticks));
    remote->version = event.destination == Pipe::kS ? ++core.remote_version : 0;
    core.state.taken[event.id] = std::move(arrived.front().last);
    arrived.pop_front();
    learn(core, line, std::move(remote));
    return true;
}

// ---- between cores ------------------------------------------------------------------------

void Timelines::learn(CoreLines& core, Timeline& line, std::shared_ptr<RemoteTicks> remote) {
    const size_t own = index(core.state.id) * size_t{kLanes};
    for (unsigned p = 0; p < kLanes; ++p)
        line.clock.local[p] = std::max(line.clock.local[p], remote->ticks[own + p]);
    if (line.clock.remote) remote->add(*line.clock.remote);
    line.clock.remote = std::move(remote);
}

void Timelines::task_begin(CoreId id) {
    runs_tasks_ = true;
    if (ended_.ticks.empty()) return;
    put_behind_ended(lines(id));
}

void Timelines::task_end(CoreId id) {
    CoreLines& core = lines(id);
    raise(ended_, flatten(core, release_stores(core)));
}

void Timelines::release_at(CoreId id, uint64_t address, bool atomic) {
    CoreLines& core = lines(id);
    RemoteTicks ticks = flatten(core, release_stores(core));
    if (at_address_.size() >= kMostAddresses && !at_address_.contains(address)) {
        address = kElsewhere;
        atomic = true;
    }
    RemoteTicks& released = at_address_[address];
    if (atomic) raise(ticks, released);
    released = std::move(ticks);
}

const RemoteTicks* Timelines::released_at(uint64_t address) const {
    auto released = at_address_.find(address);
    if (released == at_address_.end()) released = at_address_.find(kElsewhere);
    return released == at_address_.end() ? nullptr : &released->second;
}

void Timelines::release_from(uint64_t address, const OtherChips& chips, bool atomic) {
    if (at_address_.size() >= kMostAddresses && !at_address_.contains(address)) {
        address = kElsewhere;
        atomic = true;
    }
    RemoteTicks& released = at_address_[address];
    const ChipsClock clock = std::make_shared<OtherChips>(chips);
    if (!atomic) released.ticks.clear();
    released.ticks.resize(cores_.size() * kLanes);
    released.chips = atomic ? joined(released.chips, clock) : clock;
}

void Timelines::acquire_from(CoreId id, const OtherChips& chips) {
    CoreLines& core = lines(id);
    auto remote = std::make_shared<RemoteTicks>();
    remote->version = ++core.remote_version;
    remote->ticks.resize(cores_.size() * kLanes);
    remote->chips = std::make_shared<OtherChips>(chips);
    learn(core, core.pipes[static_cast<size_t>(Pipe::kS)], std::move(remote));
}

OtherChips Timelines::chips_before(CoreId id, Pipe pipe) const {
    OtherChips before = ended_chips_;
    const Clock& clock = cores_[index(id)].pipes[static_cast<size_t>(pipe)].clock;
    if (clock.remote && clock.remote->chips) before.add(*clock.remote->chips);
    return before;
}

RemoteTicks Timelines::released_by(CoreId id, Pipe pipe) {
    CoreLines& core = lines(id);
    return flatten(core, release(core, pipe));
}

void Timelines::acquire_at(CoreId id, uint64_t address) {
    if (const RemoteTicks* const released = released_at(address)) acquire(id, *released);
}

void Timelines::acquire(CoreId id, const RemoteTicks& released) {
    CoreLines& core = lines(id);
    Timeline& scalar = core.pipes[static_cast<size_t>(Pipe::kS)];
    // A core that polls repeats the same load.
    if (scalar.clock.remote && scalar.clock.remote->covers(released)) return;
    auto remote = std::make_shared<RemoteTicks>(released);
    remote->version = ++core.remote_version;
    learn(core, scalar, std::move(remote));
}

RemoteTicks Timelines::flatten(const CoreLines& core, const Clock& clock) const {
    RemoteTicks all{0, std::vector<Tick>(cores_.size() * kLanes), nullptr};
    if (clock.remote) all = {0, clock.remote->ticks, clock.remote->chips};
    const size_t own = index(core.state.id) * size_t{kLanes};
    for (unsigned p = 0; p < kLanes; ++p) all.ticks[own + p] = clock.local[p];
    return all;
}

bool Timelines::signal(const SignalEvent& event) {
    Arrived arrived;
    arrived.ticks.ticks.resize(cores_.size() * kLanes);
    for (CoreId member : event.group) {
        auto& sent = lines(member).state.sent[{event.mode, event.id}];
        if (sent.empty()) continue;
        arrived.ticks.add(sent.front().ticks);
        if (sent.front().time >= arrived.last.time) {
            arrived.last = std::move(sent.front());
            arrived.last.ticks = {};
            arrived.from = index(member);
        }
        sent.pop_front();
    }
    bool room = true;
    for (CoreId to : event.to) {
        Core& receiver = lines(to).state;
        receiver.arrived[event.id].push_back(arrived);
        Core::Count& count = receiver.counts[event.id];
        if (++count.signals <= kSignals) continue;
        // The wait that must come first, counted back from the last one taken.
        const uint64_t before = count.waits - std::min(count.waits, count.signals - kSignals);
        if (count.waits < count.signals - kSignals) room = false;
        if (before >= count.taken.size()) continue;
        const auto [pipe, tick] = count.taken[count.taken.size() - 1 - before];
        const size_t at = index(to) * size_t{kLanes} + static_cast<size_t>(pipe);
        room = room && arrived.ticks.ticks[at] >= tick;
    }
    return room;
}

}  // namespace ptosim::check
