// The table itself, attribute words, and errors that legality reports.
#include "isa/table/instruction_table.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "isa/core/kernel.h"
#include "isa/legality/legality.h"
#include "isa/table/access.h"
#include "isa/table/attributes.h"

using namespace ptosim;

namespace {

Tile ub(DType type, int rows, int cols) { return make_tile(Space::kUB, type, rows, cols); }

Tile column(DType type, int rows) {
    return make_tile(Space::kUB, type, rows, 1, OuterLayout::kColMajor);
}

Tile nz(Space space, DType type, int rows, int cols, uint16_t fractal = 512) {
    return make_tile(space, type, rows, cols, OuterLayout::kColMajor, InnerLayout::kRowMajor,
                     fractal);
}

GlobalView matrix(DType type, int rows, int cols, GlobalLayout layout = GlobalLayout::kND) {
    GlobalView view;
    view.dtype = type;
    view.layout = layout;
    view.shape[3] = rows;
    view.shape[4] = cols;
    view.stride[3] = layout == GlobalLayout::kND ? cols : 1;
    view.stride[4] = layout == GlobalLayout::kND ? 1 : rows;
    return view;
}

Instruction make(Opcode opcode, std::initializer_list<Operand> operands) {
    Instruction instruction(opcode);
    for (const Operand& operand : operands) instruction.add(operand);
    return instruction;
}

// "" if legal, otherwise "code operand".
std::string verdict(const Instruction& instruction, Arch arch = Arch::kA2A3) {
    Problem problem;
    if (check_legality(instruction, arch, problem)) return "";
    CHECK_FALSE(problem.message.empty());
    std::string text = problem.code;
    if (problem.operand >= 0) text += ' ' + std::to_string(problem.operand);
    return text;
}

}  // namespace

TEST_CASE("rows are consistent") {
    std::set<std::string> words;
    for (const InstructionInfo& row : instruction_table()) {
        INFO(row.name);
        CHECK(&info(row.opcode) == &row);
        CHECK(find_instruction(row.name) == &row);
        if (!row.assembly.empty()) {
            CHECK(find_instruction(row.assembly) == &row);
            CHECK(words.insert(std::string(row.assembly)).second);
        }
        CHECK(row.operands.size() <= Instruction::kMaxOperands);
        CHECK_FALSE(row.summary.empty());
        for (const OperandInfo& operand : row.operands) CHECK_FALSE(operand.name.empty());
    }
    CHECK(find_instruction("tmatmul.acc") == &info(Opcode::kTMATMUL_ACC));
    CHECK(find_instruction("nonsense") == nullptr);
}

TEST_CASE("the pipe follows from the memories of the operands") {
    const Tile u = ub(DType::kF16, 16, 32);
    const Tile l1 = nz(Space::kL1, DType::kF16, 16, 32);
    const Tile c = nz(Space::kL0C, DType::kF32, 16, 32, 1024);
    Tile a = nz(Space::kL0A, DType::kF16, 16, 32);
    const GlobalView g = matrix(DType::kF16, 16, 32);
    CHECK(pipe_of(make(Opcode::kTLOAD, {u, g}), Arch::kA2A3) == Pipe::kMTE2);
    CHECK(pipe_of(make(Opcode::kTSTORE, {g, u}), Arch::kA2A3) == Pipe::kMTE3);
    CHECK(pipe_of(make(Opcode::kTSTORE, {g, c}), Arch::kA2A3) == Pipe::kFIX);
    CHECK(pipe_of(make(Opcode::kTMOV, {a, l1}), Arch::kA2A3) == Pipe::kMTE1);
    CHECK(pipe_of(make(Opcode::kTMOV, {u, u}), Arch::kA2A3) == Pipe::kV);
    CHECK(pipe_of(make(Opcode::kTMOV, {l1, c}), Arch::kA2A3) == Pipe::kFIX);
    CHECK(pipe_of(make(Opcode::kTADD, {u, u, u}), Arch::kA2A3) == Pipe::kV);
    const Tile indices = ub(DType::kI32, 16, 32);
    const Instruction gather = make(Opcode::kMGATHER, {u, g, indices});
    CHECK(pipe_of(gather, Arch::kA2A3) == Pipe::kMTE2);
    CHECK(pipe_of(gather, Arch::kA5) == Pipe::kV);
    CHECK(pipe_of(make(Opcode::kMGATHER, {l1, g, g}), Arch::kA5) == Pipe::kMTE2);
    const Instruction scatter = make(Opcode::kMSCATTER, {g, u, indices});
    CHECK(pipe_of(scatter, Arch::kA2A3) == Pipe::kMTE3);
    CHECK(pipe_of(scatter, Arch::kA5) == Pipe::kV);
    CHECK(core_of(gather) == CoreType::kAIV);
    CHECK(core_of(make(Opcode::kTLOAD, {l1, g})) == CoreType::kAIC);
    CHECK(core_of(make(Opcode::kTLOAD, {u, g})) == CoreType::kAIV);
}

