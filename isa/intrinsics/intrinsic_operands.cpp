#include "isa/intrinsics/intrinsic_operands.h"

#include <algorithm>
#include <cstring>

#include "isa/semantics/arithmetic.h"

namespace ptosim::intrinsics {

bool refuse_argument(const IntrinsicCall& call, unsigned argument, std::string_view code,
                     const std::string& what, std::string hint, Problem& problem) {
    problem = {.code = std::string(code),
               .message = std::string(info(call.opcode).name) + ": argument " +
                          std::to_string(argument) + " is " + what,
               .hint = std::move(hint),
               .operand = static_cast<int>(argument)};
    return false;
}

bool check_ranges(const IntrinsicCall& call, std::span<const ArgumentRange> ranges, Problem& problem) {
    for (const ArgumentRange& range : ranges) {
        const uint64_t value = call.arguments[range.argument];
        if (value >= range.least && value <= range.most) continue;
        return refuse_argument(call, range.argument, "S01", std::to_string(value),
                               "it must be from " + std::to_string(range.least) + " to " +
                                   std::to_string(range.most),
                               problem);
    }
    return true;
}

bool check_address(const IntrinsicCall& call, unsigned argument, uint64_t multiple, Problem& problem) {
    const uint64_t address = call.arguments[argument];
    if (address % multiple == 0) return true;
    return refuse_argument(call, argument, "A04", "the address " + std::to_string(address),
                           "it must be a multiple of " + std::to_string(multiple), problem);
}

Tile byte_rows(Space space, uint64_t address, uint64_t count, uint64_t length, uint64_t pitch) {
    Tile tile;
    tile.space = space;
    tile.dtype = DType::kU8;
    tile.address = static_cast<uint32_t>(address);
    if (count > 1 && pitch == length) {
        length *= count;
        count = 1;
    }
    tile.rows = tile.valid_rows = static_cast<int32_t>(count);
    tile.cols = tile.valid_cols = static_cast<int32_t>(length);
    tile.pitch = static_cast<int32_t>(std::max(pitch, length));
    return tile;
}

GlobalView global_rows(uint64_t address, uint64_t count, uint64_t length, uint64_t pitch, DType type) {
    GlobalView view;
    view.address = address;
    view.dtype = type;
    view.shape = {1, 1, 1, static_cast<int32_t>(count), static_cast<int32_t>(length)};
    const auto step = static_cast<int64_t>(pitch);
    const int64_t all = step * static_cast<int64_t>(count);
    view.stride = {all, all, all, step, 1};
    return view;
}

Tile block_columns(uint64_t address, uint64_t element_bytes, uint64_t rows, uint64_t lines, uint64_t pitch) {
    const DType type = element_bytes == 1 ? DType::kU8 : element_bytes == 2 ? DType::kU16 : DType::kU32;
    Tile tile = make_tile(Space::kL1, type, static_cast<int32_t>(std::max(rows, pitch)),
                          static_cast<int32_t>(lines * kC0Bytes / element_bytes), OuterLayout::kColMajor,
                          InnerLayout::kRowMajor);
    tile.address = static_cast<uint32_t>(address);
    tile.valid_rows = static_cast<int32_t>(rows);
    tile.pitch = static_cast<int32_t>(pitch);
    return tile;
}

void repeat_view(GlobalView& view, uint64_t count, uint64_t step) {
    view.shape[2] = static_cast<int32_t>(count);
    view.stride[2] = static_cast<int64_t>(step);
    view.stride[0] = view.stride[1] = view.stride[2] * view.shape[2];
}

AtomicMode atomic_mode(uint64_t bits) { return static_cast<AtomicMode>(bits & 0xFF); }

DType atomic_type(uint64_t bits) {
    const uint64_t type = bits >> 8 & 0xFF;
    return type == 0 ? DType::kF32 : static_cast<DType>(type - 1);
}

namespace {

template <typename T>
void combine_run(AtomicMode mode, std::byte* to, const std::byte* from, uint64_t length) {
    for (uint64_t i = 0; i + sizeof(T) <= length; i += sizeof(T))
        semantics::store(to + i, semantics::combine(mode, semantics::load<T>(to + i),
                                                    semantics::load<T>(from + i)));
}

}  // namespace

void combine_bytes(AtomicMode mode, DType type, std::byte* to, const std::byte* from, uint64_t length) {
    if (mode == AtomicMode::kNone) {
        std::memcpy(to, from, length);
        return;
    }
    switch (type) {
        case DType::kF32:
            return combine_run<float>(mode, to, from, length);
        case DType::kF16:
            return combine_run<Half>(mode, to, from, length);
        case DType::kBF16:
            return combine_run<BFloat16>(mode, to, from, length);
        case DType::kI32:
            return combine_run<int32_t>(mode, to, from, length);
        case DType::kI16:
            return combine_run<int16_t>(mode, to, from, length);
        default:
            return combine_run<int8_t>(mode, to, from, length);
    }
}

}  // namespace ptosim::intrinsics
