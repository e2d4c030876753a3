#include "sim/system/links.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "isa/core/view_span.h"
#include "isa/table/instruction_table.h"
#include "sim/core/scalar_atomic.h"
#include "sim/model/system_model.h"
#include "sim/system/meeting.h"
#include "sim/system/view_bytes.h"

namespace ptosim {
// Pacing of polls for other chips: first without rest, then until the chip that holds this one up has moved.
class Links::Patience {
 public:
    // Progress was made.
    void renew() { begin_ = Clock::now(), looks_ = 0; }
    Clock::duration waited() const { return Clock::now() - begin_; }
    // Returns true if it is time to check that the others still live.
    bool wait(ChipClocks::Clock* holds_up, const Promise& seen) {
        if (++looks_ < kWithoutRest) return false;
        if (holds_up != nullptr)
            holds_up->await_other_than(seen);
        else
            std::this_thread::yield();
        return looks_ % kBetweenChecks == 0;
    }

 private:
    static constexpr unsigned kWithoutRest = 50, kBetweenChecks = 64;
    unsigned looks_ = 0;
    Clock::time_point begin_ = Clock::now();
};

namespace {

std::vector<std::byte> gathered(const GlobalView& view) {
    std::vector<std::byte> bytes(bytes_of(view));
    std::byte* at = bytes.data();
    for_rows_of(view, [&](uint64_t address, uint64_t size) {
        std::memcpy(at, GlobalMemory::host(address), size);
        at += size;
    });
    return bytes;
}

void scatter(const GlobalView& view, std::span<const std::byte> bytes) {
    const std::byte* at = bytes.data();
    for_rows_of(view, [&](uint64_t address, uint64_t size) {
        std::memcpy(GlobalMemory::host(address), at, size);
        at += size;
    });
}

// On the chip that the window belongs to.
uint64_t there(const Links::Window& window, uint64_t address) { return address - window.here + window.there; }

}  // namespace

std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device, unsigned devices) {
    std::vector<DevicePlace> places(devices);
    for (unsigned other = 0; other < devices; ++other) places[other].number = other;
    return link_times(system, clock, device, places);
}

// A device has one port to the network, which is the port of the first device of another host.
std::vector<LinkTimes> link_times(const SystemModel& system, uint64_t clock, unsigned device,
                                  std::span<const DevicePlace> places) {
    constexpr uint64_t kPerKilohertz = 1'000'000'000;  // ps per period of 1 kHz
    const SystemModel::Network& network = system.networks.front();
    const SystemModel::Link outside{network.latency, network.rate, 1};
    const DevicePlace here = places[device];
    std::vector<LinkTimes> times(places.size());
    std::optional<unsigned> port_outside;
    for (unsigned other = 0; other < places.size(); ++other) {
        const DevicePlace there = places[other];
        const bool leaves = there.host != here.host;
        const bool between_chips = !leaves && (other == device || system.between(here.number, there.number) == system.link);
        const SystemModel::Link& link = leaves          ? outside
                                        : between_chips ? system.link
                                                        : system.between(here.number, there.number);
        times[other].latency =
            std::max<Cycle>(1, (link.latency * (clock / 1000) + kPerKilohertz - 1) / kPerKilohertz);
        times[other].rate = std::max<Milli>(1, per_cycle(link.rate * link.lanes, clock));
        const bool switched = system.topology == SystemModel::Topology::kSwitch && between_chips;
        if (leaves && !port_outside) port_outside = other;
        times[other].port = leaves ? *port_outside : switched ? device : other;
        if (system.port_rate != 0 && between_chips)
            times[other].together = std::max<Milli>(1, per_cycle(system.port_rate, clock));
    }
    return times;
}

// ---- life ---------------------------------------------------------------------------------

uint64_t Links::bytes_of_pages(unsigned chips) {
    return sizeof(ChipClocks) + uint64_t{chips} * chips * sizeof(RingPages);
}

