// Errors of the assembler: an operation in text for each requirement, of the rows of assembler_rules.tsv and some more.
// Source: the verifiers in hw-native-sys/PTOAS v0.60 lib/PTO/IR/PTO.cpp.
#include <fstream>
#include <sstream>

#include "isa/assembly/bind/recording_port.h"
#include "isa/testing/trait_expectations.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

// A function with operands %a, %b, ... of these types; $a is the type of %a.
std::string function_of(std::string operation, const std::vector<std::string>& types) {
    std::string parameters;
    for (size_t i = 0; i < types.size(); ++i) {
        const std::string letter(1, static_cast<char>('a' + i));
        parameters += (i > 0 ? ", %" : "%") + letter + ": " + types[i];
        for (size_t at; (at = operation.find("$" + letter)) != operation.npos;)
            operation.replace(at, 2, types[i]);
    }
    return "func.func @k(" + parameters + ") {\n" + operation + "\nreturn\n}\n";
}

// "S04 'pto.tcvt' turns ...", or "accepted".
std::string verdict(Arch arch, const std::string& operation,
                    const std::vector<std::string>& types) {
    BindOptions options = test_options();
    options.arch = arch;
    options.launch = false;
    options.verify = true;
    try {
        bind_text(function_of(operation, types), options);
    } catch (const DiagnosticError& error) {
        const Diagnostic& first = error.diagnostics().front();
        return first.code + " " + first.message;
    }
    return "accepted";
}

TraitExpectation refuses(Opcode opcode, Arch arch, const std::string& what,
                         const std::string& operation, const std::vector<std::string>& types) {
    return {opcode, what, [=] { return verdict(arch, operation, types); }};
}

constexpr Arch kA3 = Arch::kA2A3, kA5 = Arch::kA5;
using enum Opcode;

std::string vec(const std::string& shape) { return "!pto.tile_buf<vec, " + shape + ">"; }
std::string view(const std::string& shape) { return "!pto.partition_tensor_view<" + shape + ">"; }
const std::string kF = vec("16x64xf32");
const std::string kNothing = vec("16x64xf32, valid=0x64");
const std::string kLines = vec("1x16xi32");

std::vector<TraitExpectation> moves() {
    const std::string mat = "!pto.tile_buf<mat, 16x64xf32>";
    const std::string fill = "!pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major";
    return {
        refuses(kTLOAD, kA5, "L03 'pto.tload' fills tiles in vec that are ND, DN or NZ on a5",
                "pto.tload ins(%a : $a) outs(%b : $b)",
                {view("32x32xf16"), vec("32x32xf16, slayout=col_major")}),
        refuses(kTSTORE, kA5, "L01 'pto.tstore' stores tiles in vec or acc on a5",
                "pto.tstore ins(%a : $a) outs(%b : $b)", {mat, view("16x64xf32")}),
        refuses(kTPRINT, kA3, "T00 'pto.tprint' takes a tmp only with a tile",
                "pto.tprint ins(%a, %b : $a, $b)", {view("16x64xf32"), view("16x64xf32")}),
        refuses(kTMOV, kA5, "K09 'pto.tmov' has grpAxis only with a scratch tile, to ZZ",
                "pto.tmov ins(%a {grpAxis = #pto<mx_quant_axis axis0>} : $a) outs(%b : $b)",
                {kF, kF}),
        refuses(kTFILLPAD, kA3, "K07 'pto.tfillpad' in mat takes a src and a dst of one type",
                "pto.tfillpad ins(%a : $a) outs(%b : $b)",
                {fill + ", valid=16x32>", fill + ", pad=zero>"}),
        refuses(kMGATHER, kA3, "K09 'pto.mgather' needs the attribute 'coalesce'",
                "pto.mgather ins(%a, %b : $a, $b) outs(%c : $c)", {view("64x64xf32"), kLines, kF}),
        refuses(kMSCATTER, kA3, "K09 'pto.mscatter' needs 'coalesce' in addition to its other attributes",
                "pto.mscatter ins(%a, %b {scatterOob = #pto<scatter_oob skip>} : $a, $b) "
                "outs(%c : $c)",
                {kF, kLines, view("64x64xf32")}),
    };
}

