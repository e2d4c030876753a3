// Grades of costs. Expected shares are calculated by hand from numbers that the test sets.
#include "sim/machine/timing/cost_grades.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "sim/machine/model/installation.h"
#include "sim/machine/model/parameters.h"
#include "sim/machine/timing/time_coverage.h"

namespace ptosim {
namespace {

ChipModel chip(std::initializer_list<std::string> overrides) {
    const std::vector<std::string> words(overrides);
    return load_chip("ascend910b1", words);
}

Instruction sum(int cols) {
    Instruction add(Opcode::kTADD);
    for (const uint32_t address : {0x20000u, 0u, 0x10100u}) {
        Tile tile = make_tile(Space::kUB, DType::kF32, 1, cols);
        tile.address = address;
        add.add(tile);
    }
    return add;
}

std::string path(const CostPart& part) { return parameter_rows()[part.row - size_t{1}].path; }

TEST_CASE("a cost rests on what moves it, by how much it does") {
    // 100 repeats of 1 cycle and 20 until the result is written, 20 held: 120 both, five sixths of which are the
    // repeats'. Values from --set have the grade assumed.
    const ChipModel model = chip(
        {"aiv.vector.rate.TADD.b32=1", "aiv.vector.rate.TADD.start=20", "aiv.vector.overhead=20"});
    CostGrades costs(model);
    const std::vector<CostPart> parts = costs.parts(sum(6400));
    REQUIRE(parts.size() >= 2);
    CHECK(path(parts[0]) == "aiv.vector.rate.TADD.b32");
    CHECK(parts[0].share == Approx(833).margin(30));
    CHECK(parts[0].grade == TimeGrade::kAssumed);
    int all = 0;
    for (const CostPart& part : parts) all += part.share;
    CHECK(all == 1000);
    const GradeParts by_grade = costs.of(sum(6400)).parts;
    CHECK(by_grade[static_cast<size_t>(TimeGrade::kAssumed)] == 1000);
    CHECK(std::accumulate(by_grade.begin(), by_grade.end(), 0) == 1000);
}

TEST_CASE("a grade is that of the chip file") {
    const ChipModel model = chip({});
    CostGrades costs(model);
    const std::vector<CostPart> parts = costs.parts(sum(64000));
    CHECK(path(parts[0]) == "aiv.vector.rate.TADD.b32");
    CHECK(parts[0].grade == TimeGrade::kOfficial);
}

TEST_CASE("a transfer says what it holds its pipe if it shares with nobody") {
    const ChipModel model =
        chip({"aiv.gm_to_ub.rate=64", "aiv.gm_to_ub.interval=1", "aiv.gm_to_ub.row_cycles=0",
              "aiv.gm_to_ub.row_least=0", "aiv.gm_to_ub.overhead=10"});
    GlobalView view;
    view.dtype = DType::kF32;
    view.shape = {1, 1, 1, 32, 64};
    view.stride = {1, 1, 1, 64, 1};
    Instruction load(Opcode::kTLOAD);
    load.add(make_tile(Space::kUB, DType::kF32, 32, 64)).add(view);
    CHECK(CostGrades(model).of(load).transfer_cycles == 8192 / 64 + 10);
}

TEST_CASE("the weakest grade counts from a tenth on") {
    GradeParts parts{};
    parts[static_cast<size_t>(TimeGrade::kFitted)] = 901;
    parts[static_cast<size_t>(TimeGrade::kAssumed)] = 99;
    CHECK(weakest(parts) == TimeGrade::kFitted);
    parts[static_cast<size_t>(TimeGrade::kInherited)] = 100;
    CHECK(weakest(parts) == TimeGrade::kInherited);
    parts[static_cast<size_t>(TimeGrade::kDerived)] = 100;
    CHECK(weakest(parts) == TimeGrade::kDerived);
    parts[static_cast<size_t>(TimeGrade::kAssumed)] = 100;
    CHECK(weakest(parts) == TimeGrade::kAssumed);
}

TEST_CASE("nothing is better than the count that it rests on, and no count makes it better") {
    ChipModel model = chip({});
    Instruction product(Opcode::kTMATMUL);
    product.add(make_tile(Space::kL0C, DType::kF32, 64, 64))
        .add(make_tile(Space::kL0A, DType::kF16, 64, 64))
        .add(make_tile(Space::kL0B, DType::kF16, 64, 64));
    const auto weakest_of = [&](const char* count, const char* others) {
        for (ChipModel::Provenance& stated : model.provenance) stated.grade = parse_time_grade(others).value();
        const size_t granule = model.aic.cube.k_granule[static_cast<size_t>(DType::kF16)].row();
        model.provenance[granule - 1].grade = parse_time_grade(count).value();
        std::set<TimeGrade> grades;
        for (const CostPart& part : CostGrades(model).parts(product)) grades.insert(part.grade);
        REQUIRE(grades.size() == 1);
        return *grades.begin();
    };
    CHECK(weakest_of("assumed", "silicon") == TimeGrade::kAssumed);
    CHECK(weakest_of("inherited", "assumed") == TimeGrade::kAssumed);
    CHECK(weakest_of("inherited", "fitted") == TimeGrade::kInherited);
    CHECK(weakest_of("fitted", "inherited") == TimeGrade::kInherited);
}

TEST_CASE("every instruction that takes time is covered, for each type that a chip takes") {
    for (const char* name : {"ascend910b1", "ascend950pr"}) {
        const ChipModel model = load_chip(name, {});
        std::array<bool, kOpcodeCount> covered{};
        for (const TimeCoverage& coverage : time_coverage(model)) {
            covered[static_cast<size_t>(coverage.opcode)] = true;
            CHECK(!coverage.types.empty());
            int all = 0;
            for (const CostPart& part : coverage.parts) all += part.share;
            CHECK(all == 1000);
        }
        for (const InstructionInfo& row : instruction_table()) {
            const bool takes_time = row.timing != TimingClass::kScalar &&
                                    row.timing != TimingClass::kFlag &&
                                    !row.types[static_cast<size_t>(model.arch)].empty();
            INFO(name << " " << row.name);
            CHECK((covered[static_cast<size_t>(row.opcode)] || !takes_time));
        }
    }
}

TEST_CASE("the page of coverage has a section for each of its chips") {
    const std::string page = time_coverage_document();
    for (const char* chip : kCoverageChips) CHECK(page.find(chip) != std::string::npos);
}

TEST_CASE("on a chip that inherits nothing is better than what its file says of it") {
    const ChipModel model = load_chip("kirin9030", {});
    for (const TimeCoverage& coverage : time_coverage(model))
        CHECK(coverage.grade == TimeGrade::kAssumed);
}

}  // namespace
}  // namespace ptosim
