#include "sim/core/core.h"

#include <cstring>
#include <type_traits>

#include "isa/data_check.h"
#include "isa/print_text.h"
#include "isa/peer.h"
#include "isa/sync_all.h"
#include "sim/core/address_check.h"
#include "sim/timing/clock.h"

namespace ptosim {
namespace {

// Scalar time is let pass at the latest after so many cycles, so that a long loop without
// instructions does not hold up the others.
constexpr Milli kLongestCharge = 1000 * 1000;
constexpr unsigned kCrossLimit = 15;  // 4-bit counters
constexpr unsigned kCrossIds = 16;

template <class T>
uint64_t combine_as(AtomicMode mode, uint64_t a, uint64_t b) {
    T x{}, y{};
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    switch (mode) {
        case AtomicMode::kAdd:
            if constexpr (std::is_integral_v<T>)
                x = static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) +
                                   static_cast<std::make_unsigned_t<T>>(y));
            else
                x = x + y;
            break;
        case AtomicMode::kMax:
            x = y > x ? y : x;
            break;
        case AtomicMode::kMin:
            x = y < x ? y : x;
            break;
        case AtomicMode::kNone:
            x = y;
            break;
    }
    uint64_t result = 0;
    std::memcpy(&result, &x, sizeof x);
    return result;
}

// What a scalar atomic operation leaves in memory: integers of 32 and 64 bits, and f32.
uint64_t combine(DType type, AtomicMode mode, uint64_t before, uint64_t bits) {
    switch (type) {
        case DType::kI32:
            return combine_as<int32_t>(mode, before, bits);
        case DType::kU32:
            return combine_as<uint32_t>(mode, before, bits);
        case DType::kI64:
            return combine_as<int64_t>(mode, before, bits);
        case DType::kU64:
            return combine_as<uint64_t>(mode, before, bits);
        default:
            return combine_as<float>(mode, before, bits);
    }
}

bool is_control(Opcode opcode) { return info(opcode).timing == TimingClass::kFlag; }
bool is_cross_set(Opcode opcode) {
    return opcode == Opcode::kCROSS_SET || opcode == Opcode::kINTRA_SET;
}
bool is_cross_wait(Opcode opcode) {
    return opcode == Opcode::kCROSS_WAIT || opcode == Opcode::kINTRA_WAIT;
}

}  // namespace

Core::Core(sc_core::sc_module_name name, CoreId id, CoreEnvironment& environment)
    : sc_module(name),
      id_{id},
      environment_{environment},
      cluster_{id.type == CoreType::kAIC
                   ? id.index
                   : id.index / static_cast<unsigned>(environment.model().aivs_per_cluster)},
      flags_{static_cast<unsigned>(environment.model().flag_ids)} {
    SC_HAS_PROCESS(Core);
    const ChipModel& model = environment.model();
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const bool on_aiv = static_cast<Space>(s) == Space::kUB;
        if (on_aiv == (id.type == CoreType::kAIV)) 
            buffers_[s] = LocalBuffer(model.buffer_bytes[s]);
    }
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const Pipe pipe = static_cast<Pipe>(p);
        if (pipe == Pipe::kS || !has_pipe(id.type, pipe)) continue;
        pipes_[p] = std::make_unique<PipeUnit>(std::string(ptosim::name(pipe)).c_str(), *this, pipe,
                                               static_cast<unsigned>(model.queue_depth));
    }
    SC_THREAD(scalar_process);
    set_stack_size(512 * 1024);
}

// ---- the scalar process -------------------------------------------------------------------

void Core::scalar_process() {
    for (;;) {
        identity_ = environment_.next_block(id_);
        try {
            run_block();
        } catch (const LaunchAborted&) {
            return;
        } catch (...) {
            environment_.crash(std::current_exception());
            return;
        }
        environment_.block_done(id_);
    }
}

