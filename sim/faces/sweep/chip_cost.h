// Area of a chip and energy of a run, from the `cost` figures of the chip file and the counts of a result. Each figure
// has a range, which goes through to the sums: all figures at their low ends, as they are, at their high ends.
//
// Area: sram.area per KiB of UB, L1 and L0; l2.area per KiB of L2; hbm.area per TB/s; mac.area per multiply-add of f16 a
// cycle; lane.area per 32 bits of a vector unit (64 each); core.area per core; rest.
//
// Energy: bytes of tiles in each buffer times sram.energy, which grows with the square root of the buffer's size; bytes
// between cores and L2; bytes of HBM; multiply-adds, weighted by the square of their bits over 16; bytes of the largest tile
// of each vector instruction; instructions; and area times time of leakage.
#pragma once

#include <array>
#include <optional>

#include "sim/faces/sweep/store.h"
#include "sim/files/json.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim::sweep {

// The least, the stated and the largest value of a sum.
struct Ranged {
    std::array<double, 3> at{};
    double least() const { return at[0]; }
    double value() const { return at[1]; }
    double most() const { return at[2]; }
};

// For `facts` of a point; null if the chip file has no cost figures.
Json cost_of(const ChipModel& chip);

std::optional<Ranged> area_mm2(const Row& row);
// Of the whole run, with leakage; empty without a result.
std::optional<Ranged> energy_uj(const Row& row);
// Parts of the energy, the largest first: their names and stated values.
std::vector<std::pair<std::string, double>> energy_parts(const Row& row);

}  // namespace ptosim::sweep