Links::Links(Chip& chip, SharedPages pages, Setup setup)
    : chip_{chip},
      pages_{std::move(pages)},
      setup_{std::move(setup)},
      clocks_{reinterpret_cast<ChipClocks*>(pages_.data())},
      queues_(2 * ranks()),
      stores_(ranks()),
      port_free_(ranks()),
      step_{std::max<Cycle>(1, least_latency() / 8)},
      sent_(ranks()),
      launches_{setup_.launches},
      ended_(ranks(), setup_.launches) {
    for (const Window& window : setup_.windows) add_window(window);
    auto* const rings = reinterpret_cast<RingPages*>(pages_.data() + sizeof(ChipClocks));
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        to_.emplace_back(rings[setup_.rank * ranks() + rank]);
        from_.emplace_back(rings[rank * ranks() + setup_.rank]);
    }
    clock(setup_.rank).process = getpid();
    promise(chip_.now(), false);
    chip_.join(this, this);
}

Links::~Links() {
    chip_.join(nullptr, nullptr);
    clock(setup_.rank).end();
}

Cycle Links::least_latency() const {
    Cycle least = kNever;
    for (const LinkTimes& link : setup_.links) least = std::min(least, link.latency);
    return least;
}

// ---- the clock ----------------------------------------------------------------------------

void Links::promise(Cycle time, bool parked) {
    promised_ = time;
    clock(setup_.rank).write({time, parked, meetings_});
}

// No message that is not yet pushed arrives before the returned time. Parked chips send only answers until their hosts
// meet this chip's; if this chip asks for nothing, they need not be waited for.
Cycle Links::bound(bool asks) {
    Cycle least = kNever;
    slowest_ = nullptr;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        if (rank == setup_.rank) continue;
        const Promise its = clock(rank).read();
        if (its.time == kNever) continue;
        Cycle time = its.time;
        if (setup_.job) {
            if (its.parked && !asks) time = next_run_of(rank, its);
        } else if (its.parked && !asks && its.meetings == (meetings_ & ChipClocks::kMeetings)) {
            continue;
        }
        if (time == kNever) continue;
        const Cycle its_bound = time + setup_.links[rank].latency;
        if (its_bound >= least) continue;
        least = its_bound;
        slowest_ = &clock(rank);
        slowest_promise_ = its;
    }
    return least;
}

// Before it, a chip between two runs sends nothing by itself. It may wait for this chip's run, which has no end yet.
Cycle Links::next_run_of(unsigned rank, const Promise& its) const {
    const uint64_t begun = setup_.job->begun(rank);
    if ((begun & ChipClocks::kMeetings) != its.meetings) return its.time;
    const auto promise_of = [&](unsigned other) {
        return other == setup_.rank && !idle_ ? kNever : clock(other).read().time;
    };
    return std::max(its.time, setup_.job->earliest(rank, begun, promise_of));
}

void Links::drain() {
    for (unsigned rank = 0; rank < ranks(); ++rank)
        for (std::vector<std::byte> bytes = from_[rank].take(); !bytes.empty(); bytes = from_[rank].take()) {
            Cycle arrival = 0;
            std::memcpy(&arrival, bytes.data(), sizeof arrival);
            pending_.emplace(Key{arrival, rank, received_++}, std::move(bytes));
        }
}

// True if no chip has done anything for a long time, and no message is under way. Checked in the first cycle after each
// multiple of some cycles, so that the result does not depend on the host.
bool Links::all_wait(Cycle now) {
    constexpr Cycle kBetweenChecks = 1 << 20;
    const Cycle most = chip_.model().clock.value() / 50;  // 20 ms
    next_check_ = (now / kBetweenChecks + 1) * kBetweenChecks;
    clock(setup_.rank).quiet_since = setup_.quiet_since ? setup_.quiet_since() : chip_.quiet_since();
    if (earliest() != kNever || !requests_.empty()) return false;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const Promise its = clock(rank).read();
        if (its.time != kNever && !its.parked && clock(rank).quiet_since + most > now) return false;
    }
    return true;
}

