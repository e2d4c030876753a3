#include "isa/intrinsics/vector_row.h"

namespace ptosim::vector_operations {
namespace {

using semantics::visit_bits;

template <typename T>
T element(const std::byte* from, int i) {
    T value;
    std::memcpy(&value, from + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    return value;
}

// Calls f with an unsigned integer of the bytes of an element that a mode names.
template <typename F>
void visit_mode(VectorMode mode, F&& f) {
    switch (element_bytes(mode)) {
        case 1:
            return f(uint8_t{});
        case 2:
            return f(uint16_t{});
        default:
            return f(uint32_t{});
    }
}

// Loads lanes of type T: lane i is element index(i) of the loaded data.
template <typename T, typename F>
void load_lanes(VectorLanes& v, const std::byte* from, unsigned result, F index) {
    std::array<T, VectorLanes::kLanes<T>> lanes;
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i) lanes[i] = element<T>(from, index(i));
    v.set_result<T>(lanes, result);
}

// Elements of T become lanes of Wide.
template <typename Wide, typename T>
void load_wider(VectorLanes& v, const std::byte* from) {
    std::array<Wide, VectorLanes::kLanes<Wide>> lanes;
    for (int i = 0; i < VectorLanes::kLanes<Wide>; ++i) lanes[i] = element<T>(from, i);
    v.set_result<Wide>(lanes);
}

// The first half of each lane of Wide, one after the other, of lanes that are active.
template <typename Wide, typename T>
void store_narrower(VectorLanes& v, std::byte* to) {
    const auto lanes = v.source<Wide>(0);
    for (int i = 0; i < VectorLanes::kLanes<Wide>; ++i)
        if (v.active(i, sizeof(Wide)))
            semantics::store(to + i * sizeof(T), static_cast<T>(lanes[i]));
}

template <typename T>
void store_active(VectorLanes& v, std::byte* to) {
    const auto lanes = v.source<T>(0);
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
        if (v.active(i, sizeof(T))) semantics::store(to + i * sizeof(T), lanes[i]);
}

}  // namespace

// `scalar`: how many bytes are there to be read in the mode kNorm, if not all are needed.
void VLDS(VectorLanes& v) {
    using enum VectorMode;
    const VectorOperation& op = v.operation();
    const std::byte* const from = v.ub(op.address);
    switch (op.mode) {
        case kBrcB8:
        case kBrcB16:
        case kBrcB32:
            return visit_mode(op.mode, [&](auto type) {
                load_lanes<decltype(type)>(v, from, 0, [](int) { return 0; });
            });
        case kUsB8:
        case kUsB16:
            return visit_mode(op.mode, [&](auto type) {
                load_lanes<decltype(type)>(v, from, 0, [](int i) { return i / 2; });
            });
        case kDsB8:
        case kDsB16:
            return visit_mode(op.mode, [&](auto type) {
                load_lanes<decltype(type)>(v, from, 0, [](int i) { return 2 * i; });
            });
        case kE2bB16:
        case kE2bB32:
            return visit_mode(op.mode, [&](auto type) {
                using T = decltype(type);
                load_lanes<T>(v, from, 0,
                              [](int i) { return i / static_cast<int>(kBlockBytes / sizeof(T)); });
            });
        case kUnpkB8:
            return load_wider<uint16_t, uint8_t>(v, from);
        case kUnpkB16:
            return load_wider<uint32_t, uint16_t>(v, from);
        case kUnpkB32:
            return load_wider<uint64_t, uint32_t>(v, from);
        case kUnpk4B8:
            return load_wider<uint32_t, uint8_t>(v, from);
        case kBrcBlk:
            for (unsigned block = 0; block < kVectorBytes; block += kBlockBytes)
                std::memcpy(v.result_bytes() + block, from, kBlockBytes);
            return;
        default: {
            const size_t there = op.scalar == 0 ? kVectorBytes : op.scalar;
            std::memcpy(v.result_bytes(), from, there);
            std::memset(v.result_bytes() + there, 0, kVectorBytes - there);
        }
    }
}

void VLDSX2(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    const std::byte* const from = v.ub(op.address);
    if (op.mode == VectorMode::kBdintlv) {
        for (unsigned block = 0; block < 2 * kVectorBytes / kBlockBytes; ++block)
            std::memcpy(v.result_bytes(block % 2) + block / 2 * kBlockBytes,
                        from + block * kBlockBytes, kBlockBytes);
        return;
    }
    visit_mode(op.mode, [&](auto type) {
        using T = decltype(type);
        load_lanes<T>(v, from, 0, [](int i) { return 2 * i; });
        load_lanes<T>(v, from, 1, [](int i) { return 2 * i + 1; });
    });
}

void VLDUS(VectorLanes& v) { VLDS(v); }

void VSLDB(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    for (unsigned block = 0; block < kVectorBytes / kBlockBytes; ++block) {
        std::byte* const to = v.result_bytes() + block * kBlockBytes;
        if (v.active(static_cast<int>(block), 4))
            std::memcpy(
                to, v.ub(op.address + (op.repeat_stride + block * op.block_stride) * kBlockBytes),
                kBlockBytes);
        else
            std::memset(to, 0, kBlockBytes);
    }
}

// Indices have the width of the elements; indices of bytes are 16 bits wide, for every second lane.
void VGATHER2(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        visit_bits(op.to, [&](auto index) {
            using Index = decltype(index);
            const auto indices = v.source<Index>(0);
            std::array<T, VectorLanes::kLanes<T>> lanes{};
            constexpr int kStep = sizeof(Index) / sizeof(T) > 1 ? sizeof(Index) / sizeof(T) : 1;
            for (int i = 0; i < VectorLanes::kLanes<Index>; ++i)
                if (i * kStep < VectorLanes::kLanes<T> && v.active(i, sizeof(Index)))
                    if (const std::byte* from =
                            v.ub_at(op.address + uint64_t{indices[i]} * sizeof(T), sizeof(T)))
                        lanes[i * kStep] = element<T>(from, 0);
            std::memcpy(v.result_bytes(), lanes.data(), kVectorBytes);
        });
    });
}

