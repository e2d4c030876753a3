#include "isa/assembly/bind/cube.h"

#include <algorithm>

// Operations and their operands: PTO-ISA/PTO-Gym docs, "Cube Matrix Multiply", with its cases.

namespace ptosim::assembly {
namespace {

constexpr uint64_t kLineBytes = 32;  // of a fractal, which has 16
constexpr unsigned kTf32 = 46, kTf32Away = 47;  // bits of CTRL

}  // namespace

void CubeBinder::load(const Operation& op) {
    const Pointer from = pointer(op, 0, std::nullopt), to = pointer(op, 1, Space::kL1);
    const std::vector<Slot> bursts = numbers(op, "nburst", 3, 3);
    std::vector<const Clause*> loops;
    for (const Clause& clause : op.clauses)
        if (clause.name == "loop") loops.push_back(&clause);
    if (loops.size() > 2)
        fail(op, "K03", "'" + std::string(op.name) + "' of more than two loops is not supported",
             "the instruction has two");
    std::array<Slot, 2> counts, steps;
    counts.fill(constant(1));
    steps.fill(constant(0));
    for (size_t i = 0; i < loops.size(); ++i) {
        if (loops[i]->items.size() != 3)
            fail(loops[i]->location, "K06", "'loop' takes a count and two strides");
        counts[i] = integer(loops[i]->items[0]);
        steps[i] = packed(op, {{integer(loops[i]->items[1]), 0, 40}, {integer(loops[i]->items[2]), 40, 21}});
    }
    const Slot sizes = packed(op, {{counts[0], 0, 21}, {counts[1], 21, 21}});
    call(op, IntrinsicOpcode::kcopy_gm_to_cbuf_align_v2, Pipe::kMTE2, {to, from},
         {to.slot, from.slot, bursts[0], number(op, 2), bursts[1], bursts[2], sizes, steps[0], steps[1]});
}

void CubeBinder::load_matrix(const Operation& op) {
    const Pointer from = pointer(op, 0, std::nullopt), to = pointer(op, 1, Space::kL1);
    const bool by_rows = has_word(op, "nd2nz");
    if (!by_rows && !has_word(op, "dn2nz"))
        fail(op, "K09", "'" + std::string(op.name) + "' needs nd2nz or dn2nz");
    const std::vector<Slot> shape = numbers(op, "shape", 2, 2), source = numbers(op, "src_layout", 1, 2),
                            group = numbers(op, "dst_group", 4, 4);
    const Clause& control = clause(op, "ctrl");
    if (control.items.size() != 2) fail(control.location, "K06", "'ctrl' takes two values");
    const Slot small = control.items[1].kind == Item::Kind::kValue
                           ? value_of_kind(control.items[1], ValueKind::kScalar).slot
                           : constant(control.items[1].text == "true");
    const Slot places = packed(op, {{group[0], 0, 16}, {group[1], 16, 16}, {group[2], 32, 16}, {group[3], 48, 16}});
    call(op,
         by_rows ? IntrinsicOpcode::kcopy_gm_to_cbuf_multi_nd2nz : IntrinsicOpcode::kcopy_gm_to_cbuf_multi_dn2nz,
         Pipe::kMTE2, {to, from},
         {to.slot, from.slot, kNoSlot, source[0], kNoSlot, shape[0], shape[1],
          source.size() == 2 ? source[1] : kNoSlot, small, places});
}

// In blocks of 32 bytes, as hw-native-sys/PTOAS lib/PTO/Transforms/VPTOExpandWrapperOps.cpp passes
// them on; the document speaks of bytes from begin to begin, which its cases do not write.
void CubeBinder::leave_l1(const Operation& op) {
    const Pointer from = pointer(op, 0, Space::kL1), to = pointer(op, 1, Space::kUB);
    if (op.clause("loop") != nullptr)
        fail(op, "K03", "the clause 'loop' of '" + std::string(op.name) + "' is not supported yet");
    const std::vector<Slot> bursts = numbers(op, "nburst", 3, 3);
    call(op, IntrinsicOpcode::kcopy_cbuf_to_ubuf, Pipe::kMTE1, {to, from},
         {to.slot, from.slot, kNoSlot, bursts[0], number(op, 2), bursts[1], bursts[2]});
}

void CubeBinder::parameters(const Operation& op) {
    const bool bias = op.name == "pto.mte_l1_bt";
    const Pointer from = pointer(op, 0, Space::kL1),
                  to = pointer(op, 1, bias ? Space::kBias : Space::kFixpipe);
    const std::vector<Slot> bursts = numbers(op, "nburst", 3, 3);
    const Slot length = number(op, 2);
    if (bias)
        call(op, IntrinsicOpcode::kcopy_cbuf_to_bt_c310, Pipe::kMTE1, {to, from},
             {to.slot, from.slot, constant(from.type == DType::kF16 && to.type == DType::kF32), bursts[0],
              length, bursts[1], bursts[2]});
    else
        call(op, IntrinsicOpcode::kcopy_cbuf_to_fbuf_c310, Pipe::kFIX, {to, from},
             {to.slot, from.slot, bursts[0], length, bursts[1], bursts[2]});
}

// A matrix in fractals of 16 rows and 32 bytes. L0B holds the columns of its factor as such rows.
// Transposed, both extents are whole lines (hw-native-sys/PTOAS
// lib/PTO/Transforms/VPTOExpandWrapperOps.cpp).
void CubeBinder::factor(const Operation& op) {
    const bool left = op.name == "pto.mte_l1_l0a";
    const Pointer from = pointer(op, 0, Space::kL1), to = pointer(op, 1, left ? Space::kL0A : Space::kL0B);
    const Slot outer = number(op, left ? 2 : 3), inner = number(op, left ? 3 : 2);  // m or n, and k
    const uint64_t line = 8 * kLineBytes / bits(from.type), square = std::max<uint64_t>(line, 16);
    const bool transposed = flag(op, "transpose");
    // The product of an extent's number of squares and `per_unit`.
    const auto whole = [&](Slot extent, uint64_t per_unit) {
        return by_constant(op, ScalarOp::kMul, units(op, extent, square), square / per_unit);
    };
    const Slot rows = transposed ? whole(inner, 16) : units(op, outer, 16);
    const Slot columns = transposed ? whole(outer, line) : units(op, inner, line);
    const Slot to_pitch = transposed ? whole(outer, 16) : rows;
    call(op, left ? IntrinsicOpcode::kload_cbuf_to_ca_c310 : IntrinsicOpcode::kload_cbuf_to_cb_c310, Pipe::kMTE1,
         {to, from}, {to.slot, from.slot, kNoSlot, kNoSlot, rows, columns, rows, to_pitch, constant(transposed)});
}

void CubeBinder::scales(const Operation& op) {
    const bool left = op.name == "pto.mte_l1_l0a_mx";
    const Pointer from = pointer(op, 0, Space::kL1), to = pointer(op, 1, left ? Space::kL0A : Space::kL0B);
    const Slot outer = units(op, number(op, left ? 2 : 3), 16), groups = units(op, number(op, left ? 3 : 2), 64);
    call(op, left ? IntrinsicOpcode::kload_cbuf_to_ca_mx : IntrinsicOpcode::kload_cbuf_to_cb_mx, Pipe::kMTE1,
         {to, from},
         {by_constant(op, ScalarOp::kDivU, to.slot, 16), from.slot, kNoSlot, kNoSlot, outer, groups, groups, groups});
}

void CubeBinder::fractals(const Operation& op) {
    const bool left = op.name == "pto.load_cbuf_to_ca";
    const Pointer from = pointer(op, 0, Space::kL1), to = pointer(op, 1, left ? Space::kL0A : Space::kL0B);
    std::vector<Slot> words{to.slot, from.slot};
    for (size_t i = 2; i < 8; ++i) words.push_back(number(op, i));
    words.push_back(constant(flag(op, "transpose")));
    call(op, left ? IntrinsicOpcode::kload_cbuf_to_ca_c310 : IntrinsicOpcode::kload_cbuf_to_cb_c310, Pipe::kMTE1,
         {to, from}, std::move(words));
}

void CubeBinder::multiply(const Operation& op) {
    const bool scaled = op.name.find("mad_mx") != op.name.npos, biased = op.name.ends_with("_bias"),
               onto = op.name.ends_with("_acc");
    const Pointer a = pointer(op, 0, Space::kL0A), b = pointer(op, 1, Space::kL0B), c = pointer(op, 2, Space::kL0C);
    const size_t next = biased ? 4 : 3;
    Slot to = c.slot;
    if (biased)
        to = packed(op, {{c.slot, 0, 32}, {pointer(op, 3, Space::kBias).slot, 32, 32}});
    uint64_t ctrl = 0;
    if (op.clause("tf32_mode") != nullptr) {
        const std::string_view word = word_in(op, "tf32_mode");
        if (word != "round_even" && word != "round_away")
            fail(op, "K09", "'" + std::string(word) + "' is not a value of 'tf32_mode'",
                 "values are round_even round_away");
        ctrl = uint64_t{1} << kTf32 | uint64_t{word == "round_away"} << kTf32Away;
    }
    call(op, scaled ? IntrinsicOpcode::kmad_mx : IntrinsicOpcode::kmad_c310, Pipe::kM, {c, a, b},
         {to, a.slot, b.slot, number(op, next), number(op, next + 2), number(op, next + 1),
          constant(unit_flag(op, "check_and_set")), constant(has_word(op, "disable_gemv")), constant(biased),
          constant(!biased && !onto)},
         ctrl);
}

}  // namespace ptosim::assembly
