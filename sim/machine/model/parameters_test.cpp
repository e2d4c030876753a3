// Compares the table of parameters with the members of a chip.
#include "sim/machine/model/parameters.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace ptosim {
namespace {

template <class Accept>
size_t count_rows(const Accept& accept) {
    const auto& rows = parameter_rows();
    return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), accept));
}

template <class Group>
constexpr size_t kMembers = sizeof(Group) / sizeof(ChipParameter);

TEST_CASE("every member of a group of parameters has a row") {
    const auto below = [](const std::string& group) {
        return count_rows([&](const ParameterRow& row) {
            return row.path.starts_with(group) && !row.path.ends_with(".bytes") &&
                   !row.path.starts_with("aic.cube.k_") &&
                   !row.path.starts_with("aiv.vector.rate.") &&
                   (!row.path.starts_with("aiv.vector.curve.") ||
                    row.path.starts_with("aiv.vector.curve.unary") ||
                    row.path.starts_with("aiv.vector.curve.binary"));
        });
    };
    constexpr size_t kOfTypes = 2 * static_cast<size_t>(DType::kCount);
    CHECK(below("memory.") == kMembers<MemoryParameters> - 1);  // memory.l2.bytes
    CHECK(below("aic.") == kMembers<AicParameters> - kOfTypes);
    CHECK(below("aiv.") == kMembers<AivParameters> -
                               kMembers<decltype(VectorParameters::rate)> -
                               kMembers<decltype(VectorParameters::Curves::of)>);
    CHECK(below("launch.") == kMembers<parameter_groups::Launches>);
    CHECK(below("cost.") == kMembers<CostParameters>);
    CHECK(below("aicpu.") == kMembers<parameter_groups::Aicpu>);
}

TEST_CASE("every row has a path and a member that no other row has") {
    ChipModel model;
    std::set<std::string> paths;
    std::set<const ChipParameter*> members;
    for (const ParameterRow& row : parameter_rows()) {
        INFO(row.path);
        CHECK(paths.insert(row.path).second);
        CHECK(members.insert(&row.field(model)).second);
        CHECK(row.description().find('{') == std::string::npos);
    }
    CHECK(members.contains(&model.memory.hbm.rate));
}

TEST_CASE("what a chip file leaves out is the default of its row") {
    // One operation of a vector function per cycle; rows far apart have the rate of others.
    const ChipModel model;
    CHECK(model.aiv.vector.function.issue.value() == 1);
    CHECK(model.aiv.vector.rate[static_cast<size_t>(Opcode::kTADD)].b16.value() == 1000);
    CHECK(model.memory.l2.far_rows.value() == 1000);
    CHECK(model.memory.l2.both.value() == 0);
    for (const ParameterRow& row : parameter_rows()) {
        ChipModel copy;
        const double value = static_cast<double>(row.field(copy).value()) / row.scale;
        INFO(row.path);
        CHECK((row.required ? value == 0 : value <= row.max));
    }
}

}  // namespace
}  // namespace ptosim