void Core::run_block() {
    scalar_ = {};
    scalar_.running = scalar_.issuing = true;
    charged_ = 0;
    if (environment_.run_mode() != RunMode::kFunctional)
        charged_ = environment_.model().block_start + 1000 * environment_.block_delay(id_);
    const ObserverList& observers = environment_.observers();
    if (!observers.empty())
        observers.tell(&Observer::on_block_begin, RunEvent{id_, identity_, now_cycle()});
    spend();
    try {
        environment_.kernel().run(*this, environment_.arguments());
    } catch (const DiagnosticError& error) {
        std::vector<Diagnostic> found = error.diagnostics();
        for (Diagnostic& d : found) d.core = ptosim::name(id_);
        environment_.fail(std::move(found));
    }
    spend();
    scalar_.issuing = false;
    drain();
    scalar_.running = false;
    if (!observers.empty())
        observers.tell(&Observer::on_block_end, RunEvent{id_, identity_, now_cycle()});
}

void Core::drain() {
    bool blocked = false;
    for (const auto& pipe : pipes_) {
        while (pipe && !pipe->drained()) {
            if (!blocked) scalar_block(BlockReason::kDrain, nullptr, next_sequence_);
            blocked = true;
            pipe->retired().wait();
        }
    }
    if (blocked) scalar_unblock();
}

void Core::spend() {
    const Cycle whole = charged_ / 1000;
    charged_ %= 1000;
    if (whole > 0) wait(cycles(whole));
}

void Core::scalar_work(unsigned operations) {
    if (environment_.run_mode() == RunMode::kFunctional) return;
    charged_ += operations * environment_.model().scalar_operation;
    if (charged_ > kLongestCharge) spend();
}

void Core::scalar_block(BlockReason reason, const Instruction* instruction, uint64_t sequence) {
    scalar_.blocked = true;
    scalar_.reason = reason;
    scalar_.instruction = instruction;
    scalar_.sequence = sequence;
    scalar_.since = now_cycle();
    tell_block(Pipe::kS, reason, instruction, sequence);
}

void Core::scalar_unblock(const BlockEvent& released) {
    BlockEvent event = released;
    event.reason = scalar_.reason;
    tell_unblock(Pipe::kS, event, scalar_.instruction, scalar_.sequence);
    scalar_.blocked = false;
    scalar_.instruction = nullptr;
}

void Core::tell_block(Pipe pipe, BlockReason reason, const Instruction* instruction,
                      uint64_t sequence) {
    const ObserverList& observers = environment_.observers();
    if (observers.empty()) return;
    BlockEvent event;
    event.core = id_;
    event.pipe = pipe;
    event.reason = reason;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = now_cycle();
    observers.tell(&Observer::on_block, event);
}

void Core::tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                        uint64_t sequence) {
    const ObserverList& observers = environment_.observers();
    if (observers.empty()) return;
    BlockEvent event = released;
    event.core = id_;
    event.pipe = pipe;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = now_cycle();
    observers.tell(&Observer::on_unblock, event);
}

Diagnostic Core::diagnostic(std::string code, Category category, std::string message,
                            SourceLocation where) const {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    d.core = ptosim::name(id_);
    d.cycle = now_cycle();
    d.has_cycle = true;
    environment_.sources().locate(d, where);
    return d;
}

// ---- issuing ------------------------------------------------------------------------------

void Core::issue(const Instruction& instruction) {
    if (!ModeRegisters::concerns(instruction.opcode)) return issue_completed(instruction);
    Instruction completed = instruction;
    mode_registers_.pass(completed);
    issue_completed(completed);
}

void Core::issue_completed(const Instruction& instruction) {
    if (environment_.run_mode() != RunMode::kFunctional) {
        charged_ += environment_.model().scalar_issue;
        spend();
    }
    const Pipe pipe = pipe_of(instruction);
    check(instruction, pipe);
    if (instruction.opcode == Opcode::kSYNCALL) return sync_all(*this, instruction);
    if (is_control(instruction.opcode))
        issue_control(instruction, pipe);
    else if (pipe == Pipe::kS)
        execute_scalar(instruction);
    else
        enqueue(instruction, pipe);
}

void Core::check(const Instruction& instruction, Pipe pipe) {
    Problem problem;
    KnownInstructions& known = environment_.known_instructions();
    const KnownInstructions::Place place = known.find(instruction, id_.type);
    if (place.known) {
        if (!check_views(instruction, environment_.global(), problem))
            refuse(instruction, pipe, std::move(problem));
        return;
    }
    if (!check_flag(instruction, problem)) refuse(instruction, pipe, std::move(problem));
    if (pipe != Pipe::kAll && !has_pipe(id_.type, pipe)) {
        problem.code = "L01";
        problem.message = std::string(info(instruction.opcode).name) + " needs pipe " +
                          std::string(ptosim::name(pipe)) + ", which an " +
                          std::string(ptosim::name(id_.type)) + " does not have";
        problem.hint = "put it into a section or function of the other core type";
        refuse(instruction, pipe, std::move(problem));
    }
    if (!check_legality(instruction, arch(), problem) ||
        !check_addresses(instruction, id_.type, environment_.model(), environment_.global(),
                         problem))
        refuse(instruction, pipe, std::move(problem));
    known.add(place, instruction, id_.type);
}

