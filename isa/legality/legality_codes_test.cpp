// One instruction for each code of isa/core/diagnostics.tsv that legality reports; codes of the machine and the reader
// are in tests/cli/codes_test.py. tests/cli/documents_test.py requires all of them.
#include <catch2/catch.hpp>

#include "isa/assembly/program/scalar_ops.h"
#include "isa/legality/legality.h"
#include "isa/table/instruction_table.h"
#include "isa/testing/test_operands.h"

using namespace ptosim;

namespace {

constexpr auto kCol = OuterLayout::kColMajor;
constexpr auto kRow = OuterLayout::kRowMajor;
constexpr auto kBoxRow = InnerLayout::kRowMajor;
constexpr auto kBoxCol = InnerLayout::kColMajor;

std::string code(const Instruction& instruction, Arch arch = Arch::kA2A3) {
    Problem problem;
    return check_legality(instruction, arch, problem) ? "" : problem.code;
}

using enum DType;
const Tile f = ub(kF32, 8, 64);
const Tile h = ub(kF16, 8, 64);
const Tile i = ub(kI32, 8, 64);
const Tile u = ub(kU32, 8, 64);
const Tile acc = make_tile(Space::kL0C, kF32, 16, 32, kCol, kBoxRow, 1024);
const Tile left = make_tile(Space::kL0A, kF16, 16, 64, kRow, kBoxRow);
const Tile right = make_tile(Space::kL0B, kF16, 64, 32, kRow, kBoxCol);
const Scalar one{1, kI64};

}  // namespace

TEST_CASE("codes of types") {
    CHECK(code(make(Opcode::kTADD, {f, f})) == "T00");
    CHECK(code(make(Opcode::kTADD, {f, f, h})) == "T01");
    CHECK(code(make(Opcode::kTADDS, {i, i, Scalar{0, kF32}})) == "T02");
    CHECK(code(make(Opcode::kTEXP, {i, i})) == "T03");
    CHECK(code(make(Opcode::kTSTORE, {view(kF16, 16, 32),
                                      make_tile(Space::kL0C, kE4M3, 16, 32, kCol, kBoxRow, 512)}),
               Arch::kA5) == "T03");
    const Tile ramp = ub(kF32, 1, 64);
    const Scalar start{0, kF32};
    CHECK(code(make(Opcode::kTCI, {ramp, start})).empty());
    CHECK(code(make(Opcode::kTCI, {ramp, start, ub(kF32, 1, 192)})) == "T03");
    CHECK(code(make(Opcode::kTCI, {ramp, start}), Arch::kA5) == "T03");
    CHECK(code(make(Opcode::kTCVT, {ub(kU8, 8, 64), f})) == "T04");
    CHECK(code(make(Opcode::kTQUANT_MX, {f, f, f, f, f}), Arch::kA5) == "T04");
    CHECK(code(make(Opcode::kTLOAD, {f, view(kF16, 8, 64)})) == "T05");
    CHECK(code(make(Opcode::kTCMP, {f, f, f})) == "T06");
    CHECK(code(make(Opcode::kTGATHER, {f, f, f})) == "T08");
    CHECK(code(make(Opcode::kTCONCATIDX, {ub(kF32, 8, 128), f, f, f, f})) == "T08");
    CHECK(code(make(Opcode::kTSORT32, {ub(kF32, 1, 64), ub(kF16, 1, 32), ub(kU32, 1, 32)})) ==
          "T09");
    Tile other = right;
    other.dtype = kBF16;
    CHECK(code(make(Opcode::kTMATMUL, {acc, left, other})) == "T10");
    CHECK(code(make(Opcode::kTMATMUL_BIAS,
                    {acc, left, right, make_tile(Space::kBias, kF16, 1, 32)})) == "T11");
    CHECK(code(make(Opcode::kTSTORE,
                    {view(kI8, 16, 32), acc, make_tile(Space::kFixpipe, kF32, 1, 32)})) == "T12");
}

