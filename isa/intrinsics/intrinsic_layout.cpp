// Places of the operands of intrinsics, and the bytes that a call touches.
#include <algorithm>
#include <iterator>

#include "isa/intrinsics/intrinsic_run.h"

namespace ptosim {
namespace {

using enum IntrinsicArgumentKind;
using enum IntrinsicShape;

constexpr uint32_t kAnyLane = 128;  // the most lanes that a call has

// One result, or several, for each repeat; strides are in units of a repeat's results.
void set_result_of_repeat(IntrinsicLayout& layout, uint32_t lanes, uint32_t lanes_each,
                          uint64_t stride) {
    layout.lanes = layout.block_lanes = lanes;
    layout.lanes_each = lanes_each;
    layout.repeat_stride = stride * layout.bytes();
}

// The width of what vcmax makes: the value, its index in as many bits, or an index of 32 bits.
uint32_t pair_bits(uint64_t order, uint32_t width) {
    return order == 2 ? width : order == 3 ? 32 : 2 * width;
}

void set_blocks(IntrinsicLayout& layout, const IntrinsicForm& form, const IntrinsicCall& call,
                unsigned operand, uint32_t block_lanes) {
    layout.block_lanes = block_lanes;
    layout.block_stride = form.value(call, kBlockStride, operand, 1) * kBlockBytes;
    layout.repeat_stride = form.value(call, kRepeatStride, operand, 8) * kBlockBytes;
}

}  // namespace

unsigned address_argument(const IntrinsicInfo& row, unsigned operand) {
    for (unsigned i = 0; i < row.form.argument_count(); ++i) {
        const IntrinsicArgument a = row.form.argument(i);
        if (a.is_address() && a.operand == operand) return i;
    }
    return IntrinsicCall::kMaxArguments;
}

IntrinsicLayout layout_of(const IntrinsicCall& call, unsigned argument) {
    const IntrinsicForm& form = info(call.opcode).form;
    const IntrinsicArgument a = form.argument(argument);
    const unsigned lanes = lanes_of(call);
    const uint64_t stride = form.value(call, kRepeatStride, a.operand, 1);
    const uint64_t last = call.arguments[form.argument_count() - 1];
    IntrinsicLayout layout;
    layout.begin = call.arguments[argument];
    layout.lanes = lanes;
    layout.width_bits = a.operand < IntrinsicCall::kMaxTypes ? bits(call.types[a.operand]) : 8;
    switch (a.shape != kSelector ? a.shape : last == 1 ? kBits : kLanes) {
        case kLanes:
            set_blocks(layout, form, call, a.operand, 8 * kBlockBytes / layout.width_bits);
            break;
        case kUpperHalves:
        case kLowerHalves:
            if (a.shape == kUpperHalves) layout.begin += kBlockBytes / 2;
            set_blocks(layout, form, call, a.operand, 4 * kBlockBytes / layout.width_bits);
            break;
        case kElement:
            // With mode 1 the sum goes to ACC_VAL.
            set_result_of_repeat(layout, last == 1 ? 0 : 1, kAnyLane, stride);
            break;
        case kPair:
            layout.width_bits = pair_bits(last, layout.width_bits);
            set_result_of_repeat(layout, 1, kAnyLane, stride);
            break;
        case kBlocks:
            set_result_of_repeat(layout, 8, 8 * kBlockBytes / layout.width_bits, stride);
            break;
        case kHalf:
            set_result_of_repeat(layout, lanes / 2, 2, stride);
            break;
        case kBits:
            layout.width_bits = 8;
            set_result_of_repeat(layout, lanes / 8, 8, 1);
            break;
        case kRecords:
            layout.width_bits = 64;
            [[fallthrough]];
        case kRun:
        case kEight:
            set_result_of_repeat(layout, lanes, 1, 1);
            break;
        case kSpread:
            layout.width_bits = 8 * kBlockBytes;
            set_blocks(layout, form, call, a.operand, 1);
            // For vgatherb a stride of 0 counts as 1 (cann/asc-devkit docs: Gatherb).
            layout.block_stride = std::max<uint64_t>(layout.block_stride, kBlockBytes);
            break;
        case kCompareMask:
            layout.width_bits = 128;
            set_result_of_repeat(layout, 1, 0, 1);
            break;
        case kSelector:
        case kOther:
            layout.lanes = 0;
            break;
    }
    return layout;
}

bool is_active(const IntrinsicLayout& layout, const LaneMask& mask, unsigned lane) {
    if (layout.lanes_each == 0) return true;
    if (layout.lanes_each == 1) return is_active(mask, lane);
    for (unsigned i = 0; i < layout.lanes_each; ++i) {
        const unsigned of = lane * layout.lanes_each + i;
        if (of < kAnyLane && is_active(mask, of)) return true;
    }
    return false;
}

namespace {

struct ByteRun {
    uint64_t begin, end;
};

// Bytes of the active lanes of a repeat, from the operand's begin on; each run of them once.
std::vector<ByteRun> active_runs(const IntrinsicLayout& layout, const LaneMask& mask) {
    std::vector<ByteRun> runs;
    for (unsigned lane = 0; lane < layout.lanes; ++lane) {
        if (!is_active(layout, mask, lane)) continue;
        const uint64_t block = uint64_t{lane / layout.block_lanes} * layout.block_stride;
        const uint64_t bit = uint64_t{lane % layout.block_lanes} * layout.width_bits;
        const ByteRun run{block + bit / 8, block + (bit + layout.width_bits + 7) / 8};
        if (!runs.empty() && run.begin >= runs.back().begin && run.begin <= runs.back().end)
            runs.back().end = std::max(runs.back().end, run.end);
        else
            runs.push_back(run);
    }
    return runs;
}

// At most one run for each block, and then one of all.
void take_together(std::vector<ByteRun>& runs, const IntrinsicLayout& layout) {
    std::vector<ByteRun> blocks;
    for (const ByteRun& run : runs) {
        const uint64_t stride = std::max<uint64_t>(layout.block_stride, 1);
        if (!blocks.empty() && run.begin / stride == blocks.back().begin / stride)
            blocks.back().end = std::max(blocks.back().end, run.end);
        else
            blocks.push_back(run);
    }
    runs = std::move(blocks);
}

constexpr size_t kMostRuns = 16;

void add_rows(IntrinsicFootprint& footprint, const IntrinsicLayout& layout, const LaneMask& mask,
              uint64_t first, uint64_t repeats) {
    if (repeats == 0) return;
    std::vector<ByteRun> runs = active_runs(layout, mask);
    if (runs.size() > kMostRuns) {
        take_together(runs, layout);
        footprint.covers = true;
    }
    for (const ByteRun& run : runs) {
        IntrinsicRows rows{layout.begin + first * layout.repeat_stride + run.begin,
                           run.end - run.begin, layout.repeat_stride, repeats};
        if (rows.pitch == 0) rows.count = 1;
        if (rows.pitch == rows.length) {
            rows.length *= rows.count;
            rows.count = 1;
        }
        if (rows.count == 1) rows.pitch = 0;
        footprint.rows.push_back(rows);
    }
}

void add_footprints(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    const IntrinsicInfo& row = info(call.opcode);
    const IntrinsicRepeats repeats = repeats_of(call);
    for (unsigned i = 0; i < row.form.argument_count(); ++i) {
        const IntrinsicArgument a = row.form.argument(i);
        if (!a.is_address() || a.shape == kOther) continue;
        const IntrinsicLayout layout = layout_of(call, i);
        IntrinsicFootprint footprint;
        footprint.argument = i;
        add_rows(footprint, layout, repeats.mask, 0, repeats.repeats);
        if (repeats.tail != 0)
            add_rows(footprint, layout, first_lanes(repeats.tail), repeats.repeats, 1);
        if (footprint.rows.empty()) continue;
        if (a.is_read()) all.push_back(footprint);
        footprint.write = true;
        if (a.is_written()) all.push_back(std::move(footprint));
    }
    if (row.form.footprints != nullptr) row.form.footprints(call, all);
}

}  // namespace

const std::vector<IntrinsicFootprint>& footprints(const IntrinsicCall& call) {
    struct Last {
        IntrinsicCall call;
        std::vector<IntrinsicFootprint> footprints;
    };
    thread_local Last* last = nullptr;
    if (last == nullptr) last = new Last;
    if (last->call == call && !last->footprints.empty()) return last->footprints;
    std::vector<IntrinsicFootprint> all;
    const std::vector<IntrinsicCall> parts = parts_of(call);
    if (parts.empty()) add_footprints(call, all);
    for (const IntrinsicCall& part : parts) {
        std::vector<IntrinsicFootprint> of_part;
        add_footprints(part, of_part);
        std::ranges::move(of_part, std::back_inserter(all));
    }
    *last = {call, std::move(all)};
    return last->footprints;
}

uint64_t work_of(const IntrinsicCall& call) {
    uint64_t bytes = 0;
    for (const IntrinsicCall& part : parts_of(call)) bytes += work_of(part);
    if (bytes != 0) return bytes;
    switch (info(call.opcode).form.work) {
        case IntrinsicWork::kRepeats: {
            const IntrinsicRepeats repeats = repeats_of(call);
            return uint64_t{repeats.repeats} + (repeats.tail != 0 ? 1 : 0);
        }
        case IntrinsicWork::kBlocks:
        case IntrinsicWork::kRecords:
            for (const IntrinsicFootprint& footprint : footprints(call))
                if (footprint.write)
                    for (const IntrinsicRows& rows : footprint.rows)
                        bytes += rows.length * rows.count;
            break;
    }
    return bytes / (info(call.opcode).form.work == IntrinsicWork::kBlocks ? kBlockBytes : 8);
}

}  // namespace ptosim
