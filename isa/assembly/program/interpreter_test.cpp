// What a bound kernel does on a core: its control flow, and the views and tiles that it hands to
// instructions. Expected values are worked out by hand.
#include <catch2/catch.hpp>

#include "isa/assembly/program/external_functions.h"
#include "isa/assembly/program/recording_port.h"
#include "isa/assembly/program/shared_launch.h"

using namespace ptosim;
using namespace ptosim::assembly;

TEST_CASE("loops carry values and run as often as their bounds say", "[assembly][control]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c10 = arith.constant 10 : index
      // Fibonacci, carried values change places: F(10) = 55, F(11) = 89
      %f:2 = scf.for %i = %c0 to %c10 step %c1 iter_args(%x = %c0, %y = %c1) -> (index, index) {
        %s = arith.addi %x, %y : index
        scf.yield %y, %s : index, index
      }
      %a = arith.index_cast %f#0 : index to i64
      %b = arith.index_cast %f#1 : index to i64
      // 0, 3, 6, 9: four rounds; and none at all
      %n = scf.for %i = %c0 to %c10 step %c3 iter_args(%k = %c0) -> (index) {
        %m = scf.for %j = %c10 to %c0 step %c1 iter_args(%q = %k) -> (index) {
          scf.yield %c10 : index
        }
        %k1 = arith.addi %m, %c1 : index
        scf.yield %k1 : index
      }
      %c = arith.index_cast %n : index to i64
      pto.store_scalar %a, %out[%c0] : !pto.ptr<i64>, i64
      pto.store_scalar %b, %out[%c1] : !pto.ptr<i64>, i64
      pto.store_scalar %c, %out[%c2] : !pto.ptr<i64>, i64)");
    CHECK(r.at(0) == 55);
    CHECK(r.at(1) == 89);
    CHECK(r.at(2) == 4);
}

TEST_CASE("a loop near the end of the numbers stops", "[assembly][control]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : i64
      %i0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i64
      %n = scf.for %i = %a to %b step %s iter_args(%k = %c0) -> (i64) : i64 {
        %k1 = arith.addi %k, %c1 : i64
        scf.yield %k1 : i64
      }
      pto.store_scalar %n, %out[%i0] : !pto.ptr<i64>, i64)",
                      ", %a: i64, %b: i64, %s: i64",
                      {static_cast<uint64_t>(INT64_MAX - 10), static_cast<uint64_t>(INT64_MAX), 4});
    CHECK(r.at(0) == 3);
    const auto zero_step = [] {
        run_body("scf.for %i = %a to %b step %a { }", ", %a: index, %b: index", {0, 4});
    };
    CHECK(code_of(zero_step) == "K11");
}

TEST_CASE("functions of several blocks go where their branches say", "[assembly][control]") {
    const std::string text = R"(module {
  // 1 + 2 + ... + n by a loop of branches; 7 for n = 0, from another return.
  func.func private @sum(%n: index) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %none = arith.cmpi eq, %n, %c0 : index
    cf.cond_br %none, ^empty, ^head(%n, %c0 : index, index)
  ^empty:
    return %c7 : index
  ^head(%i: index, %total: index):
    %more = arith.addi %total, %i : index
    %left = arith.subi %i, %c1 : index
    %go = arith.cmpi ne, %left, %c0 : index
    cf.cond_br %go, ^head(%left, %more : index, index), ^done
  ^done:
    return %more : index
  }
  func.func @k(%out: !pto.ptr<i64>, %n: index) {
    %c0 = arith.constant 0 : index
    %s = func.call @sum(%n) : (index) -> index
    %v = arith.index_cast %s : index to i64
    pto.store_scalar %v, %out[%c0] : !pto.ptr<i64>, i64
    return
  }
})";
    const auto bound = bind_text(text);
    for (const auto& [n, expected] : {std::pair(0, 7), {1, 1}, {2, 3}, {10, 55}}) {
        Result r;
        bound->run(r.port, std::vector<uint64_t>{4096, static_cast<uint64_t>(n)});
        CHECK(r.at(0) == expected);
    }
}

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

