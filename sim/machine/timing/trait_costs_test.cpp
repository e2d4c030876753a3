// Effects of the traits of rows on costs. Expected cycles are counted by hand from the steps of an instruction in
// hw-native-sys/pto-isa include/pto/npu/a2a3/{TRowReduceOps,TCvt}.hpp.
#include "isa/testing/trait_expectations.h"
#include "sim/machine/model/vector_variant.h"
#include "sim/machine/timing/arithmetic.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {
namespace {

// A row sum or similar of 64 x 128 f32 into a column, on a chip whose steps have no start-up.
std::string cycles_of_folding(Opcode opcode) {
    static ChipModel chip = [] {
        ChipModel model = load_chip("ascend910b1", {});
        model.aiv.vector.overhead = {};
        return model;
    }();
    const Tile wide = make_tile(Space::kUB, DType::kF32, 64, 128);
    Instruction instruction(opcode);
    instruction.add(make_tile(Space::kUB, DType::kF32, 64, 1, OuterLayout::kColMajor))
        .add(wide)
        .add(wide);
    return std::to_string(CostModel(chip).cost(instruction).occupancy);
}

TEST_CASE("trait folds_rows: 64 x 128 in three steps over blocks of eight") {
    // g reads 8192 elements, 128 repeats of 64; h makes 512 of 1024, 8 repeats; g reads 512, 8.
    std::vector<TraitExpectation> expectations;
    for (const Opcode opcode : {Opcode::kTROWSUM, Opcode::kTROWMAX, Opcode::kTROWMIN})
        expectations.push_back(
            {opcode, std::to_string(128 + 8 + 8), [=] { return cycles_of_folding(opcode); }});
    check_expectations(&InstructionTraits::folds_rows, expectations);
}

TEST_CASE("trait rate_by_types: conversions have a rate for each pair of widths") {
    const auto variant = [] {
        Instruction convert(Opcode::kTCVT);
        convert.add(make_tile(Space::kUB, DType::kF32, 8, 64))
            .add(make_tile(Space::kUB, DType::kF16, 8, 64));
        const VectorVariant own = vector_variant(convert);
        for (const VectorVariantInfo& info : vector_variants(Opcode::kTCVT))
            if (info.variant == own) return std::string(info.name);
        return std::string("none");
    };
    check_expectations(&InstructionTraits::rate_by_types, {{Opcode::kTCVT, "widen16", variant}});
}

}  // namespace
}  // namespace ptosim