TEST_CASE("valid regions without an element") {
    const auto none = [](const Tile& tile) { return valid(tile, 0, 0); };
    const Tile column = make_tile(Space::kUB, kF32, 8, 1, kCol);
    const Tile line = ub(kF32, 1, 64);
    for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
        CHECK(code(make(Opcode::kTROWEXPANDMUL, {none(f), none(f), none(column)}), arch).empty());
        // The destination determines the number of iterations.
        CHECK(code(make(Opcode::kTROWEXPANDMUL, {none(f), f, column}), arch).empty());
        CHECK(code(make(Opcode::kTCOLEXPANDADD, {none(f), none(f), none(line)}), arch).empty());
        CHECK(code(make(Opcode::kTROWEXPANDMUL, {f, f, none(column)}), arch) == "S07");
        CHECK(code(make(Opcode::kTCOLEXPANDADD, {f, f, none(line)}), arch) == "S07");
        for (Opcode opcode :
             {Opcode::kTCOLSUM, Opcode::kTCOLPROD, Opcode::kTCOLMAX, Opcode::kTCOLMIN})
            CHECK(code(make(opcode, {line, none(f)}), arch).empty());
        // No rows, against rows of no elements.
        CHECK(code(make(Opcode::kTROWSUM, {none(column), none(f), f}), arch).empty());
        CHECK(code(make(Opcode::kTROWSUM, {column, valid(f, 8, 0), f}), arch) == "S03");
        CHECK(code(make(Opcode::kTROWEXPAND, {none(f), none(column)}), arch).empty());
        CHECK(code(make(Opcode::kTROWEXPAND, {f, none(column)}), arch) == "S03");
        CHECK(code(make(Opcode::kTCOLARGMAX, {ub(kU32, 1, 64), none(f), f}), arch) == "S03");
    }
    CHECK(code(make(Opcode::kTCOLEXPAND, {f, none(line)}), Arch::kA2A3).empty());
    CHECK(code(make(Opcode::kTCOLEXPAND, {f, none(line)}), Arch::kA5) == "S03");
}

TEST_CASE("codes of shapes") {
    CHECK(code(make(Opcode::kTABS, {f, valid(f, 9, 64)})) == "S02");
    CHECK(code(make(Opcode::kTABS, {valid(f, 9, 0), valid(f, 9, 0)})).empty());
    CHECK(code(make(Opcode::kTROWSUM, {valid(f, 8, 1), valid(f, 8, 0)})) == "S03");
    CHECK(code(make(Opcode::kTADD, {f, f, valid(f, 8, 63)})) == "S04");
    Tile padded = f;
    padded.pad = Pad::kZero;
    CHECK(code(make(Opcode::kTFILLPAD, {padded, ub(kF32, 8, 32)})) == "S05");
    CHECK(code(make(Opcode::kTROWSUM, {f, f})) == "S06");
    CHECK(code(make(Opcode::kTROWSUM, {f, f, f}), Arch::kA5).empty());
    CHECK(code(make(Opcode::kTCOLEXPANDADD, {f, f, ub(kF32, 1, 32)})) == "S07");
    CHECK(code(make(Opcode::kTMATMUL, {acc, valid(left, 16, 48), right})) == "S08");
    const Tile exp = ub(kU8, 8, 32), aux = ub(kF32, 8, 8);
    const Instruction mx = make(Opcode::kTQUANT_MX, {ub(kU8, 8, 64), f, valid(exp, 8, 2),
                                                     valid(aux, 8, 2), valid(aux, 8, 3)});
    CHECK(code(with(mx, [](Attributes& a) { a.quant = QuantType::kMxFp8; }), Arch::kA5) == "S09");
    // Boxes of exponents take pairs of whole groups: the third group of 80 columns has no place in them.
    const Tile groups = valid(ub(kF16, 1, 64), 1, 48), wide = ub(kF16, 16, 128);
    const Instruction boxed =
        make(Opcode::kTQUANT_MX, {valid(ub(kU8, 16, 128), 16, 80), valid(wide, 16, 80),
                                  valid(ub(kU8, 1, 64), 1, 48), groups, groups, valid(ub(kU8, 1, 64), 1, 32)});
    CHECK(code(with(boxed, [](Attributes& a) { a.quant = QuantType::kMxFp8; }), Arch::kA5) == "S09");
    CHECK(code(make(Opcode::kTEXTRACT, {f, f, one, one})) == "S11");
    CHECK(code(make(Opcode::kTTRANS, {f, f})) == "S12");
    CHECK(code(make(Opcode::kTCI, {i, one})) == "S13");
    CHECK(code(make(Opcode::kTPARTADD, {f, valid(f, 8, 63), valid(f, 7, 64)})) == "S14");
    const Tile idx = make_tile(Space::kUB, kU8, 32, 1, kCol);
    CHECK(code(make(Opcode::kTHISTOGRAM, {u, u, idx}), Arch::kA5) == "S15");
}

