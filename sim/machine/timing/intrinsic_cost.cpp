#include "sim/machine/timing/intrinsic_cost.h"

#include <algorithm>

#include "sim/machine/timing/arithmetic.h"
#include "sim/machine/timing/intrinsic_waits.h"
#include "sim/machine/timing/vector_cost.h"

namespace ptosim {
namespace {

constexpr uint64_t kElementsOfGather = 16;  // elements that aiv.vector.gather covers
constexpr uint64_t kElementsOfSort = 32;    // elements that rates of sorts cover
constexpr uint64_t kElementsOfRecord = 2;   // in units of f32, as those rates count them
constexpr Milli kOneRepeat = 1000;

unsigned widest_of(const IntrinsicCall& call) {
    unsigned widest = 0;
    for (const DType type : call.types) widest = std::max(widest, bits(type));
    return widest;
}

uint64_t bytes_written(const IntrinsicCall& call) {
    uint64_t count = 0;
    for (const IntrinsicFootprint& footprint : footprints(call))
        if (footprint.write)
            for (const IntrinsicRows& rows : footprint.rows) count += rows.length * rows.count;
    return count;
}

// Repeats of vreducev2. In counter mode each takes the counter's number of elements, else 256 bytes.
uint64_t kept_repeats(const IntrinsicCall& call) {
    const uint64_t each =
        call.counter_mode ? ceil_div(bytes(call.types[0], call.registers.mask[0]), kRepeatBytes) : 1;
    return work_of(call) * each;
}

// Cycles of all repeats. In a slow function the waits for operands are hidden.
Milli lanewise(const ChipModel& chip, const IntrinsicCall& call, const VectorRate& rate) {
    const uint64_t repeats = work_of(call);
    const Milli own =
        repeats * std::max<Milli>(kOneRepeat, widest_of(call) >= 32 ? rate.b32 : rate.b16);
    const BankWaits found = bank_waits(call);
    Milli wait = 0;
    if (found.groups != 0) wait += found.groups * rate.conflict;
    if (found.steps != 0) wait += found.steps * chip.aiv.vector.write_conflict;
    return wait == 0 ? own : std::max(own, repeats * kOneRepeat + wait);
}

Milli busy_of(const ChipModel& chip, const IntrinsicCall& call, const VectorRate& rate) {
    using enum IntrinsicOpcode;
    const VectorParameters& vector = chip.aiv.vector;
    switch (call.opcode) {
        case kvcadd:
        case kvcmax:
        case kvcmin:
            return work_of(call) * vector.row_reduce;
        case kvcgadd:
        case kvcgmax:
        case kvcgmin:
            return work_of(call) * (widest_of(call) >= 32 ? vector.intrinsic.group_b32
                                                          : vector.intrinsic.group_b16);
        case kvgather:
            return bytes_written(call) / bytes(call.types[0], 1) * vector.gather /
                   kElementsOfGather;
        case kvgatherb:
            return work_of(call) * lanes_of(call) * (widest_of(call) >= 32 ? rate.b32 : rate.b16) /
                   kElementsOfGather;
        case kvreducev2:
            return kept_repeats(call) * rate.by_pattern;
        case kvmrgsort4:
            return work_of(call) * kElementsOfRecord * rate.b32 / kElementsOfSort;
        case kvbitsort:
            return work_of(call) * rate.b32;
        case kvtranspose:
        case kscatter_vnchwconv_b8:
        case kscatter_vnchwconv_b16:
        case kscatter_vnchwconv_b32:
            return bytes_written(call) * vector.intrinsic.transpose / kRepeatBytes;
        case kcopy_ubuf_to_ubuf:
            return work_of(call) * vector.intrinsic.copy_block;
        default:
            return lanewise(chip, call, rate);
    }
}

// Time from the first repeat of a call, on a pipe that did not run on, to the result of the last one.
Milli start_of(const ChipModel& chip, const IntrinsicCall& call, const VectorRate& rate) {
    if (call.opcode == IntrinsicOpcode::kvcgadd) return chip.aiv.vector.intrinsic.group_sum;
    if (is_integer(call.types[0]) && rate.integer_start != 0) return rate.integer_start;
    return rate.start;
}

// The same time for a call that waits for the previous call: the time of each dependent instruction of one repeat,
// without the repeat.
Milli wait_of(const ChipModel& chip, const IntrinsicCall& call, Milli start) {
    using enum IntrinsicOpcode;
    const VectorParameters& vector = chip.aiv.vector;
    const auto measured = [&](Opcode reduction) {
        const Milli one = vector.rate[static_cast<size_t>(reduction)].dependent;
        return std::min(start, one - std::min(one, kOneRepeat));
    };
    switch (call.opcode) {
        case kvadd:
            return measured(Opcode::kTCOLSUM);
        case kvmax:
            return measured(Opcode::kTCOLMAX);
        case kvmin:
            return measured(Opcode::kTCOLMIN);
        case kvector_dup:
            return std::min(start, Milli{vector.row_expand} - kOneRepeat);
        default: {
            const Milli saved = vector.latency - std::min(vector.latency, vector.dependent);
            return start - std::min(start, saved);
        }
    }
}

}  // namespace

Cost intrinsic_cost(const ChipModel& chip, const IntrinsicCall& call) {
    const VectorRate& rate =
        chip.aiv.vector.rate[static_cast<size_t>(info(call.opcode).timed_as)];
    const Milli busy = busy_of(chip, call, rate);
    const Milli start = start_of(chip, call, rate);
    const Milli wait = wait_of(chip, call, start);
    // A call that need not wait follows at once, except for a copy.
    const bool copies = call.opcode == IntrinsicOpcode::kcopy_ubuf_to_ubuf;
    Cost cost = make_cost(busy, copies ? Milli{chip.aiv.vector.intrinsic.copy} : 0, wait);
    Milli fill = start - wait;
    if (call.counter_mode && repeats_of(call).tail != 0 && repeats_of(call).repeats != 0)
        fill += chip.aiv.vector.partial;
    cost.fill = whole(fill);
    cost.runs_through_barriers = true;
    return cost;
}

}  // namespace ptosim
