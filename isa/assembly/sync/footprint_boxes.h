// Parts of global memory that move with the iterations of a loop,
// and which of them can never share a byte of one pointer's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

// Footprint of one access in iteration r of a loop: the bytes
//   pointer + sum(count * slot of atoms) + factor * r + offset + sum(stride * i), 0 <= i < count of
//   extents, and `width` bytes from there on.
struct GlobalBox {
    struct Extent {
        int64_t stride = 0, count = 1;  // bytes, elements
        friend bool operator==(const Extent&, const Extent&) = default;
    };
    Slot pointer = kNoSlot;
    std::vector<std::pair<Slot, int64_t>> atoms;  // sorted; the loop does not write them
    int64_t factor = 0, offset = 0;               // bytes
    std::vector<Extent> extents;
    int64_t width = 0;
    // Nor does any loop around it: every run of the loop begins at the same address.
    bool steady = true;
    friend bool operator==(const GlobalBox&, const GlobalBox&) = default;
};

// True if a and b cannot share a byte when b runs `iterations` iterations after a (negative: before a).
bool apart(const GlobalBox& a, const GlobalBox& b, int64_t iterations);

// By step, the boxes of the transfers inside the loop whose end is the kLoop step `loop`, where
// they are known. `never_negative`: of a scalar slot.
class BoxFinder {
 public:
    BoxFinder(const Program& program, uint32_t loop, std::vector<bool> never_negative);

    std::optional<GlobalBox> of(const Step& step) const;

 private:
    // factor * iteration + offset + atoms.
    struct Affine {
        std::vector<std::pair<Slot, int64_t>> atoms;
        int64_t factor = 0, offset = 0;
    };

    static Affine sum(const Affine& a, const Affine& b, int64_t times);
    static std::optional<int64_t> constant(const Affine& value);
    std::optional<Affine> affine(Slot slot, int depth = 0) const;
    std::optional<Affine> before(Slot slot) const;
    std::optional<Affine> variable() const;
    std::optional<Affine> carried(Slot slot, int depth) const;
    std::optional<Affine> evaluated(const Step& step, int depth) const;
    bool add_view(GlobalBox& box, Affine& offset, Slot view) const;
    // Stride of a dimension of a view, if it is known.
    std::optional<int64_t> stride_of(const ViewPlan& view, size_t dim) const;
    bool add_offsets(const PartitionPlan& plan, const ViewPlan& view, Affine& offset) const;

    const Program& program_;
    const LoopHead loop_;
    const std::vector<bool> never_negative_;
    std::vector<uint32_t> writes_, writes_outside_;  // by scalar slot
    std::vector<uint32_t> writer_, view_writer_;     // by slot: a step that writes it
    std::vector<uint32_t> view_writes_;
    std::vector<bool> unsteady_;  // by scalar slot: a loop around this one writes it
    mutable Slot following_ = kNoSlot;
};

}  // namespace ptosim::assembly
