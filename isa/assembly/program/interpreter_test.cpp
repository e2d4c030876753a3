// Operands that a bound kernel passes to instructions on a core (views, tiles, scalars), and the assignment of kernels
// to cores. Expected values are worked out by hand.
#include <catch2/catch.hpp>
#include <deque>

#include "isa/assembly/bind/recording_port.h"

using namespace ptosim;
using namespace ptosim::assembly;

TEST_CASE("a struct keeps its fields apart, inner ones too", "[assembly]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %x = arith.constant 5 : i64
      %y = arith.constant 6 : i64
      %z = arith.constant 7 : i64
      %s = pto.declare_struct -> !pto.struct<!pto.struct<i64, i64>, i64>
      pto.struct_set %s[0, 1], %x : !pto.struct<!pto.struct<i64, i64>, i64>, i64
      pto.struct_set %s[1], %y : !pto.struct<!pto.struct<i64, i64>, i64>, i64
      pto.struct_set %s[0, 0], %z : !pto.struct<!pto.struct<i64, i64>, i64>, i64
      %a = pto.struct_get %s[0, 0] : !pto.struct<!pto.struct<i64, i64>, i64> -> i64
      %b = pto.struct_get %s[0, 1] : !pto.struct<!pto.struct<i64, i64>, i64> -> i64
      %c = pto.struct_get %s[1] : !pto.struct<!pto.struct<i64, i64>, i64> -> i64
      pto.store_scalar %a, %out[%c0] : !pto.ptr<i64>, i64
      pto.store_scalar %b, %out[%c1] : !pto.ptr<i64>, i64
      pto.store_scalar %c, %out[%c2] : !pto.ptr<i64>, i64)");
    CHECK(r.at(0) == 7);
    CHECK(r.at(1) == 5);
    CHECK(r.at(2) == 6);
}

TEST_CASE("views carry address, shape, strides and layout into a load", "[assembly][views]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %v = pto.make_tensor_view %p, shape = [%n, %c256], strides = [%c256, %c1] : !pto.tensor_view<?x256xf16>
      %s = pto.partition_view %v, offsets = [%c16, %c64], sizes = [%c16, %c64]
           : !pto.tensor_view<?x256xf16> -> !pto.partition_tensor_view<16x64xf16>
      %t = pto.alloc_tile addr = %a valid_row = %c16 valid_col = %n : !pto.tile_buf<vec, 16x64xf16, valid=?x?>
      pto.tload ins(%s : !pto.partition_tensor_view<16x64xf16>) outs(%t : !pto.tile_buf<vec, 16x64xf16, valid=?x?>) loc("a.py":9:2)
      %d = pto.get_tensor_view_dim %v, %c0 : !pto.tensor_view<?x256xf16> -> index
      %d64 = arith.index_cast %d : index to i64
      pto.store_scalar %d64, %out[%c0] : !pto.ptr<i64>, i64)",
                      ", %p: !pto.ptr<f16>, %n: index, %a: i64", {1 << 20, 48, 512});
    REQUIRE(r.port.issued.size() == 1);
    const Instruction& load = r.port.issued[0];
    CHECK(load.opcode == Opcode::kTLOAD);
    CHECK(load.location.file == 0);  // of the text; SourceMap::locate leads to a.py:9
    const Tile& tile = load.operands[0].tile;
    CHECK(tile.address == 512);
    CHECK(tile.valid_rows == 16);
    CHECK(tile.valid_cols == 48);
    const GlobalView& view = load.operands[1].global;
    CHECK(view.address == (1 << 20) + 2 * (16 * 256 + 64));
    CHECK(view.shape == std::array<int32_t, 5>{1, 1, 1, 16, 64});
    CHECK(view.stride[3] == 256);
    CHECK(view.stride[4] == 1);
    CHECK(view.layout == GlobalLayout::kND);
    CHECK(r.at(0) == 48);
}

