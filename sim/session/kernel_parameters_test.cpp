// Expected values are calculated by hand.
#include "sim/session/kernel_parameters.h"

#include <catch2/catch.hpp>

#include "isa/core/diagnostic.h"

using namespace ptosim;

namespace {

const Values kChip{{"chip.aic.l1.bytes", 524288}, {"chip.clusters", 24}};

std::string input_error(const std::string& text, const GivenParameters& given) {
    try {
        expand_parameters("k.pto", text, given, kChip);
    } catch (const DiagnosticError& error) {
        return to_text(error.diagnostics().front());
    }
    return "";
}

}  // namespace

TEST_CASE("expressions") {
    const Values values{{"A", 6}, {"chip.x.y", 1000}};
    CHECK(evaluate_integer("2 * (A + 1)", values) == 14);
    CHECK(evaluate_integer("min(A, 4) + max(A, chip.x.y)", values) == 1004);
    CHECK(evaluate_integer("A % 4", values) == 2);
    CHECK(evaluate_integer("-1 % 4", values) == 3);
    CHECK(evaluate_integer("down(chip.x.y, 16) + up(A, 16)", values) == 992 + 16);
    CHECK(evaluate_integer("pow2(chip.x.y) + pow2(A) + pow2(0.5)", values) == 512 + 4);
    CHECK(evaluate_integer("A > 5 ? 1 : 2", values) == 1);
    CHECK(evaluate("A / 4", values) == 1.5);
    CHECK(evaluate_condition("A == 6 && chip.x.y >= 1000", values));
    CHECK_FALSE(evaluate_condition("A != 6 || 1 > 2", values));
    CHECK(substitute("${A}x${A / 2}xf16, ${chip.x.y}", values) == "6x3xf16, 1000");
}

TEST_CASE("expressions that cannot be evaluated") {
    const Values values{{"TILE_M", 6}};
    CHECK_THROWS_WITH(evaluate_integer("TILE_M / 4", values),
                      Catch::Contains("1.5") && Catch::Contains("not a whole number"));
    CHECK_THROWS_WITH(evaluate("TILE_M / 0", values), Catch::Contains("not a finite number"));
    CHECK_THROWS_WITH(evaluate("TILE_M +", values), Catch::Contains("TILE_M +"));
    CHECK_THROWS_WITH(evaluate("", values), !Catch::Equals(""));
    CHECK_THROWS_WITH(evaluate("TILE_M = 3", values), !Catch::Equals(""));  // nothing is assigned
    CHECK_THROWS_WITH(substitute("${TILE_M", values), Catch::Contains("closing"));
    try {
        evaluate("TILE_N * 2", values);
        FAIL("no error");
    } catch (const ExpressionError& error) {
        CHECK(std::string(error.what()).find("unknown name 'TILE_N'") != std::string::npos);
        CHECK(error.hint == "did you mean 'TILE_M'?");
    }
}

TEST_CASE("a kernel with parameters") {
    const std::string text =
        "// a kernel\n"
        "//! param TM = 128   // rows\n"
        "//! param TK = min(256, chip.aic.l1.bytes / (8 * TM))\n"
        "//! require TM % 16 == 0 : whole boxes\n"
        "!t = ${TM}x${TK}xf16 // ${TM * 2}\n"
        "end";
    SECTION("by default") {
        const ExpandedKernel kernel = expand_parameters("k.pto", text, {}, kChip);
        CHECK(kernel.values.at("TM") == 128);
        CHECK(kernel.values.at("TK") == 256);
        CHECK(kernel.text.find("\n!t = 128x256xf16 // 256\nend\n") != std::string::npos);
    }
    SECTION("given") {
        const ExpandedKernel kernel = expand_parameters("k.pto", text, {{"TM", 512}}, kChip);
        CHECK(kernel.text.find("!t = 512x128xf16 // 1024") != std::string::npos);
    }
    SECTION("a requirement that does not hold") {
        try {
            expand_parameters("k.pto", text, {{"TM", 40}}, kChip);
            FAIL("no error");
        } catch (const RequirementError& error) {
            CHECK(std::string(error.what()) == "k.pto:4: whole boxes: TM % 16 == 0 does not hold");
            CHECK(error.values == "TK = 256, TM = 40");
        }
    }
    SECTION("a name that is not declared") {
        CHECK(input_error(text, {{"TN", 1}}).find("has no parameter 'TN'") != std::string::npos);
    }
    SECTION("declarations") {
        const auto declared = declared_parameters(text);
        REQUIRE(declared.size() == 2);
        CHECK(declared[0].name == "TM");
        CHECK(declared[0].value == "128");
        CHECK(declared[0].help == "rows");
        CHECK(declared[1].line == 3);
    }
}

TEST_CASE("kernel text that cannot be expanded") {
    CHECK(
        input_error("x\n//! param 3A = 1\n", {}).starts_with("k.pto:2:1: error: a line of param"));
    CHECK(input_error("//! parm A = 1\n", {}).find("k.pto:1:1: error") == 0);
    CHECK(input_error("//! param A = 1\n//! param A = 2\n", {}).find("declared twice") !=
          std::string::npos);
    CHECK(input_error("//! param A = 1.5\n", {}).find("not a whole number") != std::string::npos);
    CHECK(input_error("//! param A = B\n", {}).find("unknown name 'B'") != std::string::npos);
    CHECK(input_error("ok\n  ${A}\n", {}).find("k.pto:2:3: error") == 0);
    CHECK(input_error("no parameters", {{"A", 1}}).find("declares no parameters") !=
          std::string::npos);
}

TEST_CASE("words of --param") {
    const GivenParameters given = parse_parameters({"A=1", "TILE_M=-64"});
    CHECK(given.at("A") == 1);
    CHECK(given.at("TILE_M") == -64);
    for (const char* word : {"A", "=1", "A=", "A=1.5", "A=x", "1A=2", "A=99999999999999999999"})
        CHECK_THROWS_AS(parse_parameters({word}), DiagnosticError);
    CHECK_THROWS_AS(parse_parameters({"A=1", "A=2"}), DiagnosticError);
}
