#include "sim/machine/observe/work.h"

#include <algorithm>
#include <numeric>

namespace ptosim {
namespace {

// Amounts are below 2^53, so thousandths of them fit.
Cycle cycles_at(uint64_t amount, uint64_t per_thousand_cycles) {
    if (per_thousand_cycles == 0) return 0;
    return (amount * 1000 + per_thousand_cycles - 1) / per_thousand_cycles;
}

}  // namespace

uint64_t Work::all_products() const {
    return std::accumulate(products.begin(), products.end(), uint64_t{0});
}

Bounds bounds(const Peaks& peaks, const Work& work) {
    Bounds result;
    for (size_t type = 0; type < work.products.size(); ++type)
        result.compute += cycles_at(work.products[type], peaks.products[type]);
    result.bandwidth = std::max({cycles_at(work.read_bytes, peaks.read_bytes),
                                 cycles_at(work.written_bytes, peaks.written_bytes),
                                 cycles_at(work.hbm_bytes, peaks.hbm_bytes)});
    return result;
}

}  // namespace ptosim
