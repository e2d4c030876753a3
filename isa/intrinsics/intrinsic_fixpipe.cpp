#include "isa/semantics/fixpipe.h"

#include <algorithm>

#include "isa/core/core_registers.h"
#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/intrinsics/register_use.h"

// Arguments in two words: hw-native-sys/pto-isa include/pto/npu/a2a3/TStore.hpp,
// include/pto/common/arch/memory/tstore_common.hpp; of C310 arch/register/tstore_common.hpp. Units and meaning:
// cann/asc-devkit docs/zh/api/SIMD-API, Fixpipe (FixpipeParamsV220), SetFixpipeNz2ndFlag, SetFixPipeConfig; of C310
// C-API/cube_datamove, asc_copy_l0c2ub, asc_copy_l0c2gm_arch_3510.

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kSize = 2, kModes = 3, kScale = 4, kTables = 5, kMatrices = 6, kAtomic = 7, kChannels = 8;
constexpr uint64_t kColumns = 16;  // of a block of L0C

// Result of a mode of quantisation (include/cce/enumerations.hpp has their names).
struct QuantMode {
    uint64_t number;
    DType from, to;  // kI8: i8 or u8
    bool scaled, by_column;
};
constexpr uint64_t kFirstOfC310 = 25;
constexpr std::array<QuantMode, 22> kQuantModes{{{1, DType::kF32, DType::kF16, false, false},
                                                 {16, DType::kF32, DType::kBF16, false, false},
                                                 {2, DType::kI32, DType::kI8, true, true},
                                                 {3, DType::kI32, DType::kI8, true, false},
                                                 {4, DType::kI32, DType::kF16, true, true},
                                                 {5, DType::kI32, DType::kF16, true, false},
                                                 {12, DType::kI32, DType::kI16, true, true},
                                                 {13, DType::kI32, DType::kI16, true, false},
                                                 {23, DType::kF32, DType::kI8, true, true},
                                                 {24, DType::kF32, DType::kI8, true, false},
                                                 {25, DType::kF32, DType::kHIF8, true, false},
                                                 {26, DType::kF32, DType::kE4M3, true, false},
                                                 {27, DType::kF32, DType::kF32, true, false},
                                                 {28, DType::kF32, DType::kHIF8, true, true},
                                                 {32, DType::kF32, DType::kF16, true, false},
                                                 {33, DType::kF32, DType::kF16, true, true},
                                                 {34, DType::kF32, DType::kBF16, true, false},
                                                 {35, DType::kI32, DType::kBF16, true, false},
                                                 {36, DType::kF32, DType::kBF16, true, true},
                                                 {37, DType::kF32, DType::kE4M3, true, true},
                                                 {38, DType::kF32, DType::kF32, true, true},
                                                 {39, DType::kI32, DType::kBF16, true, true}}};

// copy_matrix_cc_to_*(dst, src, size, modes) with the registers that it reads.
struct Drain {
    explicit Drain(const IntrinsicCall& call);

    bool c310;
    uint64_t columns, rows;
    uint64_t to_stride;    // elements: from row to row, from column to column, from block to block
    uint64_t from_stride;  // rows of 16 elements from block to block
    uint64_t flag, mode, relu;
    bool split, as_rows, as_columns;
    uint64_t matrices = 1, from_matrix = 0, to_matrix = 0;  // unless in blocks: elements
    uint64_t from_row = kColumns;                           // elements
    DType from, to;

    bool in_blocks() const { return !as_rows && !as_columns; }
    bool empty() const { return columns == 0 || rows == 0 || matrices == 0; }
    const QuantMode* quant() const {
        const auto* found = std::ranges::find(kQuantModes, mode, &QuantMode::number);
        return found == kQuantModes.end() ? nullptr : found;
    }
    uint64_t element() const { return bytes(to, 1); }
    // Columns of a block of the target.
    uint64_t block() const { return split ? 8 : element() == 1 && columns > kColumns ? 32 : kColumns; }
    uint64_t blocks() const { return (columns + block() - 1) / block(); }
};