TEST_CASE("a run goes on over the destination's lanes where a source's tile holds them") {
    const Tile whole = ub(DType::kF32, 8, 16);
    Tile part = whole;
    part.valid_cols = 4;
    Problem problem;
    CHECK_FALSE(check_legality(make(Opcode::kTADD, {whole, whole, part}), Arch::kA5, problem));
    CHECK((problem.code == "S04" && problem.goes_on));
    // Not beyond the tile, and not if anything else is wrong.
    problem = {};
    CHECK_FALSE(check_legality(make(Opcode::kTADD, {whole, whole, ub(DType::kF32, 4, 16)}),
                               Arch::kA5, problem));
    CHECK((problem.code == "S04" && !problem.goes_on));
    problem = {};
    Tile other = part;
    other.dtype = DType::kI32;
    CHECK_FALSE(check_legality(make(Opcode::kTADD, {whole, whole, other}), Arch::kA5, problem));
    CHECK((problem.code == "T01" && !problem.goes_on));
    problem = {};
    CHECK_FALSE(check_legality(make(Opcode::kTCOLEXPAND, {whole, part}), Arch::kA5, problem));
    CHECK((problem.code == "S07" && problem.goes_on));
    // A column with a row for each row of the destination, although only some of it is valid.
    Tile longer = column(DType::kF32, 8), few = whole;
    few.valid_rows = 2;
    for (const Instruction& instruction : {make(Opcode::kTROWEXPANDMUL, {few, few, longer}),
                                           make(Opcode::kTROWEXPAND, {few, longer})}) {
        problem = {};
        CHECK_FALSE(check_legality(instruction, Arch::kA2A3, problem));
        CHECK((problem.code == "S07" && problem.goes_on));
    }
    const Tile tall = ub(DType::kF32, 16, 16);
    problem = {};
    CHECK_FALSE(
        check_legality(make(Opcode::kTROWEXPANDMUL, {tall, tall, longer}), Arch::kA2A3, problem));
    CHECK((problem.code == "S07" && !problem.goes_on));
}

TEST_CASE("a transfer of nothing is legal where tile and view agree that there is nothing") {
    const auto judge = [](const Instruction& instruction, Arch arch) {
        Problem problem;
        return check_legality(instruction, arch, problem) ? std::string("legal") : problem.code;
    };
    Tile tile = ub(DType::kF32, 8, 64), nothing = tile;
    nothing.valid_rows = 0;
    const GlobalView none = matrix(DType::kF32, 0, 64), some = matrix(DType::kF32, 8, 64);
    for (const Arch arch : {Arch::kA2A3, Arch::kA5}) {
        CHECK(judge(make(Opcode::kTLOAD, {nothing, none}), arch) == "legal");
        CHECK(judge(make(Opcode::kTSTORE, {none, nothing}), arch) == "legal");
        CHECK(judge(make(Opcode::kTLOAD, {tile, none}), arch) == "S03");
        CHECK(judge(make(Opcode::kTLOAD, {nothing, some}), arch) == "S03");
        CHECK(judge(make(Opcode::kTSTORE, {some, nothing}), arch) == "S03");
    }
    Tile narrow = nothing;
    narrow.valid_cols = 32;
    CHECK(judge(make(Opcode::kTLOAD, {narrow, none}), Arch::kA2A3) == "S03");
}

