// Element types that instructions have and the assembler refuses: an operation in text with every type of its row.
// Source of accepted types: the verifiers in hw-native-sys/PTOAS v0.60 lib/PTO/IR/PTO.cpp; the remaining types of the
// row are refused.
#include "isa/assembly/bind/recording_port.h"
#include "isa/assembly/verify/spelling.h"
#include "isa/testing/trait_expectations.h"

using namespace ptosim;
using namespace ptosim::assembly;
using enum Opcode;

namespace {

constexpr Arch kA3 = Arch::kA2A3, kA5 = Arch::kA5;
constexpr size_t kDTypes = static_cast<size_t>(DType::kCount);

std::string type_text(DType type) {
    const std::string word(name(type));
    if (word[0] == 'u') return "ui" + word.substr(1);
    if (word == "e4m3") return "f8E4M3FN";
    if (word == "e5m2") return "f8E5M2";
    if (word == "e8m0") return "!pto.f8E8M0";
    if (word == "hif8") return "!pto.hif8";
    if (word == "e2m1") return "!pto.f4E2M1x2";
    if (word == "e1m2") return "!pto.f4E1M2x2";
    return word;
}

std::string with_type(std::string text, DType type) {
    const std::string word = type_text(type);
    const std::string number = word.starts_with("ui") ? word.substr(1) : word;
    for (const auto& [mark, value] : {std::pair{"NUMBER", number}, std::pair{"TYPE", word}})
        for (size_t at; (at = text.find(mark)) != text.npos;)
            text.replace(at, std::string_view(mark).size(), value);
    return text;
}

// A function of one operation. `operands` holds the operands of ins(...), then the operands of outs(...). TYPE is
// replaced by the element type, NUMBER by a scalar of it; all else is copied.
struct Written {
    std::vector<std::string> ins, outs;
    std::string attributes{};

    std::string text(std::string_view operation) const {
        std::string parameters, lists;
        char letter = 'a';
        for (const auto* list : {&ins, &outs}) {
            std::string values, types;
            for (const std::string& type : *list) {
                const std::string value = std::string("%") + letter++;
                parameters += (parameters.empty() ? "" : ", ") + value + ": " + type;
                values += (values.empty() ? "" : ", ") + value;
                types += (types.empty() ? "" : ", ") + type;
            }
            lists += (list == &ins ? " ins(" : " outs(") + values +
                     (list == &ins ? attributes : "") + " : " + types + ")";
        }
        return "func.func @k(" + parameters + ") {\npto." + std::string(operation) + lists +
               "\nreturn\n}\n";
    }
};

std::string tile(const std::string& shape) { return "!pto.tile_buf<vec, " + shape + ">"; }
const std::string kTile = tile("16x64xTYPE"), kRow = tile("1x64xTYPE"),
                  kColumn = tile("16x1xTYPE, blayout=col_major"), kMask = tile("16x32xui8");
const Written kOne{{kTile}, {kTile}}, kTwo{{kTile, kTile}, {kTile}},
    kTwoTmp{{kTile, kTile, kTile}, {kTile}}, kScalar{{kTile, "NUMBER"}, {kTile}},
    kScalarTmp{{kTile, "NUMBER", kTile}, {kTile}};

// The types that are refused as such.
std::string refused(Opcode opcode, Arch arch, const Written& written) {
    const InstructionInfo& row = info(opcode);
    const std::string start = "'pto." + std::string(row.assembly) + "' takes ";
    DTypeSet found;
    for (size_t i = 0; i < kDTypes; ++i) {
        const auto type = static_cast<DType>(i);
        if (!row.types[static_cast<size_t>(arch)].contains(type)) continue;
        BindOptions options = test_options();
        options.arch = arch;
        options.launch = false;
        options.verify = true;
        try {
            bind_text(with_type(written.text(row.assembly), type), options);
        } catch (const DiagnosticError& error) {
            const Diagnostic& first = error.diagnostics().front();
            if (first.code == "T03" && first.message.starts_with(start))
                found = found | DTypeSet{type};
        }
    }
    return to_text(found);
}

class Expectations {
 public:
    void add(std::initializer_list<Opcode> opcodes, Arch arch, const std::string& types,
             const Written& written) {
        for (const Opcode opcode : opcodes)
            list_.push_back({opcode, types, [=] { return refused(opcode, arch, written); }});
    }
    const std::vector<TraitExpectation>& list() const { return list_; }