Drain::Drain(const IntrinsicCall& call)
    : c310{info(call.opcode).form.archs == IntrinsicArchs::kRegisters},
      columns{bits_of(call.arguments[kSize], 4, 12)},
      rows{bits_of(call.arguments[kSize], 16, 16)},
      to_stride{bits_of(call.arguments[kSize], 32, 32)},
      from_stride{bits_of(call.arguments[kModes], 0, 16)},
      flag{bits_of(call.arguments[kModes], 32, 2)},
      mode{bits_of(call.arguments[kModes], 34, 5) | (c310 ? bits_of(call.arguments[kModes], 29, 1) << 5 : 0)},
      relu{bits_of(call.arguments[kModes], 39, 3)},
      split{bits_of(call.arguments[kModes], 42, 1) != 0},
      as_rows{bits_of(call.arguments[kModes], 43, 1) != 0},
      as_columns{c310 && bits_of(call.arguments[kModes], 62, 1) != 0},
      from{call.types[1]},
      to{call.types[0]} {
    if (!in_blocks()) {
        matrices = bits_of(call.arguments[kMatrices], 0, 16);
        from_matrix = bits_of(call.arguments[kMatrices], 16, 16) * (c310 ? kColumns : 256);
        to_matrix = bits_of(call.arguments[kMatrices], 32, c310 ? 32 : 16);
    }
    if (as_columns) from_row = bits_of(call.arguments[kChannels], 48, 16) * kColumns;
    // Pointers may have the width alone.
    if (const QuantMode* made = quant(); made != nullptr && bits(made->to) == 16 && bits(to) == 16)
        to = made->to;
    if (in_blocks() && !c310) to_stride = to_stride * kC0Bytes / element();
}

bool refuse_mode(const IntrinsicCall& call, std::string_view code, const std::string& what, std::string hint,
                 Problem& problem) {
    return refuse_argument(call, kModes, code, what, std::move(hint), problem);
}

bool check_types(const IntrinsicCall& call, const Drain& d, Problem& problem) {
    const std::string types = std::string(name(d.from)) + " to " + std::string(name(d.to));
    if (d.mode == 0) {
        if (d.from == d.to && (d.from == DType::kF32 || d.from == DType::kI32)) return true;
        return refuse_mode(call, "T03", "no quantisation, of " + types, "f32 and i32 are stored as they are",
                           problem);
    }
    const QuantMode* const made = d.quant();
    if (made == nullptr || (made->number >= kFirstOfC310 && !d.c310))
        return refuse_mode(call, "S01", "quantisation mode " + std::to_string(d.mode),
                           d.c310 ? "the modes of C310 are 0 to 5, 12, 13, 16, 23 to 28, 32 to 39"
                                  : "the modes of a2a3 are 0 to 5, 12, 13, 16, 23, 24",
                           problem);
    const bool bytes = made->to == DType::kI8 && d.to == DType::kU8;
    if (made->from == d.from && (made->to == d.to || bytes)) return true;
    return refuse_mode(call, "T03", "quantisation mode " + std::to_string(d.mode) + ", of " + types,
                       "the mode makes " + std::string(name(made->to)) + " of " + std::string(name(made->from)),
                       problem);
}

bool check_drain(const IntrinsicCall& call, Problem& problem) {
    const Drain d(call);
    if (!check_types(call, d, problem) || !check_address(call, 1, 64, problem)) return false;
    if (d.relu > 1)
        return refuse_mode(call, "S01", "relu mode " + std::to_string(d.relu),
                           "leaky relu is not simulated: 0 is none, 1 is max(x, 0)", problem);
    if (d.as_rows && d.as_columns)
        return refuse_mode(call, "S01", "rows and columns", "a matrix is stored as one of them", problem);
    if (d.split && (!d.in_blocks() || d.to != DType::kF32 || d.from != DType::kF32))
        return refuse_mode(call, "T03", "split channels of " + std::string(name(d.to)) + (d.in_blocks() ? "" : " in rows"),
                           "channels are split in blocks of f32", problem);
    if (d.in_blocks() && d.columns % (d.split ? 8 : kColumns) != 0)
        return refuse_argument(call, kSize, "S01", std::to_string(d.columns) + " columns",
                               d.split ? "split channels are a multiple of 8" : "blocks have 16 columns", problem);
    if (d.in_blocks() && !check_address(call, 0, kC0Bytes, problem)) return false;
    return true;
}

// ---- operands -----------------------------------------------------------------------------------