TEST_CASE("a subview of a tensor view is the older spelling of a partition", "[assembly][views]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %v = pto.make_tensor_view %p, shape = [%c64, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
      %s = pto.subview %v, offsets = [%c1, %c0], sizes = [8, 16] : !pto.tensor_view<?x?xf32> -> !pto.tile_view<8x16xf32>
      %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x16xf32>
      pto.tload ins(%s : !pto.tile_view<8x16xf32>) outs(%t : !pto.tile_buf<vec, 8x16xf32>))",
                      ", %p: !pto.ptr<f32>, %a: i64", {1 << 20, 0});
    REQUIRE(r.port.issued.size() == 1);
    const GlobalView& view = r.port.issued[0].operands[1].global;
    CHECK(view.address == (1 << 20) + 4 * 64);
    CHECK(view.shape == std::array<int32_t, 5>{1, 1, 1, 8, 16});
    CHECK(view.stride[3] == 64);
}

TEST_CASE("a column that does not say its layout takes that of its tile", "[assembly][views]") {
    const auto layout = [](const std::string& tile) {
        return run_body(
                   "%c1 = arith.constant 1 : index\n%c0 = arith.constant 0 : index\n"
                   "%c32 = arith.constant 32 : index\n"
                   "%v = pto.make_tensor_view %p, shape = [%c32, %c1], strides = [%c1, %c1] : "
                   "!pto.tensor_view<32x1xf32>\n"
                   "%s = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c32, %c1] : "
                   "!pto.tensor_view<32x1xf32> -> !pto.partition_tensor_view<32x1xf32>\n"
                   "%t = pto.alloc_tile : " +
                       tile +
                       "\npto.tload ins(%s : !pto.partition_tensor_view<32x1xf32>) outs(%t : " +
                       tile + ")",
                   ", %p: !pto.ptr<f32>", {8192})
            .port.issued.at(0)
            .operands[1]
            .global.layout;
    };
    CHECK(layout("!pto.tile_buf<vec, 32x1xf32, blayout=col_major>") == GlobalLayout::kDN);
    CHECK(layout("!pto.tile_buf<vec, 32x8xf32, valid=32x1>") == GlobalLayout::kND);
    CHECK(layout("!pto.tile_buf<mat, 32x16xf32, blayout=col_major, slayout=row_major>") ==
          GlobalLayout::kDN);
}

TEST_CASE("windows, other readings and new addresses of tiles", "[assembly][tiles]") {
    auto r = run_body(R"(
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %a = arith.constant 1024 : i64
      %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x64xf32>
      %w = pto.subview %t[%i, %c4] sizes [4, 32] valid [%c2, %i]
           : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 4x32xf32, valid=?x?>
      pto.tabs ins(%w : !pto.tile_buf<vec, 4x32xf32, valid=?x?>) outs(%w : !pto.tile_buf<vec, 4x32xf32, valid=?x?>)
      %b = pto.bitcast %t : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 8x64xi32>
      %r = pto.treshape %t : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 16x32xf32, valid=?x32>
      pto.set_validshape %r, %i, %c1 : !pto.tile_buf<vec, 16x32xf32, valid=?x32>
      pto.tabs ins(%r : !pto.tile_buf<vec, 16x32xf32, valid=?x32>) outs(%r : !pto.tile_buf<vec, 16x32xf32, valid=?x32>)
      pto.tnot ins(%b : !pto.tile_buf<vec, 8x64xi32>) outs(%b : !pto.tile_buf<vec, 8x64xi32>)
      %m = pto.tassign %t, %p : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 8x64xf32>
      pto.tabs ins(%m : !pto.tile_buf<vec, 8x64xf32>) outs(%t : !pto.tile_buf<vec, 8x64xf32>))",
                      ", %i: index, %p: i64", {3, 2048});
    REQUIRE(r.port.issued.size() == 4);
    const Tile& window = r.port.issued[0].operands[1].tile;
    CHECK(window.address == 1024 + 4 * (3 * 64 + 4));
    CHECK(window.pitch == 64);
    CHECK(window.rows == 4);
    CHECK(window.valid_rows == 2);
    CHECK(window.valid_cols == 3);
    const Tile& reshaped = r.port.issued[1].operands[1].tile;
    CHECK(reshaped.rows == 16);
    CHECK(reshaped.pitch == 32);
    CHECK(reshaped.valid_rows == 3);
    CHECK(reshaped.valid_cols == 1);
    CHECK(r.port.issued[2].operands[0].tile.dtype == DType::kI32);
    CHECK(r.port.issued[3].operands[0].tile.address == 1024);
    CHECK(r.port.issued[3].operands[1].tile.address == 2048);
    // The valid region leaves the parent: rows 3 + 6.
    const auto outside = [] {
        run_body(R"(%c0 = arith.constant 0 : index
          %t = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
          %w = pto.subview %t[%i, %c0] sizes [6, 64] : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 6x64xf32>)",
                 ", %i: index", {3});
    };
    CHECK(code_of(outside) == "S11");
}

