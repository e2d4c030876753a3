// All checkers by name, and the choice of a run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

// In the order in which they are called.
std::span<const CheckerRow* const> checker_rows();
// For messages: "all (bounds, ...), drain, ... or none".
std::string checker_words();
// A Markdown table with a row for each name.
std::string checker_table();

struct CheckOptions {
    bool wasted = false;
    uint64_t memory = uint64_t{1} << 30;  // limit of shadow memory in bytes

    // Turns on checkers by a list of names, separated by commas; "all" selects the checkers with Chosen::kInAll, "none"
    // no checker. Returns the first unknown word, or an empty string.
    std::string choose(std::string_view list);
    // `name` must be one of the names.
    bool has(std::string_view name) const;
    bool has(const CheckerRow& row) const;
    // True if a warning of the machine with this code is a finding: a chosen row lists the code, or no row lists it and
    // `bounds` is chosen.
    bool finds(std::string_view code) const;
    // True if any checker must be made.
    bool any() const;
    // True if a chosen checker has CheckerRow::by_pointers.
    bool follows_pointers() const;

 private:
    std::vector<std::string_view> names_;
};

}  // namespace ptosim::check
