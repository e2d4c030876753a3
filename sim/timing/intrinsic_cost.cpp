#include "sim/timing/intrinsic_cost.h"

#include <algorithm>

#include "sim/timing/arithmetic.h"

namespace ptosim {

Cost intrinsic_cost(const ChipModel& chip, const IntrinsicCall& call) {
    const IntrinsicInfo& row = info(call.opcode);
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(row.timed_as)];
    unsigned widest = 0;
    for (const DType type : call.types) widest = std::max(widest, bits(type));
    const Milli each = std::max<Milli>(1000, widest >= 32 ? rate.b32 : rate.b16);
    const bool integer = is_integer(call.types[0]) && rate.integer_start != 0;
    const Milli start = integer ? Milli{rate.integer_start} : Milli{rate.start};
    return make_cost(work_of(call) * each, std::min<Milli>(chip.aiv.vector.overhead, start), start);
}

}  // namespace ptosim
