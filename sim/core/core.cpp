#include "sim/core/core.h"

#include <cstring>
#include <type_traits>

#include "isa/data_check.h"
#include "isa/peer.h"
#include "isa/print_text.h"
#include "isa/sync_all.h"
#include "sim/core/address_check.h"

namespace ptosim {
namespace {

// Scalar time is let pass at the latest after so many cycles, so that a long loop without
// instructions does not hold up the others.
constexpr Milli kLongestCharge = 1000 * 1000;
constexpr size_t kMostAhead = 16;     // instructions
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

// What the scoreboard of --sync auto makes unnecessary.
bool orders_pipes(Opcode opcode) {
    return opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG ||
           opcode == Opcode::kPIPE_BARRIER;
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
      agenda_{environment.agenda()},
      model_{environment.model()},
      observers_{environment.observers()},
      known_{environment.known_instructions()},
      global_{environment.global()},
      cluster_{id.type == CoreType::kAIC
                   ? id.index
                   : id.index / static_cast<unsigned>(environment.model().aivs_per_cluster)},
      flags_{static_cast<unsigned>(environment.model().flag_ids), agenda_},
      unit_flags_{agenda_},
      cross_arrived_{agenda_},
      timer_{agenda_} {
    SC_HAS_PROCESS(Core);
    const ChipModel& model = environment.model();
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const bool on_aiv = static_cast<Space>(s) == Space::kUB;
        if (on_aiv == (id.type == CoreType::kAIV))
            buffers_[s] = environment.on_chip().take(model.buffer_bytes[s]);
    }
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const Pipe pipe = static_cast<Pipe>(p);
        if (pipe == Pipe::kS || !has_pipe(id.type, pipe)) continue;
        pipes_[p] =
            std::make_unique<PipeUnit>(*this, pipe, static_cast<unsigned>(model.queue_depth));
    }
    SC_THREAD(scalar_process);
    set_stack_size(512 * 1024);
    sensitive << resume_;
    dont_initialize();
    ahead_.reserve(kMostAhead);
    agenda_.begin_with(actor_);
}

// ---- the scalar process and the scalar unit -----------------------------------------------

void Core::scalar_process() {
    for (;;) {
        identity_ = next_block();
        try {
            run_block();
        } catch (const LaunchAborted&) {
            break;
        } catch (...) {
            environment_.crash(std::current_exception());
            break;
        }
        environment_.block_done(id_);
    }
    agenda_.give_back();
}

BlockIdentity Core::next_block() {
    for (;;) {
        if (const auto block = environment_.next_block(id_)) return *block;
        Event* const assigned = environment_.assigned(id_);
        if (assigned != nullptr) assigned->await(actor_);
        wait_for(environment_.launched());
        if (assigned != nullptr) assigned->forget(actor_);
        environment_.launched().forget(actor_);
    }
}

// Either goes on with the process, or issues what the process has left behind.
void Core::act() {
    for (;;) {
        if (!handed_over_) agenda_.lend(resume_);
        if (!handed_over_) return;  // it waits for an event
        if (!issue_ahead()) return;
        handed_over_ = false;
    }
}

// False if the scalar unit has to wait: for the time to issue the next, or for its queue.
bool Core::issue_ahead() {
    for (; issued_ahead_ < ahead_.size(); ++issued_ahead_) {
        const Ahead& next = ahead_[issued_ahead_];
        if (!delayed_ && next.delay > 0) {
            delayed_ = true;
            timer_.notify(next.delay);
            timer_.await(actor_);
            return false;
        }
        if (next.entry != nullptr) {
            if (next.unit->full()) {
                if (!scalar_.blocked)
                    scalar_block(BlockReason::kQueueFull, &next.entry->instruction, next_sequence_);
                delayed_ = true;
                next.unit->left_queue().await(actor_);
                return false;
            }
            if (scalar_.blocked) scalar_unblock();
            enqueue(*next.unit, *next.entry);
        }
        delayed_ = false;
    }
    ahead_.clear();
    issued_ahead_ = 0;
    return true;
}

// The process waits until all that it has come to has been issued.
void Core::catch_up() {
    if (ahead_.empty()) return;
    handed_over_ = true;
    give_way();
}

void Core::give_way() {
    agenda_.give_back();
    sc_core::wait();
}

void Core::wait_for(Event& event) {
    event.await(actor_);
    give_way();
}

void Core::wait_for(Cycle cycles) {
    timer_.notify(cycles);
    wait_for(timer_);
}

void Core::run_block() {
    scalar_ = {};
    scalar_.running = scalar_.issuing = true;
    charged_ = 0;
    mode_ = environment_.run_mode();
    auto_sync_ = environment_.sync_mode() == SyncMode::kAuto;
    most_ahead_ = environment_.kernel().follows_pointers() ? 1 : kMostAhead;
    if (mode_ != RunMode::kFunctional)
        charged_ = model_.block_start + 1000 * environment_.block_delay(id_);
    if (!observers_.empty())
        observers_.tell(&Observer::on_block_begin, RunEvent{id_, identity_, agenda_.now()});
    spend();
    std::vector<Diagnostic> found;
    try {
        environment_.kernel().run(*this, environment_.arguments());
    } catch (const DiagnosticError& error) {
        found = error.diagnostics();
    }
    if (!found.empty()) {
        catch_up();
        for (Diagnostic& d : found) d.core = ptosim::name(id_);
        environment_.fail(std::move(found));
    }
    spend();
    scalar_.issuing = false;
    drain();
    scalar_.running = false;
    if (!observers_.empty())
        observers_.tell(&Observer::on_block_end, RunEvent{id_, identity_, agenda_.now()});
}

void Core::drain() {
    bool blocked = false;
    for (const auto& pipe : pipes_) {
        while (pipe && !pipe->drained()) {
            if (!blocked) scalar_block(BlockReason::kDrain, nullptr, next_sequence_);
            blocked = true;
            wait_for(pipe->retired());
        }
    }
    if (blocked) scalar_unblock();
}

Cycle Core::charge(Milli more) {
    charged_ += more;
    const Cycle whole = charged_ / 1000;
    charged_ %= 1000;
    return whole;
}

void Core::spend() {
    catch_up();
    const Cycle whole = charge(0);
    if (whole > 0) wait_for(whole);
}

void Core::scalar_work(unsigned operations) {
    if (mode_ == RunMode::kFunctional) return;
    charged_ += operations * model_.scalar_operation;
    if (charged_ > kLongestCharge) spend();
}

void Core::scalar_block(BlockReason reason, const Instruction* instruction, uint64_t sequence) {
    scalar_.blocked = true;
    scalar_.reason = reason;
    scalar_.instruction = instruction;
    scalar_.sequence = sequence;
    scalar_.since = agenda_.now();
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
    if (observers_.empty()) return;
    BlockEvent event;
    event.core = id_;
    event.pipe = pipe;
    event.reason = reason;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = agenda_.now();
    if (reason == BlockReason::kQueueFull) event.queue = pipe_of(*instruction, arch());
    observers_.tell(&Observer::on_block, event);
}

void Core::tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                        uint64_t sequence) {
    if (observers_.empty()) return;
    BlockEvent event = released;
    event.core = id_;
    event.pipe = pipe;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = agenda_.now();
    observers_.tell(&Observer::on_unblock, event);
}