void Core::refuse(const Instruction& instruction, Pipe pipe, Problem problem) {
    const InstructionInfo& row = info(instruction.opcode);
    Diagnostic d = diagnostic(problem.code, Category::kIllegal, std::move(problem.message),
                              instruction.location);
    d.hint = std::move(problem.hint);
    d.instruction = row.name;
    d.pipe = ptosim::name(pipe);
    if (problem.operand >= 0 && static_cast<size_t>(problem.operand) < row.operands.size())
        d.operand = row.operands[static_cast<size_t>(problem.operand)].name;
    environment_.fail({std::move(d)});
}

// Flags name pipes of this core and an id that the chip has.
bool Core::check_flag(const Instruction& instruction, Problem& problem) const {
    const Attributes& a = instruction.attributes;
    const bool local =
        instruction.opcode == Opcode::kSET_FLAG || instruction.opcode == Opcode::kWAIT_FLAG;
    const bool cross = is_cross_set(instruction.opcode) || is_cross_wait(instruction.opcode);
    const bool intra =
        instruction.opcode == Opcode::kINTRA_SET || instruction.opcode == Opcode::kINTRA_WAIT;
    // The AIC tells the flags of its two AIVs apart by their numbers.
    const unsigned ids = local                                 ? flags_.ids()
                         : intra && id_.type == CoreType::kAIC ? 2 * kCrossIds
                                                               : kCrossIds;
    if ((local || cross) && a.event_id >= ids) {
        problem.code = local ? "E08" : "C01";
        problem.message = "flag id " + std::to_string(a.event_id) + " is out of range of an " +
                          std::string(ptosim::name(id_.type));
        problem.hint = "ids are 0 to " + std::to_string(ids - 1);
        return false;
    }
    if (instruction.opcode == Opcode::kPIPE_BARRIER && a.destination_pipe != Pipe::kAll &&
        !has_pipe(id_.type, a.destination_pipe)) {
        problem.code = "E09";
        problem.message = "barrier on pipe " + std::string(ptosim::name(a.destination_pipe)) +
                          ", which an " + std::string(ptosim::name(id_.type)) + " does not have";
        return false;
    }
    if (!local) return true;
    for (Pipe pipe : {a.source_pipe, a.destination_pipe}) {
        if (pipe != Pipe::kAll && has_pipe(id_.type, pipe)) continue;
        problem.code = "E09";
        problem.message = "flag " + std::string(ptosim::name(a.source_pipe)) + "->" +
                          std::string(ptosim::name(a.destination_pipe)) + ": an " +
                          std::string(ptosim::name(id_.type)) + " has no pipe " +
                          std::string(ptosim::name(pipe));
        return false;
    }
    if (a.source_pipe == a.destination_pipe) {
        problem.code = "E09";
        problem.message =
            "flag from pipe " + std::string(ptosim::name(a.source_pipe)) + " to itself";
        problem.hint = "use a barrier to order instructions of one pipe";
        return false;
    }
    return true;
}

void Core::enqueue(const Instruction& instruction, Pipe pipe) {
    PipeUnit& unit = *pipes_[static_cast<size_t>(pipe)];
    if (unit.full()) {
        scalar_block(BlockReason::kQueueFull, &instruction, next_sequence_);
        while (unit.full()) unit.left_queue().wait();
        scalar_unblock();
    }
    PipeUnit::Entry& entry = unit.slot();
    entry.instruction.assign(instruction);
    entry.sequence = next_sequence_++;
    entry.cost = environment_.cost(instruction);
    entry.issued = now_cycle();
    if (auto_sync()) find_dependences(entry, instruction);
    const ObserverList& observers = environment_.observers();
    if (!observers.empty()) {
        InstructionEvent event;
        event.core = id_;
        event.pipe = pipe;
        event.sequence = entry.sequence;
        event.instruction = &entry.instruction;
        event.time = event.issued = entry.issued;
        observers.tell(&Observer::on_issue, event);
    }
    unit.push();
}

