#include "sim/machine/timing/time_samples.h"

#include "isa/core/arch.h"
#include "isa/intrinsics/vector_program.h"

namespace ptosim {
namespace {

constexpr int kRows = 64;

struct Shape {
    int rows, cols, pitch;
};

Tile ub(DType type, Shape shape, uint32_t address) {
    Tile tile = make_tile(Space::kUB, type, shape.rows, shape.pitch);
    tile.valid_cols = shape.cols;
    tile.address = address;
    return tile;
}

Tile ub_column(DType type, int rows, uint32_t address) {
    Tile tile = make_tile(Space::kUB, type, rows, 1, OuterLayout::kColMajor);
    tile.address = address;
    return tile;
}

Tile boxed(Space space, DType type, int rows, int cols) {
    return make_tile(space, type, rows, cols, OuterLayout::kColMajor, InnerLayout::kRowMajor);
}

GlobalView rows_of(DType type, int rows, int cols) {
    GlobalView view;
    view.dtype = type;
    view.shape = {1, 1, 1, rows, cols};
    view.stride = {1, 1, 1, 2 * cols, 1};
    return view;
}

// Elements of a repeat of 256 bytes.
int repeat(DType type) { return static_cast<int>(2048 / bits(type)); }

// Reductions and broadcasts have a destination or a source of one row or column.
enum class Narrow : uint8_t { kNone, kDestination, kLastSource };

Narrow narrow(const InstructionInfo& row) {
    const bool lines =
        row.timing == TimingClass::kVectorRow || row.timing == TimingClass::kVectorCol;
    if (!lines) return Narrow::kNone;
    return row.name.find("EXPAND") != row.name.npos ? Narrow::kLastSource : Narrow::kDestination;
}

Instruction vector(const InstructionInfo& row, DType type, Shape shape, uint32_t apart) {
    Instruction instruction(row.opcode);
    const Narrow which = narrow(row);
    unsigned last_source = 0;
    for (unsigned i = 0; i < row.operands.size(); ++i)
        if (row.operands[i].role == OperandRole::kIn && !row.operands[i].optional) last_source = i;
    for (unsigned i = 0; i < row.operands.size() && i < Instruction::kMaxOperands; ++i) {
        const OperandInfo& operand = row.operands[i];
        if ((operand.kinds & kTileOperand) == 0) {
            instruction.add(Scalar{0, type});
            continue;
        }
        const bool is_narrow = (which == Narrow::kDestination && i == 0) ||
                               (which == Narrow::kLastSource && i == last_source);
        const uint32_t address = i * 0x10000u + (i % 2) * apart;
        if (!is_narrow)
            instruction.add(ub(type, shape, address));
        else if (row.timing == TimingClass::kVectorRow)
            instruction.add(ub_column(type, shape.rows, address));
        else
            instruction.add(ub(type, {1, shape.cols, shape.pitch}, address));
    }
    return instruction;
}

std::vector<TimeSample> vectors(const InstructionInfo& row, DType type, Arch arch) {
    const int one = repeat(type);
    std::vector<TimeSample> samples{
        {"whole repeats", vector(row, type, {kRows, one, one}, 0x100)},
        {"rows of several repeats", vector(row, type, {kRows, 3 * one, 4 * one}, 0x100)},
        {"parts of repeats", vector(row, type, {kRows, one / 2, one}, 0x100)}};
    if (traits_of(arch).vector_timing == VectorTiming::kRepeats &&
        row.timing == TimingClass::kVector)
        samples.emplace_back("one bank group", vector(row, type, {kRows, one, one}, 0));
    return samples;
}

std::vector<TimeSample> products(const InstructionInfo& row, DType type) {
    Instruction product(row.opcode);
    product.add(make_tile(Space::kL0C, DType::kF32, 128, 128, OuterLayout::kColMajor,
                          InnerLayout::kRowMajor, 1024));
    product.add(
        make_tile(Space::kL0A, type, 128, 64, OuterLayout::kRowMajor, InnerLayout::kRowMajor));
    product.add(
        make_tile(Space::kL0B, type, 64, 128, OuterLayout::kRowMajor, InnerLayout::kColMajor));
    return {{"fractals", product}};
}

std::vector<TimeSample> transfers(const InstructionInfo& row, DType type) {
    const bool loads = row.timing == TimingClass::kLoad;
    const auto of = [&](const Tile& tile) {
        Instruction instruction(row.opcode);
        if (loads) return instruction.add(tile).add(rows_of(type, kRows, 128));
        return instruction.add(rows_of(type, kRows, 128)).add(tile);
    };
    const Tile in_ub = make_tile(Space::kUB, type, kRows, 128);
    if (!loads)
        return {{"UB to global memory", of(in_ub)},
                {"L0C to global memory", of(boxed(Space::kL0C, type, kRows, 128))}};
    return {{"global memory to UB", of(in_ub)},
            {"global memory to L1", of(make_tile(Space::kL1, type, kRows, 128))},
            {"global memory to L1, ND to NZ", of(boxed(Space::kL1, type, kRows, 128))}};
}

std::vector<TimeSample> moves(const InstructionInfo& row, DType type, Arch arch) {
    struct Way {
        Space from, to;
        bool ArchTraits::*needs = nullptr;
    };
    constexpr Way kWays[] = {{Space::kL1, Space::kL0A},
                             {Space::kL1, Space::kL0B},
                             {Space::kL1, Space::kBias},
                             {Space::kL1, Space::kFixpipe},
                             {Space::kL0C, Space::kL1},
                             {Space::kUB, Space::kUB},
                             {Space::kL1, Space::kUB, &ArchTraits::l1_to_ub},
                             {Space::kUB, Space::kL1, &ArchTraits::reaches_other_cores},
                             {Space::kL0C, Space::kUB, &ArchTraits::reaches_other_cores}};
    std::vector<TimeSample> samples;
    for (const Way& way : kWays) {
        if (way.needs != nullptr && !(traits_of(arch).*way.needs)) continue;
        Instruction move(row.opcode);
        move.add(make_tile(way.to, type, kRows, 128)).add(make_tile(way.from, type, kRows, 128));
        samples.emplace_back(std::string(name(way.from)) + " to " + std::string(name(way.to)),
                             move);
    }
    return samples;
}

Instruction sum_of_vectors() {
    using enum VectorOpcode;
    std::vector<VectorOperation> operations(4);
    for (uint32_t i = 0; i < 2; ++i) {
        operations[i].opcode = kVLDS;
        operations[i].mode = VectorMode::kNorm;
        operations[i].address = i * kVectorBytes;
        operations[i].results[0] = i + 1;
    }
    operations[2].opcode = kVADD;
    operations[2].sources = {1, 2};
    operations[2].results[0] = 3;
    operations[3].opcode = kVSTS;
    operations[3].mode = VectorMode::kNormB32;
    operations[3].address = 2 * kVectorBytes;
    operations[3].sources[0] = 3;
    return vector_function(vector_program(std::move(operations)), {});
}

}  // namespace

std::vector<TimeSample> time_samples(const InstructionInfo& row, DType type, Arch arch) {
    switch (row.timing) {
        case TimingClass::kScalar:
        case TimingClass::kFlag:
            return {{"", Instruction(row.opcode)}};
        case TimingClass::kVector:
        case TimingClass::kVectorRow:
        case TimingClass::kVectorCol:
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather:
            return vectors(row, type, arch);
        case TimingClass::kCube:
            return products(row, type);
        case TimingClass::kLoad:
        case TimingClass::kStore:
            return transfers(row, type);
        case TimingClass::kLocalMove:
            return moves(row, type, arch);
        case TimingClass::kVectorFunction:
            return {{"two loads, a sum, a store", sum_of_vectors()}};
        case TimingClass::kThreads:
        case TimingClass::kIntrinsic:
            return {};  // samples are of tile instructions
    }
    return {};
}

}  // namespace ptosim
