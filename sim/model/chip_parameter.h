// A number of a chip file as the machine computes with it, and a record of the numbers
// read: a run's time depends on what was read, and not on a list beside the code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ptosim {

class ParametersRead;

enum class Dimension : uint8_t { kCount, kBytes, kHertz, kCycles, kBytesPerCycle, kBytesPerSecond };

// What a row of parameters.def counts by: a number of it is kept as number * scale.
struct ParameterUnit {
    Dimension dimension;
    unsigned scale;
};
namespace parameter_unit {
inline constexpr ParameterUnit kCount{Dimension::kCount, 1}, kThousandths{Dimension::kCount, 1000},
    kTenths{Dimension::kCount, 10}, kBytes{Dimension::kBytes, 1}, kHertz{Dimension::kHertz, 1},
    kCycles{Dimension::kCycles, 1000}, kBytesPerCycle{Dimension::kBytesPerCycle, 1000},
    kBytesPerSecond{Dimension::kBytesPerSecond, 1};
}  // namespace parameter_unit

// The default of a parameter that every chip file has to state.
inline constexpr double kRequired = -1;

// Of which of it runs are faster.
enum class Faster : uint8_t { kMore, kLess, kNeither };

// Reads like a number. It knows which row of the parameter table it comes from (its index there,
// plus one; 0: none), also where it stands for a row that a chip file leaves out.
class ChipParameter {
 public:
    constexpr ChipParameter() = default;
    // As a chip file that does not state it leaves it.
    constexpr ChipParameter(ParameterUnit unit, double by_default)
        : value_{by_default == kRequired ? 0 : static_cast<uint64_t>(by_default * unit.scale)} {}
    constexpr ChipParameter& operator=(uint64_t value) {
        value_ = value;
        return *this;
    }
    // Notes the reading while a ReadScope is open.
    operator uint64_t() const;  // NOLINT(google-explicit-constructor): it is a number
    // Reads without noting it: for listings, checks, and values that are computed in advance.
    constexpr uint64_t value() const { return value_; }
    constexpr uint16_t row() const { return row_; }
    constexpr void set_row(uint16_t row) { row_ = row; }

 private:
    uint64_t value_ = 0;
    uint16_t row_ = 0;
};

// Which parameters have been read.
class ParametersRead {
 public:
    static constexpr size_t kMost = 4096;
    void note(const ChipParameter& parameter) {
        words_[parameter.row() / 64] |= uint64_t{1} << parameter.row() % 64;
    }
    // Notes it and gives its value.
    uint64_t operator()(const ChipParameter& parameter) {
        note(parameter);
        return parameter.value();
    }
    bool contains(uint16_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }

 private:
    std::array<uint64_t, kMost / 64> words_{};
};

// While it lives, what this thread reads of parameters is noted.
class ReadScope {
 public:
    explicit ReadScope(ParametersRead& into) : before_{current_} { current_ = &into; }
    ~ReadScope() { current_ = before_; }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

 private:
    friend class ChipParameter;
    static inline constinit thread_local ParametersRead* current_ = nullptr;
    ParametersRead* before_;
};

inline ChipParameter::operator uint64_t() const {
    if (ReadScope::current_ != nullptr) ReadScope::current_->note(*this);
    return value_;
}

}  // namespace ptosim
