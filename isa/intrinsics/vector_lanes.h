// Working state of an operation of a vector function: registers, predicates and UB.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "isa/intrinsics/vector_operation.h"
#include "isa/semantics/lanes.h"

namespace ptosim {

// A register; or a predicate, whose bytes are its bits: 0 or 1.
struct alignas(64) VectorRegister {
    std::array<std::byte, kVectorBytes> bytes{};
};

class VectorLanes {
 public:
    // `registers`: the registers that operations name. `ub`: byte 0 of UB, which has `ub_bytes`.
    VectorLanes(VectorRegister* registers, std::byte* ub, uint64_t ub_bytes, Numerics numerics)
        : registers_{registers}, ub_{ub}, ub_bytes_{ub_bytes}, numerics_{numerics} {}

    void compute(const VectorOperation& operation) {
        operation_ = &operation;
        info(operation.opcode).compute(*this);
    }

    const VectorOperation& operation() const { return *operation_; }
    Numerics numerics() const { return numerics_; }
    std::byte* ub(uint64_t address) const { return ub_ + address; }
    // `size` bytes at an address from data; null if UB does not have them.
    std::byte* ub_at(uint64_t address, uint64_t size) {
        if (address <= ub_bytes_ && size <= ub_bytes_ - address) return ub_ + address;
        if (outside++ == 0) first_outside = operation_;
        return nullptr;
    }

    template <typename T>
    static constexpr int kLanes = kVectorBytes / sizeof(T);

    // Lanes of a source; they stay as they are while a result is written.
    template <typename T>
    std::array<T, kLanes<T>> source(unsigned i) const {
        std::array<T, kLanes<T>> lanes;
        std::memcpy(lanes.data(), source_bytes(i), kVectorBytes);
        return lanes;
    }
    const std::byte* source_bytes(unsigned i) const {
        return registers_[operation_->sources[i]].bytes.data();
    }
    std::byte* result_bytes(unsigned i = 0) {
        return registers_[operation_->results[i]].bytes.data();
    }

    // True if lane i of `width` bytes is active.
    bool active(int lane, size_t width) const {
        return operation_->mask == 0 ||
               registers_[operation_->mask].bytes[static_cast<size_t>(lane) * width] !=
                   std::byte{0};
    }
    // Writes the active lanes of `width` bytes; the others become 0 or keep their values.
    void set_lanes(const std::byte* lanes, size_t width, unsigned i = 0);
    // A bit for each active lane of which `holds` has a byte 1; all bits of other lanes, and the other bits of these,
    // are 0.
    void set_holding(const std::byte* holds, size_t width, unsigned i = 0);
    template <typename T>
    void set_result(const std::array<T, kLanes<T>>& lanes, unsigned i = 0) {
        set_lanes(reinterpret_cast<const std::byte*>(lanes.data()), sizeof(T), i);
    }
    // The scalar operand as an element.
    template <typename T>
    T scalar() const {
        T value;
        std::memcpy(&value, &operation_->scalar, sizeof(T));
        return value;
    }

    // A predicate as bits, and a result made of such.
    using Bits = std::array<uint8_t, kVectorBytes>;
    Bits predicate(unsigned i) const {
        Bits bits;
        std::memcpy(bits.data(), source_bytes(i), kVectorBytes);
        return bits;
    }
    Bits mask() const {
        Bits bits;
        bits.fill(1);
        if (operation_->mask != 0)
            std::memcpy(bits.data(), registers_[operation_->mask].bytes.data(), kVectorBytes);
        return bits;
    }
    void set_predicate(const Bits& bits, unsigned i = 0) {
        std::memcpy(result_bytes(i), bits.data(), kVectorBytes);
    }

    // State of the stores of the lanes that VSQZ keeps: bytes of a vector, and the position of the next.
    uint32_t squeezed = 0, appended = 0;
    // Accesses beyond UB, which have not been done, and the first operation with one.
    uint64_t outside = 0;
    const VectorOperation* first_outside = nullptr;

 private:
    VectorRegister* registers_;
    std::byte* ub_;
    uint64_t ub_bytes_;
    Numerics numerics_;
    const VectorOperation* operation_ = nullptr;
};

// Lanes of a register, without values at first.
struct LaneBytes {
    alignas(64) std::byte bytes[kVectorBytes];
};

// `lanes` of `width` bytes where the lowest bit of the mask's lane is set, and `old` elsewhere (null: 0).
void merge_lanes(size_t width, const std::byte* lanes, const std::byte* mask, const std::byte* old,
                 std::byte* result);

// Bytes of an element that a mode names; 4 if it names none.
unsigned element_bytes(VectorMode mode);

// Calls f with an element of the operation's type.
template <typename F>
void visit_lanes(const VectorLanes& lanes, F&& f) {
    semantics::visit_arithmetic(lanes.operation().type, std::forward<F>(f));
}

// Visits lanes as unsigned integers of their width, for operations that move bits.
template <typename F>
void visit_lane_bits(const VectorLanes& lanes, F&& f) {
    semantics::visit_bits(lanes.operation().type, std::forward<F>(f));
}

}  // namespace ptosim
