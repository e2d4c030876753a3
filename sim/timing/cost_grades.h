// What the cost of an instruction rests on: which parameters move it, by how much, and of which
// grade they are. It is asked of the cost itself, so there is no second table that could disagree.
#pragma once

#include <string>
#include <vector>

#include "sim/observe/time_grades.h"
#include "sim/timing/cost.h"

namespace ptosim {

// A parameter and the thousandths of a cost that it stands for.
struct CostPart {
    uint16_t row = 0;  // of the parameter table, plus one
    TimeGrade grade = TimeGrade::kAssumed;
    uint16_t share = 0;
};

class CostGrades {
 public:
    explicit CostGrades(const ChipModel& chip);
    // The largest first. Empty for instructions that take no time of their own.
    std::vector<CostPart> parts(const Instruction& instruction);
    CostBasis of(const Instruction& instruction);
    // A parameter that the chip file leaves out stands for "as all others", which nobody has
    // looked at: it is assumed.
    TimeGrade grade(uint16_t row) const { return grades_[row - size_t{1}]; }

 private:
    ChipModel changed_;  // one parameter at a time
    CostModel cost_;
    std::vector<TimeGrade> grades_;                    // by row
    std::vector<std::vector<ChipParameter*>> fields_;  // by row; also where it stands for another
    std::vector<bool> counts_;  // by row: how many or whether, which nothing is a part of
    std::vector<bool> stated_;  // by row: the chip file has it
};

GradeParts sum_of(const std::vector<CostPart>& parts);
// The one that comes later in kBestFirst.
TimeGrade weaker(TimeGrade a, TimeGrade b);
// The weakest grade of which at least a tenth is.
TimeGrade weakest(const GradeParts& parts);

}  // namespace ptosim
