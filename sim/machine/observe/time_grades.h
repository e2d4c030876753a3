// Grades of the figures on which a time depends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptosim {

// The grades of chip files (docs/models.md). Recordings hold the numbers: never renumber.
enum class TimeGrade : uint8_t {
    kSilicon,          // measured on a device
    kOfficial,         // the vendor's published figure
    kFitted,           // by scripts/calibration/calibrate.py or models/capture/capture.py
    kVendorSimulator,  // from the vendor's cycle simulator, or fitted to its results
    kDerived,          // computed from measurements of something else
    kModelled,         // counted from the code of a public library
    kAssumed,
    kInherited,  // from another chip with the same cores
};
inline constexpr std::array<std::string_view, 8> kTimeGradeNames{
    "silicon", "official", "fitted",  "vendor simulator",
    "derived", "modelled", "assumed", "inherited"};
inline constexpr size_t kTimeGradeCount = kTimeGradeNames.size();
inline constexpr std::array<TimeGrade, kTimeGradeCount> kBestFirst{
    TimeGrade::kSilicon,         TimeGrade::kOfficial, TimeGrade::kFitted,   TimeGrade::kInherited,
    TimeGrade::kVendorSimulator, TimeGrade::kDerived,  TimeGrade::kModelled, TimeGrade::kAssumed};

constexpr std::string_view name(TimeGrade grade) {
    return kTimeGradeNames[static_cast<size_t>(grade)];
}
constexpr std::optional<TimeGrade> parse_time_grade(std::string_view text) {
    const auto found = std::find(kTimeGradeNames.begin(), kTimeGradeNames.end(), text);
    if (found == kTimeGradeNames.end()) return std::nullopt;
    return static_cast<TimeGrade>(found - kTimeGradeNames.begin());
}

// Shares of a time by the grade of the numbers that determine it, in thousandths: the sum is 1000, or 0 if there is no
// time.
using GradeParts = std::array<uint16_t, kTimeGradeCount>;

// Basis of the cost of an instruction.
struct CostBasis {
    GradeParts parts{};
    // Cycles for which a transfer through shared memory holds its pipe if nothing shares with it. Its further time
    // depends on L2 or the memory after it.
    uint32_t transfer_cycles = 0;
};

// Grades of a chip's times outside instructions, and the error of times.
struct TimeGrades {
    TimeGrade scalar = TimeGrade::kAssumed;  // the scalar unit's operations
    TimeGrade signal = TimeGrade::kAssumed;  // between cores
    TimeGrade block = TimeGrade::kAssumed;   // from a launch to a block's first issue
    TimeGrade l2 = TimeGrade::kAssumed;      // delay of transfers that share L2
    TimeGrade hbm = TimeGrade::kAssumed;     // delay of transfers that share the memory after L2
    TimeGrade launch = TimeGrade::kAssumed;  // a launch next to its blocks; recordings omit it
    // Tenths of per cent that bound the error of four in five times with this grade; 0: unknown.
    std::array<uint64_t, kTimeGradeCount> error{};
};

// The grades that recordings store, in their order.
template <class Grades>
auto grades(Grades& of) {
    return std::array{&of.scalar, &of.signal, &of.block, &of.l2, &of.hbm};
}

}  // namespace ptosim