TEST_CASE("codes of layouts, architectures and addresses") {
    CHECK(code(make(Opcode::kTADD, {f, f, acc})) == "L01");
    CHECK(code(make(Opcode::kTADD, {f, f, make_tile(Space::kUB, kF32, 8, 64, kCol)})) == "L02");
    CHECK(code(make(Opcode::kTLOAD,
                    {make_tile(Space::kUB, kF32, 8, 64, kCol), view(kF32, 8, 64)})) == "L03");
    CHECK(code(make(Opcode::kTABS, {ub(kF32, 8, 7), ub(kF32, 8, 7)})) == "L04");
    CHECK(code(make(Opcode::kTLOAD, {make_tile(Space::kL1, kF16, 32, 32, kCol, kBoxRow, 256),
                                     view(kF16, 32, 32)})) == "L05");
    CHECK(code(make(Opcode::kTRANDOM, {i, one, one, one, one, one, one})) == "P01");
    const Instruction move = make(Opcode::kTMOV, {f, f});
    CHECK(code(move).empty());
    CHECK(code(with(move, [](Attributes& a) { a.relu = ReluMode::kNormal; })) == "P02");
    CHECK(code(with(move, [](Attributes& a) { a.acc_to_vec = AccToVec::kSingle1; })) == "P02");
    CHECK(code(make(Opcode::kTMOV, {f, f, Operand{}, Scalar{0, kF32}})) == "P02");
    const Instruction split = make(Opcode::kTMOV, {ub(kF32, 16, 32), acc});
    CHECK(code(split, Arch::kA5).empty());
    CHECK(code(with(split, [](Attributes& a) { a.acc_to_vec = AccToVec::kDualSplitM; }),
               Arch::kA5) == "S04");
    const Instruction halves = make(Opcode::kTMOV, {ub(kF32, 8, 32), acc});
    CHECK(code(with(halves, [](Attributes& a) { a.acc_to_vec = AccToVec::kDualSplitM; }), Arch::kA5)
              .empty());
    Tile odd = f;
    odd.address = 16;
    CHECK(code(make(Opcode::kTABS, {f, odd})) == "A04");
}

TEST_CASE("codes of padding, indices and atomics") {
    CHECK(code(make(Opcode::kTFILLPAD, {f, f})) == "D06");
    const Instruction store = make(Opcode::kTSTORE, {view(kU32, 8, 64), u});
    CHECK(code(with(store, [](Attributes& a) { a.atomic = AtomicMode::kAdd; })) == "G09");
    const Tile row = ub(kF32, 1, 256);
    CHECK(code(make(Opcode::kTGATHERB, {valid(f, 8, 60), f, u})) == "G10");
    CHECK(code(make(Opcode::kTMRGSORT, {row, Operand{}, row, Operand{}, Operand{}, Operand{},
                                        Scalar{63, kI32}})) == "G11");
}

