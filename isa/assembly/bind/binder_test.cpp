// Errors of the binder and their texts, and the order of operands.
#include <catch2/catch.hpp>
#include <random>

#include "isa/assembly/bind/recording_port.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

std::string kernel(const std::string& body) {
    return "func.func @k(%p: !pto.ptr<f32>, %n: index, %x: i32) {\n" + body + "\nreturn\n}\n";
}

std::vector<Diagnostic> problems(const std::string& text, BindOptions options = test_options()) {
    try {
        bind_text(text, options);
    } catch (const DiagnosticError& error) {
        return error.diagnostics();
    }
    return {};
}

// Two vector tiles, %t and %u, on the first two lines of the body.
const std::string kTiles =
    "%t = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>\n"
    "%u = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>\n";
const std::string kT = "!pto.tile_buf<vec, 8x64xf32>";

}  // namespace

TEST_CASE("problems name the place, the matter and the way out", "[assembly][binder]") {
    struct Case {
        std::string body;
        const char* code;
        const char* place;
        const char* says;
        const char* hint;
    };
    const Case cases[] = {
        {"pto.tad ins(%n : index) outs(%n : index)", "K02", "2:1", "unknown operation 'pto.tad'",
         "did you mean 'pto.tadd'?"},
        {"pto.tget_scale_addr ins(%n : index)", "K09", "2:1", "needs 'outs'", ""},
        {"pto.simt_launch ins(%n : index)", "K04", "2:1", "'pto.simt_launch' works on",
         "tile-level"},
        {"pto.bind_tile %n : index", "K03", "2:1", "an inner form of the compiler", "tile_buf"},
        {"%v = pto.vadd %n, %n : index", "K11", "2:6", "only allowed in a vector function",
         "pto.vecscope"},
        {"pto.vbitsort %n, %n : index", "K04", "2:1", "out of scope", "tile-level"},
        {"pto.vnewthing %n : index", "K04", "2:1", "out of scope", ""},
        {"%a = memref.alloc() : memref<4xf32>", "K03", "2:6", "'memref.alloc' is not supported",
         "tile_buf"},
        {"%rows = arith.addi %n, %n : index\n%a = arith.addi %row, %n : index", "K05", "3:17",
         "undefined value '%row'", "did you mean '%rows'?"},
        {"%n = arith.constant 0 : index", "K05", "2:1", "'%n' is defined twice", ""},
        {"%a = arith.addi %n, %x : index", "K07", "2:21",
         "'%x' is i32, but the operation has index", ""},
        {"%a = arith.addf %n, %n : index", "K07", "2:6", "does not work on 'index'", ""},
        {"%a = arith.cmpi lt, %n, %n : index", "K09", "2:17", "unknown predicate 'lt'", "slt"},
        {"%a = arith.addi %n : index", "K06", "2:6", "needs at least 2 operands", ""},
        {"func.call @g(%n) : (index) -> ()", "K08", "2:1", "unknown function 'g'", ""},
        {"func.call @k(%p, %n, %x) : (!pto.ptr<f32>, index, i32) -> ()", "K08", "2:1",
         "calls itself", ""},
        {kTiles + "pto.tadd ins(%t : " + kT + ") outs(%u : " + kT + ")", "K06", "4:1",
         "'pto.tadd' has 1 operand in ins(...)", "it takes ins(src0, src1) outs(dst)"},
        {kTiles + "pto.tadd ins(%t, %u : " + kT + ") outs(%u : " + kT + ")", "K06", "4:1",
         "2 operands in a list, but only 1 type", ""},
        {"scf.if %n {\n}", "K07", "2:8", "'%n' is index; 'scf.if' needs an i1", "arith.cmpi"},
        {"%a = arith.constant 300 : i8", "K09", "2:21", "'300' does not fit into 8 bits", ""},
        {"%a = arith.constant -129 : i8", "K09", "2:21", "'-129' does not fit into 8 bits", ""},
        {kTiles + "pto.tfillpad ins(%t : " + kT + ") outs(%u : " + kT +
             ") {padValue = #pto.pad_value<zero>}",
         "K09", "4:105", "'padValue' of 'pto.tfillpad' is only for tiles in L1", "in UB"},
        {"pto.set_cross_block[<PIPE_MTE3>, 1]", "K09", "2:1", "needs operands after its name", ""},
        {"pto.tload ins(%n : index) outs(%n : index) pad_mode = #pto.padmode<PadValue>", "K03",
         "2:44", "'pad_mode' of 'pto.tload' is not supported", "pto.tfillpad"},
        {kTiles + "pto.tadd ins(%t, %n : " + kT + ", index) outs(%u : " + kT + ")", "K07", "4:18",
         "operand 'src1' of 'pto.tadd' is a tile, but '%n' is a scalar", ""},
        {kTiles + "pto.tadd ins(%t, %u : " + kT + ", " + kT + ")", "K06", "4:1",
         "has 0 operands in outs(...)", ""},
        {kTiles + "pto.tadd ins(%t, %u : " + kT +
             ", !pto.tile_buf<vec, 8x32xf32>) outs(%u : " + kT + ")",
         "K07", "4:18", "but the operation has !pto.tile_buf<vec, 8x32xf32>", ""},
        {kTiles + "pto.tadd ins(%t, %u : " + kT + ", " + kT + ") outs(%u : " + kT +
             ") {fast = true}",
         "K09", "4:124", "'pto.tadd' has no attribute 'fast' here", ""},
        {kTiles + "pto.tcvt ins(%t {rmode = #pto<round_mode UP>} : " + kT + ") outs(%u : " + kT +
             ")",
         "K09", "4:26", "'UP' is not a value of 'rmode'", "RINT"},
        {kTiles + "pto.tadd ins(%t, %u : " + kT + ", " + kT + ") outz(%u : " + kT + ")", "K09",
         "4:83", "'pto.tadd' has no clause 'outz'", ""},
        {"pto.set_flag[<PIPE_X>, <PIPE_V>, <EVENT_ID0>]", "K09", "2:14", "'PIPE_X' is not a pipe",
         "PIPE_MTE2"},
        {"pto.record_event[<TLOADS>, <TVEC>, <EVENT_ID0>]", "K09", "2:18",
         "'TLOADS' is not a kind of event", "TLOAD"},
        {"%v = pto.make_tensor_view %p, shape = [%n], strides = [%n, %n] : !pto.tensor_view<?xf32>",
         "K06", "2:6", "given are 1 and 2", ""},
        {"%v = pto.make_tensor_view %n, shape = [%n], strides = [%n] : !pto.tensor_view<?xf32>",
         "K07", "2:27", "'%n' is a scalar, not a pointer", ""},
        {"%t = pto.alloc_tile : !pto.tile_buf<vec, 512x512xf32>", "K10", "2:6",
         "need 1048576 bytes of UB, which has 196608", "smaller tiles"},
        {"%t = arith.constant true\n%r = scf.if %t -> (index) { scf.yield %n : index }", "K11",
         "3:6", "needs an 'else'", ""},
        {"scf.for %i = %n to %n step %n iter_args(%k = %n) -> (index) { }", "K11", "2:1",
         "must end with 'scf.yield' of 1 values, not 0", ""},
        {"cf.br ^bb2\n^bb1:", "K11", "2:7", "unknown block '^bb2'", ""},
        {"cf.br ^bb1\n^bb1(%y: i32):", "K06", "2:1", "takes 1 values, given are 0", ""},
        {"%s = pto.declare_struct -> !pto.struct<f32, i1>", "K07", "2:6", "not scalar-storable",
         "structs"},
        {"%s = pto.declare_struct -> !pto.struct<f32, !pto.struct<i8, i16>>\n"
         "%v = pto.struct_get %s[1] : !pto.struct<f32, !pto.struct<i8, i16>> -> i8",
         "K07", "3:6", "ends at the struct", "scalar field"},
        {"%s = pto.declare_struct -> !pto.struct<f32, i8>\n"
         "%v = pto.struct_get %s[2] : !pto.struct<f32, i8> -> i8",
         "K09", "3:24", "out of range", ""},
        {"pto.tsync ins(%n : index)", "K03", "2:1", "not supported in a run", "--dry-run"},
        {"%a = pto.load_scalar %p[%n] : !pto.ptr<f32> -> i64", "K07", "2:6", "does not give 'i64'",
         ""},
    };
    for (const Case& c : cases) {
        INFO(c.body);
        const auto found = problems(kernel(c.body));
        REQUIRE(!found.empty());
        INFO(to_text(found[0]));
        CHECK(found[0].code == c.code);
        CHECK(std::to_string(found[0].location.line) + ":" +
                  std::to_string(found[0].location.column) ==
              c.place);
        CHECK(found[0].message.find(c.says) != std::string::npos);
        CHECK(found[0].hint.find(c.hint) != std::string::npos);
        CHECK(found[0].file == "k.pto");
    }
}