TEST_CASE("a run goes on where a line in UB is shorter than the view's") {
    const auto judge = [](const Instruction& instruction, Arch arch = Arch::kA2A3) {
        Problem problem;
        if (check_legality(instruction, arch, problem)) return std::string("legal");
        return problem.code + (problem.goes_on ? " goes on" : "");
    };
    const auto load = [](const Tile& tile, const GlobalView& view) {
        return make(Opcode::kTLOAD, {tile, view});
    };
    const auto store = [](const GlobalView& view, const Tile& tile) {
        return make(Opcode::kTSTORE, {view, tile});
    };
    Tile line = ub(DType::kF32, 1, 32);
    line.valid_cols = 7;
    const GlobalView view = matrix(DType::kF32, 1, 32);
    CHECK(judge(load(line, view)) == "S04 goes on");
    CHECK(judge(store(view, line)) == "S04 goes on");
    CHECK(judge(store(view, line), Arch::kA5) == "S04 goes on");
    CHECK(judge(load(line, view), Arch::kA5) == "legal");
    Tile down = column(DType::kF32, 32);
    down.valid_rows = 7;
    const GlobalView columns = matrix(DType::kF32, 32, 1, GlobalLayout::kDN);
    CHECK(judge(load(down, columns)) == "S04 goes on");
    // Not a longer line, several lines, or another memory.
    CHECK(judge(load(line, matrix(DType::kF32, 1, 6))) == "S04");
    Tile two = ub(DType::kF32, 2, 32);
    two.valid_cols = 7;
    CHECK(judge(load(two, matrix(DType::kF32, 2, 32))) == "S04");
    Tile elsewhere = line;
    elsewhere.space = Space::kL1;
    CHECK(judge(load(elsewhere, view)) == "S04");
}

TEST_CASE("a transfer touches of its view what its tile takes") {
    Tile line = ub(DType::kF32, 1, 32);
    line.valid_cols = 7;
    const auto bytes_of_view = [](const Tile& tile, const GlobalView& view) {
        return touched_view(make(Opcode::kTLOAD, {tile, view}), 1).span_bytes();
    };
    CHECK(bytes_of_view(line, matrix(DType::kF32, 1, 32)) == 28);
    CHECK(accesses(make(Opcode::kTSTORE, {matrix(DType::kF32, 1, 32), line})).items[0].end == 28);
    // The first 3 rows of 8, and of each the first 7 columns of 32.
    Tile part = ub(DType::kF32, 8, 32);
    part.valid_rows = 3;
    part.valid_cols = 7;
    CHECK(bytes_of_view(part, matrix(DType::kF32, 8, 32)) == 2 * 128 + 28);
    // A row that becomes a column is taken whole.
    CHECK(bytes_of_view(column(DType::kF32, 32), matrix(DType::kF32, 1, 32)) == 128);
}

TEST_CASE("attribute words set their fields in both spellings") {
    Attributes a;
    auto set = [&](AttributeSet attribute_set, std::string_view key, std::string_view word) {
        const AttributeInfo* row = find_attribute(attribute_set, key);
        return row != nullptr && row->set(a, word);
    };
    CHECK(set(kAttrRound, "rmode", "ROUND"));
    CHECK(a.round == RoundMode::kRound);
    CHECK(set(kAttrRound, "rmode", "CAST_TRUNC"));
    CHECK(a.round == RoundMode::kTrunc);
    CHECK_FALSE(set(kAttrRound, "rmode", "SIDEWAYS"));
    CHECK(a.round == RoundMode::kTrunc);
    CHECK(set(kAttrSaturation, "satMode", "OFF"));
    CHECK(a.saturation == Saturation::kOff);
    CHECK(a.saturation_from == SaturationFrom::kKernel);
    CHECK(set(kAttrCompare, "cmpMode", "ge"));
    CHECK(a.compare == CompareMode::kGe);
    CHECK(set(kAttrAtomic, "atomicType", "AtomicAdd"));
    CHECK(a.atomic == AtomicMode::kAdd);
    CHECK(set(kAttrAtomic, "atomicType", "atomic_none"));
    CHECK(a.atomic == AtomicMode::kNone);
    CHECK(set(kAttrRelu, "reluPreMode", "normal_relu"));
    CHECK(a.relu == ReluMode::kNormal);
    CHECK(set(kAttrPhase, "accPhase", "final"));
    CHECK(a.phase == UnitFlagPhase::kFinal);
    CHECK(set(kAttrAccToVec, "accToVecMode", "dual_mode_split_n"));
    CHECK(a.acc_to_vec == AccToVec::kDualSplitN);
    CHECK(set(kAttrMaskPattern, "maskPattern", "P1010"));
    CHECK(a.mask_pattern == 2);
    CHECK(set(kAttrPipes, "src_pipe", "PIPE_MTE2"));
    CHECK(set(kAttrPipes, "dst_pipe", "V"));
    CHECK(a.source_pipe == Pipe::kMTE2);
    CHECK(a.destination_pipe == Pipe::kV);
    CHECK(set(kAttrEvent, "event_id", "EVENT_ID3"));
    CHECK(a.event_id == 3);
    CHECK(set(kAttrUpper, "upperOrLower", "1"));
    CHECK(a.upper);
    CHECK(set(kAttrByteSelect, "isMSB", "true"));
    CHECK(a.byte_select == 1);
    // Only attributes listed in the row are found.
    CHECK(find_attribute(kAttrRelu, "rmode") == nullptr);
}