TEST_CASE("codes of modes of the cube and of printing") {
    const Instruction mul = make(Opcode::kTMATMUL, {acc, left, right});
    CHECK(code(mul).empty());
    const auto rounded = [&](FactorRounding mode) {
        return with(mul, [=](Attributes& a) { a.factor_rounding = mode; });
    };
    CHECK(code(rounded(FactorRounding::kTf32Even)) == "P02");  // a2a3 has hf32
    CHECK(code(rounded(FactorRounding::kHf32Even)) == "T10");  // f16 factors
    CHECK(code(make(Opcode::kTPRINT, {f})).empty());
    CHECK(code(make(Opcode::kTPRINT, {ub(kBF16, 8, 64)})) == "T03");
    const Tile mat = make_tile(Space::kL1, kF32, 8, 64);
    CHECK(code(make(Opcode::kTPRINT, {mat})).empty());
    CHECK(code(make(Opcode::kTPRINT, {mat}), Arch::kA5) == "L01");
}

TEST_CASE("codes of convolutions") {
    const Tile image = make_tile(Space::kL1, kF16, 2 * 5 * 6, 16);
    const Tile columns = make_tile(Space::kL0A, kF16, 32, 64, kRow, kBoxRow);
    const Scalar zero{0, kI64};
    const Instruction good =
        with(make(Opcode::kTIMG2COL, {columns, image, zero, zero}), [](Attributes& a) {
            a.use_convolution().image.height = 5;
            a.use_convolution().image.width = 6;
            a.use_convolution().image.channels = 32;
        });
    CHECK(code(good).empty());
    CHECK(code(good, Arch::kA5) == "L02");  // NZ there
    const auto changed = [&](auto&& change) {
        return code(with(good, [&](Attributes& a) { change(a.use_convolution().image); }));
    };
    CHECK(changed([](Image& m) { m.height = 0; }) == "G13");
    CHECK(changed([](Image& m) { m.filter_height = 6; }) == "G13");
    CHECK(changed([](Image& m) { m.stride_width = 0; }) == "G13");
    CHECK(changed([](Image& m) { m.channels = 33; }) == "G13");
    CHECK(changed([](Image& m) { m.dst_stride = 2; }) == "P02");   // a2a3 has no such register
    CHECK(changed([](Image& m) { m.repeat_time = 2; }) == "G13");  // dst is full
    CHECK(changed([](Image& m) { m.repeat_mode = 2; }) == "G13");
    CHECK(changed([](Image& m) { m.repeat_time = 0; }).empty());
    CHECK(changed([](Image& m) { m.transpose = true; }).empty());
    Tile bytes = image, byte_columns = columns;
    bytes.dtype = byte_columns.dtype = kI8;
    bytes.cols = bytes.valid_cols = bytes.pitch = 32;
    Instruction turned = good;
    turned.operands[0] = byte_columns;
    turned.operands[1] = bytes;
    turned.attributes.use_convolution().image.transpose = true;
    CHECK(code(turned) == "P02");  // 16-bit elements only
    CHECK(code(make(Opcode::kSETFMATRIX, {})) == "G13");
    CHECK(code(make(Opcode::kSET_QUANT_VECTOR, {make_tile(Space::kFixpipe, kF32, 1, 32)})) ==
          "T12");
    CHECK(code(make(Opcode::kTIMG2COL,
                    {columns, make_tile(Space::kL1, kF32, 60, 8), zero, zero})) == "T01");

    GlobalView nchw = view(kF16, 5, 6);
    nchw.layout = GlobalLayout::kNCHW;
    nchw.shape[2] = 32;
    const ConvShape shape{.layout = GlobalLayout::kNC1HWC0, .dims = {1, 2, 5, 6, 16}};
    const Instruction load =
        with(make(Opcode::kTLOAD, {image, nchw}), [&](Attributes& a) { a.use_convolution().dst = shape; });
    CHECK(code(load, Arch::kA5).empty());
    CHECK(code(load) == "L03");  // a2a3 does not change the layout
    CHECK(code(make(Opcode::kTLOAD, {image, nchw}), Arch::kA5) == "L03");
    CHECK(code(with(load, [](Attributes& a) { a.use_convolution().dst.dims[2] = 4; }), Arch::kA5) == "S04");
}

