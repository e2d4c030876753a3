// Expected cycles are calculated by hand.
#include "sim/machine/timing/chip_facts.h"

#include <catch2/catch.hpp>

using namespace ptosim;

TEST_CASE("lower bounds of a run") {
    ChipModel chip;
    chip.clock = 1'000'000'000;
    chip.clusters = 4;
    chip.aic.cube.k_per_cycle[static_cast<size_t>(DType::kF16)] = 16000;  // 4096 products per cycle
    chip.aic.cube.k_per_cycle[static_cast<size_t>(DType::kF32)] = 4000;
    chip.memory.l2.read = 2'000'000'000'000;  // 2000 bytes per cycle
    chip.memory.l2.write = 1'000'000'000'000;
    Work work;
    CHECK(bounds(chip, work).compute == 0);
    CHECK(bounds(chip, work).bandwidth == 0);
    work.products[static_cast<size_t>(DType::kF16)] = uint64_t{1024} * 1024 * 1024;
    work.read_bytes = 4'000'000;
    work.written_bytes = 3'000'001;
    CHECK(bounds(chip, work).compute == 65536);   // 2^30 / (4 * 4096)
    CHECK(bounds(chip, work).bandwidth == 3001);  // the writes; the reads take 2000
    work.products[static_cast<size_t>(DType::kF32)] = 4097;
    CHECK(bounds(chip, work).compute == 65536 + 2);  // 4097 / 4096, rounded up
    CHECK(work.all_products() == uint64_t{1024} * 1024 * 1024 + 4097);
}