// Each chip shares the addresses that its cores poll, so that all can report all.
void Links::fail_deadlock(Cycle now) {
    fail("chips wait for each other: for 20 ms all cores have only polled for signals",
         "a signal that is never sent, sent before it is cleared, or sent to another address");
    failure_->code = "E05";
    failure_->cycle = now;
    ChipClocks::Clock& mine = clock(setup_.rank);
    std::string text;
    for (const std::string& look : chip_.looks()) text += "rank " + std::to_string(setup_.rank) + ": " + look + "\n";
    text.copy(mine.looks, sizeof mine.looks - 1);
    mine.told.store(1, std::memory_order_release);
    constexpr std::chrono::seconds kMost{5};
    const Clock::time_point end = Clock::now() + kMost;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        ChipClocks::Clock& its = clock(rank);
        const auto runs = [&] { return !its.ended() && !its.read().parked && process_runs(its.process); };
        while (its.told.load(std::memory_order_acquire) == 0 && runs() && Clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (its.told.load(std::memory_order_acquire) == 0) {
            failure_->notes.push_back("rank " + std::to_string(rank) + ": " +
                                      (its.read().parked ? "its host waits for the others" : "has ended"));
            continue;
        }
        std::istringstream lines(its.looks);
        for (std::string line; std::getline(lines, line);) failure_->notes.push_back(line);
    }
}

Cycle Links::await(Cycle next) {
    if (next >= next_check_ && next != kNever && all_wait(next)) {
        if (!setup_.job) fail_deadlock(next);  // else the run's report names what its tasks wait for
        return kNever;
    }
    if (next < bound_ && next < earliest()) {
        if (next >= promised_ + step_) promise(next, false);
        return next;
    }
    for (Patience patience;;) {
        const Cycle before = bound_;
        bound_ = bound(!requests_.empty());
        if (bound_ != before) patience.renew();
        drain();  // after reading their promises
        const Cycle target = std::min(next, earliest());
        if (next == kNever && requests_.empty()) return kNever;
        if (const Cycle mine = std::min(target, bound_); mine > promised_) promise(mine, false);
        if (target < bound_) return target;
        if (patience.wait(slowest_, slowest_promise_) && !(peers_live() && peers_move(patience))) return kNever;
    }
}

// Also returns true if the host of an awaited chip makes progress.
bool Links::peers_move(const Patience& patience) {
    constexpr std::chrono::seconds kMost{60}, kMostOfJob{300};
    if (patience.waited() < (setup_.job ? kMostOfJob : kMost)) return true;
    if (setup_.job) {
        fail("nothing has moved for five minutes: the host has given no chip a run that chip " +
                 std::to_string(setup_.rank) + " waits for",
             "a task of a chip must not wait for one that its host submits after it has ended");
        return false;
    }
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const Promise its = clock(rank).read();
        if (rank == setup_.rank || its.parked || its.time + setup_.links[rank].latency > bound_) continue;
        fail("the host of rank " + std::to_string(rank) + " has neither launched a kernel nor waited for the others "
             "for a minute, and this chip, rank " + std::to_string(setup_.rank) + ", cannot pass its clock",
             "let hosts wait for each other by MPI_Barrier, MPI_Bcast or HcclBarrier");
        return false;
    }
    return true;
}

void Links::fail(std::string what, std::string hint) {
    Diagnostic d;
    d.code = "H27";
    d.category = Category::kDeadlock;
    d.message = std::move(what);
    d.hint = std::move(hint);
    d.cycle = chip_.now();
    d.has_cycle = true;
    failure_ = std::move(d);
}

// Returns false, with a failure, if an awaited chip has ended.
bool Links::peers_live() {
    if (setup_.job && !setup_.job->host_runs()) {
        fail("the process that gives runs to the chips has ended", "look at what it has printed last");
        return false;
    }
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        const ChipClocks::Clock& its = clock(rank);
        const bool ended = its.ended();
        if (ended ? requests_.empty() : its.process == 0 || process_runs(its.process)) continue;
        if (ended) {  // it may have answered before its end
            drain();
            if (!pending_.empty()) continue;
        }
        const std::string what = setup_.job ? "chip " : "rank ";
        fail(what + std::to_string(rank) + " has ended, and this chip, " + what + std::to_string(setup_.rank) +
                 ", waits for it",
             "a rank has to live, and keep its windows, until all kernels that use them have ended");
        return false;
    }
    return true;
}

