// Effects of the traits of rows. Expected values are bytes and pipes counted by hand from the shapes, and statements of
// the documents and headers that each case names. Traits of the assembler are tested in
// isa/assembly/verify/assembler_rules_test.cpp, costs in sim/machine/timing/trait_costs_test.cpp.
#include "isa/testing/trait_expectations.h"

#include <set>

#include "isa/core/behaviour.h"
#include "isa/legality/legality.h"
#include "isa/testing/reported.h"
#include "isa/table/access.h"
#include "isa/table/column_walk.h"
#include "isa/table/internal_flags.h"
#include "isa/table/mode_registers.h"
#include "isa/testing/test_operands.h"

using namespace ptosim;

namespace {

using enum DType;
constexpr auto kCol = OuterLayout::kColMajor;
constexpr auto kRow = OuterLayout::kRowMajor;
constexpr auto kBoxRow = InnerLayout::kRowMajor;

Scalar index(int value) { return {static_cast<uint64_t>(value), kI64}; }

// ---- instructions that touch other parts of an operand than its valid region ------------------

Instruction padded_load() {
    Tile tile = valid(ub(kF32, 16, 64), 10, 50);
    tile.pad = Pad::kZero;
    return make(Opcode::kTLOAD, {tile, view(kF32, 10, 50)});
}
Instruction repeated_windows() {
    const Tile columns = valid(make_tile(Space::kL0A, kF16, 32, 64, kRow, kBoxRow), 16, 32);
    const Tile image = make_tile(Space::kL1, kF16, 60, 16);
    return with(make(Opcode::kTIMG2COL, {columns, image, index(0), index(0)}),
                [](Attributes& a) { a.use_convolution().image.repeat_time = 2; });
}
Instruction conversion_to_pairs() {
    return make(Opcode::kTCVT, {valid(ub(kE2M1, 8, 64), 8, 32), valid(ub(kF16, 8, 64), 8, 32)});
}
Instruction gather_of_every_other() {
    return with(make(Opcode::kTGATHER, {ub(kF32, 2, 64), ub(kF32, 2, 64)}),
                [](Attributes& a) { a.mask_pattern = 1; });
}
Instruction gather_into_l1() {
    const Tile boxes = valid(make_tile(Space::kL1, kF32, 16, 64, kCol, kBoxRow), 8, 64);
    return with(make(Opcode::kMGATHER, {boxes, view(kF32, 64, 64), view(kU32, 8, 64)}),
                [](Attributes& a) { a.by_element = true; });
}
Instruction quantisation_in_groups() {
    const Tile groups = valid(ub(kF32, 16, 8), 16, 2);
    return make(Opcode::kTQUANT_MX,
                {ub(kE4M3, 16, 64), ub(kF32, 16, 64), ub(kU8, 1, 32), groups, groups});
}
Instruction histogram_of_high_bytes() {
    const Tile filter = make_tile(Space::kUB, kU8, 32, 1, kCol);
    return with(make(Opcode::kTHISTOGRAM, {ub(kU32, 16, 256), ub(kU16, 16, 64), filter}),
                [](Attributes& a) { a.byte_select = 1; });
}
Instruction move_to_smaller() { return make(Opcode::kTMOV, {ub(kF32, 8, 16), ub(kF32, 16, 64)}); }
Instruction move_of_exponents() {
    const Tile boxes = valid(make_tile(Space::kUB, kU8, 16, 4, kRow, kBoxRow, 32), 10, 4);
    return make(Opcode::kTMOV, {boxes, ub(kU8, 1, 64), Operand{}, Operand{}, ub(kU8, 1, 256)});
}
Instruction extraction() {
    return make(Opcode::kTEXTRACT, {ub(kF32, 4, 8), ub(kF32, 16, 64), index(2), index(8)});
}
Instruction insertion() {
    return make(Opcode::kTINSERT, {ub(kF32, 16, 64), ub(kF32, 4, 8), index(2), index(8)});
}
Instruction change_of_convolution_layout() {
    return with(make(Opcode::kTTRANS, {ub(kF16, 1, 2048), ub(kF16, 1, 2048), ub(kF16, 1, 16)}),
                [](Attributes& a) {
                    a.use_convolution().src = {.layout = GlobalLayout::kNC1HWC0, .dims = {1, 2, 4, 8, 16}};
                    a.use_convolution().dst = {.layout = GlobalLayout::kNCHW, .dims = {1, 32, 4, 8}};
                });
}
Instruction fill_in_l1() {
    const Tile boxes = make_tile(Space::kL1, kF16, 32, 32, kCol, kBoxRow);
    return make(Opcode::kTFILLPAD, {boxes, valid(boxes, 16, 32)});
}
Instruction fill_in_place() {
    return make(Opcode::kTFILLPAD_INPLACE, {ub(kF32, 16, 64), valid(ub(kF32, 16, 64), 16, 48)});
}

// "4x8 @544": rows, columns and address of each part.
std::string touched_text(const Instruction& instruction, unsigned operand) {
    const TouchedTiles parts = touched_tiles(instruction, operand);
    std::string text;
    for (unsigned i = 0; i < parts.count; ++i) {
        const Tile& tile = parts.tiles[i];
        text += (i > 0 ? ", " : "") + std::to_string(tile.valid_rows) + "x" +
                std::to_string(tile.valid_cols) + " @" + std::to_string(tile.address);
    }
    return text.empty() ? "nothing" : text;
}
TraitExpectation touches(Instruction instruction, unsigned operand, std::string shown) {
    return {instruction.opcode, std::move(shown),
            [=] { return touched_text(instruction, operand); }};
}

// Text such as "0..2528": the bytes that an access to the operand covers, followed by its padding.
std::string bytes_text(const Instruction& instruction, unsigned operand) {
    std::string text;
    for (const Access& access : accesses(instruction))
        if (access.operand == operand)
            text += (access.padding ? ", cleared " : "") + std::to_string(access.begin) + ".." +
                    std::to_string(access.end);
    return text;
}
TraitExpectation covers(Instruction instruction, unsigned operand, std::string shown) {
    return {instruction.opcode, std::move(shown), [=] { return bytes_text(instruction, operand); }};
}

}  // namespace

