#include "isa/intrinsics/vector_row.h"
#include "isa/semantics/convert_lanes.h"

namespace ptosim::vector_operations {
namespace {

int part_of(VectorMode mode) {
    return mode >= VectorMode::kPart0 && mode <= VectorMode::kPart3
               ? static_cast<int>(mode) - static_cast<int>(VectorMode::kPart0)
               : 0;
}

// Every `step`-th element of `width` bytes from number `first` on, one after the other; put() is
// the way back. Elements of four bits go in pairs, a byte each.
void take(const std::byte* from, int first, int step, size_t width, std::byte* to, int count) {
    for (int i = 0; i < count; ++i)
        std::memcpy(to + i * width, from + (i * step + first) * width, width);
}
void put(const std::byte* from, int first, int step, size_t width, std::byte* to, int count) {
    for (int i = 0; i < count; ++i)
        std::memcpy(to + (i * step + first) * width, from + i * width, width);
}

}  // namespace

void VCVT(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    const unsigned from_bits = bits(op.type), to_bits = bits(op.to);
    const unsigned wide = std::max(from_bits, to_bits);
    const int lanes = static_cast<int>(kVectorBytes * 8 / wide);
    const size_t from_width = std::max<size_t>(1, from_bits / 8);
    const size_t to_width = std::max<size_t>(1, to_bits / 8);
    const int part = part_of(op.mode);
    alignas(64) std::array<std::byte, kVectorBytes> in{}, converted{}, out{};
    // Two elements of four bits share a byte, in every fourth byte.
    const int units = from_bits < 8 || to_bits < 8 ? lanes / 2 : lanes;
    const int from_step = from_bits < 8         ? 4
                          : from_bits < to_bits ? static_cast<int>(to_bits / from_bits)
                                                : 1;
    const int to_step = to_bits < 8           ? 4
                        : to_bits < from_bits ? static_cast<int>(from_bits / to_bits)
                                              : 1;
    const int first = from_step > 1 ? part : 0;
    if (from_step > 1)
        take(v.source_bytes(0), part, from_step, from_width, in.data(),
             from_bits < 8 ? units : lanes);
    else
        std::memcpy(in.data(), v.source_bytes(0), kVectorBytes);
    // Lanes that are not active are zeros before, and become zeros.
    if (op.mask != 0 && from_bits >= 8)
        for (int i = 0; i < lanes; ++i)
            if (!v.active(i * from_step + first, from_width))
                std::memset(in.data() + i * from_width, 0, from_width);
    const bool saturates =
        op.saturation == Saturation::kOn && !semantics::holds_all(op.to, op.type);
    semantics::convert_lanes(v.numerics(), op.to, converted.data(), op.type, in.data(),
                             static_cast<size_t>(lanes), op.round,
                             saturates ? Saturation::kOn : Saturation::kOff);
    if (op.merges) std::memcpy(out.data(), v.source_bytes(3), kVectorBytes);
    if (to_step > 1)
        put(converted.data(), part, to_step, to_width, out.data(), to_bits < 8 ? units : lanes);
    else
        std::memcpy(out.data(), converted.data(), kVectorBytes);
    std::memcpy(v.result_bytes(), out.data(), kVectorBytes);
}

void VTRC(VectorLanes& v) {
    semantics::visit_float(v.operation().type, [&](auto type) {
        using T = decltype(type);
        auto lanes = v.source<T>(0);
        for (T& lane : lanes)
            lane = round_to<T>(round_to_integral(to_float(lane), v.operation().round));
        v.set_result<T>(lanes);
    });
}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_convert.def"
}
