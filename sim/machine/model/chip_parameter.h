// A number of a chip file, and a record of the numbers that were read. The parameters that affect a run's time are
// found by this record, so no separate list is needed.
#pragma once

#include <array>
#include <cstddef>
#include <atomic>
#include <cstdint>

namespace ptosim {

class ParametersRead;

enum class Dimension : uint8_t {
    kCount,
    kBytes,
    kHertz,
    kCycles,
    kBytesPerCycle,
    kBytesPerSecond,
    kArea,
    kEnergy,
    kPower
};

// Unit of a row of parameters.def: a number is stored as number * scale.
struct ParameterUnit {
    Dimension dimension;
    unsigned scale;
};
namespace parameter_unit {
inline constexpr ParameterUnit kCount{Dimension::kCount, 1}, kThousandths{Dimension::kCount, 1000},
    kTenths{Dimension::kCount, 10}, kBytes{Dimension::kBytes, 1}, kHertz{Dimension::kHertz, 1},
    kCycles{Dimension::kCycles, 1000}, kBytesPerCycle{Dimension::kBytesPerCycle, 1000},
    kBytesPerSecond{Dimension::kBytesPerSecond, 1}, kArea{Dimension::kArea, 1000}, kEnergy{Dimension::kEnergy, 1000},
    kPower{Dimension::kPower, 1000};
}  // namespace parameter_unit

// Default of a parameter that every chip file must define.
inline constexpr double kRequired = -1;

// The direction in which a parameter makes runs faster.
enum class Faster : uint8_t { kMore, kLess, kNeither };

// Reads like a number. It records the row of the parameter table from which it comes (its index there plus one; 0:
// none), also if it replaces a row that a chip file omits.
class ChipParameter {
 public:
    constexpr ChipParameter() = default;
    // The value if a chip file does not define it.
    constexpr ChipParameter(ParameterUnit unit, double by_default)
        : value_{by_default == kRequired ? 0 : static_cast<uint64_t>(by_default * unit.scale)} {}
    constexpr ChipParameter& operator=(uint64_t value) {
        value_ = value;
        return *this;
    }
    // Records the read while a ReadScope is open.
    operator uint64_t() const;  // NOLINT(google-explicit-constructor): used as a number
    // Reads without recording: for listings, checks, and values computed in advance.
    constexpr uint64_t value() const { return value_; }
    constexpr uint16_t row() const { return row_; }
    constexpr void set_row(uint16_t row) { row_ = row; }

 private:
    uint64_t value_ = 0;
    uint16_t row_ = 0;
};

// The set of parameters that have been read.
class ParametersRead {
 public:
    static constexpr size_t kMost = 4096;
    // May be called from several threads at once.
    void note(const ChipParameter& parameter) {
        const std::atomic_ref word(words_[parameter.row() / 64]);
        const uint64_t bit = uint64_t{1} << parameter.row() % 64;
        if ((word.load(std::memory_order_relaxed) & bit) == 0) [[unlikely]]
            word.fetch_or(bit, std::memory_order_relaxed);
    }
    // Records a parameter and returns its value.
    uint64_t operator()(const ChipParameter& parameter) {
        note(parameter);
        return parameter.value();
    }
    bool contains(uint16_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }

 private:
    std::array<uint64_t, kMost / 64> words_{};
};

// While an object of this class lives, reads of parameters by this thread are recorded.
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
