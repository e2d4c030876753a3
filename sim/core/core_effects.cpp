// What instructions leave behind when they complete: flags, signals and data.
#include "sim/core/core.h"

#include "isa/arch.h"
#include "isa/choices.h"
#include "isa/data_check.h"
#include "isa/peer.h"

namespace ptosim {
namespace {

constexpr unsigned kCrossLimit = 15;  // 4-bit counters

}  // namespace

bool Core::set_in_this_cycle(const Instruction& instruction) {
    if (instruction.opcode != Opcode::kSET_FLAG) return false;
    const Attributes& a = instruction.attributes;
    const FlagFile::Flag& flag = flags_.at(a.source_pipe, a.destination_pipe, a.event_id);
    return flag.set && flag.time == event_queue_.now();
}

void Core::reset_flags() {
    flags_.clear();
    unit_flags_.clear();
    buffer_tokens_.clear();
    cross_ = {};
}

void Core::set_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    FlagFile::Flag& flag = flags_.at(a.source_pipe, a.destination_pipe, a.event_id);
    if (flags_.full(flag)) {
        const uint64_t sets = environment_.model().flag_sets;
        const std::string holds = std::to_string(sets) + " sets";
        Diagnostic d =
            diagnostic("E07", Category::kSync,
                       "flag " + std::string(ptosim::name(a.source_pipe)) + "->" +
                           std::string(ptosim::name(a.destination_pipe)) + " #" +
                           std::to_string(a.event_id) + " is set again while " +
                           (sets == 1 ? "the set before has" : "the " + holds + " before have") +
                           " not been waited for",
                       instruction.location);
        d.pipe = ptosim::name(a.source_pipe);
        d.instruction = "SET_FLAG";
        d.related = {environment_.sources().related("first set", flag.location)};
        d.hint = (sets == 1 ? "a flag is one bit: wait for it between two sets"
                            : "a flag holds " + holds + ": wait for it in between") +
                 ", or use another id";
        environment_.report(std::move(d));
    }
    flags_.add(flag, {sequence, event_queue_.now(), instruction.location});
    flags_.arrived(a.destination_pipe).notify();
    if (!observers_.nobody_follows())
        observers_.tell_followers(&Observer::on_flag_set, flag_event(instruction, sequence));
}

FlagEvent Core::flag_event(const Instruction& instruction, uint64_t sequence) const {
    const Attributes& a = instruction.attributes;
    FlagEvent event;
    event.core = event.from = id_;
    event.source = a.source_pipe;
    event.destination = a.destination_pipe;
    event.id = a.event_id;
    event.sequence = sequence;
    event.location = instruction.location;
    event.time = event_queue_.now();
    return event;
}

void Core::consume_flag(const Instruction& instruction, uint64_t sequence) {
    const Attributes& a = instruction.attributes;
    flags_.take(flags_.at(a.source_pipe, a.destination_pipe, a.event_id));
    if (!observers_.nobody_follows())
        observers_.tell_followers(&Observer::on_flag_wait, flag_event(instruction, sequence));
}

void Core::pass_buffer_token(const Instruction& instruction, uint64_t place,
                             BufferTokens::After& after) {
    if (const auto misuse = buffer_tokens_.pass(instruction, place, after))
        report(*misuse, instruction.location);
}

void Core::report(const BufferTokens::Misuse& misuse, SourceLocation where) {
    using Fault = BufferTokens::Fault;
    const std::string id = "buffer id " + std::to_string(misuse.id);
    const std::string pipe{ptosim::name(misuse.pipe)};
    const std::string holder{ptosim::name(misuse.holder)};
    Diagnostic d;
    if (misuse.fault == Fault::kHeld)
        d = diagnostic("E14", Category::kSync,
                       pipe + " acquires " + id + ", which " +
                           (misuse.holder == misuse.pipe ? "it holds already" : holder + " holds"),
                       where);
    else if (misuse.fault == Fault::kNotHeld)
        d = diagnostic("E15", Category::kSync,
                       pipe + " releases " + id + ", which it does not hold", where);
    else
        d = diagnostic("E16", Category::kSync, pipe + " still holds " + id + " when the block ends",
                       where);
    d.pipe = pipe;
    d.instruction = misuse.fault == Fault::kNotHeld ? "RLS_BUF" : "GET_BUF";
    if (misuse.fault == Fault::kHeld)
        d.related = {environment_.sources().related("acquired", misuse.acquired)};
    d.hint = "each get_buf of a pipe has one rls_buf behind it, before the next get_buf of the id";
    environment_.report(std::move(d));
}

Core::CrossFlag& Core::cross_flag(const Instruction& wait) {
    const unsigned first = wait.opcode == Opcode::kINTRA_WAIT ? kIntraBlockIds : 0;
    return cross_[first + wait.attributes.event_id];
}

void Core::consume_cross(const Instruction& instruction, uint64_t sequence) {
    CrossFlag& flag = cross_flag(instruction);
    --flag.count;
    if (observers_.nobody_follows()) return;
    const Pipe pipe = pipe_of(instruction, arch());
    FlagEvent event = flag_event(instruction, sequence);
    event.from = flag.from;
    event.source = flag.pipe;
    const bool holds_core =
        pipe == Pipe::kAll || auto_sync_ || traits_of(arch()).cross_wait_holds == WaitHolds::kCore;
    event.destination = holds_core ? Pipe::kS : pipe;
    event.id = static_cast<uint8_t>(&flag - cross_.data());
    event.cross_core = true;
    observers_.tell_followers(&Observer::on_flag_wait, event);
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

// ---- data ---------------------------------------------------------------------------------

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
    const bool choices = environment_.reports_choices() && has_choice(instruction);
    if (!choices && !has_data_check(instruction)) {
        data.submit(cluster_, execution);
        return;
    }
    data.run_now(cluster_, instruction, [&] {  // findings come when they happen
        if (choices) check_choices(execution, *this);
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

}  // namespace ptosim
