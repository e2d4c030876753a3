// Working state of intrinsics: vectors in UB, registers of 256 bytes, masks.
#pragma once

#include "isa/intrinsics/intrinsic.h"
#include "isa/intrinsics/vector_lanes.h"

namespace ptosim {

// Layout of an operand's elements. Lane i of repeat r is at begin + r * repeat_stride + i / block_lanes * block_stride
// + i % block_lanes * width.
struct IntrinsicLayout {
    uint64_t begin = 0;
    uint64_t repeat_stride = 0, block_stride = 0;  // bytes
    uint32_t lanes = 0;                            // of a repeat
    uint32_t block_lanes = 0;
    uint32_t width_bits = 0;
    // Number of the call's lanes that decide whether one lane of the operand is active; 0: it always is.
    uint32_t lanes_each = 1;

    uint64_t block_bytes() const { return uint64_t{block_lanes} * width_bits / 8; }
    uint64_t bytes() const { return uint64_t{lanes} * width_bits / 8; }
};
// Layout of an address operand whose shape is not kOther.
IntrinsicLayout layout_of(const IntrinsicCall& call, unsigned argument);
unsigned address_argument(const IntrinsicInfo& row, unsigned operand);

// Lanes of a repeat that are active.
using LaneMask = std::array<uint64_t, 2>;
constexpr bool is_active(const LaneMask& mask, unsigned lane) {
    return (mask[lane / 64] >> (lane % 64) & 1) != 0;
}
// A mask of the first `count` lanes.
constexpr LaneMask first_lanes(unsigned count) {
    const auto word = [](unsigned n) {
        return n == 0 ? uint64_t{0} : n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
    };
    return {word(count), word(count > 64 ? count - 64 : 0)};
}
// True if lane i of an operand with this layout is active.
bool is_active(const IntrinsicLayout& layout, const LaneMask& mask, unsigned lane);

class IntrinsicRun {
 public:
    // Registers: operands have registers with their numbers.
    static constexpr uint32_t kMask = 5, kResult = 6, kScratch = 7;

    IntrinsicRun(const IntrinsicCall& call, IntrinsicState& state, std::byte* ub, uint64_t ub_bytes,
                 Numerics numerics);

    const IntrinsicCall& call;
    const IntrinsicInfo& row;
    IntrinsicState& state;
    uint64_t outside = 0;

    Numerics numerics() const { return vector_.numerics(); }
    uint64_t argument(unsigned i) const { return call.arguments[i]; }
    DType type(unsigned operand) const { return call.types[operand]; }
    unsigned lanes() const { return lanes_; }

    // Calls f() for each repeat.
    template <typename F>
    void for_repeats(F&& f) {
        const IntrinsicRepeats repeats = repeats_of(call);
        mask = repeats.mask;
        for (repeat = 0; repeat < repeats.repeats; ++repeat) f();
        if (repeats.tail == 0) return;
        mask = first_lanes(repeats.tail);
        f();
    }
    uint32_t repeat = 0;
    LaneMask mask{};

    std::byte* register_bytes(uint32_t number) { return registers_[number].bytes.data(); }
    // The unchanged bytes of an operand in this repeat; 0 beyond UB.
    void load(unsigned operand, uint32_t number);
    // Loads elements of another type.
    void load_as(unsigned operand, DType type, uint32_t number);
    // All operands that are read, as elements of a type, in their registers.
    void load_all(DType type);
    // Active lanes of a register become elements of an operand.
    void store(uint32_t number, unsigned operand);
    // The mask as a predicate for elements of a type, in register kMask.
    void set_predicate(DType type);

    // One operation on registers, of all lanes; with `masked` only of the lanes in register kMask.
    struct Operation {
        VectorOpcode opcode;
        DType type;
        std::array<uint32_t, 3> sources{};
        uint32_t result = kResult;
        uint64_t scalar = 0;
        VectorMode mode = VectorMode::kNone;
        bool masked = false;
    };
    void apply(const Operation& operation);
    // Calculates, and if CTRL[48] is 0 turns infinities of f16 into the largest number, NaN into 0.
    void calculate(const Operation& operation);
    void saturate(uint32_t number, DType type);
    // Converts a register from one type to another, as set in CTRL.
    void convert(uint32_t number, DType from, DType to, RoundMode round);
    void convert(uint32_t number, DType from, DType to, RoundMode round, Saturation saturation);

    // Bytes that data or registers point at; reads give 0 beyond UB, and writes beyond it have no effect.
    template <typename T>
    T read(uint64_t address) {
        T value{};
        if (const std::byte* from = at(address, sizeof(T))) std::memcpy(&value, from, sizeof(T));
        return value;
    }
    template <typename T>
    void write(uint64_t address, T value) {
        if (std::byte* to = at(address, sizeof(T))) std::memcpy(to, &value, sizeof(T));
    }
    std::byte* at(uint64_t address, uint64_t size) {
        if (address <= ub_bytes_ && size <= ub_bytes_ - address) return ub_ + address;
        ++outside;
        return nullptr;
    }

 private:
    const IntrinsicLayout& layout(unsigned operand) const { return layouts_[operand]; }

    std::byte* ub_;
    uint64_t ub_bytes_;
    std::array<VectorRegister, 8> registers_{};
    VectorLanes vector_;
    std::array<IntrinsicLayout, 4> layouts_{};
    std::array<bool, 4> is_read_{};  // of the operands with a layout
    unsigned lanes_;
};

namespace intrinsics {

// Lanes of a gather whose offsets lead beyond the end of its source (kGatherEnd), and the end of the farthest element.
struct GatheredBeyond {
    uint64_t lanes = 0, reached = 0;
};
GatheredBeyond gathered_beyond(IntrinsicRun& run);

}  // namespace intrinsics

}  // namespace ptosim
