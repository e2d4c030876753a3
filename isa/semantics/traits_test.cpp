// Traits of the rows of the instruction table, checked against the effects of the golden cases.
#include <catch2/catch.hpp>

#include <cstring>
#include <map>

#include "isa/semantics/goldens.h"
#include "isa/table/instruction_traits.h"

using namespace ptosim;

namespace {

// A signalling NaN with a sign and a payload, which arithmetic turns into the canonical one, and
// that one.
struct Nans {
    uint32_t odd = 0, canonical = 0;
};
Nans nans_of(DType type) {
    switch (type) {
        case DType::kF32:
            return {0xFFA5'1234, 0x7FC0'0000};
        case DType::kF16:
            return {0xFD2B, 0x7E00};
        case DType::kBF16:
            return {0xFFA5, 0x7FC0};
        default:
            return {};
    }
}

DType type_of(const Operand& operand) {
    if (operand.is_tile()) return operand.tile.dtype;
    return operand.is_global() ? operand.global.dtype : DType::kU8;
}

uint32_t element(const std::vector<std::byte>& memory, size_t i, size_t size) {
    uint32_t value = 0;
    std::memcpy(&value, memory.data() + i * size, size);
    return value;
}

// Fate of NaNs in all floats that an instruction reads.
struct Fate {
    bool kept = false, made_canonical = false;
};

void watch(const GoldenCase& golden, Fate& fate) {
    const InstructionInfo& row = info(golden.instruction.opcode);
    std::vector<std::vector<std::byte>> before, after;
    for (size_t i = 0; i < golden.operands.size(); ++i) {
        before.push_back(golden.operands[i].before);
        const uint32_t odd = nans_of(type_of(golden.operands[i].operand)).odd;
        const size_t size = odd > 0xFFFF ? 4 : 2;
        if (odd == 0 || row.operands[i].role == OperandRole::kOut) continue;
        for (size_t at = 0; at + size <= before[i].size(); at += size)
            std::memcpy(before[i].data() + at, &odd, size);
    }
    after = before;
    Execution execution{golden.instruction, {}, golden.numerics};
    for (size_t i = 0; i < after.size(); ++i)
        execution.bytes[i] = after[i].empty() ? nullptr : after[i].data();
    row.semantics(execution);
    for (size_t i = 0; i < after.size(); ++i) {
        const OperandRole role = row.operands[i].role;
        const Nans nans = nans_of(type_of(golden.operands[i].operand));
        if (nans.odd == 0 || (role != OperandRole::kOut && role != OperandRole::kInOut)) continue;
        const size_t size = nans.odd > 0xFFFF ? 4 : 2;
        for (size_t e = 0; (e + 1) * size <= after[i].size(); ++e) {
            const uint32_t value = element(after[i], e, size);
            if (value == element(before[i], e, size)) continue;
            fate.kept |= value == nans.odd;
            fate.made_canonical |= value == nans.canonical;
        }
    }
}

// True if floats are converted on the way: by the fixpipe out of L0C, into the bias table, and in global memory by
// atomic stores.
bool converts_on_the_way(const Instruction& instruction) {
    if (instruction.attributes.atomic != AtomicMode::kNone) return true;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile() && info(instruction.opcode).pipe != PipeRule::kCube &&
            (instruction.tile(i).space == Space::kL0C || instruction.tile(i).space == Space::kBias))
            return true;
    return false;
}

// True if it compares floats, which is computing, and passes on the chosen ones.
bool chooses(Opcode opcode) {
    return traits(opcode).orders_elements || opcode == Opcode::kTPARTARGMAX ||
           opcode == Opcode::kTPARTARGMIN;
}

}  // namespace

TEST_CASE("rows say of themselves whether they compute floats: what NaNs become shows it") {
    std::map<Opcode, Fate> fates;
    for (const GoldenCase& golden : goldens().cases())
        if (!converts_on_the_way(golden.instruction))
            watch(golden, fates[golden.instruction.opcode]);
    unsigned shown = 0;
    for (const auto& [opcode, fate] : fates) {
        INFO(info(opcode).name << (fate.kept ? ", which passes NaNs on as they are" : "")
                               << (fate.made_canonical ? ", which makes NaNs canonical" : ""));
        shown += fate.kept || fate.made_canonical ? 1 : 0;
        if (fate.made_canonical) CHECK(traits(opcode).computes_floats);
        if (fate.kept && !fate.made_canonical && !chooses(opcode))
            CHECK_FALSE(traits(opcode).computes_floats);
    }
    // The others give no floats of the types that they take: comparisons, positions, quantisation.
    CHECK(shown > 100);
}