TEST_CASE("trait touched: the parts of tiles") {
    check_expectations(
        &InstructionTraits::touched,
        {
            touches(padded_load(), 0, "10x56 @0"),           // whole blocks of 8 elements
            touches(repeated_windows(), 0, "32x64 @0"),      // all of dst
            touches(conversion_to_pairs(), 0, "8x64 @0"),    // whole rows
            touches(gather_of_every_other(), 0, "1x64 @0"),  // 32 of each row, one behind the other
            touches(gather_into_l1(), 0, "16x64 @0"),        // cleared first
            touches(quantisation_in_groups(), 3, "1x32 @0"),  // 2 groups in each of 16 rows
            touches(histogram_of_high_bytes(), 2, "nothing"),
            touches(move_to_smaller(), 1, "8x16 @0"),
            touches(extraction(), 1, "4x8 @544"),  // (2 * 64 + 8) * 4
            touches(insertion(), 0, "4x8 @544"),
            touches(change_of_convolution_layout(), 1, "1x1024 @0"),  // 2 * 4 * 8 * 16
            touches(fill_in_l1(), 0, "16x32 @512"),                   // boxes of 16 x 16 of 2 bytes
            touches(fill_in_place(), 0, "16x16 @192"),                // right of column 48
        });
}

TEST_CASE("trait reaches_beyond: bytes outside the valid region") {
    check_expectations(&InstructionTraits::reaches_beyond,
                       {
                           covers(padded_load(), 0, "0..2528"),       // (9 * 64 + 56) * 4
                           covers(repeated_windows(), 0, "0..4096"),  // 32 * 64 * 2
                           covers(conversion_to_pairs(), 0, "0..256"),
                           covers(gather_of_every_other(), 0, "0..256"),
                           covers(gather_into_l1(), 0, "0..4096"),
                           covers(quantisation_in_groups(), 3, "0..128"),
                           covers(move_of_exponents(), 1, "0..40, cleared 40..64"),
                       });
}

TEST_CASE("trait cleared_tail: the source is filled up to whole boxes") {
    // 10 rows of 4 exponents are read; the tile must have 16 rows of 4 (pto-isa a5/TMov.hpp).
    check_expectations(&InstructionTraits::cleared_tail,
                       {covers(move_of_exponents(), 1, "0..40, cleared 40..64")});
}

