// Arithmetic over named numbers, for kernel parameters and the conditions of a sweep:
// "min(256, chip.aic.l1.bytes / (4 * TILE_M * 2))", "M % TILE_M == 0 && TILE_M <= 512".
//
// + - * / % ^, comparisons, && || ?:, min, max, floor, ceil, down(x, m) and up(x, m) to a multiple
// of m, pow2(x) the largest power of two that is at most x. `/` does not round. Evaluated by
// muParser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/model/chip_model.h"

namespace ptosim {

// Names with their numbers; what is not there may be in an outer set, which must outlive it.
class Values {
 public:
    using Map = std::map<std::string, double, std::less<>>;

    Values() = default;
    Values(std::initializer_list<Map::value_type> values) : own_(values) {}
    explicit Values(const Values* outer) : outer_{outer} {}

    double& operator[](const std::string& name) { return own_[name]; }
    const double* find(std::string_view name) const;
    double at(std::string_view name) const { return *find(name); }
    const Map& own() const { return own_; }
    const Values* outer() const { return outer_; }

 private:
    Map own_;
    const Values* outer_ = nullptr;
};

class ExpressionError : public std::runtime_error {
 public:
    ExpressionError(std::string message, std::string help = {})
        : std::runtime_error(message), hint{std::move(help)} {}
    std::string hint;
};

// Throw ExpressionError: a syntax error, an unknown name (with a suggestion), a result that is not
// a finite number.
double evaluate(std::string_view text, const Values& values);
// ... or not a whole number below 2^53.
int64_t evaluate_integer(std::string_view text, const Values& values);
bool evaluate_condition(std::string_view text, const Values& values);

// Text with every ${EXPRESSION} replaced by its whole value.
std::string substitute(std::string_view text, const Values& values);

// "chip.aic.l1.bytes" and all other parameters of a chip, in base units.
Values chip_values(const ChipModel& chip);

}  // namespace ptosim