TEST_CASE("all problems of a kernel are told, consequences are not", "[assembly][binder]") {
    const auto found =
        problems(kernel("%a = pto.tbogus %n : index\n"
                        "%b = arith.addi %a, %n : index\n"
                        "%c = arith.addi %b, %missing : index\n"
                        "%d = arith.addi %c, %n : index"));
    REQUIRE(found.size() == 1);  // everything after the first hangs on it
    CHECK(found[0].code == "K02");
    CHECK(
        problems(kernel("%b = arith.addi %q, %n : index\n%c = arith.addi %r, %n : index")).size() ==
        2);
}

TEST_CASE("a problem is traced to the program that the text was made from", "[assembly][binder]") {
    const auto found = problems(kernel("pto.tad ins(%n : index) loc(\"net.py\":77:3)"));
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].notes.size() == 1);
    CHECK(found[0].notes[0] == "written for net.py:77");
}

TEST_CASE("the entry is found, or the choices are told", "[assembly][binder]") {
    const std::string text = R"(
func.func @a() { return }
func.func @b() { func.call @helper() : () -> ()
  return }
func.func @helper() { return }
)";
    CHECK(entry_names(*parse("k.pto", text)) == std::vector<std::string>{"a", "b"});
    const auto found = problems(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "K08");
    CHECK(found[0].hint.find("a, b") != std::string::npos);
    BindOptions options = test_options();
    options.entry = "helper";
    CHECK(bind_text(text, options)->name() == "helper");
    options.entry = "c";
    CHECK(problems(text, options)[0].code == "K08");
    CHECK(entry_names(*parse("k.pto",
                             "func.func @x() { return }\nfunc.func @y() attributes "
                             "{pto.entry} { return }")) == std::vector<std::string>{"y"});
    CHECK(declared_arch(*parse("k.pto", "module attributes {pto.target_arch = \"a5\"} {}")) ==
          Arch::kA5);
}

