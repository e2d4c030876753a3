#include "isa/intrinsics/vector_row.h"

namespace ptosim::vector_operations {
namespace {

using Bits = VectorLanes::Bits;

// True if a pattern has lane i of n.
bool in_pattern(VectorMode pattern, int i, int n) {
    using enum VectorMode;
    switch (pattern) {
        case kPatAllf:
            return false;
        case kPatH:
            return i < n / 2;
        case kPatQ:
            return i < n / 4;
        case kPatVl1:
            return i < 1;
        case kPatVl2:
            return i < 2;
        case kPatVl3:
            return i < 3;
        case kPatVl4:
            return i < 4;
        case kPatVl8:
            return i < 8;
        case kPatVl16:
            return i < 16;
        case kPatVl32:
            return i < 32;
        case kPatVl64:
            return i < 64;
        case kPatVl128:
            return i < 128;
        case kPatM3:
            return i % 3 == 0;
        case kPatM4:
            return i % 4 == 0;
        default:
            return true;
    }
}

// f of the bits of two predicates where the mask has a bit, otherwise 0.
template <typename F>
void combine(VectorLanes& v, F f) {
    const Bits a = v.predicate(0), b = v.predicate(1), mask = v.mask();
    Bits out;
    for (unsigned i = 0; i < kVectorBytes; ++i)
        out[i] = static_cast<uint8_t>(f(a[i], b[i]) & mask[i] & 1);
    v.set_predicate(out);
}

unsigned width_of(const VectorLanes& v) {
    return static_cast<unsigned>(bytes(v.operation().type, 1));
}

}  // namespace

void PSET(VectorLanes& v) {
    const int width = static_cast<int>(width_of(v));
    const int lanes = static_cast<int>(kVectorBytes) / width;
    Bits bits{};
    for (int i = 0; i < lanes; ++i) bits[i * width] = in_pattern(v.operation().mode, i, lanes);
    v.set_predicate(bits);
}

void PLT(VectorLanes& v) {
    const unsigned width = width_of(v);
    Bits bits{};
    for (uint64_t i = 0; i < kVectorBytes / width && i < v.operation().scalar; ++i)
        bits[i * width] = 1;
    v.set_predicate(bits);
}

void PAND(VectorLanes& v) {
    combine(v, [](uint8_t a, uint8_t b) { return a & b; });
}
void POR(VectorLanes& v) {
    combine(v, [](uint8_t a, uint8_t b) { return a | b; });
}
void PXOR(VectorLanes& v) {
    combine(v, [](uint8_t a, uint8_t b) { return a ^ b; });
}
void PNOT(VectorLanes& v) {
    const Bits a = v.predicate(0), mask = v.mask();
    Bits out;
    for (unsigned i = 0; i < kVectorBytes; ++i) out[i] = static_cast<uint8_t>(~a[i] & mask[i] & 1);
    v.set_predicate(out);
}
void PSEL(VectorLanes& v) {
    const Bits a = v.predicate(0), b = v.predicate(1), chosen = v.predicate(2);
    Bits out;
    for (unsigned i = 0; i < kVectorBytes; ++i) out[i] = chosen[i] != 0 ? a[i] : b[i];
    v.set_predicate(out);
}
void PMOV(VectorLanes& v) {
    const Bits a = v.predicate(0), mask = v.mask();
    Bits out;
    for (unsigned i = 0; i < kVectorBytes; ++i) out[i] = a[i] & mask[i];
    v.set_predicate(out);
}

// Lanes are as wide as the operation's type.
void PINTLV(VectorLanes& v) {
    const unsigned width = width_of(v), lanes = kVectorBytes / width;
    const Bits a = v.predicate(0), b = v.predicate(1);
    std::array<Bits, 2> out{};
    for (unsigned i = 0; i < 2 * lanes; ++i)
        for (unsigned bit = 0; bit < width; ++bit)
            out[i / lanes][i % lanes * width + bit] = (i % 2 == 0 ? a : b)[i / 2 * width + bit];
    v.set_predicate(out[0], 0);
    v.set_predicate(out[1], 1);
}
void PDINTLV(VectorLanes& v) {
    const unsigned width = width_of(v), lanes = kVectorBytes / width;
    const std::array<Bits, 2> in{v.predicate(0), v.predicate(1)};
    std::array<Bits, 2> out{};
    for (unsigned i = 0; i < 2 * lanes; ++i)
        for (unsigned bit = 0; bit < width; ++bit)
            out[i % 2][i / 2 * width + bit] = in[i / lanes][i % lanes * width + bit];
    v.set_predicate(out[0], 0);
    v.set_predicate(out[1], 1);
}

void PPACK(VectorLanes& v) {
    const Bits a = v.predicate(0);
    const unsigned first = v.operation().mode == VectorMode::kHigher ? kVectorBytes / 2 : 0;
    Bits out{};
    for (unsigned i = 0; i < kVectorBytes / 2; ++i) out[first + i] = a[2 * i];
    v.set_predicate(out);
}
void PUNPACK(VectorLanes& v) {
    const Bits a = v.predicate(0);
    const unsigned first = v.operation().mode == VectorMode::kHigher ? kVectorBytes / 2 : 0;
    Bits out{};
    for (unsigned i = 0; i < kVectorBytes / 2; ++i) out[2 * i] = a[first + i];
    v.set_predicate(out);
}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_predicates.def"
}