void Links::act(Cycle now) {
    while (earliest() <= now) {
        if (chip_.memory().next_end_for_peers() <= now) end_transfers(now);
        if (pending_.empty() || std::get<0>(pending_.begin()->first) > now) continue;
        const auto first = pending_.extract(pending_.begin());
        const std::span<const std::byte> bytes = first.mapped();
        Message message;
        std::memcpy(&message, bytes.data(), sizeof message);
        note(message, std::get<1>(first.key()), false, bytes.size() - sizeof message);
        apply(std::get<1>(first.key()), message, bytes.subspan(sizeof message));
    }
}

// ---- hosts that wait ----------------------------------------------------------------------

void Links::open(bool opened) {
    if (opened == std::exchange(opened_, opened) || setup_.job) return;
    const uint64_t window = own_window().here;
    if (opened)
        chip_.global().open(window);
    else
        chip_.global().close(window);
}

void Links::park() {
    clock(setup_.rank).launches[meetings_ % 2] = launches_;
    promise(std::max(promised_, chip_.now()), true);
}

// All leave a meeting a latency after the last has joined, and by then all earlier messages have arrived. So everything
// that arrives before the bound of the chips that still run can be applied here.
void Links::serve(const std::function<bool()>& waiting) {
    constexpr std::chrono::milliseconds kLongest{50};  // after that the meeting checks that all live
    for (Patience patience; patience.waited() < kLongest; patience.wait(slowest_, slowest_promise_)) {
        const Cycle end = bound(false);
        if (!waiting() || end == kNever) return;
        drain();
        while (earliest() < end) {
            open(true);
            act(earliest());
        }
        if (end <= promised_) continue;
        promise(end, true);
        patience.renew();
    }
}

void Links::leave(Cycle last_came) {
    Cycle most = 0;
    for (const LinkTimes& link : setup_.links) most = std::max(most, link.latency);
    const Cycle end = last_came + most;
    drain();
    while (earliest() <= end) {
        open(true);
        act(earliest());
    }
    open(false);
    chip_.event_queue().advance(end);
    clock(setup_.rank).quiet_since = end;
    bound_ = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) ended_[rank] = clock(rank).launches[meetings_ % 2];
    ++meetings_;
    promise(chip_.now(), false);
}

// ---- runs of a job ------------------------------------------------------------------------

bool Links::begin_run() {
    const Job& job = *setup_.job;
    const uint64_t number = job.begun(setup_.rank);
    std::optional<Cycle> begin;
    const auto ready = [&] {
        if (!begin) begin = job.begin_of(setup_.rank, number);
        bound_ = bound(false);
        return begin && bound_ > *begin;
    };
    for (Patience patience; !ready();) {
        drain();
        const Cycle end = std::min(bound_, begin.value_or(bound_));
        while (earliest() < end) act(earliest());
        if (end > promised_ && end != kNever) {
            promise(end, true);
            patience.renew();
        }
        if (patience.wait(slowest_, slowest_promise_) && !(peers_live() && peers_move(patience))) return false;
    }
    drain();
    const Cycle start = std::max(*begin, chip_.now());
    while (earliest() < start) act(earliest());
    chip_.event_queue().advance(start);
    clock(setup_.rank).quiet_since = start;
    idle_ = false;
    bound_ = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank)
        ended_[rank] = std::max(ended_[rank], job.before(setup_.rank, number)[rank]);
    setup_.job->begin_run(setup_.rank);
    ++meetings_;
    promise(std::max(promised_, start), false);
    return true;
}

void Links::end_run() {
    const uint64_t number = setup_.job->begun(setup_.rank) - 1;
    setup_.job->end_run(setup_.rank, number, chip_.now());
    idle_ = true;
    park();
}