TEST_CASE("a window may begin inside a box if its lines go on alike", "[assembly]") {
    const std::string type = "!pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>";
    const auto run = [&](int64_t row, const std::string& rows) {
        return run_body(
            "%c0 = arith.constant 0 : index\n%n = arith.constant " + rows +
                " : index\n%c32 = arith.constant 32 : index\n%t = pto.alloc_tile : " + type +
                "\n%w = pto.subview %t[%i, %c0] sizes [16, 32] valid [%n, %c32] : " + type +
                " -> !pto.tile_buf<mat, 16x32xf16, valid=?x?, blayout=col_major, "
                "slayout=row_major>\npto.tprint ins(%w : !pto.tile_buf<mat, 16x32xf16, "
                "valid=?x?, blayout=col_major, slayout=row_major>)",
            ", %i: index", {static_cast<uint64_t>(row)});
    };
    // A line of a box has 16 elements, 32 bytes; a box 16 lines.
    CHECK(run(3, "1").port.issued.at(0).operands[0].tile.address == 3 * 32);
    CHECK(run(14, "2").port.issued.at(0).operands[0].tile.address == 14 * 32);
    CHECK(run(17, "1").port.issued.at(0).operands[0].tile.address == 512 + 32);
    CHECK(run(16, "16").port.issued.at(0).operands[0].tile.valid_rows == 16);
    // Boxes of one column are contiguous: lines continue in the next one.
    CHECK(run(14, "16").port.issued.at(0).operands[0].tile.address == 14 * 32);
    // The next box of a row of boxes lies elsewhere.
    const auto across = [&] {
        run_body(
            "%c0 = arith.constant 0 : index\n%t = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, "
            "blayout=row_major, slayout=col_major>\n%w = pto.subview %t[%i, %c0] sizes [16, 32] : "
            "!pto.tile_buf<mat, 32x32xf16, blayout=row_major, slayout=col_major> -> "
            "!pto.tile_buf<mat, 16x32xf16, blayout=row_major, slayout=col_major>",
            ", %i: index", {3});
    };
    CHECK(code_of(across) == "S11");
}

