// Facts about the chip for observers: sizes and rates with which reports compare a run.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/tile.h"
#include "sim/machine/observe/time_grades.h"
#include "sim/machine/observe/work.h"

namespace ptosim {

// Zero means unknown.
struct ChipFacts {
    std::array<uint64_t, kSpaceCount> buffer_bytes{};
    uint64_t read_bytes_per_second = 0;   // all cores together, from global memory
    uint64_t write_bytes_per_second = 0;  // to global memory, all cores together
    uint64_t queue_depth = 0;
    uint64_t aics = 0, aivs = 0;
    // Multiplications and additions per second of one cube, by element type of its inputs.
    std::array<uint64_t, static_cast<size_t>(DType::kCount)> cube_operations_per_second{};
    uint64_t vector_bytes_per_cycle = 0;  // of destination elements, one AIV
    Peaks peaks;
    uint64_t hbm_bytes_per_second = 0;  // reads and writes together
    // The most that one core can read if L2 holds it, and write; thousandths of bytes per cycle.
    uint64_t aic_read_rate = 0, aic_write_rate = 0;
    uint64_t aiv_read_rate = 0, aiv_write_rate = 0;
    // Additional time of a repeat of 256 bytes whose operands conflict in the banks of UB; thousandths of cycles.
    uint64_t bank_read_conflict = 0, bank_write_conflict = 0;
    TimeGrades grades;
    uint64_t l2_bytes = 0;
};

// The figures that recordings store in sequence after the others.
template <class Facts>
auto rates(Facts& facts) {
    return std::array{&facts.hbm_bytes_per_second, &facts.aic_read_rate,  &facts.aic_write_rate,
                      &facts.aiv_read_rate,        &facts.aiv_write_rate, &facts.bank_read_conflict,
                      &facts.bank_write_conflict};
}

}  // namespace ptosim
