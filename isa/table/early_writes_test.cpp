// Operands that share bytes although one is written while the other has still to be read. Expected is
// what hw-native-sys/pto-isa include/pto/npu/a2a3 does step by step; each instruction names its header.
#include "isa/table/early_writes.h"

#include "isa/table/internal_flags.h"
#include "isa/testing/test_operands.h"
#include "isa/testing/trait_expectations.h"

using namespace ptosim;

namespace {

using enum DType;
constexpr auto kCol = OuterLayout::kColMajor;

Tile at(uint32_t address, Tile tile) {
    tile.address = address;
    return tile;
}
Tile column(DType type, int rows) { return make_tile(Space::kUB, type, rows, 1, kCol); }
Scalar number(DType type) { return {1, type}; }

// "0 over 1": operand 0 is written before operand 1 has been read.
std::string text_of(const Instruction& instruction, Arch arch = Arch::kA2A3) {
    const EarlyWrite* write = early_write(instruction, arch);
    if (write == nullptr) return "";
    return std::to_string(write->written) + " over " + std::to_string(write->read);
}
TraitExpectation writes(const Instruction& instruction, std::string shown) {
    return {instruction.opcode, std::move(shown), [=] { return text_of(instruction); }};
}

const Tile f = ub(kF32, 16, 64), g = at(0x1000, f), h = at(0x2000, f), scratch = at(0x8000, f);
const Tile mask = at(0x4000, ub(kU8, 16, 32)), rows = ub(kI32, 16, 64);

}  // namespace

TEST_CASE("trait early_writes: what is written before the last read of another operand") {
    std::vector<TraitExpectation> expected{
        writes(make(Opcode::kTREM, {f, f, g, scratch}), "0 over 1"),
        writes(make(Opcode::kTREMS, {f, g, number(kF32), g}), "3 over 1"),
        writes(make(Opcode::kTFMOD, {f, g, f}), "0 over 2"),
        writes(make(Opcode::kTFMODS, {f, f, number(kF32)}), "0 over 1"),
        writes(make(Opcode::kTTRANS, {ub(kF32, 8, 8), ub(kF32, 8, 8), scratch}), "0 over 1"),
        writes(make(Opcode::kTCONCAT, {ub(kF32, 16, 128), f, g}), "0 over 1"),
        writes(make(Opcode::kTSEL, {at(0x4000, f), mask, g, h, scratch}), "0 over 1"),
        writes(make(Opcode::kTSELS, {f, mask, g, at(0x4020, ub(kF32, 1, 8)), number(kF32)}), "3 over 1"),
        writes(make(Opcode::kTROWSUM, {at(0x100, column(kF32, 16)), f, scratch}), "0 over 1"),
        writes(make(Opcode::kTROWMAX, {column(kF32, 16), at(0x1000, ub(kF32, 16, 128)),
                                       at(0x1100, ub(kF32, 16, 128))}), "2 over 1"),
        writes(make(Opcode::kTROWMIN, {at(0x100, column(kF32, 16)), f, scratch}), "0 over 1"),
        writes(make(Opcode::kTCOLSUM, {at(0x100, ub(kF32, 1, 64)), f}), "0 over 1"),
        writes(make(Opcode::kTSORT32, {ub(kF32, 1, 128), ub(kF32, 1, 64), at(0x1000, ub(kU32, 1, 64))}),
               "0 over 1"),
        writes(make(Opcode::kTMRGSORT, {ub(kF32, 1, 128), Operand{}, ub(kF32, 1, 128)}), "0 over 2"),
        writes(make(Opcode::kTGATHER, {f, f, at(0x1000, rows)}), "0 over 1"),
        writes(make(Opcode::kTGATHERB, {f, g, ub(kU32, 1, 64)}), "0 over 2"),
        writes(make(Opcode::kTSCATTER, {f, g, rows}), "0 over 2"),
        writes(make(Opcode::kMGATHER, {f, view(kF32, 64, 64), ub(kI32, 1, 16)}), "0 over 2"),
        writes(make(Opcode::kTCI, {ub(kI32, 1, 64), number(kI32), ub(kF32, 1, 192)}), "0 over 2"),
        writes(make(Opcode::kTCVT, {f, ub(kF16, 16, 64)}), "0 over 1"),
        writes(make(Opcode::kTROWEXPAND, {f, column(kF32, 16)}), "0 over 1"),
        writes(make(Opcode::kTCOLEXPAND, {f, at(0x100, ub(kF32, 1, 64))}), "0 over 1"),
    };
    for (const Opcode opcode : {Opcode::kTCOLMAX, Opcode::kTCOLMIN, Opcode::kTCOLPROD})
        expected.push_back(writes(make(opcode, {at(0x100, ub(kF32, 1, 64)), f}), "0 over 1"));
    for (const Opcode opcode :
         {Opcode::kTROWEXPANDADD, Opcode::kTROWEXPANDSUB, Opcode::kTROWEXPANDMUL,
          Opcode::kTROWEXPANDDIV, Opcode::kTROWEXPANDMAX, Opcode::kTROWEXPANDMIN,
          Opcode::kTROWEXPANDEXPDIF})
        expected.push_back(writes(make(opcode, {f, g, ub(kF32, 16, 8)}), "0 over 2"));
    for (const Opcode opcode :
         {Opcode::kTCOLEXPANDADD, Opcode::kTCOLEXPANDSUB, Opcode::kTCOLEXPANDMUL,
          Opcode::kTCOLEXPANDDIV, Opcode::kTCOLEXPANDMAX, Opcode::kTCOLEXPANDMIN,
          Opcode::kTCOLEXPANDEXPDIF})
        expected.push_back(writes(make(opcode, {f, g, ub(kF32, 1, 64)}), "0 over 2"));
    check_expectations(&InstructionTraits::early_writes, expected);
}