namespace {

// The profile rule that explains the result for a subnormal first source.
struct RuleOfSubnormals final : DataReporter {
    void report(const DataFinding& finding) override {
        if (finding.code == "N06" && finding.operand == 1) hint = finding.hint;
    }
    std::string hint;
};

TraitExpectation flushes(Opcode opcode, std::initializer_list<Operand> operands) {
    const Instruction instruction = make(opcode, operands);
    return {opcode, "ptosim applies rule 'flush-subnormals-a5' of `ptosim isa`", [=] {
                float elements[64]{};
                std::fill(std::begin(elements), std::end(elements), 0x1p-130F);
                Execution execution{instruction, {}, Numerics::kA5};
                for (auto& bytes : execution.bytes) bytes = reinterpret_cast<std::byte*>(elements);
                RuleOfSubnormals found;
                check_implementation_defined(execution, found);
                return found.hint;
            }};
}

}  // namespace

TEST_CASE("trait any_bytes: vector functions touch what their operations do") {
    // vsts with a mask of 10 lanes of f32 at byte 4: 40 bytes, at no multiple of 32.
    Tile bytes = make_tile(Space::kUB, kU8, 1, 40);
    bytes.address = 4;
    Instruction function(Opcode::kVECTOR_FUNCTION);
    function.add(bytes);
    for (int i = 0; i < 5; ++i) function.add(Operand());
    function.add(Scalar{0, DType::kU64});
    check_expectations(&InstructionTraits::any_bytes, {{Opcode::kVECTOR_FUNCTION, "", [function] {
                                                            Problem problem;
                                                            check_legality(function, Arch::kA5,
                                                                           problem);
                                                            return problem.code;
                                                        }}});
}

TEST_CASE("trait flushes_subnormals_a5: divisions, exponentials, logarithms and roots") {
    // CANN API, Reg Div, Exp, Ln, Sqrt, "Subnormal mode" (profile rule flush-subnormals-a5).
    const Tile f = row(kF32, 8);
    const Tile column = valid(make_tile(Space::kUB, kF32, 8, 1, kCol), 1, 1);
    check_expectations(&InstructionTraits::flushes_subnormals_a5,
                       {
                           flushes(Opcode::kTDIV, {f, f, f}),
                           flushes(Opcode::kTDIVS, {f, f, Scalar{0x3F800000, kF32}}),
                           flushes(Opcode::kTROWEXPANDDIV, {f, f, column}),
                           flushes(Opcode::kTCOLEXPANDDIV, {f, f, f}),
                           flushes(Opcode::kTEXP, {f, f}),
                           flushes(Opcode::kTLOG, {f, f}),
                           flushes(Opcode::kTSQRT, {f, f}),
                           flushes(Opcode::kTRSQRT, {f, f}),
                           flushes(Opcode::kTRECIP, {f, f}),
                       });
}

TEST_CASE("trait apart_if: a scalar divided by a tile, and scratch, need their operands apart") {
    // pto-isa a2a3/TDivS.hpp fills dst with the scalar before it divides by the source; a2a3/TXor.hpp keeps the union
    // of the sources in its scratch before it writes dst.
    const Tile f = ub(kF32, 8, 64), i = ub(kI32, 8, 64);
    Tile scratch = i;
    scratch.address = 0x8000;
    const Scalar two{0x40000000, kF32};
    const auto code = [](const Instruction& instruction) {
        Problem problem;
        return check_legality(instruction, Arch::kA2A3, problem) ? std::string("legal")
                                                                 : problem.code;
    };
    CHECK(code(make(Opcode::kTDIVS, {f, two, f})) == "A07");
    check_expectations(&InstructionTraits::apart_if,
                       {{Opcode::kTDIVS, "legal", [=] {
                             return code(make(Opcode::kTDIVS, {f, f, two}));
                         }},
                        {Opcode::kTXOR, "legal", [=] {
                             return code(make(Opcode::kTXOR, {i, i, i, scratch}));
                         }}});
}

namespace {

std::string flags_text(Opcode opcode, Arch arch) {
    std::set<std::string> pairs;
    for (const InternalFlag& flag : internal_flags(opcode, arch)) {
        CHECK(flag.id == 0);
        pairs.insert(std::string(name(flag.source)) + ">" + std::string(name(flag.destination)));
    }
    std::string text(name(arch));
    for (const std::string& pair : pairs) text += " " + pair;
    return text;
}

// `a2a3` and `a5`: pairs in alphabetical order.
TraitExpectation sets_flags(Opcode opcode, const std::string& a2a3, const std::string& a5 = "") {
    const auto list = [](const char* arch, const std::string& pairs) {
        return arch + (pairs.empty() ? "" : " " + pairs);
    };
    return {opcode, list("a2a3", a2a3) + "; " + list("a5", a5),
            [=] { return flags_text(opcode, Arch::kA2A3) + "; " + flags_text(opcode, Arch::kA5); }};
}

}  // namespace

