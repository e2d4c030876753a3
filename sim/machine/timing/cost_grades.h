// The parameters that determine the cost of an instruction: the share of each, and its grade. They are found by
// evaluating the cost itself, so no second table can disagree.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/observe/time_grades.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// A parameter and its share of a cost, in thousandths.
struct CostPart {
    uint16_t row = 0;  // of the parameter table, plus one
    TimeGrade grade = TimeGrade::kAssumed;
    uint16_t share = 0;
};

class CostGrades {
 public:
    explicit CostGrades(const ChipModel& chip);
    // Largest share first. Empty for instructions that take no time in a pipe.
    std::vector<CostPart> parts(const Instruction& instruction);
    CostBasis of(const Instruction& instruction);
    // If a parameter is missing in the chip file, it has the value of another parameter without evidence, so its grade
    // is assumed.
    TimeGrade grade(uint16_t row) const { return grades_[row - size_t{1}]; }

 private:
    ChipModel changed_;  // one parameter changed at a time
    CostModel cost_;
    std::vector<TimeGrade> grades_;                    // by row
    std::vector<std::vector<ChipParameter*>> fields_;  // by row; includes fields that inherit the parameter
    std::vector<bool> counts_;  // by row: counts and switches, which have no share of a cost
    std::vector<bool> stated_;  // by row: the chip file has it
};

GradeParts sum_of(const std::vector<CostPart>& parts);
// The grade that comes later in kBestFirst.
TimeGrade weaker(TimeGrade a, TimeGrade b);
// The weakest grade that has at least a tenth.
TimeGrade weakest(const GradeParts& parts);

}  // namespace ptosim