// An instruction in --sync auto starts after every earlier one whose bytes conflict with its own.
void Core::find_dependences(PipeUnit::Entry& entry, const Instruction& instruction) {
    entry.after.fill(0);
    // What a signal tells others is that all before it has been done.
    if (is_cross_set(instruction.opcode)) {
        for (unsigned p = 0; p < kPipeCount; ++p)
            if (pipes_[p]) entry.after[p] = pipes_[p]->pushed();
        // Its own pipe works in order.
        entry.after[static_cast<size_t>(pipe_of(instruction))] = 0;
        return;
    }
    const AccessList mine = accesses(instruction);
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const PipeUnit* unit = pipes_[p].get();
        if (unit == nullptr) continue;
        // Pipes complete in order: the newest conflict is enough.
        for (uint64_t i = unit->pushed(); i > unit->first(); --i) {
            const AccessList theirs = accesses(unit->entry(i - 1).instruction);
            bool found = false;
            for (const Access& a : mine)
                for (const Access& b : theirs) found = found || conflict(a, b);
            if (found) {
                entry.after[p] = i;
                break;
            }
        }
    }
}

// What the scalar unit executes itself: it is issued, starts and completes without a queue.
void Core::execute_scalar(const Instruction& instruction) {
    InstructionEvent event;
    event.core = id_;
    event.sequence = next_sequence_++;
    event.instruction = &instruction;
    event.time = event.issued = event.started = event.pipe_free = now_cycle();
    const ObserverList& observers = environment_.observers();
    if (!observers.empty()) observers.tell(&Observer::on_issue, event);
    switch (instruction.opcode) {
        case Opcode::kPIPE_BARRIER:
            scalar_barrier(instruction, event.sequence);
            break;
        case Opcode::kWAIT_FLAG:
            scalar_wait_flag(instruction, event.sequence);
            break;
        case Opcode::kSET_FLAG:
            set_flag(instruction, event.sequence);
            break;
        case Opcode::kCROSS_WAIT:
        case Opcode::kINTRA_WAIT:
            scalar_wait_cross(instruction, event.sequence);
            break;
        case Opcode::kCROSS_SET:
        case Opcode::kINTRA_SET:
            if (auto_sync()) wait_until_drained(instruction, event.sequence);
            environment_.cross_set(id_, instruction, event.sequence);
            break;
        case Opcode::kTPRINT:
            scalar_barrier(instruction, event.sequence);
            if (environment_.run_mode() != RunMode::kTiming)
                environment_.data().run_now(cluster_, instruction, [&] {
                    print(print_text(execution_of(instruction)));
                });
            break;
        default:
            compute_scalar(instruction, event.sequence);
            break;
    }
    if (observers.empty()) return;
    event.time = event.started = event.pipe_free = now_cycle();
    observers.tell(&Observer::on_start, event);
    observers.tell(&Observer::on_complete, event);
}

// Element by element, by the scalar unit: it can do nothing else meanwhile.
void Core::compute_scalar(const Instruction& instruction, uint64_t sequence) {
    if (auto_sync())
        for (const Access& access : accesses(instruction))
            wait_for_conflicts(access, instruction.location);
    if (environment_.run_mode() != RunMode::kFunctional) {
        charged_ += 1000 * environment_.cost(instruction).occupancy;
        spend();
    }
    complete(instruction, sequence);
}

void Core::scalar_barrier(const Instruction& instruction, uint64_t sequence) {
    if (instruction.attributes.destination_pipe != Pipe::kAll) return;  // S works in order anyway
    wait_until_drained(instruction, sequence);
}

void Core::wait_until_drained(const Instruction& instruction, uint64_t sequence) {
    bool blocked = false;
    for (const auto& unit : pipes_)
        while (unit && !unit->drained()) {
            if (!blocked) scalar_block(BlockReason::kBarrier, &instruction, sequence);
            blocked = true;
            unit->retired().wait();
        }
    if (blocked) scalar_unblock();
}