Diagnostic Core::diagnostic(std::string code, Category category, std::string message,
                            SourceLocation where) const {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    d.core = ptosim::name(id_);
    d.cycle = agenda_.now();
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
    const Cycle delay = mode_ == RunMode::kFunctional ? 0 : charge(model_.scalar_issue);
    const Pipe pipe = pipe_of(instruction, arch());
    const Cost& cost = check(instruction, pipe, delay);
    if (goes_to_pipe(instruction, pipe)) return prepare(instruction, pipe, cost, delay);
    catch_up();
    if (delay > 0) wait_for(delay);
    if (instruction.opcode == Opcode::kSYNCALL) return sync_all(*this, instruction);
    execute_scalar(instruction);
}

bool Core::goes_to_pipe(const Instruction& instruction, Pipe pipe) const {
    if (instruction.opcode == Opcode::kSYNCALL) return false;
    if (!is_control(instruction.opcode)) return pipe != Pipe::kS;
    if (orders_pipes(instruction.opcode) && auto_sync_) return true;  // left to the scoreboard
    // A cross-core wait holds the whole core on a2a3: the scalar unit stops issuing. On a5 it holds
    // its pipe; with the scoreboard, which follows data and not signals, the core as well.
    const bool holds_core =
        is_cross_wait(instruction.opcode) && (arch() == Arch::kA2A3 || auto_sync_);
    return pipe != Pipe::kS && pipe != Pipe::kAll && !holds_core;
}