TEST_CASE("trait internal_flags: what implementations set and wait for") {
    // Every set_flag and PtoSetWaitFlag of hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/T*.hpp
    // and M*.hpp, by the instructions that reach it. All have id 0.
    const std::string back = "S>V V>S", to_scalar = "V>S";
    check_expectations(
        &InstructionTraits::internal_flags,
        {
            sets_flags(Opcode::kTSHL, back),
            sets_flags(Opcode::kTSHR, back),
            sets_flags(Opcode::kTPOW, back),
            sets_flags(Opcode::kTPOWS, back),
            sets_flags(Opcode::kTCMPS, "MTE1>S MTE2>S V>S"),
            sets_flags(Opcode::kTSELS, "S>V"),
            sets_flags(Opcode::kTROWARGMAX, back),
            sets_flags(Opcode::kTROWARGMIN, back),
            sets_flags(Opcode::kTROWSUM, back),
            sets_flags(Opcode::kTROWMAX, back),
            sets_flags(Opcode::kTROWMIN, back),
            sets_flags(Opcode::kTROWPROD, back),
            sets_flags(Opcode::kTROWEXPAND, back),
            sets_flags(Opcode::kTMRGSORT, to_scalar, to_scalar),
            sets_flags(Opcode::kTGATHER, back),
            sets_flags(Opcode::kTSCATTER, back),
            sets_flags(Opcode::kMGATHER, "MTE2>MTE3 MTE2>S MTE2>V MTE3>S S>MTE2 S>MTE3 S>V V>S",
                       "S>MTE2 S>V V>S"),
            sets_flags(Opcode::kMSCATTER, "MTE2>S MTE3>MTE2 MTE3>S MTE3>V S>MTE2 S>MTE3 S>V V>S",
                       back),
            sets_flags(Opcode::kTDEQUANT, back),
            sets_flags(Opcode::kTEXTRACT, back, back),
            sets_flags(Opcode::kTINSERT, "", back),
            sets_flags(Opcode::kTTRANS, "MTE3>S MTE3>V S>MTE3 S>V V>MTE3 V>S"),
            sets_flags(Opcode::kTCONCAT, "MTE2>S V>S"),
            sets_flags(Opcode::kTCONCATIDX, "MTE2>S S>MTE3 S>V V>S"),
            sets_flags(Opcode::kTFILLPAD, to_scalar),
            sets_flags(Opcode::kTFILLPAD_INPLACE, to_scalar),
            sets_flags(Opcode::kTFILLPAD_EXPAND, to_scalar),
            sets_flags(Opcode::kTDIVS, back, to_scalar),
        });
}

TEST_CASE("trait scratch_untouched: what a5 keeps in registers") {
    // hw-native-sys/pto-isa docs/isa, the page of each: `tmp` is accepted and not used on A5; of
    // TADDDEQRELU, TCI, TCVT and TTRANS the header in include/pto/npu/a5.
    std::vector<TraitExpectation> expectations;
    for (const Opcode opcode : {Opcode::kTXOR,
                                Opcode::kTXORS,
                                Opcode::kTCI,
                                Opcode::kTCVT,
                                Opcode::kTPRELU,
                                Opcode::kTADDDEQRELU,
                                Opcode::kTSEL,
                                Opcode::kTSELS,
                                Opcode::kTROWARGMAX,
                                Opcode::kTROWARGMIN,
                                Opcode::kTCOLARGMAX,
                                Opcode::kTCOLARGMIN,
                                Opcode::kTTRANS,
                                Opcode::kTROWSUM,
                                Opcode::kTROWMAX,
                                Opcode::kTROWMIN,
                                Opcode::kTROWPROD,
                                Opcode::kTROWEXPANDADD,
                                Opcode::kTROWEXPANDSUB,
                                Opcode::kTROWEXPANDMUL,
                                Opcode::kTROWEXPANDDIV,
                                Opcode::kTROWEXPANDMAX,
                                Opcode::kTROWEXPANDMIN,
                                Opcode::kTROWEXPANDEXPDIF,
                                Opcode::kTREM,
                                Opcode::kTREMS,
                                Opcode::kTPOW,
                                Opcode::kTPOWS,
                                Opcode::kTRSQRT,
                                Opcode::kTGATHER,
                                Opcode::kTQUANT}) {
        CHECK(touches_scratch(Instruction{opcode}, Arch::kA2A3));
        expectations.push_back({opcode, "untouched", [=] {
                                    return touches_scratch(Instruction{opcode}, Arch::kA5)
                                               ? "touched"
                                               : "untouched";
                                }});
    }
    check_expectations(&InstructionTraits::scratch_untouched, expectations);
    // The same page of TSORT32 describes the registers of a5.
    CHECK(touches_scratch(Instruction{Opcode::kTSORT32}, Arch::kA5));
}