TEST_CASE("sections and kinds decide which cores run what", "[assembly][cores]") {
    const std::string text = kernel_text(R"(
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      pto.section.cube { pto.store_scalar %one, %out[%c0] : !pto.ptr<i64>, i64 }
      pto.section.vector { pto.store_scalar %two, %out[%c0] : !pto.ptr<i64>, i64 })");
    const auto both = bind_text(text);
    CHECK(both->runs_on(CoreType::kAIC));
    CHECK(both->runs_on(CoreType::kAIV));
    Result r;
    both->run(r.port, std::vector<uint64_t>{4096});
    CHECK(r.at(0) == 2);
    r.port.block.core = CoreType::kAIC;
    both->run(r.port, std::vector<uint64_t>{4096});
    CHECK(r.at(0) == 1);

    const auto tiles = [](const std::string& location) {
        const std::string type = "!pto.tile_buf<" + location + ", 16x16xf32>";
        return "%t" + location + " = pto.alloc_tile : " + type + "\n";
    };
    const auto vector_only =
        bind_text(kernel_text(tiles("vec") +
                              "pto.tabs ins(%tvec : !pto.tile_buf<vec, 16x16xf32>) outs(%tvec : "
                              "!pto.tile_buf<vec, 16x16xf32>)"));
    CHECK(vector_only->runs_on(CoreType::kAIV));
    CHECK_FALSE(vector_only->runs_on(CoreType::kAIC));

    const std::string pair = R"(
module {
  func.func @p_aic(%o: !pto.ptr<i64>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 10 : i64
    pto.store_scalar %v, %o[%c0] : !pto.ptr<i64>, i64
    return
  }
  func.func @p_aiv(%o: !pto.ptr<i64>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 20 : i64
    pto.store_scalar %v, %o[%c0] : !pto.ptr<i64>, i64
    return
  }
})";
    const auto cluster = bind_text(pair);
    CHECK(cluster->name() == "p_aic+p_aiv");
    cluster->run(r.port, std::vector<uint64_t>{4096});
    CHECK(r.at(0) == 10);
    r.port.block.core = CoreType::kAIV;
    cluster->run(r.port, std::vector<uint64_t>{4096});
    CHECK(r.at(0) == 20);
    BindOptions one = test_options();
    one.entry = "p_aiv";
    CHECK_FALSE(bind_text(pair, one)->runs_on(CoreType::kAIC));
}

TEST_CASE("the launch gives block numbers and hidden parameters", "[assembly][cores]") {
    const auto bound = bind_text(kernel_text(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %b = pto.get_block_idx
      %s = pto.get_subblock_num
      %h = arith.extsi %__pypto_spmd_block_num : i32 to i64
      %x = arith.muli %b, %s : i64
      pto.store_scalar %x, %out[%c0] : !pto.ptr<i64>, i64
      pto.store_scalar %h, %out[%c1] : !pto.ptr<i64>, i64)",
                                             ", %n: i8, %__pypto_spmd_block_num: i32"));
    REQUIRE(bound->parameters().size() == 2);
    CHECK(bound->parameters()[0].kind == Parameter::Kind::kPointer);
    CHECK(bound->parameters()[1].name == "n");
    CHECK(bound->parameters()[1].dtype == DType::kI8);
    Result r;
    r.port.block = {CoreType::kAIV, 5, 8, 1, 2};
    bound->run(r.port, std::vector<uint64_t>{4096, 0});
    CHECK(r.at(0) == 10);
    CHECK(r.at(1) == 8);
}

TEST_CASE("parameters know the elements of their largest constant view", "[assembly]") {
    const auto bound = bind_text(R"(module {
  func.func @k(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c16 = arith.constant 16 : index
    %v = pto.make_tensor_view %a, shape = [%c4, %c10], strides = [%c16, %c1] : !pto.tensor_view<4x10xf32>
    %w = pto.make_tensor_view %b, shape = [%n, %c10], strides = [%c10, %c1] : !pto.tensor_view<?x10xf32>
    return
  }
})");
    CHECK(bound->parameters()[0].elements == 58);  // 3 * 16 + 10
    CHECK(bound->parameters()[1].elements == 0);
}

TEST_CASE("tile elements, local arrays and print", "[assembly]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = arith.constant -3 : i16
      %t = pto.alloc_tile : !pto.tile_buf<vec, 4x16xi16>
      pto.tsetval ins(%c2, %m : index, i16) outs(%t : !pto.tile_buf<vec, 4x16xi16>)
      %g = pto.tgetval ins(%t, %c2 : !pto.tile_buf<vec, 4x16xi16>, index) outs : i16
      %w = arith.extsi %g : i16 to i64
      %a = pto.declare_local_array -> !pto.local_array<3x2xi64>
      pto.local_array_set %a[%c2, %c1], %w : !pto.local_array<3x2xi64>, i64
      %y = pto.local_array_get %a[%c2, %i] : !pto.local_array<3x2xi64> -> i64
      pto.store_scalar %y, %out[%c0] : !pto.ptr<i64>, i64
      pto.print ins("got %d!\0A", %y : i64))",
                      ", %i: index", {1});
    CHECK(r.at(0) == -3);
    CHECK(r.port.printed == "got -3!\n");
    CHECK(r.port.local.begin()->first == 4);  // element 2 of 16 bits
    const auto outside = [] {
        run_body(R"(%a = pto.declare_local_array -> !pto.local_array<4xi64>
          %y = pto.local_array_get %a[%i] : !pto.local_array<4xi64> -> i64)",
                 ", %i: index", {4});
    };
    CHECK(code_of(outside) == "A10");
}