TEST_CASE("codes of gathers from memory") {
    const GlobalView table = view(kF32, 16, 64);
    GlobalView fractals = table;
    fractals.layout = GlobalLayout::kNZ;
    fractals.shape = {1, 8, 1, 16, 8};
    fractals.stride = {1024, 128, 128, 8, 1};
    Tile rows = ub(kU32, 1, 16);
    rows.address = 0x1000;
    const Tile lines = ub(kF32, 16, 64);
    const Tile boxes = make_tile(Space::kUB, kF32, 16, 64, kCol, kBoxRow);
    const Tile l1 = make_tile(Space::kL1, kF32, 16, 64, kCol, kBoxRow);
    const GlobalView indices = view(kU32, 1, 16);
    CHECK(code(make(Opcode::kMGATHER, {lines, table, rows})).empty());
    CHECK(code(make(Opcode::kMGATHER, {boxes, fractals, rows})).empty());
    CHECK(code(make(Opcode::kMGATHER, {l1, table, indices})).empty());
    CHECK(code(make(Opcode::kMGATHER, {lines, fractals, rows})) == "L03");
    CHECK(code(make(Opcode::kMSCATTER, {table, boxes, rows})) == "L03");
    CHECK(code(make(Opcode::kMGATHER, {l1, fractals, indices})) == "L03");
    CHECK(code(make(Opcode::kMGATHER, {l1, table, rows})) == "L01");
    CHECK(code(make(Opcode::kMGATHER, {lines, table, indices})) == "L01");
    CHECK(code(make(Opcode::kMGATHER, {make_tile(Space::kL1, kF32, 16, 64), table, indices})) ==
          "L02");
    CHECK(code(make(Opcode::kMGATHER, {lines, table, ub(kU32, 1, 8)})) == "S04");
    CHECK(code(make(Opcode::kMGATHER, {lines, table, valid(rows, 1, 8)})) == "S04");
}

TEST_CASE("codes of exponents and splits") {
    const Tile flat = ub(kU8, 1, 64), scratch = ub(kU8, 1, 256);
    const Tile boxes = make_tile(Space::kUB, kU8, 16, 4, kRow, kBoxRow, 32);
    const auto box = [&](const Tile& to, const Tile& from, const Tile& tmp) {
        return code(make(Opcode::kTMOV, {to, from, Operand{}, Operand{}, tmp}), Arch::kA5);
    };
    CHECK(box(boxes, flat, scratch).empty());
    CHECK(box(boxes, ub(kU8, 1, 32), scratch) == "S04");
    CHECK(box(boxes, flat, f) == "T01");
    CHECK(box(ub(kU8, 16, 32), flat, scratch) == "L03");
    CHECK(code(make(Opcode::kTMOV, {f, f, Operand{}, Operand{}, scratch}), Arch::kA5) == "T03");
    const Tile nz = make_tile(Space::kUB, kF16, 16, 32, kCol, kBoxRow);
    const Tile l1 = make_tile(Space::kL1, kF16, 32, 64, kCol, kBoxRow);
    const Instruction insert = make(Opcode::kTINSERT, {l1, nz, one, one});
    const auto split = [](Attributes& a) { a.insert_split = 2; };
    CHECK(code(with(insert, split), Arch::kA5).empty());
    CHECK(code(with(make(Opcode::kTMOV, {f, f}), split), Arch::kA5) == "P02");
}

TEST_CASE("what is filled in L1 may have rows of 16 bytes") {
    const Tile blocks = make_tile(Space::kL1, kF16, 10, 8);
    const Scalar seven{7, kF32};
    CHECK(code(make(Opcode::kTEXPANDS, {blocks, seven})).empty());
    CHECK(code(make(Opcode::kTEXPANDS, {make_tile(Space::kL1, kF16, 9, 8), seven})) == "L04");
    CHECK(code(make(Opcode::kTEXPANDS, {ub(kF16, 10, 8), seven})) == "L04");
}

TEST_CASE("scratch may claim more than it has; other tiles may not") {
    Tile tmp = ub(kF32, 1, 64);
    tmp.valid_rows = 8;
    CHECK(code(make(Opcode::kTROWSUM, {valid(f, 8, 1), f, tmp})).empty());
    CHECK(code(make(Opcode::kTROWSUM, {valid(f, 8, 1), valid(f, 9, 64), tmp})) == "S02");
}