TEST_CASE("trait scratch_untouched_if: forms of instructions that need no scratch") {
    const auto touched = [](const Instruction& instruction, Arch arch) {
        return std::string(touches_scratch(instruction, arch) ? "touched" : "untouched");
    };
    const auto gather = [](DType type) {
        return make(Opcode::kTGATHER, {ub(type, 4, 32), ub(type, 4, 32), ub(kI32, 4, 32), Operand{},
                                       ub(kI32, 4, 32)});
    };
    CHECK(touched(gather(kF16), Arch::kA2A3) == "touched");
    // hw-native-sys/pto-isa include/pto/npu/a5/TSort32.hpp: TSort32Impl without `tmp`; a5/TMov.hpp, TMovDnTo2Zz;
    // a5/TColSum.hpp, TColSum with isBinary.
    const auto sort = [](int cols) {
        return make(Opcode::kTSORT32, {ub(kF32, 1, 16384), valid(ub(kF32, 1, 8192), 1, cols), ub(kU32, 1, 8192),
                                       ub(kF32, 1, 8192)});
    };
    CHECK(touched(sort(8191), Arch::kA5) == "touched");
    CHECK(used_scratch(sort(8191), Arch::kA5) == 128);
    const auto boxes = [](bool down) {
        Instruction move = make(Opcode::kTMOV, {ub(kU8, 32, 2), ub(kU8, 1, 64), Operand{}, Operand{}, ub(kU8, 1, 96)});
        move.attributes.group_rows = down;
        return move;
    };
    CHECK(used_scratch(boxes(false), Arch::kA5) == 68);
    const auto sum = [](bool tree) {
        Instruction columns = make(Opcode::kTCOLSUM, {ub(kF32, 1, 64), ub(kF32, 8, 64), ub(kF32, 4, 64)});
        columns.attributes.binary_tree = tree;
        return columns;
    };
    CHECK(used_scratch(sum(true), Arch::kA5) == 1024);
    check_expectations(&InstructionTraits::scratch_untouched_if,
                       {{Opcode::kTGATHER, "untouched", [=] { return touched(gather(kF32), Arch::kA2A3); }},
                        {Opcode::kTSORT32, "untouched", [=] { return touched(sort(8192), Arch::kA5); }},
                        {Opcode::kTMOV, "untouched", [=] { return touched(boxes(true), Arch::kA5); }},
                        {Opcode::kTCOLSUM, "untouched", [=] { return touched(sum(false), Arch::kA5); }}});
}

TEST_CASE("trait vector_with_scratch: scratch makes it a vector instruction") {
    // hw-native-sys/pto-isa docs/isa/TCI.md: with tmp, V repeatedly doubles the filled part.
    const Tile ramp = ub(kI32, 1, 64);
    const Scalar start{0, kI32};
    CHECK(pipe_of(make(Opcode::kTCI, {ramp, start}), Arch::kA2A3) == Pipe::kS);
    check_expectations(
        &InstructionTraits::vector_with_scratch,
        {{Opcode::kTCI, "V", [=] {
              return std::string(
                  name(pipe_of(make(Opcode::kTCI, {ramp, start, ub(kI32, 1, 192)}), Arch::kA2A3)));
          }}});
}

