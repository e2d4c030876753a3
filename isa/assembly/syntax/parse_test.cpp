// The reader of `.pto` text: accepted syntax, locations of errors, and robustness against any bytes. Inputs are our
// own; locations of errors were counted by hand.
#include <catch2/catch.hpp>
#include <random>

#include "isa/assembly/syntax/parser.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

std::unique_ptr<Module> read(const std::string& text) { return parse("k.pto", text); }

// The operations of the first function of a module.
std::span<const Operation> body(const Module& module) {
    const Operation* op = &module.operations[0];
    while (op->name != "func.func") op = &op->regions[0].blocks[0].operations[0];
    return op->regions[0].blocks[0].operations;
}

std::unique_ptr<Module> read_body(const std::string& text) {
    return read("module {\nfunc.func @f(%a: index, %b: index) {\n" + text + "\nreturn\n}\n}\n");
}

std::vector<Diagnostic> problems(const std::string& text) {
    try {
        read(text);
    } catch (const DiagnosticError& error) {
        return error.diagnostics();
    }
    return {};
}

std::string place(const Diagnostic& d) {
    return std::to_string(d.location.line) + ":" + std::to_string(d.location.column);
}

}  // namespace

TEST_CASE("a module with a function keeps names, types, attributes and locations", "[assembly]") {
    const auto module = read(R"(// a comment
module @m attributes {pto.target_arch = "a5", "pto.device-spec" = "X"} {
  func.func @add(%arg0: !pto.ptr<f32, gm>, %n: i32) -> index
      attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c = arith.constant -7 : i64 loc("gen/add.py":12:5)
    %0 = arith.addi %c, %c : i64
    return %0 : i64
  }
  func.func private @helper(index) -> (index, index)
}
)");
    REQUIRE(module->operations.size() == 1);
    const Operation& top = module->operations[0];
    CHECK(top.symbol == "m");
    CHECK(top.attribute("pto.target_arch")->text == "a5");
    CHECK(top.attribute("pto.device-spec")->text == "X");
    const auto functions = top.regions[0].blocks[0].operations;
    REQUIRE(functions.size() == 2);
    const Operation& add = functions[0];
    CHECK(add.symbol == "add");
    CHECK(add.location.line == 3);
    CHECK(add.location.column == 3);
    CHECK(add.attribute("pto.entry")->kind == AttributeKind::kUnit);
    CHECK(add.attribute("pto.kernel_kind")->text == "vector");
    CHECK(add.attribute("pto.kernel_kind")->family == "kernel_kind");
    const auto arguments = add.regions[0].blocks[0].arguments;
    REQUIRE(arguments.size() == 2);
    CHECK(arguments[0].name == "arg0");
    CHECK(arguments[0].type->kind == TypeKind::kPointer);
    CHECK(arguments[0].type->dtype == DType::kF32);
    CHECK(arguments[1].type->dtype == DType::kI32);
    const auto ops = add.regions[0].blocks[0].operations;
    REQUIRE(ops.size() == 3);
    CHECK(ops[0].results[0].name == "c");
    CHECK(ops[0].clauses[0].items[0].attribute->integer == -7);
    CHECK(ops[0].location.line == 5);
    CHECK(ops[0].location.column == 10);
    CHECK(module->files.at(ops[0].source.file) == "gen/add.py");
    CHECK(ops[0].source.line == 12);
    CHECK(ops[0].source.column == 5);
    CHECK(ops[1].source == ops[1].location);
    CHECK(functions[1].is_declaration);
    CHECK(functions[1].attribute("sym_visibility")->text == "private");
    CHECK(functions[1].result_types.size() == 2);
}

