#include "isa/assembly/bind/drains.h"

#include <algorithm>

// Operations and their operands: PTO-ISA/PTO-Gym docs, "FIXPIPE MTE Ops", with its cases.

namespace ptosim::assembly {
namespace {

// Numbers of the modes: include/cce/enumerations.hpp.
struct QuantWord {
    std::string_view word;
    uint64_t number;
};
constexpr std::array<QuantWord, 22> kQuantWords{{{"f32_f16", 1},
                                                 {"f32_bf16", 16},
                                                 {"req8_vec", 2},
                                                 {"req8_scalar", 3},
                                                 {"deqf16_vec", 4},
                                                 {"deqf16_scalar", 5},
                                                 {"deqs16_vec", 12},
                                                 {"deqs16_scalar", 13},
                                                 {"qf322b8_pre_vec", 23},
                                                 {"qf322b8_pre_scalar", 24},
                                                 {"qf322hif8_pre_scalar", 25},
                                                 {"qf322fp8_pre_scalar", 26},
                                                 {"qf322f32_pre_scalar", 27},
                                                 {"qf322hif8_pre_vec", 28},
                                                 {"qf322f16_pre_scalar", 32},
                                                 {"qf322f16_pre_vec", 33},
                                                 {"qf322bf16_pre_scalar", 34},
                                                 {"qs322bf16_pre_scalar", 35},
                                                 {"qf322bf16_pre_vec", 36},
                                                 {"qf322fp8_pre_vec", 37},
                                                 {"qf322f32_pre_vec", 38},
                                                 {"qs322bf16_pre_vec", 39}}};

constexpr uint64_t kColumns = 16, kAccumulatorBytes = 4;

// The word that a clause inside of another one has: mode = ...
std::string_view inner_word(const Operation& op, std::string_view name, std::string_view outer) {
    for (const Clause& clause : op.clauses)
        if (clause.name == name && clause.parent >= 0 && op.clauses[clause.parent].name == outer &&
            clause.items.size() == 1)
            return clause.items[0].text;
    return {};
}

}  // namespace

struct DrainBinder::Drain {
    Pointer to, from;
    Slot rows, columns, from_stride, to_stride;
    Slot core = kNoSlot;  // the vector core of a UB
    uint64_t modes = 0;   // the second word, without the stride
    Slot scale = kNoSlot, tables = kNoSlot, matrices = kNoSlot, atomic = kNoSlot, channels = kNoSlot;
};

void DrainBinder::quantise(const Operation& op, Drain& drain) {
    const Clause* given = op.clause("pre_quant");
    if (given == nullptr) return;
    const std::string_view word = inner_word(op, "mode", "pre_quant");
    const auto* found = std::ranges::find(kQuantWords, word, &QuantWord::word);
    if (found == kQuantWords.end())
        fail(given->location, "K03", "the mode '" + std::string(word) + "' of 'pre_quant' is not supported",
             "modes are f32_f16, f32_bf16, qf322f16_pre_scalar, ...: see the documents of PTO-Gym");
    drain.modes |= (found->number & 31) << 34 | found->number >> 5 << 29;
    if (given->items.size() != 1) fail(given->location, "K06", "'pre_quant' takes one payload");
    const Item& payload = given->items[0];
    if (word.ends_with("_vec")) {
        const Pointer table = pointer_of(op, payload, Space::kFixpipe);
        drain.tables = packed(op, {{by_constant(op, ScalarOp::kDivU, table.slot, 128), 8, 8}});
        return;
    }
    const Value& scale = value_of_kind(payload, ValueKind::kScalar);
    const DType type = element_type(*scale.type, payload.location);
    ScalarFormat format;
    format.dtype = type;
    format.to_dtype = DType::kF32;
    drain.scale = type == DType::kF32 || is_integer(type)
                      ? scale.slot
                      : scalars_.emit_scalar(op, ScalarOp::kConvertFloat, format, scale.slot, kNoSlot);
}

void DrainBinder::relu(const Operation& op, Drain& drain) {
    const Clause* given = op.clause("pre_relu");
    if (given == nullptr) return;
    const std::string_view word = inner_word(op, "mode", "pre_relu");
    if (word == "normal_relu")
        drain.modes |= uint64_t{1} << 39;
    else if (word != "no_relu")
        fail(given->location, "K03", "the mode '" + std::string(word) + "' of 'pre_relu' is not supported",
             "modes are no_relu normal_relu");
    for (const Clause& clause : op.clauses)
        if (clause.name == "clip")
            fail(clause.location, "K03", "the clause 'clip' of 'pre_relu' is not supported");
}

void DrainBinder::arrange(const Operation& op, Drain& drain) {
    const bool as_rows = has_word(op, "nz2nd"), as_columns = op.clause("nz2dn") != nullptr;
    if (as_rows) drain.modes |= uint64_t{1} << 43;
    if (as_columns) {
        drain.modes |= uint64_t{1} << 62;
        drain.channels = packed(op, {{numbers(op, "nz2dn", 1, 1)[0], 48, 16}});
    }
    if (op.clause("nz2nz") != nullptr) {
        const std::vector<Slot> split = numbers(op, "nz2nz", 0, 1);
        if (!split.empty() && !is_constant(split[0]))
            fail(op, "K03", "the operand of 'nz2nz' must be a constant");
        if (!split.empty() && constant_value(split[0]) != 0) drain.modes |= uint64_t{1} << 42;
    }
    drain.matrices = constant(1);
    if (op.clause("loop3") == nullptr) return;
    const std::vector<Slot> loop = numbers(op, "loop3", 3, 3);
    drain.matrices = packed(op, {{loop[0], 0, 16}, {loop[1], 16, 16}, {loop[2], 32, 32}});
}

void DrainBinder::combine(const Operation& op, Drain& drain) {
    const Clause* given = op.clause("atomic");
    if (given == nullptr) return;
    const std::string_view type = inner_word(op, "type", "atomic"), word = inner_word(op, "op", "atomic");
    const AtomicMode mode = word == "add"   ? AtomicMode::kAdd
                            : word == "max" ? AtomicMode::kMax
                            : word == "min" ? AtomicMode::kMin
                                            : AtomicMode::kNone;
    if (mode == AtomicMode::kNone)
        fail(given->location, "K09", "'" + std::string(word) + "' is not a value of 'op'",
             "values are add max min");
    static constexpr std::pair<std::string_view, DType> kTypes[] = {
        {"f32", DType::kF32}, {"f16", DType::kF16}, {"bf16", DType::kBF16},
        {"s32", DType::kI32}, {"s16", DType::kI16}, {"s8", DType::kI8}};
    const auto* found = std::ranges::find(kTypes, type, &std::pair<std::string_view, DType>::first);
    if (found == std::end(kTypes))
        fail(given->location, "K09", "'" + std::string(type) + "' is not a value of 'type'",
             "values are f32 f16 bf16 s32 s16 s8");
    drain.atomic = constant(static_cast<uint64_t>(mode) | (static_cast<uint64_t>(found->second) + 1) << 8);
}

void DrainBinder::add(const Operation& op, const Drain& d) {
    const Slot size =
        packed(op, {{d.core == kNoSlot ? constant(0) : d.core, 0, 1}, {d.columns, 4, 12}, {d.rows, 16, 16},
                    {d.to_stride, 32, 32}});
    const Slot modes = by_constant(op, ScalarOp::kOr, packed(op, {{d.from_stride, 0, 16}}), d.modes);
    const IntrinsicOpcode opcode = !d.to.space               ? IntrinsicOpcode::kcopy_matrix_cc_to_gm_c310
                                   : *d.to.space == Space::kL1 ? IntrinsicOpcode::kcopy_matrix_cc_to_cbuf_c310
                                                             : IntrinsicOpcode::kcopy_matrix_cc_to_ub;
    call(op, opcode, Pipe::kFIX, {d.to, d.from},
         {d.to.slot, d.from.slot, size, modes, d.scale, d.tables, d.matrices, d.atomic, d.channels});
}

// To the UB of both vector cores: two instructions.
void DrainBinder::add_halves(const Operation& op, Drain drain, bool of_rows) {
    Slot& count = of_rows ? drain.rows : drain.columns;
    count = by_constant(op, ScalarOp::kDivU, count, 2);
    drain.core = constant(0);
    add(op, drain);
    // Columns are in blocks of 16.
    const Slot lines = of_rows ? count
                               : computed(op, ScalarOp::kMul, by_constant(op, ScalarOp::kDivU, count, kColumns),
                                          drain.from_stride);
    drain.from.slot = computed(op, ScalarOp::kAdd, drain.from.slot,
                               by_constant(op, ScalarOp::kMul, lines, kColumns * kAccumulatorBytes));
    drain.core = constant(1);
    add(op, drain);
}

void DrainBinder::drain(const Operation& op) {
    const std::optional<Space> space = op.name == "pto.mte_l0c_gm"   ? std::nullopt
                                       : op.name == "pto.mte_l0c_l1" ? std::optional(Space::kL1)
                                                                     : std::optional(Space::kUB);
    Drain drain;
    drain.from = pointer(op, 0, Space::kL0C);
    drain.to = pointer(op, 1, space);
    drain.rows = number(op, 2);
    drain.columns = number(op, 3);
    drain.from_stride = number(op, 4);
    drain.to_stride = number(op, 5);
    drain.modes = unit_flag(op, "check_and_clear") << 32;
    quantise(op, drain);
    relu(op, drain);
    arrange(op, drain);
    if (!space) combine(op, drain);
    if (space != Space::kUB) return add(op, drain);
    const std::string_view word = word_in(op, "dst_mode");
    if (word == "split_m" || word == "split_n") return add_halves(op, drain, word == "split_m");
    drain.core = numbers(op, "dst_mode", 1, 1)[0];
    add(op, drain);
}

}  // namespace ptosim::assembly
