// Checks the data of an instruction for values whose effect no source defines (isa/core/behaviour.h): checks that
// families share, and their building blocks. A row names its checks by the trait `undefined`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/semantics/arithmetic.h"
#include "isa/core/behaviour.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::semantics {

// Counts the elements that are wrong and remembers the first.
struct Count {
    DataFinding finding;

    void add(int row, int col) {
        if (finding.count++ != 0) return;
        finding.row = row;
        finding.col = col;
    }
};

class UndefinedCheck {
 public:
    UndefinedCheck(const Execution& e, DataReporter& reporter) : e_{e}, reporter_{reporter} {}

    const Execution& execution() const { return e_; }

    // wrong(value) for each integer of an operand; a scalar is one value at (0, 0).
    template <typename F>
    Count integers(unsigned operand, F&& wrong) const;
    // Reports the counted lanes, if there are any.
    void report(Count count, std::string_view code, const std::string& what, std::string hint);

    // A finding whose message is complete.
    void report(const DataFinding& finding) { reporter_.report(finding); }

    // Integers that are divided by an operand: N01.
    void divisor(unsigned operand);
    // Counts of shifts that an element does not have: N04.
    void shift(unsigned operand);
    // Indices outside 0..limit - 1: G07.
    void index(unsigned operand, int64_t limit, const char* unit);
    // Scales in a tile that are 0, infinite or NaN: N05.
    void scale(unsigned operand);
    // The same for the scales of the fixpipe (a table at operand `first`, or a scalar after it), and N08, bits of them
    // without meaning.
    void fixpipe(unsigned first);

 private:
    void reserved(unsigned first);

    const Execution& e_;
    DataReporter& reporter_;
};

template <typename F>
Count UndefinedCheck::integers(unsigned operand, F&& wrong) const {
    Count count;
    count.finding.operand = operand;
    if (e_.instruction.operands[operand].is_scalar()) {
        const int64_t value = integer_of(e_.scalar(operand));
        if (wrong(value)) count.add(0, 0);
        return count;
    }
    if (e_.instruction.operands[operand].is_global()) {
        const GlobalView& view = e_.global(operand);
        for (int row = 0; row < view.matrix_rows(); ++row)
            for (int col = 0; col < view.matrix_cols(); ++col)
                if (wrong(int64_t{
                        load<uint32_t>(e_.bytes[operand] + view.matrix_offset(row, col) * 4)}))
                    count.add(row, col);
        return count;
    }
    const Tile& tile = e_.tile(operand);
    visit_integer(tile.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < tile.valid_rows; ++row)
            for (int col = 0; col < tile.valid_cols; ++col)
                if (wrong(static_cast<int64_t>(read_lane<T>(tile, e_.bytes[operand], row, col))))
                    count.add(row, col);
    });
    return count;
}

// ---- functions that its rows name -----------------------------------------------------------

inline bool computes_integers(const Instruction& instruction) {
    return is_integer(instruction.tile(0).dtype);
}
template <unsigned kOperand>
void check_divisor(UndefinedCheck& check) {
    check.divisor(kOperand);
}
template <unsigned kOperand>
void check_shift(UndefinedCheck& check) {
    check.shift(kOperand);
}
template <unsigned kOperand>
void check_scale(UndefinedCheck& check) {
    check.scale(kOperand);
}
template <unsigned kOperand>
void check_fixpipe(UndefinedCheck& check) {
    check.fixpipe(kOperand);
}
// True if the fixpipe is on the way, and operand `kOperand` could scale.
template <unsigned kOperand>
bool leaves_l0c(const Instruction& instruction) {
    return instruction.tile(1).space == Space::kL0C && instruction.operand_count > kOperand;
}
inline constexpr UndefinedBehaviour kIntegerDivision{computes_integers, check_divisor<2>};
inline constexpr UndefinedBehaviour kShiftCount{nullptr, check_shift<2>};
inline constexpr UndefinedBehaviour kScales{nullptr, check_scale<2>};
template <unsigned kOperand>
inline constexpr UndefinedBehaviour kFixpipeScales{leaves_l0c<kOperand>, check_fixpipe<kOperand>};

}  // namespace ptosim::semantics