bool Links::processes_run() const {
    for (unsigned rank = 0; rank < ranks(); ++rank)
        if (!clock(rank).ended() && clock(rank).process != 0 && !process_runs(clock(rank).process)) return false;
    return true;
}

// This chip promises no more than the earliest begin of its next run.
void Links::serve_between_runs(const std::function<bool()>& wanted) {
    for (Patience patience; !wanted(); patience.wait(slowest_, slowest_promise_)) {
        const auto promise_of = [&](unsigned rank) { return clock(rank).read().time; };
        const Cycle own = setup_.job->earliest(setup_.rank, setup_.job->begun(setup_.rank), promise_of);
        const Cycle end = std::min(bound(false), own);
        drain();
        while (earliest() < end) act(earliest());
        if (end <= promised_ || end == kNever) continue;
        promise(end, true);
        patience.renew();
    }
}

// ---- what checkers exchange ---------------------------------------------------------------

std::optional<Peers::Place> Links::place_of(uint64_t address) const {
    const Window* const window = any_window_at(address);
    if (window == nullptr) return {};
    return Place{window->rank, there(*window, address), address - window->here};
}

void Links::tell(unsigned rank, std::span<const std::byte> told) {
    Message message;
    message.kind = Kind::kTold;
    message.arrival = chip_.now() + setup_.links[rank].latency;
    send(rank, message, told);
}

Peers::Launch Links::begin_launch() {
    launches_ = setup_.job ? static_cast<uint32_t>(setup_.job->begun(setup_.rank)) : launches_ + 1;
    return {launches_, ended_};
}

void Links::publish(uint64_t address, uint64_t bytes) {
    constexpr uint64_t kMostBytes = 4096;
    const Window& mine = own_window();
    if (bytes > kMostBytes || address - mine.here >= mine.bytes) return;
    Message message;
    message.kind = Kind::kPublished;
    message.bits = address - mine.here;
    const std::vector<std::byte> copied(GlobalMemory::host(address), GlobalMemory::host(address) + bytes);
    for (unsigned rank = 0; rank < ranks(); ++rank) {
        if (rank == setup_.rank || clock(rank).ended()) continue;
        message.arrival = chip_.now() + setup_.links[rank].latency;
        send(rank, message, copied);
    }
}

void Links::apply_published(unsigned from, const Message& message, std::span<const std::byte> bytes) {
    const auto of_sender = std::find_if(windows_.begin(), windows_.end(),
                                        [&](const auto& window) { return window.second.rank == from; });
    const uint64_t copy = of_sender->first;
    if (opened_) chip_.global().open(copy);
    std::memcpy(GlobalMemory::host(copy + message.bits), bytes.data(), bytes.size());
    if (opened_) chip_.global().close(copy);
}

// ---- this chip's accesses -----------------------------------------------------------------

const Links::Window* Links::any_window_at(uint64_t address) const {
    const auto next = windows_.upper_bound(address);
    if (next == windows_.begin()) return nullptr;
    const Window& window = std::prev(next)->second;
    return address - window.here < window.bytes ? &window : nullptr;
}

const Links::Window* Links::window_at(uint64_t address) const {
    const Window* const window = any_window_at(address);
    return window != nullptr && window->rank != setup_.rank ? window : nullptr;
}

std::optional<RemoteMemory::Overrun> Links::overrun(const GlobalView& view) const {
    const Window* const window = any_window_at(view.address);
    const std::optional<ViewSpan> span = window == nullptr ? std::nullopt : span_of(view);
    if (!span || span->begin == span->end) return {};
    const auto offset = static_cast<int64_t>(view.address - window->here);
    const Overrun found{setup_.rank, window->rank, window->bytes, offset + span->begin, offset + span->end};
    if (found.outside() == 0) return {};
    const auto is_remote = [&](int64_t at) { return window_at(window->here + static_cast<uint64_t>(at)) != nullptr; };
    if (window->rank == setup_.rank && !is_remote(found.begin) && !is_remote(found.end - 1)) return {};
    return found;
}