TEST_CASE("codes of transfers beyond the fields of the hardware") {
    const Tile l1 = make_tile(Space::kL1, kF16, 32, 32, kCol, kBoxRow);
    GlobalView wide = view(kF16, 32, 32);
    wide.stride[3] = 65535;
    CHECK(code(make(Opcode::kTLOAD, {l1, wide})).empty());
    wide.stride[3] = 65536;
    CHECK(code(make(Opcode::kTLOAD, {l1, wide})) == "S01");
    CHECK(code(make(Opcode::kTLOAD, {l1, wide}), Arch::kA5).empty());
    const Tile tall = ub(kU8, 4096, 32);
    CHECK(code(make(Opcode::kTLOAD, {tall, view(kU8, 4096, 32)})) == "S01");
    // Strides are unsigned fields; that of a dimension of one element is not used.
    GlobalView upwards = view(kF32, 8, 64);
    upwards.stride[0] = upwards.stride[1] = upwards.stride[2] = -512;
    CHECK(code(make(Opcode::kTLOAD, {ub(kF32, 8, 64), upwards})).empty());
    upwards.stride[3] = -64;
    CHECK(code(make(Opcode::kTLOAD, {ub(kF32, 8, 64), upwards})) == "S01");
    CHECK(code(make(Opcode::kTSTORE, {upwards, ub(kF32, 8, 64)}), Arch::kA5) == "S01");
    CHECK(code(make(Opcode::kTSTORE, {view(kU8, 4096, 32), tall})) == "S01");
    CHECK(code(make(Opcode::kTSTORE, {view(kU8, 4095, 32), valid(tall, 4095, 32)})).empty());
}

// Sizes of hw-native-sys/pto-isa docs/isa, by hand.
TEST_CASE("codes of scratch that is too small") {
    const auto at = [](Tile tile, uint32_t address) {
        tile.address = address;
        return tile;
    };
    const Tile t = at(ub(kI32, 8, 64), 0x4000), a = at(t, 0x8000);
    const auto needs = [&](Instruction instruction, unsigned where, DType type, int count) {
        const auto with_columns = [&](int columns) {
            Tile tmp = at(ub(type, 1, columns), 0x20000);
            instruction.operands[where] = tmp;
            instruction.operand_count =
                std::max<uint8_t>(instruction.operand_count, static_cast<uint8_t>(where + 1));
            return code(instruction);
        };
        CHECK(with_columns(count) == "");
        const int block = static_cast<int>(256 / bits(type));
        CHECK(with_columns(count - block) == "S16");
        Problem problem;
        CHECK(check_legality(instruction, Arch::kA5, problem) ==
              !info(instruction.opcode).types[1].empty());  // only a2a3 uses it
    };
    needs(make(Opcode::kTXOR, {i, t, a}), 3, kI32, 512);
    needs(make(Opcode::kTREM, {f, at(f, 0x4000), at(f, 0x8000)}), 3, kF32, 72);  // 64 + 2
    needs(make(Opcode::kTCI, {ub(kI32, 1, 64), Scalar{1, kI32}}), 2, kF32, 192);
    needs(make(Opcode::kTCI, {ub(kI16, 1, 64), Scalar{1, kI16}}), 2, kF32, 448);
    Instruction quantise = make(Opcode::kTQUANT, {ub(kI8, 8, 64), f, at(f, 0x4000), Operand{}});
    quantise.attributes.quant = QuantType::kInt8Sym;
    needs(quantise, 4, kF32, 512);
    const Tile column = at(make_tile(Space::kUB, kF32, 8, 1, kCol), 0x8000);
    needs(make(Opcode::kTROWEXPANDMUL, {f, at(f, 0x4000), column}), 3, kF32, 64);  // a block a row
    // 64 x ceil(8 / 16) x 16
    needs(make(Opcode::kTTRANS, {valid(ub(kF32, 64, 16), 64, 8), at(f, 0x4000)}), 2, kF32, 1024);
    // A row of 72 + 24 floats; 128 + 64 lanes of records; 8 rows of 64 offsets; 8 rows of 64 mask bits
    // and 32 bytes.
    const Tile records = at(ub(kF32, 1, 192), 0);
    needs(make(Opcode::kTSORT32, {records, at(valid(ub(kF32, 1, 96), 1, 72), 0x4000),
                                  at(ub(kU32, 1, 96), 0x8000)}),
          3, kF32, 96);
    needs(make(Opcode::kTMRGSORT, {records, Tile{}, at(ub(kF32, 1, 128), 0x4000),
                                   at(ub(kF32, 1, 64), 0x8000)}),
          1, kF32, 192);
    needs(make(Opcode::kTGATHER, {at(ub(kF16, 8, 64), 0), at(ub(kF16, 8, 64), 0x4000),
                                  at(ub(kI32, 8, 64), 0x8000), Operand{}}),
          4, kI32, 512);
    // Three regions of 64.
    needs(make(Opcode::kTCOLARGMAX, {ub(kI32, 1, 64), at(ub(kF16, 8, 64), 0x4000)}), 2, kF16, 192);
}

