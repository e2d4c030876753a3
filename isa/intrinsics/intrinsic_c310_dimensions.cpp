#include <algorithm>
#include <cstring>
#include <vector>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names and layouts of registers: cann/asc-devkit impl/basic_api/dav_3510/kernel_operator_data_copy_impl.h. Meaning:
// docs/zh/api, DataCopy from GM to UB in several dimensions (NDDMA).

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kDimensions = 5;

// One dimension; distances are in elements, `count` is without the padding.
struct Dimension {
    uint64_t count = 1, before = 0, after = 0, from_step = 0, to_step = 0;

    uint64_t padded() const { return before + count + after; }
};

// Arguments after dst and src, packed by include/cce/c310_intrinsics.hpp: counts of dimensions 0 to 2 in 20 bits each;
// of 3 and 4, then the padding before (bits 40 to 47) and after (48 to 55) dimension 0, bit 56: it has the padding value;
// a word for each dimension, distances in UB in bits 0 to 19, then in global memory; padding of dimensions 1 to 4; its value.
constexpr unsigned kPaddingValue = 10;
struct Grid {
    std::array<Dimension, kDimensions> dimensions;  // the innermost first
    uint64_t element = 1;                           // bytes
    bool nearest = false;

    bool empty() const {
        return std::ranges::any_of(dimensions, [](const Dimension& d) { return d.count == 0; });
    }
};

Grid grid_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Grid grid;
    grid.element = call.opcode == IntrinsicOpcode::knddma_out_to_ub_b8    ? 1
                   : call.opcode == IntrinsicOpcode::knddma_out_to_ub_b16 ? 2
                                                                          : 4;
    grid.nearest = bits_of(a[3], 56, 1) == 0;
    for (unsigned i = 0; i < kDimensions; ++i) {
        Dimension& d = grid.dimensions[i];
        d.count = bits_of(a[2 + i / 3], 20 * (i % 3), 20);
        d.to_step = bits_of(a[4 + i], 0, 20);
        d.from_step = bits_of(a[4 + i], 20, 40);
        d.before = i == 0 ? bits_of(a[3], 40, 8) : bits_of(a[9], 16 * (i - 1), 8);
        d.after = i == 0 ? bits_of(a[3], 48, 8) : bits_of(a[9], 16 * (i - 1) + 8, 8);
    }
    return grid;
}

bool check_grid(const IntrinsicCall& call, Problem& problem) {
    return check_address(call, 0, grid_of(call).element, problem);
}

// Dimensions of more than one element by their distances, those that follow each other at once as one.
struct Run {
    uint64_t count, step;
};
std::vector<Run> runs_of(const Grid& grid, bool in_ub) {
    std::vector<Run> runs;
    for (const Dimension& d : grid.dimensions)
        if (const uint64_t count = in_ub ? d.padded() : d.count, step = in_ub ? d.to_step : d.from_step;
            count > 1 && step > 0)
            runs.push_back({count, step});
    std::ranges::sort(runs, {}, &Run::step);
    std::vector<Run> merged;
    for (const Run& run : runs) {
        if (!merged.empty() && run.step == merged.back().count * merged.back().step)
            merged.back().count *= run.count;
        else
            merged.push_back(run);
    }
    return merged;
}

// Rows of bytes, if the elements in UB lie so; otherwise all from the first byte to the last.
Tile rows_in_ub(uint64_t address, const Grid& grid) {
    const std::vector<Run> runs = runs_of(grid, true);
    uint64_t extent = 1;
    for (const Run& run : runs) extent += (run.count - 1) * run.step;
    const bool dense = !runs.empty() && runs[0].step == 1;
    const uint64_t length = dense ? runs[0].count : 1;
    const size_t outer = dense ? 1 : 0;
    if (runs.size() == outer) return byte_rows(Space::kUB, address, 1, length * grid.element, length * grid.element);
    if (runs.size() == outer + 1 && runs[outer].step >= length)
        return byte_rows(Space::kUB, address, runs[outer].count, length * grid.element, runs[outer].step * grid.element);
    return byte_rows(Space::kUB, address, 1, extent * grid.element, extent * grid.element);
}

GlobalView view_of(uint64_t address, const Grid& grid) {
    std::vector<Run> runs = runs_of(grid, false);
    GlobalView view;
    view.address = address;
    view.dtype = grid.element == 1 ? DType::kU8 : grid.element == 2 ? DType::kU16 : DType::kU32;
    if (runs.empty() || runs[0].step != 1) runs.insert(runs.begin(), {1, 1});
    if (runs.size() > kDimensions) {
        uint64_t extent = 1;
        for (const Run& run : runs) extent += (run.count - 1) * run.step;
        runs = {{extent, 1}};
    }
    for (size_t i = 0; i < kDimensions; ++i) {
        const Run run = i < runs.size() ? runs[i] : Run{1, runs.back().count * runs.back().step};
        view.shape[kDimensions - 1 - i] = static_cast<int32_t>(run.count);
        view.stride[kDimensions - 1 - i] = static_cast<int64_t>(run.step);
    }
    return view;
}

void add_grid(const IntrinsicCall& call, Instruction& instruction) {
    const Grid grid = grid_of(call);
    if (grid.empty()) return;
    instruction.add(rows_in_ub(call.arguments[0], grid));
    instruction.add(view_of(call.arguments[1], grid));
}

// `from` is null for elements that have the padding value.
void copy_dimension(const Grid& grid, unsigned dimension, std::byte* to, const std::byte* from, uint64_t padding) {
    const Dimension& d = grid.dimensions[dimension];
    for (uint64_t i = 0; i < d.padded(); ++i) {
        const bool inside = i >= d.before && i < d.before + d.count;
        const std::byte* source = nullptr;
        if (from != nullptr && (inside || grid.nearest)) {
            const uint64_t at = i < d.before ? 0 : std::min(i - d.before, d.count - 1);
            source = from + at * d.from_step * grid.element;
        }
        std::byte* const target = to + i * d.to_step * grid.element;
        if (dimension > 0)
            copy_dimension(grid, dimension - 1, target, source, padding);
        else if (source != nullptr)
            std::memcpy(target, source, grid.element);
        else
            std::memcpy(target, &padding, grid.element);
    }
}

void grid_in(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    copy_dimension(grid_of(call), kDimensions - 1, e.bytes[0], e.bytes[1], call.arguments[kPaddingValue]);
}

constexpr IntrinsicForm kGridIntoUb{.signature = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--",
                                    .masking = kUnmasked,
                                    .check = &check_grid,
                                    .unit = IntrinsicUnit::kLoad,
                                    .operands = &add_grid,
                                    .archs = IntrinsicArchs::kRegisters};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_c310_dimensions.def"
}