TEST_CASE("element-wise instructions: kinds, memories, types, layouts and valid regions") {
    const Tile t = ub(DType::kF32, 8, 64);
    CHECK(verdict(make(Opcode::kTADD, {t, t, t})).empty());
    CHECK(verdict(make(Opcode::kTADD, {t, t})) == "T00 2");
    CHECK(verdict(make(Opcode::kTADD, {t, t, t, t})) == "T00");
    CHECK(verdict(make(Opcode::kTADD, {t, t, Scalar{0, DType::kF32}})) == "T00 2");
    CHECK(verdict(make(Opcode::kTADD, {t, nz(Space::kL1, DType::kF32, 16, 64), t})) == "L01 1");
    CHECK(verdict(make(Opcode::kTADD, {t, t, ub(DType::kI32, 8, 64)})) == "T01 2");
    const Tile i8 = ub(DType::kI8, 8, 64);
    CHECK(verdict(make(Opcode::kTADD, {i8, i8, i8})) == "T03 1");
    CHECK(verdict(make(Opcode::kTADD, {i8, i8, i8}), Arch::kA5).empty());
    Tile part = t;
    part.valid_cols = 60;
    CHECK(verdict(make(Opcode::kTADD, {t, t, part})) == "S04 2");
    const Tile dn = make_tile(Space::kUB, DType::kF32, 8, 64, OuterLayout::kColMajor);
    CHECK(verdict(make(Opcode::kTADD, {dn, dn, dn})) == "L02 0");
    CHECK(verdict(make(Opcode::kTADDS, {t, t, Scalar{0, DType::kF32}})).empty());
    CHECK(verdict(make(Opcode::kTADDS, {t, t, Scalar{0, DType::kI32}})).empty());
    const Tile whole = ub(DType::kI32, 8, 64);
    CHECK(verdict(make(Opcode::kTADDS, {whole, whole, Scalar{0, DType::kF32}})) == "T02 2");
    CHECK(verdict(make(Opcode::kTADDS, {whole, t, Scalar{0, DType::kF32}})) == "T01 1");
    Problem problem;
    CHECK_FALSE(check_legality(make(Opcode::kTADDS, {whole, whole, Scalar{0, DType::kF32}}),
                               Arch::kA2A3, problem));
    CHECK(problem.goes_on);
}

TEST_CASE("tiles must be well-formed") {
    Tile t = ub(DType::kF32, 8, 64);
    auto with = [&](auto change) {
        Tile tile = t;
        change(tile);
        return verdict(make(Opcode::kTABS, {tile, tile}));
    };
    CHECK(with([](Tile&) {}).empty());
    CHECK(with([](Tile& x) { x.valid_rows = 9; }) == "S02 0");
    CHECK(with([](Tile& x) { x.valid_cols = -1; }) == "S02 0");
    CHECK(with([](Tile& x) { x.rows = x.valid_rows = 0; }) == "S02 0");
    CHECK(with([](Tile& x) { x.pitch = 32; }) == "S02 0");
    CHECK(with([](Tile& x) { x.address = 16; }) == "A04 0");
    CHECK(with([](Tile& x) { x.cols = x.valid_cols = x.pitch = 7; }) == "L04 0");
    Tile boxed = nz(Space::kL1, DType::kF16, 24, 32);
    CHECK(verdict(make(Opcode::kTLOAD, {boxed, matrix(DType::kF16, 24, 32)})) == "L04 0");
    boxed = nz(Space::kL1, DType::kF16, 32, 32, 256);
    CHECK(verdict(make(Opcode::kTLOAD, {boxed, matrix(DType::kF16, 32, 32)})) == "L05 0");
}