std::vector<TraitExpectation> vectors() {
    const std::string high = " {precisionType = #pto<precision_type high_precision>}";
    const std::string rows =
        "takes a scratch tile on a2a3 only where one value per row, in a "
        "column, is expanded";
    std::vector<TraitExpectation> list{
        refuses(kTRSQRT, kA3, "S16 'pto.trsqrt' with high_precision needs a scratch tile",
                "pto.trsqrt ins(%a" + high + " : $a) outs(%b : $b)", {kF, kF}),
        refuses(kTPOW, kA3, "P02 'pto.tpow' has no high_precision on a2a3",
                "pto.tpow ins(%a, %b, %c" + high + " : $a, $b, $c) outs(%d : $d)",
                {kF, kF, kF, kF}),
        refuses(kTPOWS, kA3, "P02 'pto.tpows' has no high_precision on a2a3",
                "pto.tpows ins(%a, %b, %c" + high + " : $a, $b, $c) outs(%d : $d)",
                {kF, "f32", kF, kF}),
        refuses(kTCVT, kA5, "S04 'pto.tcvt' turns 64 columns into 32",
                "pto.tcvt ins(%a : $a) outs(%b : $b)", {kF, vec("16x32xf16")}),
        refuses(kTADDRELU, kA5, "P01 'pto.taddrelu' exists on a2a3 only",
                "pto.taddrelu ins(%a, %b : $a, $b) outs(%c : $c)", {kF, kF, kF}),
        refuses(kTGATHER, kA3, "T03 'pto.tgather' gathers elements of 16 and 32 bits on a2a3",
                "pto.tgather ins(%a, {maskPattern = #pto.mask_pattern<P0101>} : $a) outs(%b : $b)",
                {vec("16x64xi8"), vec("16x64xi8")}),
        refuses(kTSCATTER, kA5, "T00 'pto.tscatter' has indices or a maskPattern, one of them",
                "pto.tscatter ins(%a, %b, {maskPattern = #pto.mask_pattern<P0101>} : $a, $b) "
                "outs(%c : $c)",
                {kF, vec("16x64xi32"), kF}),
        refuses(kTQUANT, kA3,
                "L02 'pto.tquant' takes 'fp' in a layout that is not row-major on a2a3",
                "pto.tquant ins(%a, %b {quant_type = #pto<quant_type INT8_SYM>} : $a, $b) "
                "outs(%c : $c)",
                {kF, vec("1x16xf32"), vec("16x64xi8")}),
        refuses(kTQUANT_MX, kA5, "S09 'pto.tquant.mx' needs a multiple of 32 valid columns in src",
                "pto.tquant.mx ins(%a {quant_type = #pto<quant_type MXFP8>} : $a) "
                "outs(%b, %c, %d, %e : $b, $c, $d, $e)",
                {vec("16x64xf32, valid=16x48"), vec("16x64xf8E4M3FN, valid=16x48"), vec("1x32xui8"),
                 vec("1x64xf32, valid=1x32"), vec("1x64xf32, valid=1x32")}),
        refuses(kTHISTOGRAM, kA5, "K09 'pto.thistogram' has 'byte' or the older 'isMSB', not both",
                "pto.thistogram ins(%a, %b {byte = #pto<histogram_byte byte_1>, isMSB = true} : "
                "$a, $b) outs(%c : $c)",
                {vec("16x64xui16"), vec("32x1xui8, valid=16x1, blayout=col_major"),
                 vec("16x256xui32")}),
        refuses(kTROWEXPAND, kA3,
                "S03 'pto.trowexpand' needs a 'dst' whose valid region is not empty",
                "pto.trowexpand ins(%a : $a) outs(%b : $b)",
                {vec("16x1xf32, blayout=col_major"), kNothing}),
    };
    for (const Opcode opcode : {kTROWARGMAX, kTROWARGMIN}) {
        const std::string name = "pto." + std::string(info(opcode).assembly);
        list.push_back(refuses(opcode, kA3,
                               "S03 '" + name + "' needs a 'src' whose valid region is not empty",
                               name + " ins(%a, %b : $a, $b) outs(%c : $c)",
                               {kNothing, kF, vec("16x1xui32, blayout=col_major")}));
    }
    for (const Opcode opcode : {kTROWEXPANDADD, kTROWEXPANDSUB, kTROWEXPANDMUL, kTROWEXPANDDIV,
                                kTROWEXPANDMAX, kTROWEXPANDMIN, kTROWEXPANDEXPDIF}) {
        const std::string name = "pto." + std::string(info(opcode).assembly);
        list.push_back(refuses(opcode, kA3, "S16 '" + name + "' " + rows,
                               name + " ins(%a, %b, %c : $a, $b, $c) outs(%d : $d)",
                               {kF, vec("16x8xf32"), kF, kF}));
    }
    list.push_back(refuses(kTROWEXPANDDIV, kA5,
                           "S16 'pto.trowexpanddiv' with high_precision needs a scratch tile",
                           "pto.trowexpanddiv ins(%a, %b" + high + " : $a, $b) outs(%c : $c)",
                           {kF, vec("16x1xf32, blayout=col_major"), kF}));
    return list;
}