TEST_CASE("the scratch of a merge stands behind the lists", "[assembly]") {
    // ins(lists..., tmp) outs(dst, counts): the last tile is scratch, the others are lists in
    // order.
    const auto r = run_body(R"(
      %a = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>
      %b = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>
      %t = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
      %d = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
      %n = arith.constant dense<[64, 64, 0, 0]> : vector<4xi16>
      pto.tmrgsort ins(%a, %b, %t {exhausted = false} : !pto.tile_buf<vec, 1x128xf32>,
                       !pto.tile_buf<vec, 1x128xf32>, !pto.tile_buf<vec, 1x256xf32>)
                   outs(%d, %n : !pto.tile_buf<vec, 1x256xf32>, vector<4xi16>))");
    REQUIRE(r.port.issued.size() == 1);
    const Instruction& merge = r.port.issued[0];  // dst, tmp, src0, src1: pto-isa's order
    CHECK(merge.tile(0).cols == 256);
    CHECK(merge.tile(1).cols == 256);
    CHECK(merge.tile(2).cols == 128);
    CHECK(merge.tile(3).cols == 128);
    CHECK(merge.tile(2).address != merge.tile(3).address);
}

TEST_CASE("scalar work is counted, and an endless loop can be stopped", "[assembly]") {
    // 8 rounds of one addition and the loop's two operations, and one to set up.
    auto r = run_body(R"(%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = scf.for %i = %c0 to %e step %c1 iter_args(%k = %c0) -> (index) {
        %k1 = arith.addi %k, %i : index
        scf.yield %k1 : index
      })",
                      ", %e: index", {8});
    CHECK(r.port.work == 8 * 3 + 1);
    RecordingPort port;
    const auto endless = bind_text(kernel_text(R"(%t = arith.constant true
      scf.while : () -> () { scf.condition(%t) } do { scf.yield })"));
    CHECK_THROWS_AS(endless->run(port, std::vector<uint64_t>{0}), RecordingPort::Stopped);
}

TEST_CASE("a store too takes the layout of its tile", "[assembly][layout]") {
    const std::string view = "!pto.tensor_view<4x1x16x1x8xf32>";
    const std::string tile = "!pto.tile_buf<vec, 16x32xf32, blayout=col_major, slayout=row_major>";
    RecordingPort port;
    const auto kernel = bind_text(
        "func.func @k(%p: !pto.ptr<f32>) {\n%a = arith.constant 1 : index\n%b = arith.constant 4 : "
        "index\n%c = arith.constant 8 : index\n%d = arith.constant 16 : index\n%e = arith.constant "
        "128 : index\n%v = pto.make_tensor_view %p, shape = [%b, %a, %d, %a, %c], strides = [%e, "
        "%e, %c, %c, %a] : " +
        view + "\n%t = pto.alloc_tile : " + tile + "\npto.tstore ins(%t : " + tile +
        ") outs(%v : " + view + ")\npto.tload ins(%v : " + view + ") outs(%t : " + tile +
        ")\nreturn\n}\n");
    const std::vector<uint64_t> arguments{4096};
    kernel->run(port, arguments);
    REQUIRE(port.issued.size() == 2);
    CHECK(port.issued[0].operands[0].global.layout == GlobalLayout::kNZ);
    CHECK(port.issued[1].operands[1].global.layout == GlobalLayout::kNZ);
}