TEST_CASE("codes of scratch whose rows are too short, or too few") {
    const auto of = [](Opcode opcode, Tile dst, Tile src, int rows, int cols, bool tree = false) {
        Tile tmp = ub(src.dtype, rows, cols);
        src.address = 0x8000;
        tmp.address = 0x10000;
        return code(with(make(opcode, {dst, src, tmp}), [&](Attributes& a) { a.binary_tree = tree; }));
    };
    const Tile sums = valid(ub(kF32, 16, 8), 16, 1), wide = ub(kF32, 16, 256);
    CHECK(of(Opcode::kTROWMAX, sums, wide, 16, 64).empty());  // a vector of 64 for each row
    CHECK(of(Opcode::kTROWMAX, sums, wide, 15, 64) == "S16");
    CHECK(of(Opcode::kTROWMAX, sums, wide, 64, 56) == "S16");
    CHECK(of(Opcode::kTROWSUM, sums, wide, 16, 128).empty());  // two pairs of vectors
    CHECK(of(Opcode::kTROWSUM, sums, wide, 16, 120) == "S16");
    CHECK(of(Opcode::kTROWSUM, sums, ub(kF32, 16, 64), 1, 8).empty());  // one vector: no scratch
    CHECK(of(Opcode::kTROWSUM, valid(ub(kI32, 16, 8), 16, 1), ub(kI32, 16, 256), 1, 8).empty());
    CHECK(of(Opcode::kTCOLSUM, ub(kF32, 1, 64), ub(kF32, 8, 64), 4, 64, true).empty());
    CHECK(of(Opcode::kTCOLSUM, ub(kF32, 1, 64), ub(kF32, 8, 64), 3, 64, true) == "S16");
    CHECK(of(Opcode::kTCOLSUM, ub(kF32, 1, 64), ub(kF32, 8, 64), 1, 8).empty());
    // (ceil(2 * 4 / 8) + ceil(4 / 8)) * 8
    const Tile indices = valid(ub(kI32, 16, 8), 16, 1);
    CHECK(of(Opcode::kTROWARGMAX, indices, wide, 16, 16).empty());
    CHECK(of(Opcode::kTROWARGMAX, indices, wide, 16, 8) == "S16");
}

TEST_CASE("codes of strides along the lines of a transfer") {
    GlobalView strided = view(kF32, 8, 64);
    strided.stride[3] = 128;
    CHECK(code(make(Opcode::kTLOAD, {f, strided})).empty());
    strided.stride[4] = 2;
    CHECK(code(make(Opcode::kTLOAD, {f, strided})) == "L06");
    CHECK(code(make(Opcode::kTSTORE, {strided, f}), Arch::kA5) == "L06");
    const Tile boxes = make_tile(Space::kL1, kF32, 16, 64, kCol, kBoxRow);
    CHECK(code(make(Opcode::kTLOAD, {valid(boxes, 8, 64), strided})) == "L06");
    // A column-major column in a column of a row-major matrix.
    GlobalView column = view(kF32, 8, 1);
    column.stride[3] = 64;
    CHECK(code(make(Opcode::kTSTORE, {column, make_tile(Space::kUB, kF32, 8, 1, kCol)})) == "L06");
    CHECK(code(make(Opcode::kTSTORE, {column, valid(ub(kF32, 8, 8), 8, 1)})).empty());
}

