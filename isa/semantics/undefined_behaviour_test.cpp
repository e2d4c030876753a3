// Findings about data: which lanes, how many, and nothing on good data.
#include "isa/testing/reported.h"
#include "isa/table/instruction_table.h"

using namespace ptosim;

namespace {

template <typename T>
std::string findings(const Instruction& instruction, std::vector<std::vector<T>> data) {
    return reports(instruction, std::move(data), check_undefined).text;
}

}  // namespace

TEST_CASE("G07: lengths of TCONCATIDX beyond their source") {
    const Tile t = row(DType::kI32, 4), index = row(DType::kI32, 1);
    const Instruction join = make(Opcode::kTCONCATIDX, {row(DType::kI32, 8), t, t, index, index});
    CHECK(findings<int32_t>(join, {{}, {}, {}, {16}, {0}}).empty());
    CHECK(findings<int32_t>(join, {{}, {}, {}, {17}, {-4}}) ==
          "G07 operand 3 at 0,0 x1;G07 operand 4 at 0,0 x1;");
}

TEST_CASE("N01: integer divisions and remainders by zero") {
    const Tile t = row(DType::kI32, 4);
    for (Opcode opcode : {Opcode::kTDIV, Opcode::kTREM, Opcode::kTFMOD}) {
        const Instruction divide = make(opcode, {t, t, t});
        CHECK(findings<int32_t>(divide, {{}, {1, 2, 3, 4}, {1, 2, 3, 4}}).empty());
        // The fifth lane is not valid.
        CHECK(findings<int32_t>(divide, {{}, {1, 2, 3, 4}, {1, 0, 3, 0, 0}}) ==
              "N01 operand 2 at 0,1 x2;");
    }
    const Scalar zero{0, DType::kI32};
    CHECK(findings<int32_t>(make(Opcode::kTREMS, {t, t, zero}), {{}, {1, 2}}) ==
          "N01 operand 2 at 0,0 x1;");
    const Tile f = row(DType::kF32, 4);
    CHECK(findings<float>(make(Opcode::kTDIV, {f, f, f}), {{}, {}, {0, 0, 0, 0}}).empty());
}

TEST_CASE("N03: floats beyond the integers, without saturation") {
    Instruction convert = make(Opcode::kTCVT, {row(DType::kI32, 4), row(DType::kF32, 4)});
    const std::vector<std::vector<float>> data{{},
                                               {1.0F, 3e9F, -2147483648.0F, __builtin_nanf("")}};
    CHECK(findings<float>(convert, data).empty());
    convert.attributes.saturation_from = SaturationFrom::kKernel;
    convert.attributes.saturation = Saturation::kOff;
    CHECK(findings<float>(convert, data) == "N03 operand 1 at 0,1 x2;");
}

// 65519 is below the midpoint of 65504 and 65536, so that it is 65504 in both modes.
TEST_CASE("N11: values for which the assembler's mode decides") {
    Instruction convert = make(Opcode::kTCVT, {row(DType::kF16, 5), row(DType::kF32, 5)});
    const float infinity = __builtin_inff();
    const std::vector<std::vector<float>> data{{}, {1.0F, -65519.0F, 65520.0F, -infinity, 0.0F}};
    CHECK(findings<float>(convert, data).empty());
    convert.attributes.saturation_from = SaturationFrom::kAssembler;
    CHECK(findings<float>(convert, data) == "N11 operand 1 at 0,2 x2;");
    CHECK(findings<float>(convert, {{}, {1.0F, -65519.0F, 65504.0F, 0.0F, 0.0F}}).empty());
    Instruction narrow = make(Opcode::kTCVT, {row(DType::kI16, 4), row(DType::kI32, 4)});
    narrow.attributes.saturation_from = SaturationFrom::kAssembler;
    CHECK(findings<int32_t>(narrow, {{}, {32767, -32768, 32768, -32769}}) ==
          "N11 operand 1 at 0,2 x2;");
}

