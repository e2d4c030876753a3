// Tests of the basis of a run's time: a path of known steps, and shares by hand.
#include "traces/analyse/time_basis.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

Recording recording() {
    Recording r;
    r.facts.grades.scalar = TimeGrade::kAssumed;
    r.facts.grades.signal = TimeGrade::kVendorSimulator;
    r.facts.grades.hbm = TimeGrade::kFitted;
    r.facts.grades.l2 = TimeGrade::kOfficial;
    r.facts.grades.error = {20, 10, 30, 40, 50, 60, 200};
    InstructionRecord load;
    load.opcode = Opcode::kTLOAD;
    load.started = 0;
    load.pipe_free = 100;
    load.completed = 150;
    load.l2_miss_bytes = 4096;
    load.flags = InstructionRecord::kStarted | InstructionRecord::kCompleted;
    r.instructions = {load};
    CostRecord cost;
    cost.opcode = Opcode::kTLOAD;
    cost.basis.parts[static_cast<size_t>(TimeGrade::kDerived)] = 1000;
    cost.basis.transfer_cycles = 60;  // the other 40 are waited for the memory behind L2
    r.costs = {cost};
    return r;
}

TEST_CASE("steps of a path rest on their instruction, on what is shared, and on the rest") {
    const Recording r = recording();
    const std::vector<Dependencies::Step> path{{0, 100, Spent::kWork, 0, -1},
                                               {100, 150, Spent::kLatency, 0, -1},
                                               {150, 170, Spent::kSignal, 0, -1},
                                               {170, 200, Spent::kScalar, 0, -1}};
    const TimeBasis basis = time_basis(r, path);
    CHECK(basis.share(TimeGrade::kDerived) == 550);  // 60 and 50 of 200 cycles
    CHECK(basis.share(TimeGrade::kFitted) == 200);
    CHECK(basis.share(TimeGrade::kVendorSimulator) == 100);
    CHECK(basis.share(TimeGrade::kAssumed) == 150);
    // 0.55 * 5.0 + 0.2 * 3.0 + 0.1 * 4.0 + 0.15 * 20.0 per cent
    CHECK(basis.range == 68);  // 6.75
    CHECK(range_text(basis) == "+-6.8 %");
    CHECK(basis_text(basis) ==
          "55.0 % derived, 20.0 % fitted, 15.0 % assumed, 10.0 % vendor simulator of the critical "
          "path");
}

TEST_CASE("what L2 held rests on L2") {
    Recording r = recording();
    std::swap(r.instructions[0].l2_hit_bytes, r.instructions[0].l2_miss_bytes);
    const TimeBasis basis = time_basis(r, {{0, 100, Spent::kWork, 0, -1}});
    CHECK(basis.share(TimeGrade::kOfficial) == 400);
}

TEST_CASE("a grade of which nobody knows how far off it is leaves the range open") {
    Recording r = recording();
    r.facts.grades.error[static_cast<size_t>(TimeGrade::kDerived)] = 0;
    const TimeBasis basis = time_basis(r, {{0, 100, Spent::kWork, 0, -1}});
    CHECK(basis.range == 0);
    CHECK(range_text(basis).empty());
}

TEST_CASE("a range of what is all assumed says so") {
    Recording r = recording();
    const std::vector<Dependencies::Step> path{{0, 30, Spent::kScalar, 0, -1}};
    CHECK(range_text(time_basis(r, path)) == "+-20.0 % (never measured: all of it is assumed)");
    CHECK(time_basis(r, path).guessed());
    CHECK(!time_basis(r, {{0, 100, Spent::kWork, 0, -1}}).guessed());
}

TEST_CASE("a recording of before they were kept has no basis") {
    Recording r = recording();
    r.costs.clear();
    const TimeBasis basis = time_basis(r, {{0, 100, Spent::kWork, 0, -1}});
    CHECK(basis.all() == 0);
    CHECK(basis_text(basis).empty());
}

}  // namespace
}  // namespace ptosim