TEST_CASE("operands stand in the order of the instruction table", "[assembly][binder]") {
    const std::string reduce = "!pto.tile_buf<vec, 8x1xf32, blayout=col_major>";
    RecordingPort port;
    bind_text(kernel(kTiles + "%r = pto.alloc_tile : " + reduce +
                     "\npto.trowsum ins(%t, %u : " + kT + ", " + kT + ") outs(%r : " + reduce +
                     ")" + "\npto.trowsum ins(%t : " + kT + ") outs(%r : " + reduce + ")" +
                     "\n%s = arith.constant 2.5 : f32" + "\npto.tmuls ins(%t, %s : " + kT +
                     ", f32) outs(%u : " + kT + ")"))
        ->run(port, std::vector<uint64_t>{0, 0, 0});
    REQUIRE(port.issued.size() == 3);
    const Instruction& with_tmp = port.issued[0];
    REQUIRE(with_tmp.operand_count == 3);
    CHECK(with_tmp.operands[0].tile.cols == 1);              // dst
    CHECK(with_tmp.operands[1].tile.address == 0);           // src: %t
    CHECK(with_tmp.operands[2].tile.address == 8 * 64 * 4);  // tmp: %u
    // Left out, and given by the assembler: after the others, and as large as the source.
    REQUIRE(port.issued[1].operand_count == 3);
    CHECK(port.issued[1].operands[2].tile.address >= 2 * 8 * 64 * 4);
    CHECK(port.issued[1].operands[2].tile.rows == 8);
    CHECK(port.issued[1].operands[2].tile.cols == 64);
    CHECK(port.issued[2].operands[2].scalar.bits == 0x40200000);
    CHECK(port.issued[2].operands[2].scalar.dtype == DType::kF32);
}