TEST_CASE("operands that may share bytes") {
    CHECK(text_of(make(Opcode::kTFMOD, {f, g, h})).empty());
    CHECK(text_of(make(Opcode::kTFMOD, {f, f, g}), Arch::kA5).empty());  // keeps all in registers
    CHECK(text_of(make(Opcode::kTADD, {f, f, f})).empty());
    // Repeats of 256 bytes: over a later one of the source, over other elements of the same, over an earlier.
    CHECK(text_of(make(Opcode::kTADD, {at(0x100, f), g, f})) == "0 over 2");
    CHECK(text_of(make(Opcode::kTADD, {f, at(0x20, f), g})) == "0 over 1");
    CHECK(text_of(make(Opcode::kTADD, {f, at(0x100, f), g})).empty());
    CHECK(text_of(make(Opcode::kTADD, {at(0x100, f), f, g}), Arch::kA5).empty());
    CHECK(text_of(make(Opcode::kTSEL, {g, mask, g, h, scratch})).empty());
    CHECK(text_of(make(Opcode::kTSEL, {h, mask, g, h, scratch})).empty());
    // Windows of one tile, side by side: no byte is in both.
    const auto window = [](uint32_t column) {
        Tile tile = at(column * 4, ub(kF32, 16, 32));
        tile.pitch = 64;
        return tile;
    };
    CHECK(text_of(make(Opcode::kTFMOD, {window(32), window(0), g})).empty());
    CHECK(text_of(make(Opcode::kTFMOD, {window(24), window(0), g})) == "0 over 1");
    CHECK(text_of(make(Opcode::kTFMOD, {window(40), window(0), g})) == "0 over 1");  // of the next row
    // The address of one mask is 8 bytes.
    CHECK(text_of(make(Opcode::kTSEL, {f, mask, g, h, at(0x4000 + 16 * 32, f)})).empty());
    // Through scratch of the source's shape, which may be the source itself; results begin where it does.
    const Tile wide = ub(kF32, 16, 128);
    CHECK(text_of(make(Opcode::kTROWMAX, {at(0x8000, column(kF32, 16)), wide, wide})).empty());
    CHECK(text_of(make(Opcode::kTROWMAX, {column(kF32, 16), f, scratch})).empty());
    CHECK(text_of(make(Opcode::kTCOLMAX, {ub(kF32, 1, 64), f})).empty());
    // A source that ends where the wider result does is read before it is overtaken; a narrower result lags.
    CHECK(text_of(make(Opcode::kTCVT, {f, at(0x800, ub(kF16, 16, 64))})).empty());
    CHECK(text_of(make(Opcode::kTCVT, {ub(kF16, 16, 64), f})).empty());
    CHECK(text_of(make(Opcode::kTCVT, {ub(kF32, 1, 64), ub(kF16, 1, 64)})).empty());
    // 16 columns of 16 rows go through scratch.
    const Tile square = ub(kF32, 16, 16);
    CHECK(text_of(make(Opcode::kTTRANS, {square, square, scratch})).empty());
    // The column has been spread over scratch before the first row is written.
    CHECK(text_of(make(Opcode::kTROWEXPANDMUL, {f, g, column(kF32, 16), scratch})).empty());
    CHECK(text_of(make(Opcode::kTROWEXPANDMUL, {f, f, at(0x1000, column(kF32, 16)), scratch})).empty());
}

// include/pto/common/constants.hpp: TMP_UB_OFFSET; TRowExpandBinOp.hpp: 256 bytes for each 8 rows.
TEST_CASE("trait fixed_scratch: where instructions keep values without a scratch tile") {
    const auto kept = [](Opcode opcode, const Tile& values, Arch arch) -> std::string {
        Instruction instruction = make(opcode, {f, g, values});
        if (!may_have_fixed_scratch(opcode, arch) || !add_fixed_scratch(instruction, arch)) return "";
        const Tile& tile = instruction.tile(3);
        return std::to_string(tile.byte_size()) + " at " + std::to_string(tile.address);
    };
    std::vector<TraitExpectation> expected;
    for (const Opcode opcode :
         {Opcode::kTROWEXPANDADD, Opcode::kTROWEXPANDSUB, Opcode::kTROWEXPANDMUL,
          Opcode::kTROWEXPANDDIV, Opcode::kTROWEXPANDMAX, Opcode::kTROWEXPANDMIN,
          Opcode::kTROWEXPANDEXPDIF}) {
        expected.push_back({opcode, "512 at 188416", [=] {
                                return kept(opcode, at(0x2000, column(kF32, 16)), Arch::kA2A3);
                            }});
        CHECK(kept(opcode, at(0x2000, ub(kF32, 16, 8)), Arch::kA2A3).empty());
        CHECK(kept(opcode, at(0x2000, column(kF32, 16)), Arch::kA5).empty());
    }
    check_expectations(&InstructionTraits::fixed_scratch, expected);
}

// include/pto/npu/a2a3/TSels.hpp: the scalar is stored into scratch, of which the vector unit reads it.
TEST_CASE("trait scratch_by_scalar_unit") {
    const Instruction select = make(Opcode::kTSELS, {f, mask, g, scratch, number(kF32)});
    check_expectations(&InstructionTraits::scratch_by_scalar_unit,
                       {{Opcode::kTSELS, "operand 3", [=]() -> std::string {
                             std::string text = "operand";
                             for (unsigned i = 0; i < select.operand_count; ++i)
                                 if (written_by_scalar_unit(select, i, Arch::kA2A3))
                                     text += " " + std::to_string(i);
                             return text;
                         }}});
    CHECK(!written_by_scalar_unit(select, 3, Arch::kA5));
}
