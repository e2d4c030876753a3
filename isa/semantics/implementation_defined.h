// Finds results that depend on a choice of the profile (isa/core/behaviour.h). A row names its checks by the trait
// `implementation_defined`.
#pragma once

#include <string>
#include <string_view>

#include "isa/semantics/arithmetic.h"
#include "isa/core/behaviour.h"

namespace ptosim::semantics {

inline bool is_float(DType type) {
    return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

class ImplementationDefinedCheck {
 public:
    ImplementationDefinedCheck(const Execution& e, DataReporter& reporter)
        : e_{e}, reporter_{reporter} {}

    const Execution& execution() const { return e_; }

    // One finding for the whole instruction. `rule` is the profile rule that is applied.
    void always(std::string_view code, unsigned operand, const std::string& what,
                std::string_view rule);
    // Reports the floats of an operand (a scalar is one) for which chosen(value) is true.
    template <typename F>
    void floats(std::string_view code, unsigned operand, const std::string& what,
                std::string_view rule, F&& chosen);
    // Counts the lanes for which chosen(row, col).
    template <typename F>
    static void each(const Tile& tile, DataFinding& finding, F&& chosen) {
        for (int row = 0; row < tile.valid_rows; ++row)
            for (int col = 0; col < tile.valid_cols; ++col)
                if (chosen(row, col)) add(finding, row, col);
    }
    // Reports the counted lanes, if there are any.
    void report(DataFinding finding, std::string_view code, unsigned operand,
                const std::string& what, std::string_view rule);

 private:
    std::string who(unsigned operand) const;
    static void add(DataFinding& finding, int row, int col) {
        if (finding.count++ != 0) return;
        finding.row = row;
        finding.col = col;
    }

    const Execution& e_;
    DataReporter& reporter_;
};

template <typename F>
void ImplementationDefinedCheck::floats(std::string_view code, unsigned operand,
                                        const std::string& what, std::string_view rule,
                                        F&& chosen) {
    const Operand& source = e_.instruction.operands[operand];
    DataFinding finding;
    if (source.is_scalar() && !is_integer(source.scalar.dtype)) {
        if (chosen(scalar_as<float>(source.scalar))) add(finding, 0, 0);
    } else if (source.is_tile() && is_float(source.tile.dtype)) {
        visit_float(source.tile.dtype, [&](auto type) {
            using T = decltype(type);
            each(source.tile, finding, [&](int row, int col) {
                return chosen(to_float(read_lane<T>(source.tile, e_.bytes[operand], row, col)));
            });
        });
    }
    report(finding, code, operand, what, rule);
}

// A float that is divided by zero.
void check_zero_divisor(ImplementationDefinedCheck& check);

}  // namespace ptosim::semantics