const Links::Window& Links::own_window() const {
    return std::find_if(windows_.begin(), windows_.end(),
                        [&](const auto& window) { return window.second.rank == setup_.rank; })
        ->second;
}

void Links::note(const Message& message, unsigned peer, bool sent, uint64_t bytes) {
    constexpr const char* kWhat[] = {"load", "loaded", "store", "write", "atomic", "published", "load"};
    if (!notes_traffic_ || message.kind >= Kind::kTold || traffic_.size() == kMostTraffic) return;
    Traffic one{sent, kWhat[static_cast<size_t>(message.kind)], peer, message.number, message.arrival, 0, bytes};
    if (sent) {
        const LinkTimes& link = setup_.links[peer];
        const Cycle left = std::max(chip_.now(), message.arrival - link.latency);
        one.begin = left - std::min(left, bytes * 1000 / link.rate);
        one.end = left;
    }
    one.end = std::max(one.end, one.begin + 1);
    traffic_.push_back(one);
}

void Links::send(unsigned to, Message message, std::span<const std::byte> bytes) {
    message.number = message.kind >= Kind::kTold ? 0 : sent_[to]++;
    note(message, to, true, bytes.size());
    const auto head = std::as_bytes(std::span(&message, 1));
    std::vector<std::byte> whole(head.begin(), head.end());
    whole.insert(whole.end(), bytes.begin(), bytes.end());
    if (whole.size() > MessageQueue::kMost)
        fail_input("U03", "a transfer of " + std::to_string(bytes.size()) + " bytes to another chip",
                   "at most " + std::to_string(MessageQueue::kMost - sizeof message));
    for (Patience patience; !to_[to].push(whole);) {
        drain();  // otherwise two chips that send to each other would wait endlessly
        if (patience.wait(&clock(to), clock(to).read()) && !peers_live()) return;
    }
}

// Returns the time at which the last of these bytes has left.
Cycle Links::leave_port(unsigned to, uint64_t bytes, Cycle now) {
    const LinkTimes& link = setup_.links[to];
    const auto after = [&](Milli& free, Milli rate) {
        free = std::max<Milli>(free, now * 1000) + (bytes * 1000 * 1000 + rate - 1) / rate;
        return (free + 999) / 1000;
    };
    const Cycle left = after(port_free_[link.port], link.rate);
    return link.together == 0 ? left : std::max(left, after(all_free_, link.together));
}

// The answer arrives after a round trip at the earliest. Returns the request's number.
uint32_t Links::ask(Message& message, const Request& request) {
    const Cycle latency = setup_.links[request.rank].latency;
    message.arrival = std::max(message.arrival, chip_.now() + latency);
    message.request = ++last_request_;
    requests_[message.request] = request;
    bound_ = std::min(bound_, chip_.now() + 2 * latency);
    send(request.rank, message, {});
    return message.request;
}

void Links::load(const GlobalView& view, const Cost& cost, Cycle least, Event& done) {
    const Window& window = *window_at(view.address);
    Message message;
    message.kind = Kind::kLoad;
    message.view = view;
    message.view.address = there(window, view.address);
    message.cost = cost;
    ask(message, {window.rank, view, chip_.now() + least, &done, nullptr});
}

void Links::fetch(uint64_t address, uint64_t size, Event& done) {
    const Window& window = *window_at(address);
    GlobalView view;
    view.address = address;
    view.dtype = DType::kU8;
    view.shape[4] = static_cast<int32_t>(size);
    Message message;
    message.kind = Kind::kFetch;
    message.view = view;
    message.view.address = there(window, address);
    ask(message, {window.rank, view, 0, &done, nullptr});
}

uint32_t Links::begin_store(const GlobalView& view, const Cost& cost, Cycle least, Event& done) {
    const Cycle now = chip_.now();
    const Window& window = *window_at(view.address);
    const LinkTimes& link = setup_.links[window.rank];
    const Cycle left = leave_port(window.rank, cost.bytes, now);
    done.notify(std::max(least, left - now));
    Message message;
    message.kind = Kind::kStoreBegins;
    message.view = view;
    message.view.address = there(window, view.address);
    message.cost = cost;
    const Cycle on_link = (cost.bytes * 1000 + link.rate - 1) / link.rate;
    message.arrival = left - std::min(left, on_link) + link.latency;
    return ask(message, {window.rank, {}, 0, nullptr, nullptr});
}

