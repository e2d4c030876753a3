// Basis of a run's time: shares of its critical path by the grade of the chip's figures, and the
// possible error of the time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "traces/analyse/dependencies.h"
#include "traces/record/recording.h"

namespace ptosim {

struct TimeBasis {
    // Thousandths of cycles by grade: of the critical path, or of the work of all pipes where the
    // run was not recorded.
    std::array<uint64_t, kTimeGradeCount> parts{};
    bool of_path = true;
    // Tenths of per cent by which the time may be off, both ways: four of five measured times are
    // within. 0: not known.
    uint64_t range = 0;

    void add(const GradeParts& by, uint64_t cycles) {
        for (size_t grade = 0; grade < by.size(); ++grade) parts[grade] += by[grade] * cycles;
    }
    void add(TimeGrade grade, uint64_t cycles) {
        parts[static_cast<size_t>(grade)] += 1000 * cycles;
    }
    uint64_t all() const;
    // Tenths of per cent.
    uint64_t share(TimeGrade grade) const;
    // The range follows from the parts: each is off by what times of its grade are off.
    void set_range(const TimeGrades& chip);
    // Nothing that the time rests on is known of the chip, as of one that only inherits figures:
    // the range is what assumed figures of other chips were off.
    bool guessed() const { return share(TimeGrade::kAssumed) == 1000; }
};

TimeBasis time_basis(const Recording& recording, const std::vector<Dependencies::Step>& path);

// "+-4.1 %"; empty if it is not known.
std::string range_text(const TimeBasis& basis);
// "61.2 % fitted, 20.1 % official, ... of the critical path"; empty if there is nothing.
std::string basis_text(const TimeBasis& basis);

}  // namespace ptosim