// Notes down an instruction for its pipe.
void Core::prepare(const Instruction& instruction, Pipe pipe, const Cost& cost, Cycle delay) {
    Ahead& ahead = ahead_.emplace_back();
    ahead.delay = delay;
    const bool left_to_scoreboard = auto_sync_ && orders_pipes(instruction.opcode);
    if (!left_to_scoreboard) {
        ahead.entry = new_entry();
        ahead.entry->instruction.assign(instruction);
        ahead.entry->cost = cost;
        ahead.unit = pipes_[static_cast<size_t>(pipe)].get();
    }
    if (ahead_.size() >= most_ahead_) catch_up();
}

PipeUnit::Entry* Core::new_entry() {
    if (spare_entries_.empty()) {
        entries_.push_back(std::make_unique<PipeUnit::Entry>());
        spare_entries_.push_back(entries_.back().get());
    }
    PipeUnit::Entry* const entry = spare_entries_.back();
    spare_entries_.pop_back();
    return entry;
}

// Its cost. What is wrong with it is told when the scalar unit would have issued it, `before`
// cycles after the one before.
const Cost& Core::check(const Instruction& instruction, Pipe pipe, Cycle before) {
    Problem problem;
    const KnownInstructions::Place place = known_.find(instruction, id_.type);
    const auto fails = [&] {
        catch_up();
        if (before > 0) wait_for(before);
        refuse(instruction, pipe, std::move(problem));
    };
    if (place.known) {
        if (!check_views(instruction, global_, problem)) fails();
        return known_.cost(place);
    }
    if (!check_flag(instruction, problem)) fails();
    if (pipe != Pipe::kAll && !has_pipe(id_.type, pipe)) {
        problem.code = "L01";
        problem.message = std::string(info(instruction.opcode).name) + " needs pipe " +
                          std::string(ptosim::name(pipe)) + ", which an " +
                          std::string(ptosim::name(id_.type)) + " does not have";
        problem.hint = "put it into a section or function of the other core type";
        fails();
    }
    if (!check_legality(instruction, arch(), problem) ||
        !check_addresses(instruction, id_.type, model_, global_, problem))
        fails();
    return known_.add(place, instruction, id_.type, environment_.cost(instruction));
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

void Core::enqueue(PipeUnit& unit, PipeUnit::Entry& entry) {
    entry.sequence = next_sequence_++;
    entry.issued = agenda_.now();
    if (auto_sync_) find_dependences(entry, entry.instruction);
    if (!observers_.empty()) {
        InstructionEvent event;
        event.core = id_;
        event.pipe = unit.pipe();
        event.sequence = entry.sequence;
        event.instruction = &entry.instruction;
        event.time = event.issued = entry.issued;
        observers_.tell(&Observer::on_issue, event);
    }
    unit.push(entry);
}

// An instruction in --sync auto starts after every earlier one whose bytes conflict with its own.
void Core::find_dependences(PipeUnit::Entry& entry, const Instruction& instruction) {
    entry.after.fill(0);
    // What a signal tells others is that all before it has been done.
    if (is_cross_set(instruction.opcode)) {
        for (unsigned p = 0; p < kPipeCount; ++p)
            if (pipes_[p]) entry.after[p] = pipes_[p]->pushed();
        // Its own pipe works in order.
        entry.after[static_cast<size_t>(pipe_of(instruction, arch()))] = 0;
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
    event.time = event.issued = event.started = event.pipe_free = agenda_.now();
    if (!observers_.empty()) observers_.tell(&Observer::on_issue, event);
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
            if (auto_sync_) wait_until_drained(instruction, event.sequence);
            environment_.cross_set(id_, instruction, event.sequence);
            break;
        case Opcode::kTPREFETCH_ASYNC:
            environment_.prefetch(instruction.operands[0].global);
            break;
        case Opcode::kTPRINT:
            scalar_barrier(instruction, event.sequence);
            if (mode_ != RunMode::kTiming)
                environment_.data().run_now(cluster_, instruction,
                                            [&] { print(print_text(execution_of(instruction))); });
            break;
        default:
            compute_scalar(instruction, event.sequence);
            break;
    }
    if (observers_.empty()) return;
    event.time = event.started = event.pipe_free = agenda_.now();
    observers_.tell(&Observer::on_start, event);
    observers_.tell(&Observer::on_complete, event);
}

// Element by element, by the scalar unit: it can do nothing else meanwhile.
void Core::compute_scalar(const Instruction& instruction, uint64_t sequence) {
    if (auto_sync_)
        for (const Access& access : accesses(instruction))
            wait_for_conflicts(access, instruction.location);
    if (mode_ != RunMode::kFunctional) {
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
            wait_for(unit->retired());
        }
    if (blocked) scalar_unblock();
}

void Core::scalar_wait_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    FlagFile::Flag& flag = flags_.at(a.source_pipe, Pipe::kS, a.event_id);
    if (!flag.set) {
        scalar_block(BlockReason::kFlag, &instruction, sequence);
        while (!flag.set) wait_for(flags_.arrived(Pipe::kS));
        BlockEvent released;
        released.released_by = flag.sequence;
        released.released_pipe = a.source_pipe;
        released.released_core = id_;
        scalar_unblock(released);
    }
    consume_flag(instruction, sequence);
}

