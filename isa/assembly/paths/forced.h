// Programs in which some steps give a chosen value: for runs of an arm that nothing given leads to.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isa/assembly/paths/origins.h"
#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// The step writes `value` into the scalar slot of its result. It is executed all the same: a load
// accesses memory. Of a branch, a value other than 0 means that it does not jump.
struct ForcedStep {
    uint32_t step = 0;
    uint64_t value = 0;
    friend bool operator==(const ForcedStep&, const ForcedStep&) = default;
};

// The program with these steps forced. Steps keep their numbers; more are added after the last.
Program with_forced(const Program& program, std::span<const ForcedStep> forced);

// Steps that compute the same condition, and values that must be forced so that a branch goes one way.
class Conditions {
 public:
    explicit Conditions(const Program& program);

    // So that kJumpIfZero `branch` jumps, or does not. All steps that compare the same two values
    // get the value that follows.
    std::vector<ForcedStep> force(uint32_t branch, bool jumps) const;
    // The loads of the element that this step loads.
    std::vector<uint32_t> loads_like(uint32_t load) const;

 private:
    // A comparison: of which two values, and for which outcomes it holds (a bit for each).
    struct Comparison {
        uint32_t pair = 0;
        uint8_t holds = 0;
    };
    // An expression of numbers of values.
    struct Expression {
        StepCode code;
        ScalarOp op;
        ScalarFormat format;
        uint32_t index, a, b, c;
        friend bool operator==(const Expression&, const Expression&) = default;
    };
    uint32_t position_of(const Expression& expression);
    uint32_t number_of(Slot slot);
    uint32_t number_of_loop(Slot variable);
    std::optional<Comparison> comparison_of(const Step& step);
    bool add(Slot slot, bool value, std::vector<ForcedStep>& forced, unsigned depth) const;

    const Program& program_;
    OriginFinder origins_;
    std::vector<uint32_t> loop_of_;  // by slot: the kLoop whose variable it is; 0: none
    std::vector<std::optional<Comparison>> comparisons_;  // by step
    std::vector<uint32_t> numbers_;                 // of values, by slot; 0: not numbered yet
    std::vector<Expression> expressions_;
};

}  // namespace ptosim::assembly
