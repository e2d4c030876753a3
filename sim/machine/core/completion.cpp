#include "sim/machine/core/completion.h"

#include "isa/table/internal_flags.h"

namespace ptosim {
namespace {

Instruction& copy_of(const Instruction& given, std::optional<Instruction>& own) {
    if (!own) own.emplace().assign(given);
    return *own;
}

}  // namespace

const Instruction& Completion::complete(const Instruction& given, std::optional<Instruction>& own) {
    const Opcode opcode = given.opcode;
    if (takes_atomic_mode(given)) take_atomic_mode(copy_of(given, own));
    if (ModeRegisters::concerns(opcode)) mode_registers_.pass(copy_of(given, own));
    if (may_have_fixed_scratch(opcode, core_.arch)) {
        add_fixed_scratch(copy_of(given, own), core_.arch);
        return *own;
    }
    if (core_.id.type == CoreType::kAIC && may_derive_pitches(opcode)) return lay_out(given, own);
    return own ? *own : given;
}

bool Completion::repeats(const Instruction& given) const {
    const bool laid_out = core_.id.type == CoreType::kAIC && may_derive_pitches(given.opcode);
    return !takes_atomic_mode(given) && !ModeRegisters::concerns(given.opcode) &&
           !(laid_out && core_.computes_data());
}

// A tile store that names no operation has that of the core's register, as its library sets the
// register only if it names one.
bool Completion::takes_atomic_mode(const Instruction& given) const {
    return given.opcode == Opcode::kTSTORE && given.attributes.atomic == AtomicMode::kNone &&
           state_.atomic() != AtomicMode::kNone;
}

void Completion::take_atomic_mode(Instruction& store) const {
    state_.tell_use(core_, core_register::ATOMIC, "TSTORE", store.location);
    store.attributes.atomic = state_.atomic();
}

// Gives operands in L0A, L0B and L0C the depth and pitches that the cube and its moves use.
const Instruction& Completion::lay_out(const Instruction& given, std::optional<Instruction>& own) {
    const bool product = info(given.opcode).timing == TimingClass::kCube;
    const int32_t depth =
        product && core_.computes_data() ? box_writers_.depth_of(own ? *own : given) : 0;
    if (depth != 0) {
        Instruction& deeper = copy_of(given, own);
        for (unsigned i = 0; i < deeper.operand_count; ++i) {
            Operand& operand = deeper.operands[i];
            if (!operand.is_tile()) continue;
            if (operand.tile.space == Space::kL0A) operand.tile.valid_cols = depth;
            if (operand.tile.space == Space::kL0B) operand.tile.valid_rows = depth;
        }
    }
    const PitchList used = used_pitches(own ? *own : given, core_.arch);
    if (!used.as_declared) {
        Instruction& laid_out = copy_of(given, own);
        for (unsigned i = 0; i < laid_out.operand_count; ++i)
            if (laid_out.operands[i].is_tile()) laid_out.operands[i].tile.pitch = used.pitches[i];
    }
    const Instruction& complete = own ? *own : given;
    if (core_.computes_data()) box_writers_.note(complete);
    return complete;
}

}  // namespace ptosim
