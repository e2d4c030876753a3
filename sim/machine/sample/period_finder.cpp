#include "sim/machine/sample/period_finder.h"

#include <cstring>

#include "isa/core/instruction_hash.h"

namespace ptosim {
namespace {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;
constexpr uint64_t kLeastLength = 4;  // instructions

// The inverse of an odd number modulo 2^64, by Newton's method.
constexpr uint64_t inverse(uint64_t odd) {
    uint64_t result = odd;
    for (int i = 0; i < 6; ++i) result *= 2 - odd * result;
    return result;
}
constexpr uint64_t kInverseBase = inverse(kBase);
static_assert(kBase * kInverseBase == 1);

uint64_t mix_bytes(uint64_t hash, const void* bytes, size_t size) {
    const auto* at = static_cast<const std::byte*>(bytes);
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        hash = mix_hash(hash, word);
    }
    if (size == 0) return hash;
    uint64_t rest = 0;
    std::memcpy(&rest, at, size);
    return mix_hash(hash, rest);
}

uint64_t mix_view(uint64_t hash, const GlobalView& view) {
    hash = mix_hash(hash, view.address % kViewAlignment << 16 ^
                              static_cast<uint64_t>(view.dtype) << 8 ^
                              static_cast<uint64_t>(view.layout));
    hash = mix_bytes(hash, &view.shape, sizeof view.shape);
    return mix_bytes(hash, &view.stride, sizeof view.stride);
}

}  // namespace

uint64_t signature(const Instruction& instruction) {
    const Attributes& attributes = instruction.attributes;
    uint64_t hash =
        mix_hash(static_cast<uint64_t>(instruction.opcode) << 8 ^ instruction.operand_count,
                 uint64_t{instruction.location.line} << 32 ^ instruction.location.column);
    hash = mix_bytes(hash, &attributes, Attributes::kModeBytes);
    if (attributes.payload_kind == PayloadKind::kConvolution)
        hash = mix_bytes(hash, attributes.payload.bytes.data(), attributes.payload.bytes.size());
    if (attributes.payload_kind ==
        PayloadKind::kIntrinsic)  // its words are registers, some with an address
        for (const uint64_t word : attributes.payload.intrinsic)
            hash = mix_hash(hash, word >= kLeastGlobal ? word % kViewAlignment : word);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile()) hash = mix_bytes(hash, &operand.tile, sizeof operand.tile);
        if (operand.is_scalar()) hash = mix_hash(hash, operand.scalar.bits);
        if (operand.is_global()) hash = mix_view(hash, operand.global);
    }
    return hash;
}

PeriodFinder::Place* PeriodFinder::place(SourceLocation where) {
    const uint64_t key =
        (uint64_t{where.file} << 48 ^ uint64_t{where.line} << 16 ^ where.column) + 1;
    size_t at = mix_hash(0, key) % kPlaces;
    for (size_t tries = 0; tries < 8; ++tries, at = (at + 1) % kPlaces) {
        if (places_[at].where == 0) places_[at].where = key;
        if (places_[at].where == key) return &places_[at];
    }
    return nullptr;
}

void PeriodFinder::note_pass(Place& place) {
    if (place.passes > 0) {
        const uint64_t n = place.passes - 1;
        const uint64_t segment = hash_ - place.hash * (power_ * place.unpower);
        for (size_t t = 0; t < kTurns.size(); ++t) {
            const bool same = n >= kTurns[t] && place.segment[(n - kTurns[t]) % kPasses] == segment;
            place.same[t] = same ? place.same[t] + 1 : 0;
        }
        place.segment[n % kPasses] = segment;
    }
    place.at[place.passes++ % kPasses] = added_;
    place.hash = hash_;
    place.unpower = unpower_;
}

// Returns true if the place has a longer period than the current one, which it replaces. Two rounds
// must have been equal.
bool PeriodFinder::choose(const Place& place) {
    for (size_t t = 0; t < kTurns.size(); ++t) {
        const uint64_t turns = kTurns[t];
        if (place.same[t] < turns) continue;
        const uint64_t length = added_ - place.at[(place.passes - 1 - turns) % kPasses];
        if (length < kLeastLength || length > kRecent || length * 2 <= length_ * 3) return false;
        chosen_ = &place;
        turn_ = t;
        begun_ = place.passes;
        length_ = length;
        ++number_;
        return true;
    }
    return false;
}

bool PeriodFinder::add(uint64_t signature, SourceLocation where) {
    bool begins = false;
    if (Place* const here = place(where)) {
        note_pass(*here);
        if (here == chosen_ && here->same[turn_] == 0) {
            chosen_ = nullptr;
            length_ = 0;
        }
        if (here == chosen_ && here->passes - begun_ == kTurns[turn_]) {
            begun_ = here->passes;
            begins = true;
        }
        begins = choose(*here) || begins;
    }
    hash_ = hash_ * kBase + signature;
    power_ *= kBase;
    unpower_ *= kInverseBase;
    recent_[added_++ % kRecent] = static_cast<uint32_t>(signature);
    return begins;
}

}  // namespace ptosim