TEST_CASE("tiles in L0A get the order of boxes of the architecture", "[assembly][binder]") {
    const std::string left = "!pto.tile_buf<left, 16x32xf16, blayout=col_major, slayout=row_major>";
    const std::string right = "!pto.tile_buf<right, 32x16xf16, slayout=col_major>";
    const std::string acc =
        "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>";
    const std::string text =
        kernel("%a = pto.alloc_tile : " + left + "\n%b = pto.alloc_tile : " + right +
               "\n%c = pto.alloc_tile : " + acc + "\npto.tmatmul ins(%a, %b : " + left + ", " +
               right + ") outs(%c : " + acc + ")");
    for (const Arch arch : {Arch::kA2A3, Arch::kA5}) {
        BindOptions options = test_options();
        options.arch = arch;
        const auto bound = bind_text(text, options);
        CHECK(bound->runs_on(CoreType::kAIC));
        CHECK_FALSE(bound->runs_on(CoreType::kAIV));
        RecordingPort port;
        port.block.core = CoreType::kAIC;
        bound->run(port, std::vector<uint64_t>{0, 0, 0});
        CHECK(port.issued.at(0).operands[1].tile.outer ==
              (arch == Arch::kA5 ? OuterLayout::kColMajor : OuterLayout::kRowMajor));
    }
}

// In the form of PTO-DSL: huawei-csl/pto-dsl examples/aot/activations and batch_matmul.
TEST_CASE("a partition's type may have other dimensions of extent 1 in front",
          "[assembly][binder]") {
    const auto partition = [](const char* shape, const char* sizes, const char* type) {
        return kernel(std::string("%c1 = arith.constant 1 : index\n"
                                  "%c2 = arith.constant 2 : index\n"
                                  "%c64 = arith.constant 64 : index\n"
                                  "%v = pto.make_tensor_view %p, ") +
                      shape + " = pto.partition_view %v, " + sizes +
                      " -> !pto.partition_tensor_view<" + type + ">");
    };
    const char* const line = "shape = [%n], strides = [%c1] : !pto.tensor_view<?xf32>\n%s";
    const char* const stack =
        "shape = [%n, %c64, %c64], strides = [%c64, %c64, %c1] : !pto.tensor_view<?x?x?xf32>\n%s";
    const char* const of_line = "offsets = [%c1], sizes = [%n] : !pto.tensor_view<?xf32>";
    const char* const of_stack =
        "offsets = [%n, %c1, %c1], sizes = [%c1, %c64, %c64] : !pto.tensor_view<?x?x?xf32>";
    const char* const two_of_stack =
        "offsets = [%n, %c1, %c1], sizes = [%c2, %c64, %c64] : !pto.tensor_view<?x?x?xf32>";
    CHECK(problems(partition(line, of_line, "1x64xf32")).empty());
    CHECK(problems(partition(stack, of_stack, "64x64xf32")).empty());
    CHECK(problems(partition(line, of_line, "2x64xf32")).at(0).code == "K07");
    CHECK(problems(partition(stack, two_of_stack, "64x64xf32")).at(0).code == "K07");
    CHECK(problems(partition(line, of_line, "1x64xf16")).at(0).code == "K07");
}

TEST_CASE("the control addresses of pto.set_ffts are a launched function's parameter",
          "[assembly][binder]") {
    const std::string body = "pto.set_ffts %ffts : memref<256xi64>\nreturn\n}\n";
    CHECK(problems("func.func @k(%ffts: memref<256xi64>) {\n" + body).empty());
    CHECK(problems("func.func @k(%ffts: memref<256xi64, #pto.address_space<vec>>) {\n" + body)
              .at(0)
              .code == "K07");
}

TEST_CASE("no text crashes the binder or the interpreter", "[assembly][binder]") {
    const std::string seed = kernel(kTiles + R"(
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %p, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %r:2 = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %n, %b = %c1) -> (index, index) {
    %s = pto.partition_view %v, offsets = [%i, %a], sizes = [%c1, %c8] : !pto.tensor_view<?x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    %w = pto.subview %t[%i, %c1] sizes [1, 8] : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 1x8xf32>
    pto.tload ins(%s : !pto.partition_tensor_view<1x8xf32>) outs(%w : !pto.tile_buf<vec, 1x8xf32>)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    %q = scf.if %x -> (index) { scf.yield %a : index } else { scf.yield %b : index }
    scf.yield %b, %q : index, index
  }
  pto.section.vector { pto.tadd ins(%t, %u : !pto.tile_buf<vec, 8x64xf32>, !pto.tile_buf<vec, 8x64xf32>) outs(%t : !pto.tile_buf<vec, 8x64xf32>) }
  %y = arith.divsi %x, %x : i32)");
    // Words, values and numbers of the seed change places: the text stays readable, its meaning
    // not.
    std::vector<std::pair<size_t, size_t>> words;
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%.";
    for (size_t at = seed.find_first_of(letters); at != std::string::npos;) {
        const size_t end = std::min(seed.find_first_not_of(letters, at), seed.size());
        words.emplace_back(at, end - at);
        at = seed.find_first_of(letters, end);
    }
    std::mt19937 random(11);
    for (int round = 0; round < 3000; ++round) {
        std::string text = seed;
        const auto [to, to_size] = words[random() % words.size()];
        const auto [from, from_size] = words[random() % words.size()];
        text.replace(to, to_size, seed.substr(from, from_size));
        try {
            RecordingPort port;
            port.work_limit = 100000;
            const auto bound = bind_text(text);
            std::vector<uint64_t> arguments;
            for (size_t i = 0; i < bound->parameters().size(); ++i) {
                constexpr uint64_t kValues[] = {5, 1, 0, UINT64_MAX, INT64_MAX, uint64_t{1} << 40};
                arguments.push_back(kValues[random() % std::size(kValues)]);
            }
            bound->run(port, arguments);
        } catch (const DiagnosticError& error) {
            CHECK(!error.diagnostics().empty());
        } catch (const RecordingPort::Stopped&) {
        }
    }
}