// ---- flags --------------------------------------------------------------------------------

void Core::reset_flags() {
    flags_.clear();
    unit_flags_.clear();
    cross_ = {};
}

bool Core::set_in_this_cycle(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kSET_FLAG) return false;
    const Attributes& a = instruction.attributes;
    const FlagFile::Flag& flag = flags_.at(a.source_pipe, a.destination_pipe, a.event_id);
    return flag.set && flag.time == agenda_.now();
}

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
    flag = {true, sequence, agenda_.now(), instruction.location};
    flags_.arrived(a.destination_pipe).notify();
    if (!observers_.empty()) {
        FlagEvent event;
        event.core = event.from = id_;
        event.source = a.source_pipe;
        event.destination = a.destination_pipe;
        event.id = a.event_id;
        event.sequence = sequence;
        event.location = instruction.location;
        event.time = agenda_.now();
        observers_.tell(&Observer::on_flag_set, event);
    }
}

void Core::consume_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    flags_.at(a.source_pipe, a.destination_pipe, a.event_id).set = false;
    if (observers_.empty()) return;
    FlagEvent event;
    event.core = event.from = id_;
    event.source = a.source_pipe;
    event.destination = a.destination_pipe;
    event.id = a.event_id;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = agenda_.now();
    observers_.tell(&Observer::on_flag_wait, event);
}