TEST_CASE("reductions and broadcasts: one line, of the right length") {
    const Tile t = ub(DType::kF32, 8, 64);
    CHECK(verdict(make(Opcode::kTROWSUM, {column(DType::kF32, 8), t})).empty());
    CHECK(verdict(make(Opcode::kTROWSUM, {column(DType::kF32, 16), t})) == "S06 0");
    CHECK(verdict(make(Opcode::kTROWSUM, {t, t})) == "S06 0");
    CHECK(verdict(make(Opcode::kTCOLMAX, {ub(DType::kF32, 1, 64), t})).empty());
    CHECK(verdict(make(Opcode::kTCOLMAX, {ub(DType::kF32, 1, 56), t})) == "S06 0");
    Tile empty = t;
    empty.valid_cols = 0;
    CHECK(verdict(make(Opcode::kTROWSUM, {column(DType::kF32, 8), empty})) == "S03 1");
    CHECK(verdict(make(Opcode::kTROWEXPANDMUL, {t, t, column(DType::kF32, 8)})).empty());
    Tile blocks = ub(DType::kF32, 8, 8), line = ub(DType::kF32, 1, 64);
    blocks.address = line.address = 0x1000;
    CHECK(verdict(make(Opcode::kTROWEXPANDMUL, {t, t, blocks})).empty());
    CHECK(verdict(make(Opcode::kTROWEXPANDMUL, {t, t, ub(DType::kF32, 8, 16)})) == "S07 2");
    CHECK(verdict(make(Opcode::kTROWEXPANDMUL, {t, t, column(DType::kF32, 16)})) == "S07 2");
    CHECK(verdict(make(Opcode::kTCOLEXPANDMUL, {t, t, line})).empty());
    CHECK(verdict(make(Opcode::kTCOLEXPANDMUL, {t, t, ub(DType::kF32, 1, 32)})) == "S07 2");
}

TEST_CASE("transfers: element size, shape and layouts") {
    const Tile t = ub(DType::kF16, 16, 32);
    const Tile fractals = nz(Space::kL1, DType::kF16, 16, 32);
    CHECK(verdict(make(Opcode::kTLOAD, {t, matrix(DType::kF16, 16, 32)})).empty());
    CHECK(verdict(make(Opcode::kTLOAD, {t, matrix(DType::kF32, 16, 32)})) == "T05 0");
    CHECK(verdict(make(Opcode::kTLOAD, {t, matrix(DType::kF16, 16, 16)})) == "S04 0");
    CHECK(verdict(make(Opcode::kTLOAD, {t, matrix(DType::kF16, 0, 32)})) == "S03 1");
    CHECK(verdict(make(Opcode::kTLOAD, {fractals, matrix(DType::kF16, 16, 32)})).empty());
    CHECK(verdict(make(Opcode::kTLOAD,
                       {fractals, matrix(DType::kF16, 16, 32, GlobalLayout::kDN)})) == "L03 0");
    CHECK(verdict(make(Opcode::kTLOAD, {column(DType::kF32, 16), matrix(DType::kF32, 1, 16)}))
              .empty());
    const Tile c = nz(Space::kL0C, DType::kF32, 16, 32, 1024);
    CHECK(verdict(make(Opcode::kTSTORE, {matrix(DType::kBF16, 16, 32), c})).empty());
    CHECK(verdict(make(Opcode::kTSTORE, {matrix(DType::kI8, 16, 32), c})) == "T04 0");
    CHECK(verdict(make(Opcode::kTSTORE, {matrix(DType::kF32, 16, 32, GlobalLayout::kDN), c})) ==
          "L03 1");
    Instruction relu = make(Opcode::kTSTORE, {matrix(DType::kF16, 16, 32), t});
    relu.attributes.relu = ReluMode::kNormal;
    CHECK(verdict(relu) == "P02 1");
    Instruction atomic =
        make(Opcode::kTSTORE, {matrix(DType::kU32, 16, 32), ub(DType::kU32, 16, 32)});
    atomic.attributes.atomic = AtomicMode::kAdd;
    CHECK(verdict(atomic) == "G09 0");
}