TEST_CASE("on a5, tiles that serve as scratch only need no room", "[assembly][binder]") {
    const std::string body =
        "%t = pto.alloc_tile : !pto.tile_buf<vec, 256x128xf32>\n"
        "%s = pto.alloc_tile : !pto.tile_buf<vec, 256x128xf32>\n"
        "%r = pto.alloc_tile : !pto.tile_buf<vec, 256x1xf32, blayout=col_major>\n"
        "pto.trowsum ins(%t, %s : !pto.tile_buf<vec, 256x128xf32>, !pto.tile_buf<vec, 256x128xf32>)"
        " outs(%r : !pto.tile_buf<vec, 256x1xf32, blayout=col_major>)";
    BindOptions options = test_options();
    REQUIRE(problems(kernel(body), options).size() == 1);
    CHECK(problems(kernel(body), options)[0].code == "K10");

    options.arch = Arch::kA5;
    RecordingPort port;
    const std::vector<uint64_t> arguments{0, 0, 0};
    bind_text(kernel(body), options)->run(port, arguments);
    REQUIRE(port.issued.size() == 1);
    CHECK(port.issued[0].tile(1).address == 0);
    CHECK_FALSE(port.issued[0].operands[2].present());

    // If there is room, the tile keeps its memory; a tile used elsewhere always does.
    options.budgets[0] = 512 * 1024;
    RecordingPort roomy;
    bind_text(kernel(body), options)->run(roomy, arguments);
    CHECK(roomy.issued[0].operands[2].present());
    options.budgets[0] = 192 * 1024;
    const std::string use =
        "\npto.tabs ins(%s : !pto.tile_buf<vec, 256x128xf32>) outs(%t : !pto.tile_buf<vec, "
        "256x128xf32>)";
    CHECK(problems(kernel(body + use), options)[0].code == "K10");
}

TEST_CASE("the vector instructions of a fusion region are one vector function",
          "[assembly][binder]") {
    const std::string text =
        kernel(kTiles + "%r = pto.fusion_region {\n" + "%a = pto.alloc_tile : " + kT +
               "\n%b = pto.alloc_tile : " + kT + "\npto.tadd ins(%t, %t : " + kT + ", " + kT +
               ") outs(%a : " + kT + ")\npto.texp ins(%a : " + kT + ") outs(%b : " + kT +
               ")\npto.tmul ins(%b, %t : " + kT + ", " + kT + ") outs(%u : " + kT +
               ")\npto.yield(%b) : (" + kT + ") -> ()\n} : " + kT +
               "\npto.tadd ins(%r, %u : " + kT + ", " + kT + ") outs(%t : " + kT + ")");
    RecordingPort port;
    bind_text(text, test_options())->run(port, std::vector<uint64_t>{0, 0, 0});
    REQUIRE(port.issued.size() == 4);
    const auto attributes = [&](size_t i) { return port.issued[i].attributes; };
    CHECK(attributes(0).function == InFunction::kFirst);
    CHECK(attributes(0).in_register);  // neither a result nor known outside
    CHECK(attributes(1).function == InFunction::kFurther);
    CHECK_FALSE(attributes(1).in_register);  // a result
    CHECK(attributes(2).function == InFunction::kFurther);
    CHECK_FALSE(attributes(2).in_register);  // known outside
    CHECK(attributes(3).function == InFunction::kAlone);
}