void Core::scalar_wait_cross(const Instruction& instruction, uint64_t sequence) {
    const CrossFlag& flag = cross_flag(instruction);
    if (flag.count == 0) {
        scalar_block(BlockReason::kCrossCore, &instruction, sequence);
        while (flag.count == 0) wait_for(cross_arrived_);
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
    if (observers_.empty()) return;
    const Pipe pipe = pipe_of(instruction, arch());
    FlagEvent event;
    event.core = id_;
    event.from = flag.from;
    event.source = flag.pipe;
    event.destination = pipe == Pipe::kAll || arch() == Arch::kA2A3 || auto_sync_ ? Pipe::kS : pipe;
    event.id = static_cast<uint8_t>(&flag - cross_.data());
    event.cross_core = true;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = agenda_.now();
    observers_.tell(&Observer::on_flag_wait, event);
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
    cross_arrived_.notify();
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
    if (mode_ != RunMode::kTiming) execute(instruction);
    if (instruction.attributes.phase != UnitFlagPhase::kUnspecified)
        unit_flags_.complete(instruction, sequence);
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
    d.pipe = ptosim::name(pipe_of(instruction, arch()));
    d.operand = row.operands[finding.operand].name;
    environment_.report(std::move(d));
}

// ---- scalar memory accesses ---------------------------------------------------------------

// --sync auto orders scalar accesses as well.
void Core::wait_for_conflicts(const Access& access, SourceLocation where) {
    if (!auto_sync_) {
        if (!observers_.empty())
            observers_.tell(&Observer::on_scalar_access,
                            ScalarAccessEvent{id_, access, next_sequence_, where, agenda_.now()});
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
                wait_for(unit->retired());
            }
            break;
        }
    }
    if (blocked) scalar_unblock();
    if (!observers_.empty())
        observers_.tell(&Observer::on_scalar_access,
                        ScalarAccessEvent{id_, access, next_sequence_, where, agenda_.now()});
}

uint64_t Core::load_global(uint64_t address, DType type, SourceLocation where) {
    catch_up();
    const uint64_t size = bytes(type, 1);
    if (!global_.contains(address, size)) {
        Diagnostic d = diagnostic("G01", Category::kIllegal,
                                  "scalar load of " + std::to_string(size) + " bytes at " +
                                      global_.describe(address) + " is outside every allocation",
                                  where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.global = access.reads = true;
    access.begin = address;
    access.end = address + size;
    if (mode_ != RunMode::kFunctional) {
        charged_ += model_.scalar_load;
        spend();
    }
    wait_for_conflicts(access, where);
    environment_.data().wait_for(access);
    uint64_t bits = 0;
    std::memcpy(&bits, GlobalMemory::host(address), size);
    return bits;
}

void Core::store_global(uint64_t address, DType type, uint64_t bits, SourceLocation where) {
    catch_up();
    const uint64_t size = bytes(type, 1);
    if (!global_.contains(address, size)) {
        Diagnostic d = diagnostic("G01", Category::kIllegal,
                                  "scalar store of " + std::to_string(size) + " bytes at " +
                                      global_.describe(address) + " is outside every allocation",
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
    catch_up();
    const uint64_t size = bytes(type, 1);
    if (!global_.contains(address, size)) {
        Diagnostic d = diagnostic("G01", Category::kIllegal,
                                  "scalar atomic operation at " + global_.describe(address) +
                                      " is outside every allocation",
                                  where);
        environment_.fail({std::move(d)});
    }
    Access access;
    access.global = access.reads = access.writes = true;
    access.begin = address;
    access.end = address + size;
    if (mode_ != RunMode::kFunctional) {
        charged_ += model_.scalar_load;
        spend();
    }
    wait_for_conflicts(access, where);
    uint64_t before = 0;
    std::memcpy(&before, GlobalMemory::host(address), size);
    const uint64_t after = combine(type, mode, before, bits);
    std::memcpy(GlobalMemory::host(address), &after, size);
    return before;
}

void Core::print(std::string_view text) {
    catch_up();
    environment_.print(id_, text);
}

uint64_t Core::cycle() {
    spend();
    return agenda_.now();
}

std::byte* Core::checked_local(const Tile& tile, int64_t offset, bool write, SourceLocation where) {
    const uint64_t size = bytes(tile.dtype, 1);
    const auto& buffer = buffers_[static_cast<size_t>(tile.space)];
    const uint64_t begin = tile.address + static_cast<uint64_t>(offset) * size;
    if (offset < 0 || begin + size > buffer.size) {
        Diagnostic d =
            diagnostic("A03", Category::kIllegal,
                       "scalar access to element " + std::to_string(offset) + " of " +
                           to_text(tile) + " is outside " + std::string(ptosim::name(tile.space)) +
                           " (" + std::to_string(buffer.size) + " bytes)",
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
    catch_up();
    if (mode_ == RunMode::kTiming) {
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