TEST_CASE("if, while, switch, regions and calls choose as written", "[assembly][control]") {
    const std::string helper = R"(
  func.func private @twice(%x: index) -> index {
    %c2 = arith.constant 2 : index
    %y = arith.muli %x, %c2 : index
    return %y : index
  }
)";
    const std::string text = "module {" + helper + R"(
  func.func @k(%out: !pto.ptr<i64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %big = arith.cmpi sgt, %n, %c7 : index
    %a = scf.if %big -> (index) { scf.yield %c1 : index } else { scf.yield %c0 : index }
    // Collatz steps of n
    %w:2 = scf.while (%x = %n, %k = %c0) : (index, index) -> (index, index) {
      %go = arith.cmpi ne, %x, %c1 : index
      scf.condition(%go) %x, %k : index, index
    } do {
    ^bb0(%x: index, %k: index):
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %odd = arith.remsi %x, %c2 : index
      %is = arith.cmpi eq, %odd, %c1 : index
      %next = scf.if %is -> (index) {
        %t = arith.muli %x, %c3 : index
        %u = arith.addi %t, %c1 : index
        scf.yield %u : index
      } else {
        %h = arith.divsi %x, %c2 : index
        scf.yield %h : index
      }
      %k1 = arith.addi %k, %c1 : index
      scf.yield %next, %k1 : index, index
    }
    %s = scf.index_switch %n -> index
    case 3 { scf.yield %c7 : index }
    case 6 { scf.yield %c1 : index }
    default { scf.yield %c0 : index }
    %e = scf.execute_region -> index {
      %t = func.call @twice(%w#1) : (index) -> index
      scf.yield %t : index
    }
    %c2 = arith.constant 2 : index
    %ai = arith.index_cast %a : index to i64
    %si = arith.index_cast %s : index to i64
    %ei = arith.index_cast %e : index to i64
    pto.store_scalar %ai, %out[%c0] : !pto.ptr<i64>, i64
    pto.store_scalar %si, %out[%c1] : !pto.ptr<i64>, i64
    pto.store_scalar %ei, %out[%c2] : !pto.ptr<i64>, i64
    return
  }
})";
    Result r;
    const auto bound = bind_text(text);
    bound->run(r.port, std::vector<uint64_t>{4096, 6});
    CHECK(r.at(0) == 0);
    CHECK(r.at(1) == 1);
    CHECK(r.at(2) == 16);  // 6 3 10 5 16 8 4 2 1: eight steps, doubled
    bound->run(r.port, std::vector<uint64_t>{4096, 9});
    CHECK(r.at(0) == 1);
    CHECK(r.at(1) == 0);
    CHECK(r.at(2) == 38);  // nineteen steps
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
    // Boxes of one column lie behind each other: lines go on in the next one.
    CHECK(run(14, "16").port.issued.at(0).operands[0].tile.address == 14 * 32);
    // Where the next box of a row of boxes lies elsewhere.
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

TEST_CASE("flags, events and barriers name pipes and ids", "[assembly][sync]") {
    auto r = run_body(R"(
      %arr = pto.declare_eventid_array -> !pto.eventid_array<4>
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      pto.eventid_array_set %arr[%c1], %c5 : !pto.eventid_array<4>
      %e = pto.eventid_array_get %arr[%c1] : !pto.eventid_array<4>
      pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
      pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]
      pto.set_flag_dyn[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, %e]
      pto.record_event[#pto.pipe_event_type<TLOAD>, #pto.sync_op_type<TVEC>, <EVENT_ID1>]
      pto.wait_event[<TVEC>, <TSTORE_VEC>, <EVENT_ID0>]
      pto.barrier <PIPE_ALL>
      pto.barrier #pto.pipe<PIPE_V>
      pto.sync.set <PIPE_MTE3>, 4 {ffts_mode = 1 : i32}
      pto.sync.wait <PIPE_V>, 4)");
    const auto& issued = r.port.issued;
    REQUIRE(issued.size() == 9);
    CHECK(issued[0].opcode == Opcode::kSET_FLAG);
    CHECK(issued[0].attributes.source_pipe == Pipe::kMTE2);
    CHECK(issued[0].attributes.destination_pipe == Pipe::kV);
    CHECK(issued[0].attributes.event_id == 3);
    CHECK(issued[1].opcode == Opcode::kWAIT_FLAG);
    CHECK(issued[1].attributes.event_id == 3);
    CHECK(issued[2].attributes.event_id == 5);
    CHECK(issued[2].attributes.destination_pipe == Pipe::kMTE3);
    CHECK(issued[3].attributes.source_pipe == Pipe::kMTE2);
    CHECK(issued[4].opcode == Opcode::kWAIT_FLAG);
    CHECK(issued[4].attributes.destination_pipe == Pipe::kMTE3);
    CHECK(issued[5].attributes.destination_pipe == Pipe::kAll);
    CHECK(issued[6].attributes.destination_pipe == Pipe::kV);
    CHECK(issued[7].opcode == Opcode::kCROSS_SET);
    CHECK(issued[7].attributes.cross_mode == 1);
    CHECK(issued[7].attributes.source_pipe == Pipe::kMTE3);
    CHECK(issued[8].opcode == Opcode::kCROSS_WAIT);
    CHECK(issued[8].attributes.event_id == 4);

    CHECK(bind_text(kernel_text("pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]"))
              ->has_explicit_sync());
    CHECK(bind_text(kernel_text("pto.barrier <PIPE_V>"))->has_explicit_sync());
    CHECK_FALSE(bind_text(kernel_text("pto.barrier <PIPE_ALL>"))->has_explicit_sync());
}

