// Tests of loops found in texts, and of iterations found in issued instructions.
#include "traces/analyse/loops.h"

#include <catch2/catch.hpp>

#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;

namespace {

std::string text_of(const std::vector<LoopRegion>& loops) {
    std::string text;
    for (const LoopRegion& loop : loops)
        text += std::to_string(loop.first) + "-" + std::to_string(loop.last) + "(" +
                std::to_string(loop.parent) + ") ";
    return text;
}

std::vector<Iteration> iterations_of(const Tape& tape) {
    Recorder recorder;
    tape.play(recorder);
    return loop_iterations(recorder.recording()).at(0);
}

}  // namespace

TEST_CASE("loops of assembly and of C++ are found, in comments and strings are none") {
    CHECK(text_of(
              find_loops("scf.for %i = %a to %b {\n x {a = 1}\n scf.while (%c) {\n y\n }\n}\n")) ==
          "1-6(-1) 3-5(0) ");
    CHECK(text_of(find_loops("void f() {\n  for (int i = 0; i < 3; ++i) {\n    g(\"for {\");\n"
                             "    // while {\n  }\n  /* for\n { */ do {\n  } while (x);\n}\n")) ==
          "2-5(-1) 7-8(-1) ");
    CHECK(text_of(find_loops("for (;;)\n  for (;;)\n    f();\n")) == "2-3(-1) ");
    CHECK(text_of(find_loops("func.func @for(%while: i32) {\n}\n")).empty());
    CHECK(text_of(find_loops("for {\n \"never closed")) == "1-1(-1) ");
}

TEST_CASE("a step back in a loop's lines begins its next iteration") {
    // The run takes 2 x (10 + 3 x 20) cycles: the outer loop's rounds take 70, the inner one's 20.
    const std::vector<Iteration> found = iterations_of(loop_run(3));
    REQUIRE(found.size() == 8);
    const auto is = [&found](size_t i, uint32_t line, uint32_t number, Cycle begin, Cycle end) {
        return found[i].loop.line == line && found[i].number == number && found[i].begin == begin &&
               found[i].end == end;
    };
    CHECK(is(0, 2, 0, 0, 70));
    CHECK(is(1, 4, 0, 10, 30));
    CHECK(is(2, 4, 1, 30, 50));
    CHECK(is(3, 4, 2, 50, 70));
    CHECK(is(4, 2, 1, 70, 140));
    CHECK(is(7, 4, 2, 120, 140));
    CHECK(found[1].depth == 1);
}
