#include "isa/semantics/fixpipe.h"

#include <algorithm>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Arguments in two words: hw-native-sys/pto-isa include/pto/npu/a2a3/TStore.hpp,
// include/pto/common/arch/memory/tstore_common.hpp. Units and meaning: cann/asc-devkit
// docs/zh/api/SIMD-API, Fixpipe (FixpipeParamsV220), SetFixpipeNz2ndFlag, SetFixPipeConfig.

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kSize = 2, kModes = 3, kScale = 4, kTables = 5, kMatrices = 6, kAtomic = 7;
constexpr uint64_t kColumns = 16;  // of a block of L0C

// What a mode of quantisation makes (hw-native-sys/pto-isa include/pto/common/type.hpp, QuantMode_t).
struct QuantMode {
    uint64_t number;
    DType from, to;  // kI8: i8 or u8
    bool scaled, by_column;
};
constexpr std::array<QuantMode, 10> kQuantModes{{{1, DType::kF32, DType::kF16, false, false},
                                                 {16, DType::kF32, DType::kBF16, false, false},
                                                 {2, DType::kI32, DType::kI8, true, true},
                                                 {3, DType::kI32, DType::kI8, true, false},
                                                 {4, DType::kI32, DType::kF16, true, true},
                                                 {5, DType::kI32, DType::kF16, true, false},
                                                 {12, DType::kI32, DType::kI16, true, true},
                                                 {13, DType::kI32, DType::kI16, true, false},
                                                 {23, DType::kF32, DType::kI8, true, true},
                                                 {24, DType::kF32, DType::kI8, true, false}}};

// copy_matrix_cc_to_*(dst, src, size, modes) with the registers that it reads.
struct Drain {
    explicit Drain(const IntrinsicCall& call);

