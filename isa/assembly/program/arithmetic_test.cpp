// The scalar arithmetic of kernels, computed by bound kernels on values that the binder does not
// know. Expected values are worked out by hand.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/assembly/bind/recording_port.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

// One arith operation on two i-width values that the binder cannot know, result to i64.
int64_t arith(const std::string& op, const std::string& type, int64_t a, int64_t b) {
    const std::string widen =
        type == "i64" ? "%r = arith.addi %x, %zero : i64"
                      : (type == "i1"      ? "%r = arith.extui %x : i1 to i64"
                         : type == "index" ? "%r = arith.index_cast %x : index to i64"
                                           : "%r = arith.extsi %x : " + type + " to i64");
    return run_body("%zero = arith.constant 0 : i64\n%i = arith.constant 0 : index\n%x = arith." +
                        op + " %a, %b : " + type + "\n" + widen +
                        "\npto.store_scalar %r, %out[%i] : !pto.ptr<i64>, i64",
                    ", %a: " + type + ", %b: " + type,
                    {static_cast<uint64_t>(a), static_cast<uint64_t>(b)})
        .at(0);
}

}  // namespace

TEST_CASE("integers wrap in their own width", "[assembly][arith]") {
    CHECK(arith("addi", "i8", 127, 1) == -128);
    CHECK(arith("muli", "i16", 300, 300) == 24464);  // 90000 - 65536
    CHECK(arith("subi", "i32", INT32_MIN, 1) == INT32_MAX);
    CHECK(arith("addi", "i64", INT64_MAX, 1) == INT64_MIN);
    CHECK(arith("addi", "index", INT64_MAX, 1) == INT64_MIN);
    CHECK(arith("shli", "i8", 0x41, 1) == -126);
    CHECK(arith("xori", "i1", 1, 1) == 0);
}

TEST_CASE("signed and unsigned divisions round as their names say", "[assembly][arith]") {
    CHECK(arith("divsi", "i32", -7, 2) == -3);
    CHECK(arith("floordivsi", "i32", -7, 2) == -4);
    CHECK(arith("ceildivsi", "i32", 7, 2) == 4);
    CHECK(arith("ceildivsi", "i32", -7, 2) == -3);
    CHECK(arith("remsi", "i32", -7, 2) == -1);
    CHECK(arith("divui", "i8", -1, 2) == 127);  // 255 / 2
    CHECK(arith("remui", "i8", -1, 16) == 15);
    CHECK(arith("ceildivui", "i8", 7, 2) == 4);
    CHECK(arith("maxui", "i8", -1, 1) == -1);
    CHECK(arith("maxsi", "i8", -1, 1) == 1);
    CHECK(arith("shrui", "i8", -128, 7) == 1);
    CHECK(arith("shrsi", "i8", -128, 7) == -1);
    CHECK(arith("minui", "index", -1, 5) == 5);
    CHECK(arith("remsi", "i32", INT32_MIN, -1) == 0);
}

TEST_CASE("what has no result is an error where it is executed", "[assembly][arith]") {
    CHECK(code_of([] { arith("divsi", "i32", 1, 0); }) == "N01");
    CHECK(code_of([] { arith("remui", "i8", 1, 0); }) == "N01");
    CHECK(code_of([] { arith("divsi", "i32", INT32_MIN, -1); }) == "N01");
    CHECK(code_of([] { arith("shli", "i32", 1, 32); }) == "N04");
    // A constant division by zero in a branch that is not taken is allowed.
    CHECK(run_body(R"(%f = arith.constant false
        %c0 = arith.constant 0 : index
        %z = arith.constant 0 : i64
        scf.if %f { %q = arith.divsi %z, %z : i64 }
        pto.store_scalar %z, %out[%c0] : !pto.ptr<i64>, i64)")
              .at(0) == 0);
    CHECK(code_of([] { run_body("pto.trap"); }) == "K11");
}

