// For tests of traits of the instruction table: what each row that has a trait is expected to show
// of it, and whether it still shows it without.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/testing/changed_row.h"

namespace ptosim {

struct TraitExpectation {
    Opcode row{};
    std::string shown;  // not taken from the table, but from documents or by hand
    std::function<std::string()> observe;
};

// True if a row states a trait, which otherwise has its default.
template <typename T>
bool is_stated(const T& trait) {
    return trait != T{};
}
inline bool is_stated(const UndefinedBehaviour& trait) { return trait.check != nullptr; }
inline bool is_stated(const DTypeSet& trait) { return !trait.empty(); }
template <typename T, size_t N>
bool is_stated(const std::span<T, N>& trait) {
    return !trait.empty();
}
template <typename T>
bool is_stated(const PerArch<T>& trait) {
    return is_stated(trait.a2a3) || is_stated(trait.a5);
}

// Every row that states the trait has an expectation, which holds, and does not hold of the row
// without the trait: a trait that is forgotten, or that nothing reads any more, fails.
template <typename T>
void check_expectations(T InstructionTraits::*trait,
                        const std::vector<TraitExpectation>& expectations) {
    for (const InstructionInfo& row : instruction_table()) {
        INFO(row.name << " states the trait, and nothing is expected of it");
        CHECK((!is_stated(row.traits->*trait) ||
               std::any_of(expectations.begin(), expectations.end(),
                           [&](const TraitExpectation& e) { return e.row == row.opcode; })));
    }
    for (const TraitExpectation& expectation : expectations) {
        INFO(info(expectation.row).name);
        CHECK(expectation.observe() == expectation.shown);
        const ChangedRow without(expectation.row, [&](InstructionTraits& traits) {
            traits.*trait = InstructionTraits{}.*trait;
        });
        INFO("without the trait");
        CHECK(expectation.observe() != expectation.shown);
    }
}

}  // namespace ptosim