// Products of block-scaled floats, whose second factor has too many rows.
std::vector<TraitExpectation> products() {
    const auto boxes = [](const std::string& space, const std::string& shape) {
        return "!pto.tile_buf<" + space + ", " + shape + ">";
    };
    const std::string left = boxes("left", "32x64xf8E4M3FN, blayout=col_major, slayout=row_major");
    const std::string left_scale =
        boxes("scaling", "32x2x!pto.f8E8M0, slayout=row_major, fractal=32");
    const std::string right = boxes("right", "128x32xf8E4M3FN, slayout=col_major");
    const std::string right_scale =
        boxes("scaling", "4x32x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32");
    const std::string acc =
        boxes("acc", "32x32xf32, blayout=col_major, slayout=row_major, fractal=1024");
    const std::string bias = boxes("bias", "1x32xf32");
    std::vector<TraitExpectation> list;
    const auto add = [&](Opcode opcode, const std::string& operation,
                         const std::vector<std::string>& types) {
        const std::string name = "pto." + std::string(info(opcode).assembly);
        list.push_back(refuses(
            opcode, kA5, "S08 '" + name + "' takes a factor of 64 columns and one of 128 rows",
            name + operation, types));
    };
    const std::vector<std::string> plain{left, left_scale, right, right_scale, acc};
    for (const Opcode opcode : {kTMATMUL_MX, kTGEMV_MX})
        add(opcode, " ins(%a, %b, %c, %d : $a, $b, $c, $d) outs(%e : $e)", plain);
    for (const Opcode opcode : {kTMATMUL_MX_ACC, kTGEMV_MX_ACC})
        add(opcode, " ins(%e, %a, %b, %c, %d : $e, $a, $b, $c, $d) outs(%e : $e)", plain);
    for (const Opcode opcode : {kTMATMUL_MX_BIAS, kTGEMV_MX_BIAS})
        add(opcode, " ins(%a, %b, %c, %d, %f : $a, $b, $c, $d, $f) outs(%e : $e)",
            {left, left_scale, right, right_scale, acc, bias});
    return list;
}

// ---- the rows of assembler_rules.tsv -----------------------------------------------------------

constexpr std::string_view kAccepted = "accepted";

std::string trimmed(std::string text) {
    const auto is_space = [](char c) { return c == ' ' || c == '`'; };
    while (!text.empty() && is_space(text.back())) text.pop_back();
    size_t begin = 0;
    while (begin < text.size() && is_space(text[begin])) ++begin;
    return text.substr(begin);
}

std::vector<std::string> parts(const std::string& text, char separator) {
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) found.push_back(trimmed(part));
    return found;
}

struct Row {
    std::string rule, arch, operation, outcome;
    std::vector<std::string> operands;  // of %a, %b, ... in turn
};

// "vec 16x64xf32" is a tile, "view 16x64xf32" a part of a view, "i32 -1" a constant, all else a
// type.
std::string full_type(const std::string& written) {
    const size_t space = written.find(' ');
    if (space == written.npos) return written;
    const std::string word = written.substr(0, space);
    const std::string rest = written.substr(space + 1);
    if (word == "view") return "!pto.partition_tensor_view<" + rest + ">";
    return "!pto.tile_buf<" + word + ", " + rest + ">";
}
bool is_constant(const std::string& written) {
    return written.starts_with("i32 ") || written.starts_with("index ");
}