TEST_CASE("signals from core to core are those of a5, or signals of mode 2", "[assembly][sync]") {
    const std::string text = kernel_text(R"(
      %e = arith.constant 7 : index
      pto.set_intra_block <PIPE_MTE3>, 3
      pto.wait_intra_block <PIPE_V>, %e
      pto.set_cross_block <PIPE_MTE3>, 1)");
    for (const Arch arch : {Arch::kA5, Arch::kA2A3}) {
        BindOptions options = test_options();
        options.arch = arch;
        const bool a5 = arch == Arch::kA5;
        RecordingPort port;
        const uint64_t argument = 0;
        bind_text(text, options)->run(port, {&argument, 1});
        REQUIRE(port.issued.size() == 3);
        CHECK(port.issued[0].opcode == (a5 ? Opcode::kINTRA_SET : Opcode::kCROSS_SET));
        CHECK(port.issued[0].attributes.event_id == 3);
        CHECK(port.issued[0].attributes.cross_mode == 2);
        CHECK(port.issued[1].opcode == (a5 ? Opcode::kINTRA_WAIT : Opcode::kCROSS_WAIT));
        CHECK(port.issued[1].attributes.event_id == 7);
        CHECK(port.issued[1].attributes.destination_pipe == Pipe::kV);
        CHECK(port.issued[2].opcode == Opcode::kCROSS_SET);
        CHECK(port.issued[2].attributes.cross_mode == 0);
    }
}

TEST_CASE("a barrier of all cores names its cores and, if soft, a workspace", "[assembly][sync]") {
    const auto text = [](const std::string& call) {
        return kernel_text("%n = arith.constant 4 : i32\n%i = arith.constant 4 : index\n" + call);
    };
    RecordingPort port;
    const uint64_t argument = 0;
    bind_text(text("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = "
                   "#pto.sync_core_type<aic_only>"))
        ->run(port, {&argument, 1});
    REQUIRE(port.issued.size() == 1);
    CHECK(port.issued[0].opcode == Opcode::kSYNCALL);
    CHECK(port.issued[0].attributes.sync_cores == SyncCores::kAIC);
    const auto code = [&](const std::string& call) {
        try {
            bind_text(text(call));
        } catch (const DiagnosticError& error) {
            return error.diagnostics().front().code;
        }
        return std::string();
    };
    CHECK(code("pto.syncall(%n : i32) mode = #pto.sync_all_mode<hard>, core_type = "
               "#pto.sync_core_type<mix>") == "K06");
    CHECK(code("pto.syncall() mode = #pto.sync_all_mode<soft>, core_type = "
               "#pto.sync_core_type<mix>") == "K06");
    CHECK(code("pto.syncall(%n : i32) mode = #pto.sync_all_mode<soft>, core_type = "
               "#pto.sync_core_type<mix>") == "K07");
    CHECK(code("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = "
               "#pto.sync_core_type<none>") == "K09");
}