// The message contains the instruction and the bytes of its tiles.
void Links::store(uint32_t number, const Execution* execution, Cycle after, Event& done) {
    Request& request = requests_.at(number);
    request.done = &done;
    Message message;
    message.kind = Kind::kStore;
    message.request = number;
    message.arrival = chip_.now() + setup_.links[request.rank].latency + after;
    if (execution == nullptr) return send(request.rank, message, {});
    Instruction instruction;
    instruction.assign(execution->instruction);
    std::vector<std::byte> bytes(sizeof instruction);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        Operand& operand = instruction.operands[i];
        if (operand.is_global())
            operand.global.address = there(*window_at(operand.global.address), operand.global.address);
        else if (operand.is_tile())
            bytes.insert(bytes.end(), execution->bytes[i], execution->bytes[i] + operand.tile.byte_size());
    }
    std::memcpy(bytes.data(), &instruction, sizeof instruction);
    message.numerics = execution->numerics;
    message.bits = execution->ub_bytes;
    send(request.rank, message, bytes);
}

void Links::write(uint64_t address, std::span<const std::byte> bytes) {
    const Window& window = *window_at(address);
    const unsigned rank = window.rank;
    Message message;
    message.arrival = chip_.now() + setup_.links[rank].latency;
    message.kind = Kind::kWrite;
    message.view.address = there(window, address);
    send(rank, message, bytes);
}

void Links::combine(uint64_t address, DType type, AtomicMode mode, uint64_t bits, uint64_t& before, Event& done) {
    const Window& window = *window_at(address);
    Message message;
    message.kind = Kind::kCombine;
    message.type = type;
    message.mode = mode;
    message.bits = bits;
    message.view.address = there(window, address);
    ask(message, {window.rank, {}, 0, &done, &before});
}

// ---- accesses of this chip's memory -------------------------------------------------------

void Links::apply(unsigned from, Message message, std::span<const std::byte> bytes) {
    if (message.kind != Kind::kTold) chip_.finish_data();
    switch (message.kind) {
        case Kind::kLoad: {
            const std::vector<std::byte> loaded = gathered(message.view);
            const Cycle leaves = leave_port(from, loaded.size(), message.arrival);
            return add_transfer({from, leaves, 0, false, message, loaded});
        }
        case Kind::kFetch: {
            const std::vector<std::byte> loaded = gathered(message.view);
            return answer(from, message.request, Kind::kLoaded, leave_port(from, loaded.size(), message.arrival),
                          loaded);
        }
        case Kind::kStoreBegins:
            return add_transfer({from, 0, 0, false, message, {}});
        case Kind::kStore: {
            const auto store = std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& one) {
                return one.second.from == from && one.second.message.request == message.request;
            });
            store->second.message.numerics = message.numerics;
            store->second.message.bits = message.bits;
            store->second.bytes.assign(bytes.begin(), bytes.end());
            stores_[from].push_back(store->first);
            return apply_arrived_stores(from, message.arrival);
        }
        case Kind::kWrite:
            std::memcpy(GlobalMemory::host(message.view.address), bytes.data(), bytes.size());
            return;
        case Kind::kCombine: {
            std::byte* const there = GlobalMemory::host(message.view.address);
            const size_t size = ptosim::bytes(message.type, 1);
            uint64_t before = 0;
            std::memcpy(&before, there, size);
            const uint64_t after = ptosim::combine(message.type, message.mode, before, message.bits);
            std::memcpy(there, &after, size);
            return answer(from, message.request, Kind::kLoaded, message.arrival, {}, before);
        }
        case Kind::kTold:
            if (listener_) listener_(from, bytes);
            return;
        case Kind::kPublished:
            return apply_published(from, message, bytes);
        case Kind::kLoaded:
        case Kind::kStored: {
            const auto found = requests_.extract(message.request);
            if (found.empty()) return;  // of a launch that has failed
            const Request& request = found.mapped();
            if (request.before != nullptr)
                *request.before = message.bits;
            else if (message.kind == Kind::kLoaded)
                scatter(request.view, bytes);
            const Cycle now = chip_.now();
            return request.done->notify(request.least > now ? request.least - now : 0);
        }
    }
}