TEST_CASE("clauses keep their names, values and types", "[assembly]") {
    const auto module = read_body(R"(
  %v = pto.make_tensor_view %p, shape = [%a, %b], strides = [%b, %c1] {layout = #pto.layout<dn>}
         : !pto.tensor_view<?x8xf32>
  %s = pto.partition_view %v,
         offsets = [%i, %j], sizes = [%m, %n]
         : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x256xbf16>
  %t = pto.alloc_tile addr = %c0 valid_row = %m valid_col = %n : !pto.tile_buf<vec, 16x256xbf16, valid=?x?>
  %u = pto.subview %t[%i, %j] sizes [2, 1024] valid [%m, %n] : !pto.tile_buf<vec, 2x1024xf32> -> !pto.tile_buf<vec, 2x1024xf32>
  pto.tcvt ins(%t {rmode = #pto<round_mode RINT>} : !pto.tile_buf<vec, 1x8xf32>) outs(%u : !pto.tile_buf<vec, 1x8xi32>)
  pto.textract ins(%t, %i, %j : !pto.tile_buf<acc, 16x16xf32>, index, index fp %q : !pto.tile_buf<scaling, 1x16xf32>) outs(%u : !pto.tile_buf<mat, 16x16xf16>)
  pto.comm.tput(%x, %y, buf(%e, %o) : index, index, index, index) {atomicType = #pto<atomic_type atomic_add>}
  pto.set_flag[<PIPE_MTE2>, #pto.pipe<PIPE_V>, "EVENT_ID3"]
  pto.store_scalar %x, %p[%i] : !pto.ptr<i32>, i32
  %y = pto.tgetval ins(%t, %i : !pto.tile_buf<vec, 1x8xf32>, index) outs : f32
  pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix>
)");
    const auto ops = body(*module);
    REQUIRE(ops.size() == 12);
    REQUIRE(ops[0].clause("shape") != nullptr);
    CHECK(ops[0].clause("shape")->items.size() == 2);
    CHECK(ops[0].clause("strides")->items[1].text == "c1");
    CHECK(ops[0].clause("")->items[0].text == "p");
    CHECK(ops[0].attribute("layout")->text == "dn");
    CHECK(ops[0].types[0]->dims[0] == kDynamic);
    CHECK(ops[0].types[0]->dims[1] == 8);
    CHECK(ops[1].clause("sizes")->items[0].text == "m");
    CHECK(ops[1].result_types[0]->kind == TypeKind::kPartitionView);
    CHECK(ops[1].result_types[0]->dtype == DType::kBF16);
    CHECK(ops[2].clause("valid_col")->items[0].text == "n");
    CHECK(ops[2].types[0]->tile.valid_rows == kDynamic);
    CHECK(ops[3].clause("[")->items.size() == 2);
    CHECK(ops[3].clause("sizes")->items[1].attribute->integer == 1024);
    CHECK(ops[4].attribute("rmode")->text == "RINT");
    CHECK(ops[4].attribute("rmode")->family == "round_mode");
    CHECK(ops[4].clause("outs")->items[0].text == "u");
    CHECK(ops[5].clause("ins")->items.size() == 3);
    CHECK(ops[5].clause("ins")->types.size() == 4);
    CHECK(ops[5].clause("fp")->items[0].text == "q");
    CHECK(ops[6].clause("(")->items.size() == 2);
    CHECK(ops[6].clause("buf")->parent == 0);
    CHECK(ops[6].clause("buf")->items.size() == 2);
    const auto flags = ops[7].clause("[")->items;
    CHECK(flags[0].attribute->text == "PIPE_MTE2");
    CHECK(flags[1].attribute->text == "PIPE_V");
    CHECK(flags[2].attribute->kind == AttributeKind::kString);
    CHECK(ops[8].clause("")->items.size() == 2);
    CHECK(ops[9].types[0]->dtype == DType::kF32);
    CHECK(ops[10].attribute("mode")->text == "hard");
    CHECK(ops[10].attribute("core_type")->text == "mix");
}

TEST_CASE("control flow has regions with named arguments", "[assembly]") {
    const auto module = read_body(R"(
  %r:2 = scf.for %i = %a to %b step %a iter_args(%x = %a, %y = %b) -> (index, index) {
    %z = arith.addi %x, %y : index
    scf.yield %z, %x : index, index
  }
  scf.if %q { pto.trap } else {
    scf.if %r#1 { } {tag = 1}
  }
  %w = scf.while (%k = %a) : (index) -> index {
    scf.condition(%q) %k : index
  } do {
  ^bb0(%k2: index):
    scf.yield %k2 : index
  }
  %s = scf.index_switch %a -> index
  case 2 { scf.yield %a : index }
  case 5 { scf.yield %b : index }
  default { scf.yield %a : index }
  %e = scf.execute_region -> index { scf.yield %a : index }
  pto.section.cube { %d = func.call @g(%a) : (index) -> index }
)");
    const auto ops = body(*module);
    REQUIRE(ops.size() == 7);
    CHECK(ops[0].results[0].count == 2);
    const Block& loop = ops[0].regions[0].blocks[0];
    REQUIRE(loop.arguments.size() == 3);
    CHECK(loop.arguments[0].name == "i");
    CHECK(loop.arguments[2].name == "y");
    CHECK(loop.arguments[2].type->kind == TypeKind::kIndex);
    CHECK(ops[0].clause("from")->items[0].text == "a");
    CHECK(ops[0].clause("iter_args")->items[1].text == "b");
    REQUIRE(ops[1].regions.size() == 2);
    const Operation& inner = ops[1].regions[1].blocks[0].operations[0];
    CHECK(inner.clause("")->items[0].result == 1);
    CHECK(inner.attribute("tag")->integer == 1);
    CHECK(ops[2].regions[1].blocks[0].arguments[0].name == "k2");
    CHECK(ops[3].regions.size() == 3);
    CHECK(ops[3].clause("case")->items[1].attribute->integer == 5);
    CHECK(ops[5].regions[0].blocks[0].operations[0].symbol == "g");
}

TEST_CASE("both spellings of a tile type mean the same", "[assembly]") {
    TypeProblem problem;
    const auto keyed = parse_type(
        "!pto.tile_buf<loc=left, dtype=bf16, rows=16, cols=64, v_row=?, v_col=-1, "
        "blayout=col_major, slayout=row_major, fractal=1024, pad=2, compact=1>",
        problem);
    const auto compact = parse_type(
        "!pto.tile_buf<left, 16x64xbf16, valid=?x?, blayout=col_major, slayout=row_major, "
        "fractal=1024, pad=max, compact=normal>",
        problem);
    const auto bare = parse_type("<vec, 16x64xbf16>", problem);
    const auto oldest = parse_type("!pto.tile_buf<16x64xbf16, #pto.address_space<vec>>", problem);
    REQUIRE((keyed && compact && bare && oldest));
    CHECK(keyed->tile == compact->tile);
    CHECK(keyed->tile.space == Space::kL0A);
    CHECK(keyed->tile.pad == Pad::kMax);
    CHECK(keyed->tile.compact == Compact::kNormal);
    CHECK(keyed->tile.valid_cols == -1);
    CHECK(bare->tile == oldest->tile);
    CHECK(bare->tile.valid_rows == 16);
    CHECK(bare->tile.fractal == 512);
    CHECK(bare->tile.outer == OuterLayout::kRowMajor);
    CHECK(bare->tile.inner == InnerLayout::kNone);
    const auto slots =
        parse_type("!pto.multi_tile_buf<!pto.tile_buf<mat, 8x8xi8>, count=3>", problem);
    REQUIRE(slots);
    CHECK(slots->kind == TypeKind::kMultiTile);
    CHECK(slots->count == 3);
    CHECK(slots->tile.space == Space::kL1);
}

TEST_CASE("literals keep their value and spelling", "[assembly]") {
    const auto module = read_body(R"(
  %0 = arith.constant 1.500000e+00 : f32
  %1 = arith.constant true
  %2 = arith.constant 0xFF800000 : f32
  %3 = arith.constant 18446744073709551615 : ui64
  %4 = arith.constant -9223372036854775808 : i64
  pto.print ins("v=\22%d\22\n", %4 : i64)
)");
    const auto ops = body(*module);
    const auto literal = [&](size_t i) { return ops[i].clauses[0].items[0].attribute; };
    CHECK(literal(0)->floating == 1.5);
    CHECK(literal(1)->kind == AttributeKind::kBool);
    CHECK(literal(2)->is_hex());
    CHECK(literal(2)->integer == 0xFF800000);
    CHECK(static_cast<uint64_t>(literal(3)->integer) == UINT64_MAX);
    CHECK(literal(4)->integer == INT64_MIN);
    CHECK(ops[5].clauses[0].items[0].attribute->text == "v=\"%d\"\n");
}

TEST_CASE("aliases of types, attributes and locations are resolved", "[assembly]") {
    const auto module = read(R"(!tile = !pto.tile_buf<vec, 4x8xf32>
#nd = #pto.layout<nd>
func.func @f(%t: !tile) {
  pto.tabs ins(%t : !tile) outs(%t : !tile) {layout = #nd} loc(#loc1)
  "pto.tneg"(%t, %t) <{mode = 3 : i32}> ({ return }) {x} : (!tile, !tile) -> () loc(fused[#loc])
  return
}
#loc = loc("a.py":3:4)
#loc1 = loc("name"(#loc))
)");
    const auto ops = body(*module);
    REQUIRE(ops.size() == 3);
    CHECK(ops[0].clause("ins")->types[0]->tile.cols == 8);
    CHECK(ops[0].attribute("layout")->text == "nd");
    CHECK(ops[0].source.line == 3);
    CHECK(module->files.at(ops[0].source.file) == "a.py");
    CHECK(ops[1].name == "pto.tneg");
    CHECK(ops[1].attribute("mode")->integer == 3);
    CHECK(ops[1].attribute("x") != nullptr);
    CHECK(ops[1].regions.size() == 1);
    CHECK(ops[1].types.size() == 2);
    CHECK(ops[1].source.line == 3);
}

TEST_CASE("malformed text is refused where it is wrong", "[assembly]") {
    struct Case {
        const char* text;
        const char* place;
        const char* says;
    };
    // The function's body is the first level, so that the 128th section is the 129th level.
    std::string long_nest = "func.func @f() {\n";
    for (int i = 0; i < 200; ++i) long_nest += "pto.section.cube {\n";
    const Case cases[] = {
        {"module {\n  func.func @f() {\n    return\n  }\n", "1:8", "this '{' is never closed"},
        {"module {\n}\n}\n", "3:1", "'}' without a '{'"},
        {"func.func f() {\n}\n", "1:11", "expected the function's name"},
        {"func.func @f(%a index) {\n}\n", "1:17", "expected ':' and the argument's type"},
        {"func.func @f() {\n  %x = \n}\n", "3:1", "expected an operation"},
        {"func.func @f() {\n  %x arith.addi %a, %b : i32\n}\n", "2:6", "expected '='"},
        {"func.func @f() {\n  pto.tadd ins(%a, : i32)\n}\n", "2:20",
         "expected an operand after ','"},
        {"func.func @f() {\n  pto.tadd ins(%a %b : i32)\n}\n", "2:19", "expected ',' before '%b'"},
        {"func.func @f() {\n  pto.tabs ins(%a : f32 outs(%b : f32)\n}\n", "3:1",
         "expected ')' to close '(' of line 2"},
        {"func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x4xf32\n  return\n}\n",
         "2:38", "this '<' is never closed"},
        {"func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vex, 4x4xf32>\n}\n", "2:39",
         "unknown tile location 'vex'"},
        {"func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 4xf32>\n}\n", "2:46",
         "expected a number"},
        {"func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x4xf33>\n}\n", "2:48",
         "unknown element type 'f33'"},
        {"func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x4xf32, blayout=row>\n}\n",
         "2:61", "unknown blayout 'row'"},
        {"func.func @f() {\n  scf.for %i = %a to %b {\n  }\n  return\n}\n", "2:25",
         "expected 'step'"},
        {"func.func @f() {\n  scf.if %c -> index\n  return\n}\n", "3:3",
         "expected '{' of the branch"},
        {"func.func @f() {\n  pto.print \"abc\n  return\n}\n", "2:13",
         "this string is never closed"},
        {"func.func @f() {\n  %x = arith.constant 99999999999999999999 : i64\n}\n", "2:23",
         "does not fit into 64 bits"},
        {"func.func @f() {\n  %x = arith.constant 3 : \n}\n", "3:1", "expected a type"},
        {"func.func @f() {\n  pto.tabs ins(%a : !tile) outs(%b : f32)\n}\n", "2:21",
         "undefined type alias '!tile'"},
        {"func.func @f() {\n  pto.x %a $ %b\n}\n", "2:12", "unexpected character '$'"},
        {"func.func @f() {\n  pto.x {a = }\n}\n", "2:14", "expected an attribute's value"},
        {"func.func @f() {\n  pto.x %\n}\n", "2:9", "expected a name after '%'"},
        {"func.func @f() {\n  pto.x sizes 32x64\n}\n", "2:15", "malformed number '32x64'"},
        {long_nest.c_str(), "129:18", "nested more than 128 levels deep"},
        {"hello\n", "1:1", "expected an operation"},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const auto found = problems(c.text);
        REQUIRE(!found.empty());
        INFO(to_text(found[0]));
        CHECK(place(found[0]) == c.place);
        CHECK(found[0].message.find(c.says) != std::string::npos);
        CHECK(found[0].code == "K01");
        CHECK(found[0].file == "k.pto");
    }
}

TEST_CASE("reading goes on after an error, and each is told once", "[assembly]") {
    const auto found = problems(R"(module {
  func.func @f(%a: index) {
    %0 = arith.addi %a %a : index
    scf.for %i = %a to %a step {
      %1 = arith.addi %a, : index
    }
    pto.tabs ins(%a : ) outs(%a : f32)
    return
  }
  func.func @g( {
  }
  func.func @h() {
    pto.tadd ins(%a : f32}
    return
  }
}
)");
    std::vector<std::string> places;
    for (const auto& problem : found) places.push_back(place(problem));
    CHECK(places == std::vector<std::string>{"3:24", "4:32", "7:23", "10:17", "13:26"});
}

TEST_CASE("at most twenty problems of a file are told", "[assembly]") {
    std::string text = "func.func @f() {\n";
    for (int i = 0; i < 50; ++i) text += "  %x = arith.addi %a, : i32\n";
    const auto found = problems(text + "}\n");
    CHECK(found.size() == kMaxSyntaxErrors);
    CHECK(!found.back().notes.empty());
}

TEST_CASE("files that are not text are recognised", "[assembly]") {
    using namespace std::string_literals;
    CHECK(problems("PTOBC\0\1\2"s)[0].hint.find("ptobc decode") != std::string::npos);
    CHECK(problems("ML\xefR\1"s)[0].code == "K00");
    CHECK(problems(std::string(1 << 16, '\1'))[0].code == "K01");
}

TEST_CASE("no sequence of bytes crashes or hangs the reader", "[assembly]") {
    const std::string seed = R"(#a = #pto.layout<nd>
module attributes {pto.target_arch = "a3"} {
  func.func @f(%p: !pto.ptr<f32>, %n: index) attributes {pto.entry} {
    %v = pto.make_tensor_view %p, shape = [%n], strides = [%n] {layout = #a} : !pto.tensor_view<?xf32>
    %r = scf.for %i = %n to %n step %n iter_args(%x = %n) -> (index) { scf.yield %x : index }
    "pto.x"(%v) <{k = [1, -2.5e3, {b = "s"}]}> ({ ^bb0(%q: i32): pto.trap }) : (f32) -> () loc("f":1:2)
    pto.set_flag[<PIPE_V>, #pto<pipe PIPE_M>, <EVENT_ID0>]
    return
  }
}
)";
    const std::string alphabet = "<>{}()[]%@#!^\"\\:,=-.x1 \n\xff?/";
    std::mt19937 random(7);
    const auto attempt = [](std::string text) {
        try {
            parse("k.pto", std::move(text));
        } catch (const DiagnosticError& error) {
            CHECK(!error.diagnostics().empty());
        }
    };
    for (int round = 0; round < 3000; ++round) {
        std::string text = seed;
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
            const size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = alphabet[random() % alphabet.size()];
                    break;
                case 1:
                    text.erase(at, 1 + random() % 8);
                    break;
                case 2:
                    text.insert(at, 1, alphabet[random() % alphabet.size()]);
                    break;
                default:
                    text.insert(at, seed.substr(random() % seed.size(), 40));
            }
        }
        attempt(std::move(text));
    }
    for (const char* piece :
         {"<", "(", "[", "{", "%a = ", "loc(", "!pto.ptr<", "((", "{a = ", "\""}) {
        std::string deep;
        for (int i = 0; i < 100000; ++i) deep += piece;
        attempt(deep);
        attempt("func.func @f() { pto.x " + deep);
    }
}