    uint64_t columns, rows;
    uint64_t to_stride;    // as rows: elements from row to row; else 32 bytes from block to block
    uint64_t from_stride;  // rows of 16 elements from block to block
    uint64_t flag, mode, relu;
    bool split, as_rows;
    uint64_t matrices = 1, from_matrix = 0, to_matrix = 0;  // as rows: elements
    DType from, to;

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
    : columns{bits_of(call.arguments[kSize], 4, 12)},
      rows{bits_of(call.arguments[kSize], 16, 16)},
      to_stride{bits_of(call.arguments[kSize], 32, 32)},
      from_stride{bits_of(call.arguments[kModes], 0, 16)},
      flag{bits_of(call.arguments[kModes], 32, 2)},
      mode{bits_of(call.arguments[kModes], 34, 5)},
      relu{bits_of(call.arguments[kModes], 39, 3)},
      split{bits_of(call.arguments[kModes], 42, 1) != 0},
      as_rows{bits_of(call.arguments[kModes], 43, 1) != 0},
      from{call.types[1]},
      to{call.types[0]} {
    if (as_rows) {
        matrices = bits_of(call.arguments[kMatrices], 0, 16);
        from_matrix = bits_of(call.arguments[kMatrices], 16, 16) * 256;
        to_matrix = bits_of(call.arguments[kMatrices], 32, 16);
    }
    // Pointers may have the width alone.
    if (const QuantMode* made = quant(); made != nullptr && bits(made->to) == 16 && bits(to) == 16)
        to = made->to;
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
    if (made == nullptr)
        return refuse_mode(call, "S01", "quantisation mode " + std::to_string(d.mode),
                           "the modes of a2a3 are 0 to 5, 12, 13, 16, 23, 24", problem);
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
    if (d.split && (d.as_rows || d.to != DType::kF32 || d.from != DType::kF32))
        return refuse_mode(call, "T03", "split channels of " + std::string(name(d.to)) + (d.as_rows ? " in rows" : ""),
                           "channels are split in blocks of f32", problem);
    if (!d.as_rows && d.columns % (d.split ? 8 : kColumns) != 0)
        return refuse_argument(call, kSize, "S01", std::to_string(d.columns) + " columns",
                               d.split ? "split channels are a multiple of 8" : "blocks have 16 columns", problem);
    if (!d.as_rows && !check_address(call, 0, kC0Bytes, problem)) return false;
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
    const uint64_t pitch = d.as_rows ? d.to_stride : d.block();
    const uint64_t length = d.as_rows ? d.columns : std::min(d.block(), d.columns);
    GlobalView view = global_rows(call.arguments[0], d.rows, length, pitch, d.to);
    view.shape[2] = static_cast<int32_t>(d.as_rows ? d.matrices : d.blocks());
    view.stride[2] = static_cast<int64_t>(d.as_rows ? d.to_matrix : d.to_stride * kC0Bytes / d.element());
    view.stride[0] = view.stride[1] = view.stride[2] * view.shape[2];
    return view;
}

Tile target_tile(const IntrinsicCall& call, const Drain& d) {
    const uint64_t address = call.arguments[0];
    if (!d.as_rows)
        return byte_rows(Space::kL1, address, d.blocks(), d.rows * std::min(d.block(), d.columns) * d.element(),
                         d.to_stride * kC0Bytes);
    const uint64_t length = d.columns * d.element();
    if (d.matrices == 1) return byte_rows(Space::kL1, address, d.rows, length, d.to_stride * d.element());
    const uint64_t extent = ((d.matrices - 1) * d.to_matrix + (d.rows - 1) * d.to_stride) * d.element() + length;
    return byte_rows(Space::kL1, address, 1, extent, extent);
}

// FPC: bits 15 to 8 are the address of the scales in 128 bytes.
uint64_t scale_table(const IntrinsicCall& call) { return bits_of(call.arguments[kTables], 8, 8) * 128; }

template <bool ToGlobal>
void add_drain(const IntrinsicCall& call, Instruction& instruction) {
    const Drain d(call);
    if (ToGlobal && d.empty()) return;
    Attributes& attributes = instruction.attributes;
    attributes.phase = unit_flag(d.flag);
    attributes.relu = d.relu == 1 ? ReluMode::kNormal : ReluMode::kNone;
    if (ToGlobal) {
        attributes.atomic = atomic_mode(call.arguments[kAtomic]);
        instruction.add(target_view(call, d));
    } else {
        instruction.add(d.empty() ? byte_rows(Space::kL1, call.arguments[0], 0, 0, 0) : target_tile(call, d));
    }
    instruction.add(accumulators(call, d));
    if (const QuantMode* made = d.quant(); made != nullptr && made->by_column) {
        Tile table = make_tile(Space::kFixpipe, DType::kU64, 1, static_cast<int32_t>(d.columns));
        table.address = static_cast<uint32_t>(scale_table(call));
        instruction.add(table);
    }
}

// ---- data ---------------------------------------------------------------------------------------

// Where columns [first, end) are, in the target and in L0C; as blocks, from their first column on.
void assign_places(const Drain& d, uint64_t first, uint64_t end, semantics::Grid& to, semantics::Grid& from) {
    // Two blocks of 16 columns make one of 32 of 8-bit elements; the last of an odd number is left alone.
    const uint64_t block = d.as_rows ? d.columns : std::min(d.block(), end - first);
    const uint64_t row = d.as_rows ? d.to_stride : block, step = d.to_stride * kC0Bytes / d.element();
    to.row.resize(d.rows);
    from.row.resize(d.rows);
    for (uint64_t i = 0; i < d.rows; ++i) {
        to.row[i] = static_cast<int64_t>(i * row);
        from.row[i] = static_cast<int64_t>(i * kColumns);
    }
    to.col.resize(end - first);
    from.col.resize(end - first);
    for (uint64_t i = 0; i < end - first; ++i) {
        const uint64_t j = first + i;
        to.col[i] = static_cast<int64_t>(d.as_rows ? j : j / d.block() * step + j % d.block());
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
    const uint64_t whole_blocks = d.as_rows ? d.columns : d.columns / d.block() * d.block();
    drain_columns(call, e, d, 0, whole_blocks);
    drain_columns(call, e, d, whole_blocks, d.columns);
}

// ---- forms --------------------------------------------------------------------------------------

constexpr IntrinsicForm kOutOfL0C{.signature = "w0x" "r1x" "i--" "i--" "Rqp" "Rfp" "Rnd" "Rat",
                                  .masking = kUnmasked,
                                  .check = &check_drain,
                                  .unit = IntrinsicUnit::kStore,
                                  .operands = &add_drain<true>};
constexpr IntrinsicForm kFromL0CToL1{.signature = "w0x" "r1x" "i--" "i--" "Rqp" "Rfp" "Rnd",
                                     .masking = kUnmasked,
                                     .check = &check_drain,
                                     .unit = IntrinsicUnit::kMove,
                                     .operands = &add_drain<false>};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_fixpipe.def"
}