// "ins(a, b {x = y}) outs(c)" becomes "ins(%a, %b {x = y} : A, B) outs(%c : C)".
std::string with_types(const std::string& operation, const std::vector<std::string>& types) {
    std::string text, list;
    bool inside = false;
    for (size_t i = 0; i < operation.size(); ++i) {
        const char c = operation[i];
        if (c == '{') {
            const size_t end = operation.find('}', i);
            text += operation.substr(i, end + 1 - i);
            i = end;
        } else if (c == '(') {
            inside = true;
            list.clear();
            text += c;
        } else if (inside && c == ')') {
            inside = false;
            text += " : " + list + ")";
        } else if (inside && c >= 'a' && c <= 'z') {
            list += (list.empty() ? "" : ", ") + types.at(static_cast<size_t>(c - 'a'));
            text += std::string("%") + c;
        } else {
            text += c;
        }
    }
    return text;
}

std::string function_of(const Row& row) {
    std::string parameters, constants;
    std::vector<std::string> types;
    for (const std::string& operand : row.operands) {
        const std::string name = std::string("%") + static_cast<char>('a' + types.size());
        if (is_constant(operand)) {
            const size_t space = operand.find(' ');
            types.push_back(operand.substr(0, space));
            constants += name + " = arith.constant " + operand.substr(space + 1) + " : " +
                         types.back() + "\n";
        } else {
            types.push_back(full_type(operand));
            parameters += (parameters.empty() ? "" : ", ") + name + ": " + types.back();
        }
    }
    return "func.func @k(" + parameters + ") {\n" + constants + with_types(row.operation, types) +
           "\nreturn\n}\n";
}

// The code of the refusal, or "accepted".
std::string outcome(const Row& row, Arch arch, std::string& message) {
    BindOptions options = test_options();
    options.arch = arch;
    options.launch = false;
    options.verify = true;
    try {
        bind_text(function_of(row), options);
    } catch (const DiagnosticError& error) {
        message = error.diagnostics().front().message;
        return error.diagnostics().front().code;
    }
    return std::string(kAccepted);
}

std::vector<Row> rows_of_table() {
    std::ifstream table(PTOSIM_ISA_DIR "/assembly/verify/assembler_rules.tsv");
    std::vector<Row> rows;
    for (std::string line; std::getline(table, line);) {
        const std::vector<std::string> cells = parts(line, '\t');
        if (cells.size() != 5 || !cells[2].starts_with("pto.")) continue;
        rows.push_back({cells[0], cells[1], cells[2], cells[4], parts(cells[3], ';')});
    }
    return rows;
}

// Refusals because of an operation's form start with its name.
bool is_of_its_form(const std::string& message) { return message.starts_with("'pto."); }

template <typename Visit>
void for_each_arch(const Row& row, const Visit& visit) {
    for (const Arch arch : {kA3, kA5})
        if (row.arch == name(arch) || row.arch == "both") visit(arch);
}

std::vector<TraitExpectation> of_page() {
    std::vector<TraitExpectation> list;
    for (const Row& row : rows_of_table())
        for_each_arch(row, [&](Arch arch) {
            std::string message;
            outcome(row, arch, message);
            const size_t end = row.operation.find(' ');
            const InstructionInfo* const info = find_instruction(row.operation.substr(4, end - 4));
            if (info == nullptr || info->traits->assembler_rule == nullptr ||
                !is_of_its_form(message))
                return;
            list.push_back({info->opcode, row.outcome, [=] {
                                std::string why;
                                const std::string found = outcome(row, arch, why);
                                return is_of_its_form(why) ? found : found + " by another rule";
                            }});
        });
    return list;
}

}  // namespace

TEST_CASE("trait assembler_rule: an operation that the assembler refuses", "[assembly]") {
    std::vector<TraitExpectation> all = moves();
    for (const auto& part : {vectors(), products(), of_page()})
        all.insert(all.end(), part.begin(), part.end());
    check_expectations(&InstructionTraits::assembler_rule, all);
}

TEST_CASE("what the assembler refuses has the outcome that its page states", "[assembly]") {
    const std::vector<Row> rows = rows_of_table();
    REQUIRE(rows.size() > 150);
    for (const Row& row : rows)
        for_each_arch(row, [&](Arch arch) {
            std::string message;
            const std::string found = outcome(row, arch, message);
            INFO(row.rule << " on " << name(arch) << ": " << message << "\n" << function_of(row));
            CHECK(found == row.outcome.substr(0, row.outcome.find(':')));
        });
}