 private:
    std::vector<TraitExpectation> list_;
};

void expect_elementwise(Expectations& all) {
    all.add({kTADD, kTMIN, kTDIV, kTSHL, kTSHR, kTPARTADD, kTPARTMAX, kTPARTMIN}, kA5, "i64, u64",
            kTwo);
    all.add({kTSUB, kTMUL, kTMAX}, kA5, "bf16, i64, u64", kTwo);
    all.add({kTAND, kTOR}, kA3, "f16, bf16", kTwo);
    all.add({kTAND, kTOR}, kA5, "f32, f16, bf16", kTwo);
    all.add({kTXOR}, kA3, "f16, bf16", kTwoTmp);
    all.add({kTXOR}, kA5, "f16, bf16", kTwoTmp);
    all.add({kTADDRELU}, kA3, "i32", kTwo);
    all.add({kTNOT}, kA3, "f16, bf16, i8, u8, i32, u32", kOne);
    all.add({kTNOT}, kA5, "f16, bf16", kOne);
    all.add({kTABS}, kA5, "i8, i16, i32", kOne);
    all.add({kTFMOD}, kA5, "bf16", kTwo);
    all.add({kTREM}, kA5, "i64, u64", kTwoTmp);
    all.add({kTADDS, kTSUBS, kTMULS, kTMAXS, kTMINS, kTDIVS, kTSHRS}, kA5, "i64, u64", kScalar);
    all.add({kTANDS, kTORS}, kA3, "i32, u32", kScalar);
    all.add({kTXORS}, kA3, "i32, u32", kScalarTmp);
    all.add({kTREMS}, kA5, "i64, u64", kScalarTmp);
    all.add({kTFMODS}, kA5, "bf16", kScalar);
}

void expect_rows_and_columns(Expectations& all) {
    all.add({kTROWMAX, kTROWMIN}, kA5, "i8, u8, i64, u64", {{kTile, kTile}, {kColumn}});
    all.add({kTROWSUM}, kA5, "i64, u64", {{kTile, kTile}, {kColumn}});
    all.add({kTCOLSUM, kTCOLMAX, kTCOLMIN}, kA5, "i64, u64", {{kTile}, {kRow}});
    all.add({kTROWARGMAX, kTROWARGMIN}, kA5, "bf16",
            {{kTile, kTile}, {tile("16x1xui32, blayout=col_major")}});
    all.add({kTROWEXPAND}, kA5, "i64, u64", {{kColumn}, {kTile}});
    all.add({kTCOLEXPAND}, kA5, "i64, u64", {{kRow}, {kTile}});
    all.add({kTROWEXPANDADD, kTROWEXPANDSUB, kTROWEXPANDMUL, kTROWEXPANDDIV, kTROWEXPANDMAX,
             kTROWEXPANDMIN},
            kA5, "bf16", {{kTile, kColumn}, {kTile}});
    all.add({kTCOLEXPANDADD, kTCOLEXPANDSUB, kTCOLEXPANDMUL, kTCOLEXPANDDIV, kTCOLEXPANDMAX,
             kTCOLEXPANDMIN},
            kA5, "bf16", {{kTile, kRow}, {kTile}});
}

void expect_others(Expectations& all) {
    const Written compare_scalar{{kTile, "NUMBER"}, {kMask}};
    all.add({kTCMP}, kA5, "i64, u64", {{kTile, kTile}, {kMask}});
    all.add({kTCMPS}, kA5, "bf16, i64, u64", compare_scalar);
    all.add({kTSEL}, kA5, "i64, u64", {{kMask, kTile, kTile, tile("1x32xui8")}, {kTile}});
    const Written select_scalar{{kMask, kTile, tile("1x32xui8"), "NUMBER"}, {kTile}};
    all.add({kTSELS}, kA3, "bf16", select_scalar);
    all.add({kTSELS}, kA5, "bf16, i64, u64", select_scalar);
    all.add({kTEXPANDS}, kA3, "i8, u8", {{"NUMBER"}, {kTile}});
    all.add({kTEXPANDS}, kA5, "i64, u64", {{"NUMBER"}, {kTile}});
    all.add({kTCI}, kA3, "f32, f16", {{"NUMBER"}, {kRow}});
    all.add({kTTRI}, kA5, "i64, u64", {{"i32"}, {kTile}, " {upperOrLower = 0 : i32}"});
    all.add({kTSCATTER}, kA5, "i64, u64", {{kTile, tile("16x64xi32")}, {kTile}});
    const std::string indices = tile("16x64xi32");
    all.add({kTGATHER}, kA3, "bf16", {{kTile, indices, indices}, {kTile}});
    all.add({kTGATHER}, kA5, "bf16, i64, u64", {{kTile, indices, indices}, {kTile}});
    const std::string lengths = tile("16x8xi32");
    const Written lists{{kTile, kTile, lengths, lengths}, {tile("16x128xTYPE")}};
    all.add({kTCONCATIDX}, kA3, "u8, u16, u32", lists);
    all.add({kTCONCATIDX}, kA5, "u8, u16, u32", lists);
    const std::string square = tile("64x64xTYPE");
    all.add({kTTRANS}, kA5, "e4m3, e5m2, e8m0, hif8, e2m1, e1m2", {{square, square}, {square}});
}

}  // namespace

