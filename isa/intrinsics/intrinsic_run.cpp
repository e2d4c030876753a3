#include "isa/intrinsics/intrinsic_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/semantics/convert_lanes.h"

namespace ptosim {
namespace {

// Copies one element of four bits.
void store_nibble(std::byte* to, const std::byte* from, unsigned lane) {
    const unsigned shift = lane % 2 * 4;
    const std::byte mask = std::byte{0x0F} << shift;
    to[lane / 2] = (to[lane / 2] & ~mask) | (from[lane / 2] & mask);
}

// The low 64 bits of a whole number; of infinities and NaN as profile rule conversion-low-bits.
uint64_t low_bits(float whole) {
    if (is_nan(whole)) return 0;
    const uint32_t bits_of = std::bit_cast<uint32_t>(whole);
    const bool negative = bits_of >> 31 != 0;
    const int exponent = static_cast<int>(bits_of >> 23 & 0xFF) - 150;
    if (exponent == 0xFF - 150) return negative ? 0 : ~uint64_t{0};
    const uint64_t mantissa = (bits_of & 0x7FFFFF) | 0x800000;
    uint64_t magnitude = 0;
    if (exponent >= 0)
        magnitude = exponent < 64 ? mantissa << exponent : 0;
    else
        magnitude = exponent > -24 ? mantissa >> -exponent : 0;
    return negative ? ~magnitude + 1 : magnitude;
}

// A whole number as the low bits of an integer type.
void store_low_bits(std::byte* to, DType type, unsigned lane, uint64_t value) {
    const auto low = static_cast<std::byte>(value & 0x0F);
    if (type == DType::kI4)
        to[lane / 2] = lane % 2 == 0 ? low : to[lane / 2] | low << 4;
    else
        std::memcpy(to + lane * bytes(type, 1), &value, bytes(type, 1));
}

}  // namespace

IntrinsicRun::IntrinsicRun(const IntrinsicCall& its_call, IntrinsicState& its_state, std::byte* ub,
                           uint64_t ub_bytes, Numerics numerics)
    : call{its_call},
      row{info(its_call.opcode)},
      state{its_state},
      ub_{ub},
      ub_bytes_{ub_bytes},
      vector_{registers_.data(), ub, ub_bytes, numerics},
      lanes_{lanes_of(its_call)} {
    for (unsigned operand = 0; operand < layouts_.size(); ++operand) {
        const unsigned at = address_argument(row, operand);
        if (at == IntrinsicCall::kMaxArguments) continue;
        layouts_[operand] = layout_of(its_call, at);
        is_read_[operand] = row.form.argument(at).is_read();
    }
}

void IntrinsicRun::load(unsigned operand, uint32_t number) {
    const IntrinsicLayout& from = layout(operand);
    std::byte* to = register_bytes(number);
    const uint64_t begin = from.begin + uint64_t{repeat} * from.repeat_stride;
    const uint64_t size = from.block_bytes();
    for (uint64_t block = 0; block * size < from.bytes(); ++block, to += size) {
        const uint64_t address = begin + block * from.block_stride;
        // Lanes that are not active may be beyond UB.
        const uint64_t there =
            address >= ub_bytes_ ? 0 : std::min<uint64_t>(size, ub_bytes_ - address);
        std::memcpy(to, ub_ + address, there);
        std::memset(to + there, 0, size - there);
    }
}

void IntrinsicRun::load_as(unsigned operand, DType type, uint32_t number) {
    load(operand, number);
    if (this->type(operand) != type)
        convert(number, this->type(operand), type, RoundMode::kRint, Saturation::kOff);
}

void IntrinsicRun::load_all(DType type) {
    for (unsigned operand = 0; operand < is_read_.size(); ++operand)
        if (is_read_[operand]) load_as(operand, type, operand);
}

void IntrinsicRun::store(uint32_t number, unsigned operand) {
    const IntrinsicLayout& to = layout(operand);
    const std::byte* from = register_bytes(number);
    const uint64_t begin = to.begin + uint64_t{repeat} * to.repeat_stride;
    const uint64_t width = to.width_bits / 8;
    if (to.lanes_each == 1 && mask == first_lanes(lanes_)) {
        for (uint64_t at = 0, block = begin; at < to.bytes();
             at += to.block_bytes(), block += to.block_stride)
            std::memcpy(ub_ + block, from + at, to.block_bytes());
        return;
    }
    for (unsigned lane = 0; lane < to.lanes; ++lane) {
        if (!is_active(to, mask, lane)) continue;
        const unsigned in_block = lane % to.block_lanes;
        std::byte* block = ub_ + begin + lane / to.block_lanes * to.block_stride;
        const std::byte* source = from + (lane - in_block) / to.block_lanes * to.block_bytes();
        if (width == 0)
            store_nibble(block, source, in_block);
        else
            std::memcpy(block + in_block * width, source + in_block * width, width);
    }
}

void IntrinsicRun::set_predicate(DType type) {
    std::byte* bits_of = register_bytes(kMask);
    const size_t width = bytes(type, 1);
    std::memset(bits_of, 0, kVectorBytes);
    for (unsigned lane = 0; lane < lanes_; ++lane)
        if (is_active(mask, lane)) std::memset(bits_of + lane * width, 1, width);
}

void IntrinsicRun::apply(const Operation& operation) {
    VectorOperation op;
    op.opcode = operation.opcode;
    op.type = op.to = operation.type;
    op.mode = operation.mode;
    op.results = {operation.result, operation.result};
    op.sources = {operation.sources[0], operation.sources[1], operation.sources[2], 0};
    op.scalar = operation.scalar;
    op.mask = operation.masked ? kMask : 0;
    vector_.compute(op);
}

void IntrinsicRun::calculate(const Operation& operation) {
    apply(operation);
    saturate(operation.result, operation.type);
}

void IntrinsicRun::saturate(uint32_t number, DType type) {
    if ((call.registers.ctrl >> kCtrlFloatsOverflow & 1) != 0) return;
    if (type != DType::kF16 && type != DType::kBF16) return;
    semantics::visit_float(type, [&](auto kind) {
        using T = decltype(kind);
        std::byte* lane = register_bytes(number);
        for (unsigned i = 0; i < kVectorBytes / sizeof(T); ++i, lane += sizeof(T)) {
            const float value = to_float(semantics::load<T>(lane));
            if (std::abs(value) <= std::numeric_limits<float>::max()) continue;
            // The bits of infinity minus one encode the largest number.
            const auto infinity = semantics::load<uint16_t>(lane);
            semantics::store(lane, static_cast<uint16_t>(is_nan(value) ? 0 : infinity - 1));
        }
    });
}

void IntrinsicRun::convert(uint32_t number, DType from, DType to, RoundMode round) {
    const bool wraps = (call.registers.ctrl >> kCtrlIntegersWrap & 1) != 0;
    const bool overflows = (call.registers.ctrl >> kCtrlFloatsOverflow & 1) != 0;
    if (!is_integer(to)) {
        convert(number, from, to, round, overflows ? Saturation::kOff : Saturation::kOn);
        return saturate(number, to);
    }
    if (!wraps || is_integer(from))
        return convert(number, from, to, round, wraps ? Saturation::kOff : Saturation::kOn);
    alignas(64) std::array<std::byte, kVectorBytes> low{};
    semantics::visit_float(from, [&](auto kind) {
        using T = decltype(kind);
        for (unsigned i = 0; i < lanes_; ++i) {
            const float lane = to_float(semantics::load<T>(register_bytes(number) + i * sizeof(T)));
            store_low_bits(low.data(), to, i, low_bits(round_to_integral(lane, round)));
        }
    });
    std::memcpy(register_bytes(number), low.data(), kVectorBytes);
}

void IntrinsicRun::convert(uint32_t number, DType from, DType to, RoundMode round,
                           Saturation saturation) {
    alignas(64) std::array<std::byte, kVectorBytes> converted{};
    semantics::convert_lanes(numerics(), to, converted.data(), from, register_bytes(number), lanes_,
                             round, saturation);
    std::memcpy(register_bytes(number), converted.data(), kVectorBytes);
}

}  // namespace ptosim
