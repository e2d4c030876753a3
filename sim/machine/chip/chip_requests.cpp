// Requests of clusters to the memory that they share, and to each other. A request is settled at the end of its cycle,
// when all lanes have done everything of that cycle; while lanes run apart, when all have reached the end of that cycle.
#include <algorithm>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"
#include "sim/machine/chip/chip.h"
#include "sim/machine/observe/parse_core.h"

namespace ptosim {
namespace {

// The fewest cycles that a transfer takes, whatever else uses the memory.
Cycle least_cycles(const Cost& cost, const GlobalView& view) {
    const uint64_t micro = 1000 * 1000;
    const auto elements = static_cast<size_t>(std::max<int64_t>(0, view.elements()));
    const uint64_t touched = bytes(view.dtype, elements);  // L2 counts whole sectors
    const Milli time = cost.fixed + (cost.rate == 0 ? 0 : touched * micro / cost.rate);
    return std::max<Cycle>(1, std::min(time / 1000, cost.bytes * 1000));
}

// Cycles between two meetings at most, so that requests to end a launch are heard.
constexpr Cycle kMostApart = 5000;

CoreId core_of(const Diagnostic& diagnostic) { return parse_core(diagnostic.core).value_or(CoreId{}); }

}  // namespace

// ---- asking -------------------------------------------------------------------------------

void Chip::ask(Request request) {
    Port& port = *ports_[cluster_of(request.core)];
    request.time = port.lane.now();
    if (!event_queue_.is_apart())
        event_queue_.close_cycle_with(settler_);
    else if (request.earliest != 0)
        port.lane.limit_to(std::max(request.earliest, request.time + 1));
    port.requests.push_back(std::move(request));
}

void Chip::start_transfer(const Requester& requester, const Cost& cost, const Instruction& instruction,
                          Event& done, Transfer& result) {
    result = {};
    const bool of_threads = info(instruction.opcode).timing == TimingClass::kThreads;
    Cycle least = 1;
    if (!of_threads) {
        const GlobalView& view = instruction.operands[cost.global].global;
        if (remote_ != nullptr && remote_->holds(view.address)) {
            result = start_remote(cost, instruction, done);
            return;
        }
        if (cost.bytes == 0) return done.notify();
        if (event_queue_.is_apart()) least = least_cycles(cost, view);
    }
    Request request;
    request.kind = Request::Kind::kTransfer;
    request.core = requester.core;
    request.pipe = requester.pipe;
    request.earliest = lanes_[requester.cluster]->now() + least;
    request.cost = &cost;
    request.instruction = &instruction;
    request.event = &done;
    request.result = &result;
    ask(std::move(request));
}

Cycle Chip::signal_latency() const {
    return options_.mode == RunMode::kFunctional
               ? 1
               : std::max<Cycle>(1, (read_(model_.sync.cross_core_latency) + 999) / 1000);
}

// The set is the core's own, and observers hear of it before its instruction completes. The group is matched later.
void Chip::cross_set(CoreId from, const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    const Dispatcher::Part& part = dispatcher_.part_of(from);
    if (instruction.opcode == Opcode::kINTRA_SET) {
        const CrossCoreNetwork::Target target = part.network.intra_block(from, a.event_id);
        if (!target.core)
            return report(cross_finding(
                "C04", "an intra-block signal to a core that does not take part in the launch",
                "launch the kernel on both core types, or signal a core that runs it", from,
                instruction));
        tell_cross_set(from, *target.core, static_cast<uint8_t>(kIntraBlockIds + target.id), kIntraBlockMode,
                       instruction, sequence);
    } else {
        // Mode 0 joins all cores of a type: these are all blocks only if all of them run at once.
        if (a.cross_mode == 0 && part.blocks > part.slots)
            report(cross_finding("C03",
                                 "a signal to all cores (mode 0) in a launch of " + std::to_string(part.blocks) +
                                     " blocks, of which only " + std::to_string(part.slots) + " run at once",
                                 "launch no more blocks than can run at once", from, instruction));
        tell_cross_set(from, from, a.event_id, a.cross_mode, instruction, sequence);
    }
    Request request;
    request.kind = Request::Kind::kSignal;
    request.core = from;
    request.earliest = lanes_[cluster_of(from)]->now() + signal_latency();
    request.signal = std::make_unique<Instruction>(instruction);
    request.sequence = sequence;
    ask(std::move(request));
}

// The core's next block can begin in this cycle.
void Chip::block_done(CoreId core) {
    Request request;
    request.kind = Request::Kind::kBlockDone;
    request.core = core;
    request.earliest = 1;
    ask(std::move(request));
}

bool Chip::call_alone(CoreId core, std::function<void()> work, Event& then) {
    if (!lanes_run()) {
        work();
        return false;
    }
    Request request;
    request.core = core;
    request.earliest = 1;
    request.work = std::move(work);
    request.event = &then;
    ask(std::move(request));
    return true;
}

// Nothing comes back.
void Chip::call_later(CoreId core, std::function<void()> work) {
    if (!lanes_run()) return work();
    Request request;
    request.core = core;
    request.work = std::move(work);
    ask(std::move(request));
}

// ---- settling -----------------------------------------------------------------------------

Cycle Chip::first_request() const {
    Cycle first = LaneCalendar::kNever;
    for (const std::unique_ptr<Port>& port : ports_) first = std::min(first, port->first_request());
    return first;
}

// The clusters take turns at meeting L2: the first one is another in each cycle, as with an arbiter that rotates.
void Chip::settle() {
    struct Settles {
        bool& settles;
        explicit Settles(bool& flag) : settles{flag} { settles = true; }
        ~Settles() { settles = false; }
    } settles(settles_);
    const size_t turn = now() % ports_.size();
    for (const std::unique_ptr<Port>& port : ports_) settle_calls(*port);
    for (size_t i = turn; i < ports_.size() && !aborted_; ++i) settle(*ports_[i]);
    for (size_t i = 0; i < turn && !aborted_; ++i) settle(*ports_[i]);
}

void Chip::settle_calls(Port& port) {
    for (size_t i = port.settled; i < port.requests.size() && port.requests[i].time == now() && !aborted_; ++i) {
        Request& request = port.requests[i];
        if (request.kind != Request::Kind::kCall) continue;
        request.work();
        if (request.event != nullptr) request.event->notify();
    }
}

void Chip::settle(Port& port) {
    for (; port.first_request() == now() && !aborted_; ++port.settled) settle(port.requests[port.settled]);
    if (port.settled != port.requests.size()) return;
    port.requests.clear();
    port.settled = 0;
}

void Chip::settle(Request& request) {
    switch (request.kind) {
        case Request::Kind::kTransfer: {
            const Requester requester{request.core, request.pipe, cluster_of(request.core)};
            const Instruction& instruction = *request.instruction;
            if (info(instruction.opcode).timing == TimingClass::kThreads)
                memory_->start_lines(requester, thread_work(instruction), *request.event);
            else
                *request.result = memory_->start(requester, *request.cost,
                                                 instruction.operands[request.cost->global].global, *request.event);
            return;
        }
        case Request::Kind::kSignal:
            return settle_signal(request.core, *request.signal, request.sequence);
        case Request::Kind::kBlockDone:
            return dispatcher_.block_done(request.core);
        case Request::Kind::kCall:
            return;
    }
}

void Chip::settle_signal(CoreId from, const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    CrossCoreNetwork& network = dispatcher_.part_of(from).network;
    if (instruction.opcode == Opcode::kINTRA_SET) {
        const CrossCoreNetwork::Target target = network.intra_block(from, a.event_id);
        return send({{from}, {*target.core}}, from, static_cast<uint8_t>(kIntraBlockIds + target.id), kIntraBlockMode,
                    instruction, sequence);
    }
    const CrossCoreNetwork::Match match =
        network.signal(from, a.cross_mode, a.event_id, a.participants, instruction.location);
    send(match, from, a.event_id, a.cross_mode, instruction, sequence);
}

void Chip::set_limits(Cycle horizon) {
    limits_.assign(ports_.size(), LaneCalendar::kNever);
    memory_->find_least_ends(horizon, limits_);
    uint64_t instructions = watch_.instructions();
    for (size_t i = 0; i < ports_.size(); ++i) {
        Port& port = *ports_[i];
        Cycle limit = std::min(limits_[i], horizon + kMostApart);
        if (port.unmatched > 0) limit = std::min(limit, horizon + signal_latency());
        for (size_t r = port.settled; r < port.requests.size(); ++r)
            if (const Request& request = port.requests[r]; request.earliest != 0)
                limit = std::min(limit, std::max(request.earliest, request.time + 1));
        port.lane.set_limit(limit);
        instructions += port.watch.instructions();
    }
    if (options_.limits.instructions != 0 && instructions > options_.limits.instructions)
        for (const std::unique_ptr<Port>& port : ports_) port->watch.exhaust();
}

// Signals arrive in the order of their due times. Under the chip's own timing, which has one latency for all, this is
// the order of sending.
void Chip::Port::deliver_signals() {
    size_t arrived = 0;
    while (arrived < signals.size() && signals[arrived].due <= lane.now()) {
        const Signal& signal = signals[arrived++];
        chip.core(signal.to).receive_cross_core(signal.id, signal.sent);
    }
    signals.erase(signals.begin(), signals.begin() + static_cast<ptrdiff_t>(arrived));
    if (!signals.empty()) due.notify(signals.front().due - lane.now());
}

// ---- diagnostics and the end ---------------------------------------------------------------

void Chip::print(CoreId core, std::string_view text) {
    if (!options_.print) return;
    call_later(core, [this, core, line = std::string(text)] { options_.print(core, line); });
}

void Chip::report(Diagnostic diagnostic) {
    if (!lanes_run()) return tell(std::move(diagnostic), result_.diagnostics);
    const CoreId core = core_of(diagnostic);
    call_later(core, [this, told = std::move(diagnostic)] { tell(told, result_.diagnostics); });
}

void Chip::warn(Diagnostic diagnostic) {
    if (!lanes_run()) return tell(std::move(diagnostic), result_.warnings);
    const CoreId core = core_of(diagnostic);
    call_later(core, [this, told = std::move(diagnostic)] { tell(told, result_.warnings); });
}

// If lanes run apart, the launch ends when all others have reached this cycle.
void Chip::end_early(CoreId core, std::function<void()> work) {
    if (lanes_run()) lanes_[cluster_of(core)]->halt();
    call_later(core, [this, tells = std::move(work)] {
        tells();
        aborted_ = true;
        event_queue_.stop();
    });
}

void Chip::fail(std::vector<Diagnostic> diagnostics) {
    // Several cores may fail in the cycle in which the run stops; the first one counts.
    const CoreId core = diagnostics.empty() ? CoreId{} : core_of(diagnostics.front());
    end_early(core, [this, told = std::move(diagnostics)] {
        if (aborted_) return;
        for (const Diagnostic& d : told) report(d);
    });
    throw LaunchAborted{};
}

void Chip::interrupt(CoreId core) {
    end_early(core, [this] { result_.interrupted = true; });
    throw LaunchAborted{};
}

void Chip::crash(CoreId core, std::exception_ptr exception) {
    end_early(core, [this, exception] {
        if (!crash_) crash_ = exception;
    });
}

}  // namespace ptosim