Tile accumulators(const IntrinsicCall& call, const Drain& d) {
    const auto columns = static_cast<int32_t>(whole(d.columns, kColumns));
    Tile tile = make_tile(Space::kL0C, d.from, static_cast<int32_t>(std::max(d.rows, d.from_stride)), columns,
                          OuterLayout::kColMajor, InnerLayout::kRowMajor, 1024);
    tile.address = static_cast<uint32_t>(call.arguments[1]);
    tile.pitch = static_cast<int32_t>(d.from_stride);
    tile.valid_rows = static_cast<int32_t>(d.rows);
    tile.valid_cols = static_cast<int32_t>(d.columns);
    if (d.matrices < 2) return tile;
    // Several matrices: all that lies between the first and the last.
    const uint64_t extent = (d.matrices - 1) * d.from_matrix * 4 + tile.touched_bytes();
    return byte_rows(Space::kL0C, call.arguments[1], 1, extent, extent);
}

GlobalView target_view(const IntrinsicCall& call, const Drain& d) {
    const uint64_t pitch = d.in_blocks() ? d.block() : d.to_stride;
    const uint64_t length = d.as_rows ? d.columns : d.as_columns ? d.rows : std::min(d.block(), d.columns);
    GlobalView view = global_rows(call.arguments[0], d.as_columns ? d.columns : d.rows, length, pitch, d.to);
    view.shape[2] = static_cast<int32_t>(d.in_blocks() ? d.blocks() : d.matrices);
    view.stride[2] = static_cast<int64_t>(d.in_blocks() ? d.to_stride : d.to_matrix);
    view.stride[0] = view.stride[1] = view.stride[2] * view.shape[2];
    return view;
}

Tile target_tile(Space space, const IntrinsicCall& call, const Drain& d) {
    const uint64_t address = call.arguments[0], step = d.to_stride * d.element();
    if (d.in_blocks())
        return byte_rows(space, address, d.blocks(), d.rows * std::min(d.block(), d.columns) * d.element(), step);
    const uint64_t count = d.as_rows ? d.rows : d.columns, length = (d.as_rows ? d.columns : d.rows) * d.element();
    if (d.matrices == 1) return byte_rows(space, address, count, length, step);
    const uint64_t extent = (d.matrices - 1) * d.to_matrix * d.element() + (count - 1) * step + length;
    return byte_rows(space, address, 1, extent, extent);
}

// FPC: bits 15 to 8 are the address of the scales in 128 bytes.
uint64_t scale_table(const IntrinsicCall& call) { return bits_of(call.arguments[kTables], 8, 8) * 128; }

// The vector core whose UB is the target is in bit 0 of the first word.
constexpr Space kGlobalMemory = Space::kCount;
template <Space To>
void add_drain(const IntrinsicCall& call, Instruction& instruction) {
    const Drain d(call);
    if (To == kGlobalMemory && d.empty()) return;
    Attributes& attributes = instruction.attributes;
    attributes.phase = unit_flag(d.flag);
    attributes.relu = d.relu == 1 ? ReluMode::kNormal : ReluMode::kNone;
    if (To == Space::kUB && bits_of(call.arguments[kSize], 0, 1) != 0) attributes.acc_to_vec = AccToVec::kSingle1;
    if (To == kGlobalMemory) {
        attributes.atomic = atomic_mode(call.arguments[kAtomic]);
        instruction.add(target_view(call, d));
    } else {
        instruction.add(d.empty() ? byte_rows(To, call.arguments[0], 0, 0, 0) : target_tile(To, call, d));
    }
    instruction.add(accumulators(call, d));
    if (const QuantMode* made = d.quant(); made != nullptr && made->by_column) {
        Tile table = make_tile(Space::kFixpipe, DType::kU64, 1, static_cast<int32_t>(d.columns));
        table.address = static_cast<uint32_t>(scale_table(call));
        instruction.add(table);
    }
}

// ---- data ---------------------------------------------------------------------------------------

// Positions of columns [first, end), in the target and in L0C; as blocks, from their first column on.
void assign_places(const Drain& d, uint64_t first, uint64_t end, semantics::Grid& to, semantics::Grid& from) {
    // Two blocks of 16 columns make one of 32 of 8-bit elements; the last of an odd number is left alone.
    const uint64_t block = std::min(d.block(), end - first);
    const uint64_t row = d.as_rows ? d.to_stride : d.as_columns ? 1 : block;
    to.row.resize(d.rows);
    from.row.resize(d.rows);
    for (uint64_t i = 0; i < d.rows; ++i) {
        to.row[i] = static_cast<int64_t>(i * row);
        from.row[i] = static_cast<int64_t>(i * d.from_row);
    }
    to.col.resize(end - first);
    from.col.resize(end - first);
    for (uint64_t i = 0; i < end - first; ++i) {
        const uint64_t j = first + i;
        to.col[i] = static_cast<int64_t>(d.as_rows      ? j
                                         : d.as_columns ? j * d.to_stride
                                                        : j / d.block() * d.to_stride + j % d.block());
        from.col[i] = static_cast<int64_t>(j / kColumns * kColumns * d.from_stride + j % kColumns);
    }
}