void VGATHERB(VectorLanes& v) {
    const auto offsets = v.source<uint32_t>(0);
    for (unsigned block = 0; block < kVectorBytes / kBlockBytes; ++block) {
        std::byte* const to = v.result_bytes() + block * kBlockBytes;
        const std::byte* const from =
            v.active(static_cast<int>(block), 4)
                ? v.ub_at(uint64_t{v.operation().address} + offsets[block], kBlockBytes)
                : nullptr;
        if (from != nullptr)
            std::memcpy(to, from, kBlockBytes);
        else
            std::memset(to, 0, kBlockBytes);
    }
}

void VSTS(VectorLanes& v) {
    using enum VectorMode;
    const VectorOperation& op = v.operation();
    std::byte* const to = v.ub(op.address);
    switch (op.mode) {
        case k1ptB8:
        case k1ptB16:
        case k1ptB32:
            return visit_mode(op.mode,
                              [&](auto type) { std::memcpy(to, v.source_bytes(0), sizeof(type)); });
        case kPkB16:
            return store_narrower<uint16_t, uint8_t>(v, to);
        case kPkB32:
            return store_narrower<uint32_t, uint16_t>(v, to);
        case kPkB64:
            return store_narrower<uint64_t, uint32_t>(v, to);
        case kPk4B32:
            return store_narrower<uint32_t, uint8_t>(v, to);
        default:
            return visit_mode(op.mode, [&](auto type) { store_active<decltype(type)>(v, to); });
    }
}

void VSTSX2(VectorLanes& v) {
    std::byte* const to = v.ub(v.operation().address);
    visit_mode(v.operation().mode, [&](auto type) {
        using T = decltype(type);
        const auto low = v.source<T>(0), high = v.source<T>(1);
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i) {
            semantics::store(to + 2 * i * sizeof(T), low[i]);
            semantics::store(to + (2 * i + 1) * sizeof(T), high[i]);
        }
    });
}

// Bytes that the device keeps until it has a whole block are in UB at once here.
void VSTUS(VectorLanes& v) {
    std::memcpy(v.ub(v.operation().address), v.source_bytes(0), v.operation().scalar);
}

void VSTUR(VectorLanes& v) {
    if (std::byte* to = v.ub_at(v.operation().address + v.appended, v.squeezed))
        std::memcpy(to, v.source_bytes(0), v.squeezed);
    if (v.operation().mode == VectorMode::kNorm) v.appended += v.squeezed;  // POST_UPDATE
}

void VSSTB(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    for (unsigned block = 0; block < kVectorBytes / kBlockBytes; ++block)
        if (v.active(static_cast<int>(block), 4))
            std::memcpy(
                v.ub(op.address + (op.repeat_stride + block * op.block_stride) * kBlockBytes),
                v.source_bytes(0) + block * kBlockBytes, kBlockBytes);
}

// If two lanes have the same index, the later one is stored.
void VSCATTER(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        visit_bits(op.to, [&](auto index) {
            using Index = decltype(index);
            const auto lanes = v.source<T>(0);
            const auto indices = v.source<Index>(1);
            constexpr int kStep = sizeof(Index) / sizeof(T) > 1 ? sizeof(Index) / sizeof(T) : 1;
            for (int i = 0; i < VectorLanes::kLanes<Index>; ++i)
                if (i * kStep < VectorLanes::kLanes<T> && v.active(i, sizeof(Index)))
                    if (std::byte* to =
                            v.ub_at(op.address + uint64_t{indices[i]} * sizeof(T), sizeof(T)))
                        semantics::store(to, lanes[i * kStep]);
        });
    });
}

void PLDS(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    const std::byte* const from = v.ub(op.address);
    VectorLanes::Bits bits;
    for (unsigned i = 0; i < kVectorBytes; ++i) {
        const unsigned at = op.mode == VectorMode::kPredicateUs   ? i / 2
                            : op.mode == VectorMode::kPredicateDs ? 2 * i
                                                                  : i;
        bits[i] = std::to_integer<uint8_t>(from[at / 8] >> (at % 8)) & 1;
    }
    v.set_predicate(bits);
}

void PSTS(VectorLanes& v) {
    const VectorOperation& op = v.operation();
    const VectorLanes::Bits bits = v.predicate(0);
    const unsigned step = op.mode == VectorMode::kPredicatePk ? 2 : op.mode == VectorMode::kPredicatePk4 ? 4 : 1;
    std::array<uint8_t, kVectorBytes / 8> packed{};
    for (unsigned i = 0; i < kVectorBytes / step; ++i)
        packed[i / 8] = static_cast<uint8_t>(packed[i / 8] | bits[i * step] << (i % 8));
    std::memcpy(v.ub(op.address), packed.data(), kVectorBytes / 8 / step);
}

void SPRCLR(VectorLanes& v) { v.appended = 0; }

void SPRSTS(VectorLanes& v) {
    semantics::store(v.ub(v.operation().address), v.appended);
}

// Operations here have their effects in order.
void MEM_BAR(VectorLanes&) {}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_memory.def"
}
