#include "isa/intrinsics/vector_lanes.h"

namespace ptosim {

namespace {

template <typename T>
void merge(const std::byte* lanes, const std::byte* mask, const std::byte* old, std::byte* result) {
    std::array<T, kVectorBytes / sizeof(T)> value, keep, other{};
    std::memcpy(value.data(), lanes, kVectorBytes);
    std::memcpy(keep.data(), mask, kVectorBytes);
    if (old != nullptr) std::memcpy(other.data(), old, kVectorBytes);
    for (size_t i = 0; i < value.size(); ++i) {
        const auto all = static_cast<T>(T{0} - static_cast<T>(keep[i] & 1));
        value[i] = static_cast<T>((value[i] & all) | (other[i] & ~all));
    }
    std::memcpy(result, value.data(), kVectorBytes);
}

template <typename T>
void spread(const std::byte* holds, const std::byte* mask, std::byte* bits) {
    std::array<T, kVectorBytes / sizeof(T)> value, keep;
    std::memcpy(keep.data(), mask, kVectorBytes);
    for (size_t i = 0; i < value.size(); ++i)
        value[i] = static_cast<T>(keep[i] & static_cast<T>(std::to_integer<T>(holds[i])) & 1);
    std::memcpy(bits, value.data(), kVectorBytes);
}

}  // namespace

void merge_lanes(size_t width, const std::byte* lanes, const std::byte* mask, const std::byte* old,
                 std::byte* result) {
    const auto run = width == 1   ? merge<uint8_t>
                     : width == 2 ? merge<uint16_t>
                     : width == 4 ? merge<uint32_t>
                                  : merge<uint64_t>;
    run(lanes, mask, old, result);
}

void VectorLanes::set_lanes(const std::byte* lanes, size_t width, unsigned i) {
    if (operation_->mask == 0)
        std::memcpy(result_bytes(i), lanes, kVectorBytes);
    else
        merge_lanes(width, lanes, registers_[operation_->mask].bytes.data(),
                    operation_->merges ? source_bytes(3) : nullptr, result_bytes(i));
}

void VectorLanes::set_holding(const std::byte* holds, size_t width, unsigned i) {
    const Bits active = mask();
    const auto run = width == 1   ? spread<uint8_t>
                     : width == 2 ? spread<uint16_t>
                     : width == 4 ? spread<uint32_t>
                                  : spread<uint64_t>;
    run(holds, reinterpret_cast<const std::byte*>(active.data()), result_bytes(i));
}

}  // namespace ptosim
