// How well the time of every instruction is known on a chip: evaluates the costs of samples of each element type and
// layout (sim/machine/timing/cost_grades.h).
#pragma once

#include <string>
#include <vector>

#include "sim/machine/model/chip_model.h"
#include "sim/machine/timing/cost_grades.h"

namespace ptosim {

struct TimeCoverage {
    Opcode opcode{};
    std::vector<DType> types;     // types with the same parts; of the first typed source
    std::string layout;           // "whole repeats", "L1 to L0A", ...
    std::vector<CostPart> parts;  // largest first; empty: the instruction takes no time of the pipe
    TimeGrade grade = TimeGrade::kAssumed;  // the weakest that has at least a tenth
};

// In the order of the instruction table, for all types that the chip's architecture supports.
std::vector<TimeCoverage> time_coverage(const ChipModel& chip);
// A Markdown page: the number of each grade, then one entry for each instruction.
std::string time_coverage_page(const ChipModel& chip);
// Text about one instruction: a line for each group of types and layouts with the same parts.
std::string time_coverage_text(const ChipModel& chip, Opcode opcode);
// Chips whose timing the other chips of their architecture inherit.
inline constexpr const char* kCoverageChips[] = {"ascend910b1", "ascend910b4", "ascend950pr",
                                                 "kirin9030"};
// The page of ptosim isa --coverage about times, for kCoverageChips.
std::string time_coverage_document();

}  // namespace ptosim
