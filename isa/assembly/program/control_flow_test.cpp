// Control flow of a bound kernel: loops, branches, regions and calls. Expected values are worked out by hand.

#include <catch2/catch.hpp>

#include "isa/assembly/bind/recording_port.h"

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