void Links::answer(unsigned to, uint32_t request, Kind kind, Cycle leaves, std::span<const std::byte> bytes,
                   uint64_t bits) {
    Message message;
    message.kind = kind;
    message.request = request;
    message.bits = bits;
    message.arrival = leaves + setup_.links[to].latency;
    send(to, message, bytes);
}

// A link carries one transfer at a time in each direction.
std::deque<uint32_t>& Links::queue_of(const PeerTransfer& transfer) {
    return queues_[2 * transfer.from + (transfer.message.kind == Kind::kLoad ? 0 : 1)];
}

void Links::add_transfer(PeerTransfer transfer) {
    std::deque<uint32_t>& queue = queue_of(transfer);
    const Cycle now = transfer.message.arrival;
    const uint32_t number = ++last_transfer_;
    transfers_[number] = std::move(transfer);
    queue.push_back(number);
    if (queue.size() == 1) begin_transfer(number, now);
}

// The bytes pass this chip's memory at most as fast as they pass the link, of which the fraction of a cycle counts.
void Links::begin_transfer(uint32_t number, Cycle now) {
    PeerTransfer& transfer = transfers_.at(number);
    Cost& cost = transfer.message.cost;
    const Milli micro = cost.bytes * 1000;
    const Cycle least = std::max<Cycle>(1, micro / setup_.links[transfer.from].rate);
    cost.rate = std::max<Milli>(1, (micro + least - 1) / least);
    transfer.behind = chip_.memory().start_for_peer(now, number, cost, transfer.message.view);
}

void Links::end_transfers(Cycle now) {
    std::vector<uint32_t> ended;
    chip_.memory().end_for_peers(now, ended);
    for (const uint32_t number : ended) {
        const auto at = transfers_.find(number);
        PeerTransfer& transfer = at->second;
        std::deque<uint32_t>& queue = queue_of(transfer);
        queue.pop_front();
        if (!queue.empty()) begin_transfer(queue.front(), now);
        if (transfer.message.kind == Kind::kLoad) {
            answer(transfer.from, transfer.message.request, Kind::kLoaded,
                   std::max(transfer.leaves, now) + transfer.behind, transfer.bytes);
            transfers_.erase(at);
        } else {
            transfer.ended = true;
            apply_arrived_stores(transfer.from, now);
        }
    }
}

// Stores of a chip take effect in the order of their arrival.
void Links::apply_arrived_stores(unsigned from, Cycle now) {
    std::deque<uint32_t>& stores = stores_[from];
    while (!stores.empty()) {
        const auto at = transfers_.find(stores.front());
        const PeerTransfer& store = at->second;
        if (!store.ended) return;
        chip_.finish_data();
        if (!store.bytes.empty()) apply_store(store.message, store.bytes);
        answer(from, store.message.request, Kind::kStored, now, {});
        transfers_.erase(at);
        stores.pop_front();
    }
}

void Links::apply_store(const Message& message, std::span<const std::byte> bytes) {
    Instruction instruction;
    std::memcpy(&instruction, bytes.data(), sizeof instruction);
    std::vector<std::byte> tiles(bytes.begin() + sizeof instruction, bytes.end());
    Execution execution{instruction, {}, message.numerics, message.bits, nullptr};
    std::byte* at = tiles.data();
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_global()) execution.bytes[i] = GlobalMemory::host(operand.global.address);
        if (!operand.is_tile()) continue;
        execution.bytes[i] = at;
        at += operand.tile.byte_size();
    }
    info(instruction.opcode).semantics(execution);
}

}  // namespace ptosim