TEST_CASE("casts keep, cut or widen bits", "[assembly][arith]") {
    auto r = run_body(R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %t = arith.trunci %a : i32 to i8
      %s = arith.extsi %t : i8 to i64
      %u = arith.extui %t : i8 to i64
      %f = arith.sitofp %t : i8 to f32
      %b = arith.bitcast %f : f32 to i32
      %w = arith.extui %b : i32 to i64
      %h = arith.truncf %f : f32 to f16
      %hb = arith.bitcast %h : f16 to i16
      %hw = arith.extui %hb : i16 to i64
      pto.store_scalar %s, %out[%c0] : !pto.ptr<i64>, i64
      pto.store_scalar %u, %out[%c1] : !pto.ptr<i64>, i64
      pto.store_scalar %w, %out[%c2] : !pto.ptr<i64>, i64
      pto.store_scalar %hw, %out[%c3] : !pto.ptr<i64>, i64)",
                      ", %a: i32", {0x1FE});
    CHECK(r.at(0) == -2);
    CHECK(r.at(1) == 254);
    CHECK(r.at(2) == 0xC0000000);  // -2.0f
    CHECK(r.at(3) == 0xC000);      // -2.0 as f16
}

TEST_CASE("floats of each type round once", "[assembly][arith]") {
    const auto compute = [](const std::string& op, const std::string& type, int width, uint64_t a,
                            uint64_t b) {
        return run_body("%i = arith.constant 0 : index\n%x = arith." + op + " %a, %b : " + type +
                            "\n%y = arith.bitcast %x : " + type + " to i" + std::to_string(width) +
                            "\n%r = arith.extui %y : i" + std::to_string(width) +
                            " to i64\npto.store_scalar %r, %out[%i] : !pto.ptr<i64>, i64",
                        ", %a: " + type + ", %b: " + type, {a, b})
            .at(0);
    };
    const auto f32 = [](float x) { return uint64_t{std::bit_cast<uint32_t>(x)}; };
    CHECK(compute("addf", "f32", 32, f32(1.0f), f32(0x1p-24f)) == 0x3F800000);  // ties to even
    CHECK(compute("divf", "f32", 32, f32(1.0f), f32(3.0f)) == 0x3EAAAAAB);
    CHECK(compute("mulf", "f16", 16, 0x3C01, 0x3C01) == 0x3C02);   // (1 + 2^-10)^2
    CHECK(compute("addf", "bf16", 16, 0x3F80, 0x3B80) == 0x3F80);  // 1 + 2^-8: a tie
    CHECK(compute("maximumf", "f32", 32, f32(NAN), f32(1)) == 0x7FC00000);
    CHECK(compute("maxnumf", "f32", 32, f32(NAN), f32(1)) == 0x3F800000);
    CHECK(compute("remf", "f32", 32, f32(-7.5f), f32(2)) == 0xBFC00000);  // -1.5
}

TEST_CASE("comparisons follow their predicate", "[assembly][arith]") {
    const auto compare = [](const std::string& text, const std::string& type, uint64_t a,
                            uint64_t b) {
        return run_body("%i = arith.constant 0 : index\n%c = arith." + text + ", %a, %b : " + type +
                            "\n%r = arith.extui %c : i1 to i64\n"
                            "pto.store_scalar %r, %out[%i] : !pto.ptr<i64>, i64",
                        ", %a: " + type + ", %b: " + type, {a, b})
            .at(0);
    };
    CHECK(compare("cmpi slt", "i8", 0xFF, 1) == 1);
    CHECK(compare("cmpi ult", "i8", 0xFF, 1) == 0);
    CHECK(compare("cmpi sge", "index", 5, 5) == 1);
    const uint64_t nan = 0x7FC00000, one = 0x3F800000;
    CHECK(compare("cmpf oeq", "f32", nan, nan) == 0);
    CHECK(compare("cmpf une", "f32", nan, nan) == 1);
    CHECK(compare("cmpf ult", "f32", nan, one) == 1);
    CHECK(compare("cmpf ogt", "f32", one, one) == 0);
}
