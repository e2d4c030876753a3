#include "sim/core/core.h"

#include <utility>

#include "isa/arch.h"
#include "isa/internal_flags.h"
#include "isa/pipe_order.h"
#include "isa/sync_all.h"
#include "sim/core/address_check.h"
#include "sim/core/control.h"
#include "sim/core/flag_check.h"

namespace ptosim {
namespace {

// Scalar time is let pass at the latest after so many cycles, so that a long loop without
// instructions does not hold up the others.
constexpr Milli kLongestCharge = 1000 * 1000;
constexpr size_t kMostAhead = 32;  // instructions

}  // namespace

Core::Core(sc_core::sc_module_name name, CoreId id, CoreEnvironment& environment)
    : sc_module(name),
      id_{id},
      environment_{environment},
      event_queue_{environment.event_queue()},
      model_{environment.model()},
      read_{environment.parameters_read()},
      observers_{environment.observers()},
      known_{environment.known_instructions()},
      global_{environment.global()},
      cluster_{id.type == CoreType::kAIC
                   ? id.index
                   : id.index / static_cast<unsigned>(environment.model().aivs_per_cluster)},
      flags_{static_cast<unsigned>(environment.model().flag_ids),
             static_cast<unsigned>(environment.model().flag_sets), event_queue_},
      unit_flags_{event_queue_},
      vector_function_{environment.model()},
      cross_arrived_{event_queue_},
      timer_{event_queue_} {
    SC_HAS_PROCESS(Core);
    const ChipModel& model = environment.model();
    for (unsigned s = 0; s < kSpaceCount; ++s) {
        const bool on_aiv = static_cast<Space>(s) == Space::kUB;
        if (on_aiv == (id.type == CoreType::kAIV))
            buffers_[s] = environment.on_chip().take(model.reach(static_cast<Space>(s)));
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
    event_queue_.begin_with(actor_);
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
    event_queue_.give_back();
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
        if (!handed_over_) event_queue_.lend(resume_);
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
    event_queue_.give_back();
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
        charged_ = read_(model_.block_start) + 1000 * environment_.block_delay(id_);
    if (!observers_.empty())
        observers_.tell(&Observer::on_block_begin, RunEvent{id_, identity_, event_queue_.now()});
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
    for (const BufferTokens::Misuse& left : buffer_tokens_.end_block()) report(left, left.acquired);
    scalar_.running = false;
    if (!observers_.empty())
        observers_.tell(&Observer::on_block_end, RunEvent{id_, identity_, event_queue_.now()});
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
    charged_ += operations * read_(model_.scalar_operation);
    if (charged_ > kLongestCharge) spend();
}

void Core::scalar_block(BlockReason reason, const Instruction* instruction, uint64_t sequence) {
    scalar_.blocked = true;
    scalar_.reason = reason;
    scalar_.instruction = instruction;
    scalar_.sequence = sequence;
    scalar_.since = event_queue_.now();
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
    if (observers_.nobody_follows()) return;
    BlockEvent event;
    event.core = id_;
    event.pipe = pipe;
    event.reason = reason;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = event_queue_.now();
    if (reason == BlockReason::kQueueFull) event.queue = pipe_of(*instruction, arch());
    observers_.tell_followers(&Observer::on_block, event);
}

void Core::tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                        uint64_t sequence) {
    if (observers_.nobody_follows()) return;
    BlockEvent event = released;
    event.core = id_;
    event.pipe = pipe;
    event.instruction = instruction;
    event.sequence = sequence;
    event.time = event_queue_.now();
    observers_.tell_followers(&Observer::on_unblock, event);
}

Diagnostic Core::diagnostic(std::string code, Category category, std::string message,
                            SourceLocation where) const {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    d.core = ptosim::name(id_);
    d.cycle = event_queue_.now();
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
    const Cycle delay = mode_ == RunMode::kFunctional ? 0 : charge(read_(model_.scalar_issue));
    const Pipe pipe = pipe_of(instruction, arch());
    const KnownInstructions::Known& known = check(instruction, pipe, delay);
    if (goes_to_pipe(instruction, pipe)) {
        const std::span<const Pipe> awaited = awaited_pipes(instruction, arch());
        if (awaited.empty() || auto_sync_) return prepare(instruction, pipe, known, delay);
        catch_up();
        wait_until_drained(awaited, instruction, next_sequence_);
        prepare(instruction, pipe, known, delay);
        catch_up();
        return wait_until_drained({&pipe, 1}, instruction, next_sequence_ - 1);
    }
    catch_up();
    if (delay > 0) wait_for(delay);
    if (instruction.opcode == Opcode::kSYNCALL) return sync_all(*this, instruction);
    execute_scalar(instruction);
}

bool Core::goes_to_pipe(const Instruction& instruction, Pipe pipe) const {
    if (instruction.opcode == Opcode::kSYNCALL) return false;
    if (!is_control(instruction.opcode)) return pipe != Pipe::kS;
    if (orders_pipes(instruction.opcode) && auto_sync_) return true;  // left to the scoreboard
    // A wait for another core holds the core or its pipe; with the scoreboard, which follows data
    // and not signals, always the core.
    const bool holds_core = is_cross_wait(instruction.opcode) &&
                            (auto_sync_ || traits_of(arch()).cross_wait_holds == WaitHolds::kCore);
    return pipe != Pipe::kS && pipe != Pipe::kAll && !holds_core;
}

// What it costs alone, or by so much the vector function that it is in takes longer.
Cost Core::cost_here(const Instruction& instruction, const Cost& alone) {
    if (instruction.attributes.function == InFunction::kAlone) return alone;
    const ReadScope scope(read_);
    return vector_function_.cost(instruction, alone);
}

// Notes down an instruction for its pipe.
void Core::prepare(const Instruction& instruction, Pipe pipe, const KnownInstructions::Known& known,
                   Cycle delay) {
    Ahead& ahead = ahead_.emplace_back();
    ahead.delay = delay;
    const bool left_to_scoreboard = auto_sync_ && orders_pipes(instruction.opcode);
    if (!left_to_scoreboard) {
        ahead.entry = new_entry();
        ahead.entry->instruction.assign(instruction);
        ahead.entry->known = known.number;
        if (!is_control(instruction.opcode)) ahead.entry->cost = cost_here(instruction, known.cost);
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

// Its cost and number. What is wrong with it is told when the scalar unit would have issued it,
// `before` cycles after the one before.
const KnownInstructions::Known& Core::check(const Instruction& instruction, Pipe pipe,
                                            Cycle before) {
    static const KnownInstructions::Known kFlag;  // pipes take no time for them
    bool* const known_flag = flags_.known(instruction);
    if (known_flag != nullptr && *known_flag) return kFlag;
    const KnownInstructions::Place place = known_.find(instruction, id_.type);
    if (place.known && views_hold(instruction, global_)) {
        if (known_flag != nullptr) *known_flag = true;
        return known_.at(place);
    }
    Problem problem;
    const auto fails = [&] {
        catch_up();
        if (before > 0) wait_for(before);
        refuse(instruction, pipe, std::move(problem));
    };
    if (place.known && !check_views(instruction, global_, problem)) fails();
    if (!check_flag(instruction, id_.type, flags_.ids(), problem)) fails();
    if (pipe != Pipe::kAll && !has_pipe(id_.type, pipe)) {
        problem.code = "L01";
        problem.message = std::string(info(instruction.opcode).name) + " needs pipe " +
                          std::string(ptosim::name(pipe)) + ", which an " +
                          std::string(ptosim::name(id_.type)) + " does not have";
        problem.hint = "put it into a section or function of the other core type";
        fails();
    }
    if (!check_legality(instruction, arch(), problem)) {
        if (!problem.goes_on) fails();
        Diagnostic d = describe(instruction, pipe, std::exchange(problem, {}));
        d.category = Category::kUndefined;
        environment_.report(std::move(d));
    }
    if (!check_addresses(instruction, id_.type, model_, global_, problem)) fails();
    if (known_flag != nullptr) *known_flag = true;
    return known_.add(place, instruction, id_.type, environment_.cost(instruction));
}

Diagnostic Core::describe(const Instruction& instruction, Pipe pipe, Problem problem) const {
    const InstructionInfo& row = info(instruction.opcode);
    Diagnostic d = diagnostic(problem.code, Category::kIllegal, std::move(problem.message),
                              instruction.location);
    d.hint = std::move(problem.hint);
    d.instruction = row.name;
    d.pipe = ptosim::name(pipe);
    if (problem.operand >= 0 && static_cast<size_t>(problem.operand) < row.operands.size())
        d.operand = row.operands[static_cast<size_t>(problem.operand)].name;
    return d;
}

void Core::refuse(const Instruction& instruction, Pipe pipe, Problem problem) {
    environment_.fail({describe(instruction, pipe, std::move(problem))});
}

void Core::enqueue(PipeUnit& unit, PipeUnit::Entry& entry) {
    entry.sequence = next_sequence_++;
    entry.issued = event_queue_.now();
    if (auto_sync_)
        find_dependences(entry, entry.instruction);
    else if (is_buffer_token(entry.instruction.opcode))
        pass_buffer_token(entry.instruction, unit.pushed() + 1, entry.after);
    if (!observers_.nobody_follows()) {
        InstructionEvent event;
        event.core = id_;
        event.pipe = unit.pipe();
        event.sequence = entry.sequence;
        event.instruction = &entry.instruction;
        event.time = event.issued = entry.issued;
        event.known = entry.known;
        observers_.tell_followers(&Observer::on_issue, event);
    }
    unit.push(entry);
}

// An instruction in --sync auto starts after every earlier one whose bytes conflict with its own;
// behind those of its own pipe it comes by itself, where the pipe works in order.
void Core::find_dependences(PipeUnit::Entry& entry, const Instruction& instruction) {
    entry.after.fill(0);
    // What a signal tells others is that all before it has been done to what they see: to global
    // memory, where cores share nothing else.
    if (is_cross_set(instruction.opcode)) {
        for (unsigned p = 0; p < kPipeCount; ++p)
            if (pipes_[p])
                entry.after[p] = traits_of(arch()).reaches_other_cores ? pipes_[p]->pushed()
                                                                       : pipes_[p]->last_global();
        // Its own pipe works in order.
        entry.after[static_cast<size_t>(pipe_of(instruction, arch()))] = 0;
        return;
    }
    const AccessList mine = accesses(instruction);
    const Pipe own = pipe_of(instruction, arch());
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const PipeUnit* unit = pipes_[p].get();
        if (unit == nullptr || (static_cast<Pipe>(p) == own && works_in_order(own, arch())))
            continue;
        // Pipes complete in order: the newest conflict is enough.
        entry.after[p] = unit->last_conflict({mine.begin(), mine.end()});
    }
}

}  // namespace ptosim
