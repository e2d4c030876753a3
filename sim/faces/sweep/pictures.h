// Pictures of a sweep as SVG, drawn without another program: bars of the changes with their ranges, heat maps of two
// factors, and the front of time against area and energy.
#pragma once

#include <string>
#include <vector>

#include "sim/faces/sweep/change_table.h"

namespace ptosim::sweep {

struct Picture {
    std::string title;
    std::string svg;
};
std::vector<Picture> pictures_of(const Analysis& analysis, const std::vector<ChangeTable>& tables);

}  // namespace ptosim::sweep