void drain_columns(const IntrinsicCall& call, const Execution& e, const Drain& d, uint64_t first, uint64_t end) {
    if (first == end) return;
    semantics::Grid &to = semantics::scratch_grid(0), &from = semantics::scratch_grid(1);
    assign_places(d, first, end, to, from);
    const semantics::Conversion conversion{d.from, d.to, e.instruction.attributes.relu,
                                           e.instruction.attributes.atomic,
                                           semantics::hif8_rounding(e.numerics)};
    const QuantMode* const made = d.quant();
    semantics::Scales scales;
    // The scale is a 1-8-10 float (CANN, Fixpipe: the lower 13 bits of an f32 have no effect).
    scales.scalar = {call.arguments[kScale] & ~uint64_t{0x1FFF}, DType::kU64};
    if (made != nullptr && made->by_column) {
        scales.tile = &e.tile(2);
        scales.bytes = e.bytes[2];
        scales.first_column = static_cast<int>(first);
    }
    for (uint64_t i = 0; i < d.matrices; ++i) {
        std::byte* const target = e.bytes[0] + i * d.to_matrix * d.element();
        const std::byte* const source = e.bytes[1] + i * d.from_matrix * 4;
        if (made != nullptr && made->scaled)
            semantics::quantise_elements(conversion, scales, target, to, source, from);
        else
            semantics::convert_elements(conversion, target, to, source, from);
    }
}

void drained(const IntrinsicCall& call, const Execution& e) {
    const Drain d(call);
    if (d.empty()) return;
    const uint64_t whole_blocks = d.in_blocks() ? d.columns / d.block() * d.block() : d.columns;
    drain_columns(call, e, d, 0, whole_blocks);
    drain_columns(call, e, d, whole_blocks, d.columns);
}

// ---- forms --------------------------------------------------------------------------------------

constexpr IntrinsicForm kOutOfL0C{.signature = "w0x" "r1x" "i--" "i--" "Rqp" "Rfp" "Rnd" "Rat",
                                  .masking = kUnmasked,
                                  .check = &check_drain,
                                  .unit = IntrinsicUnit::kStore,
                                  .operands = &add_drain<kGlobalMemory>,
                                  .archs = IntrinsicArchs::kMemory};
constexpr IntrinsicForm kFromL0CToL1{.signature = "w0x" "r1x" "i--" "i--" "Rqp" "Rfp" "Rnd",
                                     .masking = kUnmasked,
                                     .check = &check_drain,
                                     .unit = IntrinsicUnit::kMove,
                                     .operands = &add_drain<Space::kL1>,
                                     .archs = IntrinsicArchs::kMemory};
constexpr IntrinsicForm drain_of_c310(IntrinsicUnit unit, void (*operands)(const IntrinsicCall&, Instruction&)) {
    return {.signature = "w0x" "r1x" "i--" "i--" "Rqp" "Rfp" "Rl3" "Rat" "Rch",
            .masking = kUnmasked,
            .check = &check_drain,
            .unit = unit,
            .operands = operands,
            .archs = IntrinsicArchs::kRegisters};
}
constexpr IntrinsicForm kOutOfL0COfC310 = drain_of_c310(IntrinsicUnit::kStore, &add_drain<kGlobalMemory>);
constexpr IntrinsicForm kFromL0CToL1OfC310 = drain_of_c310(IntrinsicUnit::kMove, &add_drain<Space::kL1>);
constexpr IntrinsicForm kFromL0CToUb = drain_of_c310(IntrinsicUnit::kMove, &add_drain<Space::kUB>);

}  // namespace

bool drain_uses(const IntrinsicCall& call, unsigned number) {
    const Drain drain(call);
    const QuantMode* const quant = drain.quant();
    switch (number) {
        case core_register::QUANT_PRE:
            return quant != nullptr && quant->scaled && !quant->by_column;
        case core_register::FPC:
            return quant != nullptr && quant->by_column;
        case core_register::ND_PARA:
            return !drain.in_blocks();
        default:
            return true;
    }
}

}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_fixpipe.def"
}