namespace {

Instruction rows_from_memory(bool by_element) {
    return with(make(Opcode::kMGATHER, {ub(kF32, 16, 64), view(kF32, 64, 64), ub(kU32, 1, 16)}),
                [=](Attributes& a) { a.by_element = by_element; });
}
Instruction rows_to_memory() {
    return make(Opcode::kMSCATTER, {view(kF32, 64, 64), ub(kF32, 16, 64), ub(kU32, 1, 16)});
}

std::string awaited_text(const Instruction& instruction) {
    std::string text;
    for (const Pipe pipe : awaited_pipes(instruction, Arch::kA2A3))
        text += std::string(name(pipe)) + " ";
    return text;
}

}  // namespace

// hw-native-sys/pto-isa include/pto/npu/a2a3/{MGather,MScatter}.hpp; a5 has threads that gather.
TEST_CASE("traits read_by_scalar_unit and awaited_pipes: rows named by indices, on a2a3") {
    const auto read = [](const Instruction& instruction, Arch arch) {
        std::string text;
        for (unsigned i = 0; i < instruction.operand_count; ++i)
            if (read_by_scalar_unit(instruction, i, arch)) text += std::to_string(i);
        return text;
    };
    CHECK(read(rows_from_memory(true), Arch::kA2A3).empty());
    CHECK(read(rows_from_memory(false), Arch::kA5).empty());
    check_expectations(
        &InstructionTraits::read_by_scalar_unit,
        {{Opcode::kMGATHER, "2", [=] { return read(rows_from_memory(false), Arch::kA2A3); }}});
    CHECK(awaited_text(rows_from_memory(true)) == "V MTE3 MTE2 ");
    CHECK(awaited_pipes(rows_to_memory(), Arch::kA5).empty());
    check_expectations(
        &InstructionTraits::awaited_pipes,
        {{Opcode::kMGATHER, "V MTE3 ", [] { return awaited_text(rows_from_memory(false)); }},
         {Opcode::kMSCATTER, "V MTE2 ", [] { return awaited_text(rows_to_memory()); }}});
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TBinSOp.hpp, which these five are made of.
TEST_CASE("trait walks_columns: scalar operations on tiles of one column") {
    const Tile column = make_tile(Space::kUB, kF16, 16, 1, kCol);
    std::vector<TraitExpectation> expectations;
    for (const Opcode opcode :
         {Opcode::kTADDS, Opcode::kTSUBS, Opcode::kTMULS, Opcode::kTMAXS, Opcode::kTMINS})
        expectations.push_back(
            {opcode, "its elements", [=] {
                 const Instruction declared = make(opcode, {column, column, Scalar{0, kF16}});
                 return column_walk(declared, Arch::kA2A3) == ColumnWalk::kElements ? "its elements"
                                                                                    : "none";
             }});
    check_expectations(&InstructionTraits::walks_columns, expectations);
}

TEST_CASE("trait registers: instructions that set or take registers of the core") {
    std::vector<TraitExpectation> expectations;
    for (const Opcode opcode :
         {Opcode::kSETFMATRIX, Opcode::kSET_IMG2COL_RPT, Opcode::kSET_IMG2COL_PADDING,
          Opcode::kSET_QUANT_SCALAR, Opcode::kSET_QUANT_VECTOR, Opcode::kTIMG2COL})
        expectations.push_back({opcode, "passes by them", [=] {
                                    return ModeRegisters::concerns(opcode) ? "passes by them"
                                                                           : "does not";
                                }});
    check_expectations(&InstructionTraits::registers, expectations);
}

// hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp: the mode reaches conversions that wrap by
// default only; a5/TCvt.hpp, SaturationCtrlTraits: all that narrow.
TEST_CASE("trait obeys_saturation: conversions whose mode decides") {
    const auto observe = [] {
        const auto obeys = traits(Opcode::kTCVT).obeys_saturation;
        if (obeys == nullptr) return std::string();
        std::string shown;
        for (const auto& [to, from] : {std::pair{kF16, kF32}, {kI16, kF32}, {kI32, kF32},
                                       {kI16, kI32}, {kF32, kF16}, {kI64, kI32}})
            for (const Arch arch : {Arch::kA2A3, Arch::kA5}) {
                const Instruction convert = make(Opcode::kTCVT, {ub(to, 1, 64), ub(from, 1, 64)});
                shown += obeys(convert, arch) ? '1' : '0';
            }
        return shown;
    };
    check_expectations(&InstructionTraits::obeys_saturation,
                       {{Opcode::kTCVT, "011101110000", observe}});
}