namespace {

// A core that keeps every instruction.
class KeepingPort : public RecordingPort {
 public:
    const ReadyInstruction* issue_and_keep(const Instruction& instruction) override {
        issue(instruction);
        kept.emplace_back().given = instruction;
        return &kept.back();
    }
    void issue_again(const ReadyInstruction& ready, std::span<const uint64_t> addresses) override {
        Instruction instruction = ready.given;
        size_t next = 0;
        for (Operand& operand : instruction.operands)
            if (operand.is_global()) operand.global.address = addresses[next++];
        CHECK(next == addresses.size());
        issue(instruction);
        ++again;
    }
    std::deque<ReadyInstruction> kept;
    size_t again = 0;
};

}  // namespace

TEST_CASE("a core that keeps instructions gets the same ones as a core that does not",
          "[assembly]") {
    // Slots, valid rows, offsets within 512 bytes and flags change from turn to turn.
    const std::string body = R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c16 = arith.constant 16 : index
      %c48 = arith.constant 48 : index
      %c64 = arith.constant 64 : index
      %slot_bytes = arith.constant 4096 : index
      %v = pto.make_tensor_view %p, shape = [%c64, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf16>
      scf.for %i = %c0 to %c48 step %c1 {
        %slot = arith.remui %i, %c2 : index
        %third = arith.remui %i, %c3 : index
        %rows = arith.addi %third, %c1 : index
        %column = arith.muli %third, %c16 : index
        %at = arith.muli %slot, %slot_bytes : index
        %address = arith.index_cast %at : index to i64
        %x = arith.index_cast %third : index to i32
        %s = pto.partition_view %v, offsets = [%i, %column], sizes = [%rows, %c16]
             : !pto.tensor_view<?x?xf16> -> !pto.partition_tensor_view<?x16xf16>
        %t = pto.alloc_tile addr = %address valid_row = %rows : !pto.tile_buf<vec, 16x16xf16, valid=?x16>
        pto.wait_flag_dyn[<PIPE_V>, <PIPE_MTE2>, %slot]
        pto.tload ins(%s : !pto.partition_tensor_view<?x16xf16>) outs(%t : !pto.tile_buf<vec, 16x16xf16, valid=?x16>)
        pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %slot]
        pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf16, valid=?x16>, !pto.tile_buf<vec, 16x16xf16, valid=?x16>) outs(%t : !pto.tile_buf<vec, 16x16xf16, valid=?x16>)
        pto.tci ins(%x : i32) outs(%u : !pto.tile_buf<vec, 1x16xi32>)
      })";
    const std::string text = kernel_text(
        "%a0 = arith.constant 65536 : i64\n"
        "%u = pto.alloc_tile addr = %a0 : !pto.tile_buf<vec, 1x16xi32>\n" +
            body,
        ", %p: !pto.ptr<f16>");
    const auto kernel = bind_text(text);
    RecordingPort plain;
    KeepingPort keeping;
    const std::vector<uint64_t> arguments{4096, 1 << 20};
    kernel->run(plain, arguments);
    kernel->run(keeping, arguments);
    REQUIRE(plain.issued.size() == 48 * 5);
    REQUIRE(keeping.issued.size() == plain.issued.size());
    for (size_t i = 0; i < plain.issued.size(); ++i) {
        INFO(i);
        CHECK(to_text(keeping.issued[i]) == to_text(plain.issued[i]));
        CHECK(keeping.issued[i].attributes.event_id == plain.issued[i].attributes.event_id);
        if (plain.issued[i].opcode == Opcode::kTLOAD)
            CHECK(keeping.issued[i].operands[1].global == plain.issued[i].operands[1].global);
    }
    // Once each: 4 flags, 12 loads (of 4 lines in 512 bytes and 3 columns), 6 sums (2 slots, 3
    // numbers of rows), 3 scalars. Few are kept twice, because a table that grows may lose some.
    CHECK(keeping.kept.size() <= 4 + 12 + 6 + 3 + 5);
    CHECK(keeping.again + keeping.kept.size() == plain.issued.size());
}