TEST_CASE("functions without a body are called with the words of their arguments", "[assembly]") {
    struct Port : RecordingPort, ExternalFunctions {
        uint64_t call(std::string_view function, std::span<const uint64_t> given) override {
            calls.emplace_back(function, std::vector<uint64_t>(given.begin(), given.end()));
            return 0xFFFF'FFFE;  // as an i32: -2
        }
        std::vector<std::pair<std::string, std::vector<uint64_t>>> calls;
    };
    BindOptions options = test_options();
    options.external_functions = true;
    const std::string declared =
        "func.func private @f(!pto.ptr<i64>, i32, f32) -> i32\n"
        "func.func private @g()\n";
    const auto text = [&](const std::string& body) {
        return "module {\nfunc.func @k(%out: !pto.ptr<i64>) {\n%c0 = arith.constant 0 : index\n" +
               body + "\nreturn\n}\n" + declared + "}\n";
    };
    const std::string calls = text(R"(
        %n = arith.constant -3 : i32
        %x = arith.constant 1.5 : f32
        %r = func.call @f(%out, %n, %x) : (!pto.ptr<i64>, i32, f32) -> i32
        func.call @g() : () -> ()
        %wide = arith.extsi %r : i32 to i64
        pto.store_scalar %wide, %out[%c0] : !pto.ptr<i64>, i64)");
    Port port;
    bind_text(calls, options)->run(port, std::vector<uint64_t>{4096});
    REQUIRE(port.calls.size() == 2);
    CHECK(port.calls[0].first == "f");
    REQUIRE(port.calls[0].second.size() == 3);
    CHECK(port.calls[0].second[0] == 4096);
    CHECK(static_cast<int32_t>(port.calls[0].second[1]) == -3);
    CHECK(port.calls[0].second[2] == 0x3FC0'0000);
    CHECK(port.calls[1].second.empty());
    CHECK(static_cast<int64_t>(port.memory.at(4096)) == -2);

    RecordingPort without;
    CHECK(code_of([&] { bind_text(calls, options)->run(without, std::vector<uint64_t>{4096}); }) ==
          "K08");
    const auto code = [&](const std::string& body) {
        return code_of([&] { bind_text(text(body), options); });
    };
    CHECK(code_of([&] { bind_text(calls); }) == "K08");
    CHECK(code("func.call @g(%c0) : (index) -> ()") == "K06");
    CHECK(code("%r = func.call @f(%c0, %c0, %c0) : (index, index, index) -> i32") == "K07");
}

TEST_CASE("in a launch that kernels share, a soft barrier counts its cores in memory",
          "[assembly][sync]") {
    // Other cores come one by one, each before this one looks again.
    struct Port : RecordingPort, SharedLaunch {
        explicit Port(uint64_t others) : others_to_come{others} {}
        uint64_t load_global(uint64_t address, DType, ScalarPath, SourceLocation) override {
            ++looks;
            if (others_to_come != 0) --others_to_come, ++memory[address];
            return memory[address];
        }
        uint64_t others_to_come, looks = 0;
    };
    const auto run = [](Port& port, const std::string& cores) {
        bind_text(
            kernel_text("%n = arith.constant 4 : i32\npto.syncall(%ws, %n : !pto.ptr<i32>, i32)"
                        " mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<" +
                            cores + ">",
                        ", %ws: !pto.ptr<i32>"))
            ->run(port, std::vector<uint64_t>{4096, 8192});
    };
    SECTION("it waits for the others") {
        Port port(3);
        run(port, "aiv_only");
        CHECK(port.memory.at(8192) == 4);
        CHECK(port.looks == 3);
        REQUIRE(port.issued.size() == 2);
        for (const Instruction& instruction : port.issued)
            CHECK(instruction.opcode == Opcode::kPIPE_BARRIER);
    }
    SECTION("the workspace is used again") {
        Port port(3);
        port.memory[8192] = 4;
        run(port, "mix");
        CHECK(port.memory.at(8192) == 8);
    }
    SECTION("without the others it never goes on") {
        Port port(2);
        CHECK_THROWS_AS(run(port, "aiv_only"), RecordingPort::Stopped);
    }
    SECTION("a core of the other type only waits for its pipes") {
        Port port(0);
        run(port, "aic_only");
        CHECK(port.memory.empty());
        CHECK(port.issued.size() == 1);
    }
    SECTION("in a launch of its own flags do it") {
        RecordingPort port;
        bind_text(kernel_text("pto.syncall(%ws : !pto.ptr<i32>) mode = #pto.sync_all_mode<soft>, "
                              "core_type = #pto.sync_core_type<mix>",
                              ", %ws: !pto.ptr<i32>"))
            ->run(port, std::vector<uint64_t>{4096, 8192});
        REQUIRE(port.issued.size() == 1);
        CHECK(port.issued[0].opcode == Opcode::kSYNCALL);
    }
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
