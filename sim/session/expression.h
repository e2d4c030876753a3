// Arithmetic over named numbers, for kernel parameters and the conditions of a sweep: "min(256, chip.aic.l1.bytes / (4
// * TILE_M * 2))", "M % TILE_M == 0 && TILE_M <= 512".
//
// Operators are + - * / % ^, comparisons, && || ?:. Functions are min, max, floor, ceil, down(x, m) and up(x, m) to a
// multiple of m, and pow2(x), the largest power of two that is at most x. `/` does not round. muParser evaluates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/machine/model/chip_model.h"

namespace ptosim {

// Names and their numbers. Missing names are looked up in an outer set, which must outlive this one.
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

// These throw ExpressionError: a syntax error, an unknown name (with a suggestion), or a result that is not a finite
// number.
double evaluate(std::string_view text, const Values& values);
// Also throws if the result is not a whole number below 2^53.
int64_t evaluate_integer(std::string_view text, const Values& values);
bool evaluate_condition(std::string_view text, const Values& values);

// Replaces every ${EXPRESSION} in a text by its whole value.
std::string substitute(std::string_view text, const Values& values);

// All parameters of a chip in base units, with names such as "chip.aic.l1.bytes".
Values chip_values(const ChipModel& chip);

}  // namespace ptosim
