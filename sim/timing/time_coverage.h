// How well the time of every instruction is known on a chip: asked of the costs of samples of each
// element type and layout (sim/timing/cost_grades.h).
#pragma once

#include <string>
#include <vector>

#include "sim/model/chip_model.h"
#include "sim/timing/cost_grades.h"

namespace ptosim {

struct TimeCoverage {
    Opcode opcode{};
    std::vector<DType> types;     // that rest on the same; of the first source that has types
    std::string layout;           // "whole repeats", "L1 to L0A", ...
    std::vector<CostPart> parts;  // the largest first; empty: the pipe takes no time for it
    TimeGrade grade = TimeGrade::kAssumed;  // the weakest of which at least a tenth is
};

// In the order of the instruction table, all types that the chip's architecture takes.
std::vector<TimeCoverage> time_coverage(const ChipModel& chip);
// In Markdown: how many of each grade, then instruction by instruction.
std::string time_coverage_page(const ChipModel& chip);
// Of one instruction: a line for each of its types and layouts that rest on the same.
std::string time_coverage_text(const ChipModel& chip, Opcode opcode);
// Those whose timing the other chips of their architecture inherit.
inline constexpr const char* kCoverageChips[] = {"ascend910b1", "ascend910b4", "ascend950pr",
                                                 "kirin9030"};
// The page of ptosim isa --coverage about times, of kCoverageChips.
std::string time_coverage_document();

}  // namespace ptosim