TEST_CASE("trait assembler_refuses: types that the assembler does not take", "[assembly]") {
    Expectations all;
    expect_elementwise(all);
    expect_rows_and_columns(all);
    expect_others(all);
    check_expectations(&InstructionTraits::assembler_refuses, all.list());
}

TEST_CASE("what the assembler refuses are types of the row", "[assembly]") {
    for (const InstructionInfo& row : instruction_table())
        for (const Arch arch : {kA3, kA5}) {
            INFO(row.name << " on " << name(arch));
            const DTypeSet taken =
                row.types[static_cast<size_t>(arch)] - row.traits->assembler_refuses[arch];
            CHECK(taken.empty() == row.types[static_cast<size_t>(arch)].empty());
        }
}

// The operations of hw-native-sys/PTOAS v0.60 include/PTO/IR/PTOOps.td have no such names. Nor has
// it tfillpad_inplace and tfillpad_expand, which earlier releases have; PyPTO, for v0.57, writes
// them.
TEST_CASE("trait not_in_assembler: operations that only the C++ API has", "[assembly]") {
    std::vector<TraitExpectation> list;
    for (const Opcode opcode :
         {kTPACK, kTIMG2COL, kTFUSEDMULADD, kTFUSEDMULADDRELU, kTMULADDDST, kTSUBRELU,
          kTADDRELUCONV, kTSUBRELUCONV, kTADDDEQRELU, kTPAIRREDUCESUM, kTINTERLEAVE, kTDEINTERLEAVE,
          kSETFMATRIX, kSET_IMG2COL_RPT, kSET_IMG2COL_PADDING}) {
        const std::string operation = "pto." + std::string(info(opcode).assembly);
        list.push_back({opcode, "K12 the assembler has no operation '" + operation + "'", [=] {
                            const auto module =
                                parse("k.pto", "func.func @k() {\n" + operation + "\nreturn\n}\n");
                            const auto problems = spelling_problems(*module);
                            return problems.empty() ? std::string("accepted")
                                                    : problems[0].code + " " + problems[0].message;
                        }});
    }
    check_expectations(&InstructionTraits::not_in_assembler, list);
}