void Core::issue_control(const Instruction& instruction, Pipe pipe) {
    const bool ordering = instruction.opcode == Opcode::kSET_FLAG ||
                          instruction.opcode == Opcode::kWAIT_FLAG ||
                          instruction.opcode == Opcode::kPIPE_BARRIER;
    if (ordering && auto_sync()) return;  // the scoreboard orders the pipes
    // A cross-core wait holds the whole core on a2a3: the scalar unit stops issuing. On a5 it holds
    // its pipe; with the scoreboard, which follows data and not signals, the core as well.
    const bool holds_core =
        is_cross_wait(instruction.opcode) && (arch() == Arch::kA2A3 || auto_sync());
    if (pipe == Pipe::kS || pipe == Pipe::kAll || holds_core)
        execute_scalar(instruction);
    else
        enqueue(instruction, pipe);
}

void Core::scalar_wait_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    FlagFile::Flag& flag = flags_.at(a.source_pipe, Pipe::kS, a.event_id);
    if (!flag.set) {
        scalar_block(BlockReason::kFlag, &instruction, sequence);
        while (!flag.set) flags_.arrived(Pipe::kS).wait();
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = a.source_pipe;
        released.released_core = id_;
        scalar_unblock(released);
    }
    consume_flag(instruction, sequence);
}

// ---- flags --------------------------------------------------------------------------------

void Core::set_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    FlagFile::Flag& flag = flags_.at(a.source_pipe, a.destination_pipe, a.event_id);
    if (flag.set) {
        Diagnostic d = diagnostic("E07", Category::kSync,
                                  "flag " + std::string(ptosim::name(a.source_pipe)) + "->" +
                                      std::string(ptosim::name(a.destination_pipe)) + " #" +
                                      std::to_string(a.event_id) +
                                      " is set again while the set before has not been waited for",
                                  instruction.location);
        d.pipe = ptosim::name(a.source_pipe);
        d.instruction = "SET_FLAG";
        Diagnostic earlier;
        environment_.sources().locate(earlier, flag.location);
        d.notes.push_back("first set at " + earlier.file + ":" +
                          std::to_string(earlier.location.line));
        d.hint = "a flag is one bit: wait for it between two sets, or use another id";
        environment_.report(std::move(d));
    }
    flag = {true, sequence, instruction.location};
    flags_.arrived(a.destination_pipe).notify();
    const ObserverList& observers = environment_.observers();
    if (!observers.empty()) {
        FlagEvent event;
        event.core = event.from = id_;
        event.source = a.source_pipe;
        event.destination = a.destination_pipe;
        event.id = a.event_id;
        event.sequence = sequence;
        event.location = instruction.location;
        event.time = now_cycle();
        observers.tell(&Observer::on_flag_set, event);
    }
}

void Core::consume_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    flags_.at(a.source_pipe, a.destination_pipe, a.event_id).set = false;
    const ObserverList& observers = environment_.observers();
    if (observers.empty()) return;
    FlagEvent event;
    event.core = event.from = id_;
    event.source = a.source_pipe;
    event.destination = a.destination_pipe;
    event.id = a.event_id;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = now_cycle();
    observers.tell(&Observer::on_flag_wait, event);
}

void Core::scalar_wait_cross(const Instruction& instruction, uint64_t sequence) {
    const CrossFlag& flag = cross_flag(instruction);
    if (flag.count == 0) {
        scalar_block(BlockReason::kCrossCore, &instruction, sequence);
        while (flag.count == 0) wait(cross_arrived_);
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = flag.pipe;
        released.released_core = flag.from;
        scalar_unblock(released);
    }
    consume_cross(instruction, sequence);
}

Core::CrossFlag& Core::cross_flag(const Instruction& wait) {
    const unsigned first = wait.opcode == Opcode::kINTRA_WAIT ? kIntraBlockIds : 0;
    return cross_[first + wait.attributes.event_id];
}

void Core::consume_cross(const Instruction& instruction, uint64_t sequence) {
    CrossFlag& flag = cross_flag(instruction);
    --flag.count;
    const ObserverList& observers = environment_.observers();
    if (observers.empty()) return;
    const Pipe pipe = pipe_of(instruction);
    FlagEvent event;
    event.core = id_;
    event.from = flag.from;
    event.source = flag.pipe;
    event.destination =
        pipe == Pipe::kAll || arch() == Arch::kA2A3 || auto_sync() ? Pipe::kS : pipe;
    event.id = static_cast<uint8_t>(&flag - cross_.data());
    event.cross_core = true;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = now_cycle();
    observers.tell(&Observer::on_flag_wait, event);
}