TEST_CASE("matrix products: types, layouts of each generation, and inner extents") {
    const Tile c = nz(Space::kL0C, DType::kF32, 16, 32, 1024);
    const Tile zz =
        make_tile(Space::kL0A, DType::kF16, 16, 64, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
    const Tile a = nz(Space::kL0A, DType::kF16, 16, 64);
    const Tile b =
        make_tile(Space::kL0B, DType::kF16, 64, 32, OuterLayout::kRowMajor, InnerLayout::kColMajor);
    CHECK(verdict(make(Opcode::kTMATMUL, {c, zz, b})).empty());
    CHECK(verdict(make(Opcode::kTMATMUL, {c, a, b})) == "L02 1");
    CHECK(verdict(make(Opcode::kTMATMUL, {c, a, b}), Arch::kA5).empty());
    Tile other = b;
    other.dtype = DType::kBF16;
    CHECK(verdict(make(Opcode::kTMATMUL, {c, zz, other})) == "T10 2");
    Tile narrow = zz;
    narrow.valid_cols = 48;
    CHECK(verdict(make(Opcode::kTMATMUL, {c, narrow, b})) == "S08 2");
    Tile tail = zz;  // k ends in the last inner boxes of b
    tail.valid_cols = 63;
    CHECK(verdict(make(Opcode::kTMATMUL, {c, tail, b})).empty());
    tail.valid_rows = 1;
    CHECK(verdict(make(Opcode::kTGEMV, {c, tail, b})) == "S08 2");
    Tile short_b = b;
    short_b.valid_rows = 63;
    CHECK(verdict(make(Opcode::kTMATMUL, {c, zz, short_b})) == "S08 2");
    short_b.valid_rows = 48;
    CHECK(verdict(make(Opcode::kTMATMUL, {c, zz, short_b})) == "S08 2");
    Tile small = c;
    small.valid_cols = 16;
    CHECK(verdict(make(Opcode::kTMATMUL, {small, zz, b})) == "S08 0");
    CHECK(verdict(make(Opcode::kTMATMUL, {ub(DType::kF32, 16, 32), zz, b})) == "L01 0");
    CHECK(verdict(make(Opcode::kTGEMV, {c, zz, b})) == "S08 1");
    Tile bias = make_tile(Space::kBias, DType::kF16, 1, 32);
    CHECK(verdict(make(Opcode::kTMATMUL_BIAS, {c, zz, b, bias})) == "T11 3");
}

// CANN's PyPTO merges rows by tiles of a static type that is shorter than their valid region.
TEST_CASE("a run goes on with a row that is used beyond its tile") {
    Tile row = ub(DType::kF32, 1, 16), rows = ub(DType::kF32, 2, 16);
    row.valid_cols = rows.valid_cols = 32;
    const Tile shorter = ub(DType::kF32, 1, 16);
    const auto verdict_of = [](const Tile& a, const Tile& b, const Tile& c) {
        Problem problem;
        CHECK_FALSE(check_legality(make(Opcode::kTADD, {a, b, c}), Arch::kA2A3, problem));
        return problem.code + (problem.goes_on ? " goes on" : "");
    };
    CHECK(verdict_of(row, row, row) == "S02 goes on");
    CHECK(verdict_of(rows, rows, rows) == "S02");
    CHECK(verdict_of(row, shorter, row) == "S04");
}

// pto-isa's TInsertVecToMatImpl asserts that rows fit, and copies columns box by box.
TEST_CASE("a run goes on with columns that TINSERT stores after NZ in L1") {
    const Tile l1 = nz(Space::kL1, DType::kF16, 64, 128), half = nz(Space::kUB, DType::kF16, 32, 128);
    const Scalar zero{0, DType::kI64}, col{32, DType::kI64}, row{48, DType::kI64}, far{144, DType::kI64};
    const auto goes_on = [&](const Tile& from, const Scalar& first_row, const Scalar& first_col) {
        Problem problem;
        CHECK_FALSE(check_legality(make(Opcode::kTINSERT, {l1, from, first_row, first_col}), Arch::kA5, problem));
        CHECK(problem.code == "S11");
        return problem.goes_on;
    };
    CHECK(goes_on(half, zero, col));
    CHECK_FALSE(goes_on(half, row, zero));
    CHECK_FALSE(goes_on(half, zero, far));
}

TEST_CASE("moves: paths, conversions and windows") {
    const Tile l1 = nz(Space::kL1, DType::kF16, 32, 32);
    const Tile zz =
        make_tile(Space::kL0A, DType::kF16, 16, 16, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
    const Scalar zero{0, DType::kI64}, sixteen{16, DType::kI64}, seventeen{17, DType::kI32};
    const Scalar minus{~uint64_t{0}, DType::kI64};
    CHECK(verdict(make(Opcode::kTEXTRACT, {zz, l1, sixteen, zero})).empty());
    CHECK(verdict(make(Opcode::kTEXTRACT, {zz, l1, seventeen, zero})) == "S11 2");
    CHECK(verdict(make(Opcode::kTEXTRACT, {zz, l1, minus, zero})) == "S11 2");
    CHECK(verdict(make(Opcode::kTMOV, {zz, l1})).empty());
    CHECK(verdict(make(Opcode::kTMOV, {l1, ub(DType::kF16, 32, 32)})) == "L01 1");
    // One row of NZ is contiguous, as one of ND is.
    const Tile bias = make_tile(Space::kBias, DType::kF32, 1, 32);
    CHECK(verdict(make(Opcode::kTMOV, {bias, nz(Space::kL1, DType::kF32, 1, 32)})).empty());
    CHECK(verdict(make(Opcode::kTMOV, {bias, nz(Space::kL1, DType::kF32, 32, 32)})) == "L03 0");
    CHECK(verdict(make(Opcode::kTMOV, {l1, ub(DType::kF16, 32, 32)}), Arch::kA5) == "L03 0");
    CHECK(
        verdict(make(Opcode::kTMOV, {l1, nz(Space::kUB, DType::kF16, 32, 32)}), Arch::kA5).empty());
    const Tile c = nz(Space::kL0C, DType::kF32, 32, 32, 1024);
    CHECK(verdict(make(Opcode::kTMOV, {l1, c})).empty());
    CHECK(verdict(make(Opcode::kTMOV, {nz(Space::kL1, DType::kF32, 32, 32), c})) == "T04 0");
    const Tile halves = ub(DType::kF16, 32, 32);
    CHECK(verdict(make(Opcode::kTMOV, {halves, ub(DType::kBF16, 32, 32)})).empty());
    CHECK(verdict(make(Opcode::kTMOV, {halves, ub(DType::kF32, 32, 32)})) == "T01 0");
    CHECK(verdict(make(Opcode::kTMOV, {zz, nz(Space::kL1, DType::kBF16, 32, 32)})) == "T01 0");
    CHECK(verdict(make(Opcode::kTEXTRACT, {halves, ub(DType::kBF16, 32, 32), zero, zero})) ==
          "T01 0");
    const Tile src = ub(DType::kF32, 8, 8);
    CHECK(verdict(make(Opcode::kTCVT, {ub(DType::kU8, 8, 32), ub(DType::kF32, 8, 32)})) == "T04 0");
    CHECK(verdict(make(Opcode::kTFILLPAD, {src, src})) == "D06 0");
}

TEST_CASE("source lines are found by location") {
    SourceMap map;
    const uint16_t file = map.add("a.pto", "first\n\tsecond\r\nthird", SourceLanguage::kAssembly);
    CHECK(map.add("b.pto", "", SourceLanguage::kAssembly) == 1);
    CHECK(map.line({file, 1, 1}) == "first");
    CHECK(map.line({file, 2, 2}) == "\tsecond");
    CHECK(map.line({file, 1, 3}) == "third");
    CHECK(map.line({file, 1, 4}).empty());
    CHECK(map.line({1, 1, 1}).empty());
    CHECK(map.line({9, 1, 1}).empty());
    CHECK(map.file({1, 0, 0}) == "b.pto");
    Diagnostic diagnostic;
    map.locate(diagnostic, {file, 2, 2});
    CHECK(diagnostic.file == "a.pto");
    CHECK(diagnostic.source_line == "\tsecond");
}