TEST_CASE("codes of operands that must lie apart") {
    Tile other = i;
    other.address = 8 * 64 * 4;
    Tile third = other;
    third.address = 0x8000;
    const Instruction bits_and = make(Opcode::kTANDS, {other, i, one});
    CHECK(code(bits_and).empty());
    CHECK(code(make(Opcode::kTANDS, {i, i, one}), Arch::kA5) == "A07");
    CHECK(code(make(Opcode::kTORS, {i, i, one})) == "A07");
    other.address -= 32;  // one block
    CHECK(code(make(Opcode::kTANDS, {other, i, one})) == "A07");
    CHECK(code(make(Opcode::kTXOR, {i, third, third})).empty());  // sources may be one
    CHECK(code(make(Opcode::kTXOR, {i, third, third, i})) == "A07");
    Tile scratch = third;
    scratch.address = 0x10000;
    CHECK(code(make(Opcode::kTXOR, {i, i, third, scratch})).empty());  // it writes dst after it has read both
    CHECK(code(make(Opcode::kTRECIP, {f, f})) == "A07");
    CHECK(code(make(Opcode::kTRECIP, {f, f}), Arch::kA5).empty());
    CHECK(code(make(Opcode::kTEXP, {f, f})).empty());
}

TEST_CASE("codes of operands that are overwritten before they are read") {
    Tile apart = f;
    apart.address = 0x8000;
    CHECK(code(make(Opcode::kTFMOD, {f, f, apart})) == "A07");
    CHECK(code(make(Opcode::kTFMOD, {f, f, apart}), Arch::kA5).empty());
    CHECK(code(make(Opcode::kTFMOD, {apart, f, f})).empty());
}

TEST_CASE("positions of the largest of what has no order") {
    const Tile dst = make_tile(Space::kUB, kI32, 8, 1, OuterLayout::kColMajor);
    CHECK(code(make(Opcode::kTROWARGMAX, {dst, ub(kE8M0, 8, 64)}), Arch::kA5) == "T07");
    CHECK(code(make(Opcode::kTCOLARGMIN, {ub(kU32, 1, 64), ub(kE2M1, 8, 64)}), Arch::kA5) == "T07");
    CHECK(code(make(Opcode::kTCOLARGMIN, {ub(kU32, 1, 64), ub(kE4M3, 8, 64)}), Arch::kA5) == "T03");
}

TEST_CASE("A09: indexed accesses leave room for their data cache on a5") {
    GlobalView view;
    view.dtype = kF32;
    view.shape = {1, 1, 1, 8, 64};
    view.stride = {512, 512, 512, 64, 1};
    Tile dst = ub(kF32, 8, 64);
    const Tile rows = ub(kU32, 1, 8);
    dst.address = 216 * 1024 - 2048;
    CHECK(code(make(Opcode::kMGATHER, {dst, view, rows}), Arch::kA5).empty());
    dst.address += 32;
    CHECK(code(make(Opcode::kMGATHER, {dst, view, rows}), Arch::kA5) == "A09");
    CHECK(code(make(Opcode::kMSCATTER, {view, dst, rows}), Arch::kA5) == "A09");
    CHECK(code(make(Opcode::kMGATHER, {dst, view, rows}), Arch::kA2A3).empty());
}

TEST_CASE("scalar arithmetic has no 8-bit floats") {
    assembly::ScalarFormat format;
    format.dtype = kE4M3;
    CHECK(assembly::evaluate(assembly::ScalarOp::kAddF, format, 0, 0).code == "N10");
}