void Core::receive_cross_core(unsigned id, CoreId from, Pipe pipe, uint64_t sequence) {
    CrossFlag& flag = cross_[id];
    if (flag.count == kCrossLimit) {
        Diagnostic d =
            diagnostic("C02", Category::kSync,
                       cross_flag_text(id) + " of " + ptosim::name(id_) +
                           " overflows: " + std::to_string(kCrossLimit) + " signals are pending",
                       {});
        d.hint = "wait for earlier signals before sending more";
        environment_.report(std::move(d));
        return;
    }
    ++flag.count;
    flag.from = from;
    flag.pipe = pipe;
    flag.sequence = sequence;
    cross_arrived_.notify(sc_core::SC_ZERO_TIME);
}

// ---- effects ------------------------------------------------------------------------------

void Core::complete(const Instruction& instruction, uint64_t sequence) {
    switch (instruction.opcode) {
        case Opcode::kSET_FLAG:
            return set_flag(instruction, sequence);
        case Opcode::kCROSS_SET:
        case Opcode::kINTRA_SET:
            return environment_.cross_set(id_, instruction, sequence);
        default:
            break;
    }
    if (environment_.run_mode() != RunMode::kTiming) execute(instruction);
}

// The bytes of a tile operand, which may be those of another core of the cluster.
std::byte* Core::place_of(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    const uint8_t peers = peers_of(instruction, operand);
    if (peers == kOwnCore) return local(tile.space, tile.address);
    return environment_.local(peer_core(id_, peers), tile.space, tile.address);
}

void Core::execute(const Instruction& instruction) {
    const Semantics semantics = info(instruction.opcode).semantics;
    if (semantics == nullptr) return;
    if (is_dual_move(instruction)) {
        for (const Instruction& half : halves_of(instruction)) execute(half);
        return;
    }
    executing_ = &instruction;
    const Execution execution = execution_of(instruction);
    DataEngine& data = environment_.data();
    if (!has_data_check(instruction)) {
        data.submit(cluster_, execution);
        return;
    }
    data.run_now(cluster_, instruction, [&] {  // findings come when they happen
        check_data(execution, *this);
        semantics(execution);
    });
}

Execution Core::execution_of(const Instruction& instruction) {
    Execution execution{instruction, {}, environment_.numerics()};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            execution.bytes[i] = place_of(instruction, i);
        else if (operand.is_global())
            execution.bytes[i] = GlobalMemory::host(operand.global.address);
    }
    return execution;
}

// Once per site: the chip counts what is reported again.
void Core::report(const DataFinding& finding) {
    const Instruction& instruction = *executing_;
    const InstructionInfo& row = info(instruction.opcode);
    Diagnostic d = diagnostic(std::string(finding.code), Category::kUndefined, finding.message,
                              instruction.location);
    d.hint = finding.hint;
    d.instruction = row.name;
    d.pipe = ptosim::name(pipe_of(instruction));
    d.operand = row.operands[finding.operand].name;
    environment_.report(std::move(d));
}

// ---- scalar memory accesses ---------------------------------------------------------------

// --sync auto orders scalar accesses as well.
void Core::wait_for_conflicts(const Access& access, SourceLocation where) {
    const ObserverList& observers = environment_.observers();
    if (!auto_sync()) {
        if (!observers.empty())
            observers.tell(&Observer::on_scalar_access,
                           ScalarAccessEvent{id_, access, next_sequence_, where, now_cycle()});
        return;
    }
    bool blocked = false;
    for (const auto& unit : pipes_) {
        if (!unit) continue;
        for (uint64_t i = unit->pushed(); i > unit->first(); --i) {
            bool found = false;
            for (const Access& theirs : accesses(unit->entry(i - 1).instruction))
                found = found || conflict(access, theirs);
            if (!found) continue;
            while (unit->completed() < i) {
                if (!blocked) scalar_block(BlockReason::kData, nullptr, next_sequence_);
                blocked = true;
                unit->retired().wait();
            }
            break;
        }
    }
    if (blocked) scalar_unblock();
    if (!observers.empty())
        observers.tell(&Observer::on_scalar_access,
                       ScalarAccessEvent{id_, access, next_sequence_, where, now_cycle()});
}

