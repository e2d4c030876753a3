// The rows of parameters.def as a table, including the rows of every instruction, type and grade.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/model/chip_model.h"

namespace ptosim {

struct ParameterRow {
    std::string path;
    Dimension dimension;
    unsigned scale;  // stored as value * scale
    double min, max;
    bool required;
    Faster faster;
    uint32_t offset;  // of the field in ChipModel, in bytes
    // Parts of the description: {} in the text is the thing, and {per} the unit of its cycles.
    std::string_view text, thing, variant, per;

    ChipParameter& field(ChipModel& model) const {
        return *reinterpret_cast<ChipParameter*>(reinterpret_cast<std::byte*>(&model) + offset);
    }
    std::string description() const;
};
const std::vector<ParameterRow>& parameter_rows();
// The row of a path; null if there is none.
const ParameterRow* parameter_row(std::string_view path);
// The path of the parameter with the size of an on-chip memory.
std::string buffer_path(Space space);

std::string_view base_unit(Dimension dimension);
// The factor from `unit` to the base unit; 0 if it does not fit the dimension.
double unit_factor(Dimension dimension, std::string_view unit);
// The units of a dimension, including the base unit.
std::vector<std::string_view> units_of(Dimension dimension);

}  // namespace ptosim
