#include "sim/machine/timing/intrinsic_waits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "isa/intrinsics/intrinsic_run.h"
#include "sim/machine/observe/bank_conflicts.h"

namespace ptosim {
namespace {

constexpr unsigned kBlocks = 8;  // in a repeat

// An operand of blocks: its begin and strides, in blocks.
struct Blocks {
    uint64_t begin, block_stride, repeat_stride;
    unsigned count;
};

std::optional<Blocks> blocks_of(const IntrinsicCall& call, unsigned argument,
                                const LaneMask& mask) {
    const IntrinsicLayout layout = layout_of(call, argument);
    if (layout.block_lanes == 0 || layout.block_bytes() != kBlockBytes) return std::nullopt;
    Blocks blocks{layout.begin / kBlockBytes, layout.block_stride / kBlockBytes,
                  layout.repeat_stride / kBlockBytes, 0};
    for (unsigned lane = 0; lane < layout.lanes; ++lane)
        if (is_active(layout, mask, lane)) blocks.count = lane / layout.block_lanes + 1;
    return blocks;
}

// Number of blocks of a repeat that come after the first of their bank group. The same block counts once.
uint64_t late_blocks(std::span<const Blocks> operands, uint64_t repeat) {
    std::array<uint64_t, 3 * kBlocks> seen;
    std::array<uint8_t, kBankGroups> in_group{};
    size_t count = 0;
    uint8_t most = 1;
    for (const Blocks& operand : operands)
        for (unsigned b = 0; b < std::min(operand.count, kBlocks); ++b) {
            const uint64_t block =
                operand.begin + repeat * operand.repeat_stride + b * operand.block_stride;
            const auto end = seen.begin() + static_cast<std::ptrdiff_t>(count);
            if (count == seen.size() || std::find(seen.begin(), end, block) != end) continue;
            seen[count++] = block;
            most = std::max(most, ++in_group[block % kBankGroups]);
        }
    return most - 1U;
}

}  // namespace

BankWaits bank_waits(const IntrinsicCall& call) {
    const IntrinsicForm& form = info(call.opcode).form;
    const IntrinsicRepeats repeats = repeats_of(call);
    const LaneMask mask = repeats.repeats != 0 ? repeats.mask : first_lanes(repeats.tail);
    std::vector<Blocks> sources;
    std::optional<Blocks> target;
    for (unsigned i = 0; i < form.argument_count(); ++i) {
        const IntrinsicArgument a = form.argument(i);
        if (!a.is_address() || a.shape == IntrinsicShape::kOther) continue;
        const std::optional<Blocks> blocks = blocks_of(call, i, mask);
        if (!blocks) continue;
        if (a.is_read()) sources.push_back(*blocks);
        if (a.is_written()) target = blocks;
    }
    BankWaits waits;
    // The bank groups of a repeat recur in the sixteenth repeat after it.
    const uint64_t count = uint64_t{repeats.repeats} + (repeats.tail != 0 ? 1 : 0);
    for (uint64_t repeat = 0; repeat < std::min<uint64_t>(count, kBankGroups); ++repeat) {
        const uint64_t written = target ? late_blocks({&*target, 1}, repeat) : 0;
        waits.groups += std::max(late_blocks(sources, repeat), written) *
                        ((count - repeat + kBankGroups - 1) / kBankGroups);
    }
    for (const Blocks& source : sources)
        if (target && waits.steps == 0 &&
            out_of_step(static_cast<uint32_t>(target->begin * kBlockBytes),
                        static_cast<uint32_t>(source.begin * kBlockBytes), source.count))
            waits.steps = count;
    return waits;
}

}  // namespace ptosim