TEST_CASE("N04: shift counts beyond the width") {
    const Tile t = row(DType::kI32, 4);
    CHECK(findings<int32_t>(make(Opcode::kTSHL, {t, t, t}), {{}, {}, {0, 31, 32, -1}}) ==
          "N04 operand 2 at 0,2 x2;");
    CHECK(
        findings<int32_t>(make(Opcode::kTSHRS, {t, t, Scalar{31, DType::kI32}}), {{}, {}}).empty());
    CHECK(findings<int32_t>(make(Opcode::kTSHRS, {t, t, Scalar{32, DType::kI32}}), {{}, {}}) ==
          "N04 operand 2 at 0,0 x1;");
}

TEST_CASE("N05: scales that are zero or no number") {
    const Tile f = row(DType::kF32, 3);
    const Instruction quantise = make(Opcode::kTQUANT, {row(DType::kI8, 3), f, f});
    CHECK(findings<float>(quantise, {{}, {1, 2, 3}, {0.5F, 1, 2}}).empty());
    CHECK(findings<float>(quantise, {{}, {1, 2, 3}, {0.5F, 0, __builtin_inff()}}) ==
          "N05 operand 2 at 0,1 x2;");
    const Tile acc = make_tile(Space::kL0C, DType::kF32, 16, 16, OuterLayout::kColMajor,
                               InnerLayout::kRowMajor, 1024);
    Instruction store(Opcode::kTSTORE);
    store.add(GlobalView{}).add(acc).add(Operand{}).add(Scalar{0, DType::kF32});
    CHECK(findings<float>(store, {{}, {}}) == "N05 operand 3 at 0,0 x1;");
}

TEST_CASE("N08: reserved bits of quantisation parameters") {
    const Tile acc = make_tile(Space::kL0C, DType::kF32, 16, 16, OuterLayout::kColMajor,
                               InnerLayout::kRowMajor, 1024);
    Tile table = make_tile(Space::kFixpipe, DType::kU64, 1, 16);
    table.valid_cols = 4;
    Instruction store(Opcode::kTSTORE);
    store.add(GlobalView{}).add(acc).add(table);
    const uint64_t one = 0x3F800000, offset = uint64_t{5} << 37, sign = uint64_t{1} << 46,
                   shift = uint64_t{15} << 32;
    CHECK(
        findings<uint64_t>(store, {{}, {}, {one, one | offset, one | sign, one | shift}}).empty());
    CHECK(findings<uint64_t>(
              store, {{}, {}, {one, one | 1, one | uint64_t{1} << 36, one | uint64_t{1} << 47}}) ==
          "N08 operand 2 at 0,1 x3;");
    Instruction scalar(Opcode::kTSTORE);
    scalar.add(GlobalView{}).add(acc).add(Operand{}).add(Scalar{one | 1, DType::kU64});
    CHECK(findings<uint64_t>(scalar, {{}, {}}).empty());  // all bits of a float
    scalar.operands[3].scalar.bits |= uint64_t{1} << 50;
    CHECK(findings<uint64_t>(scalar, {{}, {}}) == "N08 operand 3 at 0,0 x1;");
}

TEST_CASE("G07: indices outside of what is gathered or scattered") {
    const Tile t = row(DType::kI32, 4);
    for (Opcode opcode : {Opcode::kTGATHER, Opcode::kTSCATTER})
        CHECK(findings<int32_t>(make(opcode, {t, t, t}), {{}, {}, {0, 7, 8, -1}}) ==
              "G07 operand 2 at 0,2 x2;");
    CHECK(findings<int32_t>(make(Opcode::kTGATHERB, {row(DType::kI32, 8), t, row(DType::kU32, 1)}),
                            {{}, {}, {4}}) == "G07 operand 2 at 0,0 x1;");
    GlobalView view;
    view.dtype = DType::kI32;
    view.shape[3] = 3;
    view.shape[4] = 4;
    Instruction gather = make(Opcode::kMGATHER, {t, view, t});
    CHECK(findings<int32_t>(gather, {{}, {}, {0, 2, 3, 1}}) == "G07 operand 2 at 0,2 x1;");
    gather.attributes.by_element = true;
    CHECK(findings<int32_t>(gather, {{}, {}, {0, 11, 12, 1}}) == "G07 operand 2 at 0,2 x1;");
    gather.attributes.out_of_bounds = OutOfBounds::kClamp;
    CHECK(findings<int32_t>(gather, {{}, {}, {0, 11, 12, 1}}).empty());
}