uint64_t Core::load_global(uint64_t address, DType type, SourceLocation where) {
    const uint64_t size = bytes(type, 1);
    if (!environment_.global().contains(address, size)) {
        Diagnostic d =
            diagnostic("G01", Category::kIllegal,
                       "scalar load of " + std::to_string(size) + " bytes at " +
                           environment_.global().describe(address) + " is outside every allocation",
                       where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.global = access.reads = true;
    access.begin = address;
    access.end = address + size;
    if (environment_.run_mode() != RunMode::kFunctional) {
        charged_ += environment_.model().scalar_load;
        spend();
    }
    wait_for_conflicts(access, where);
    environment_.data().wait_for(access);
    uint64_t bits = 0;
    std::memcpy(&bits, GlobalMemory::host(address), size);
    return bits;
}

void Core::store_global(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    const uint64_t size = bytes(type, 1);
    if (!environment_.global().contains(address, size)) {
        Diagnostic d =
            diagnostic("G01", Category::kIllegal,
                       "scalar store of " + std::to_string(size) + " bytes at " +
                           environment_.global().describe(address) + " is outside every allocation",
                       where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.global = access.writes = true;
    access.begin = address;
    access.end = address + size;
    scalar_work(1);
    spend();
    wait_for_conflicts(access, where);
    environment_.data().wait_for(access);
    std::memcpy(GlobalMemory::host(address), &bits, size);
}

uint64_t Core::atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                             SourceLocation where) {
    const uint64_t size = bytes(type, 1);
    if (!environment_.global().contains(address, size)) {
        Diagnostic d = diagnostic("G01", Category::kIllegal,
                                  "scalar atomic operation at " +
                                      environment_.global().describe(address) +
                                      " is outside every allocation",
                                  where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.global = access.reads = access.writes = true;
    access.begin = address;
    access.end = address + size;
    if (environment_.run_mode() != RunMode::kFunctional) {
        charged_ += environment_.model().scalar_load;
        spend();
    }
    wait_for_conflicts(access, where);
    uint64_t before = 0;
    std::memcpy(&before, GlobalMemory::host(address), size);
    const uint64_t after = combine(type, mode, before, bits);
    std::memcpy(GlobalMemory::host(address), &after, size);
    return before;
}

uint64_t Core::cycle() {
    spend();
    return now_cycle();
}

std::byte* Core::checked_local(const Tile& tile, int64_t offset, bool write, SourceLocation where) {
    const uint64_t size = bytes(tile.dtype, 1);
    const auto& buffer = buffers_[static_cast<size_t>(tile.space)];
    const uint64_t begin = tile.address + static_cast<uint64_t>(offset) * size;
    if (offset < 0 || begin + size > buffer.size()) {
        Diagnostic d =
            diagnostic("A03", Category::kIllegal,
                       "scalar access to element " + std::to_string(offset) + " of " +
                           to_text(tile) + " is outside " + std::string(ptosim::name(tile.space)) +
                           " (" + std::to_string(buffer.size()) + " bytes)",
                       where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.space = tile.space;
    access.reads = !write;
    access.writes = write;
    access.begin = begin;
    access.end = begin + size;
    wait_for_conflicts(access, where);
    environment_.data().wait_for(cluster_);
    return local(tile.space, begin);
}

uint64_t Core::load_local(const Tile& tile, int64_t offset, SourceLocation where) {
    if (environment_.run_mode() == RunMode::kTiming) {
        Diagnostic d = diagnostic(
            "U02", Category::kUnsupported,
            "the kernel reads an element of a tile, and --mode timing has no data", where);
        d.hint = "run it with --mode full";
        environment_.fail({std::move(d)});
    }
    scalar_work(1);
    spend();
    uint64_t bits = 0;
    std::memcpy(&bits, checked_local(tile, offset, false, where), bytes(tile.dtype, 1));
    return bits;
}

void Core::store_local(const Tile& tile, int64_t offset, uint64_t bits, SourceLocation where) {
    scalar_work(1);
    spend();
    std::memcpy(checked_local(tile, offset, true, where), &bits, bytes(tile.dtype, 1));
}

}  // namespace ptosim
