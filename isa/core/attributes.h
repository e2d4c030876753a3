// Attributes: the modes of an instruction, generated from include/ptosim/attributes.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/core/convolution.h"
#include "isa/core/pipe.h"
#include "isa/numeric/rounding.h"

namespace ptosim {

// Enumerations with the values of the C++ API (hw-native-sys/pto-isa
// include/pto/common/type.hpp).
enum class CompareMode : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
enum class ReluMode : uint8_t { kNone, kNormal };
enum class AtomicMode : uint8_t { kNone, kAdd, kMax, kMin };
enum class UnitFlagPhase : uint8_t { kUnspecified = 0, kPartial = 2, kFinal = 3 };
enum class AccToVec : uint8_t { kSingle0, kSingle1, kDualSplitM, kDualSplitN };
// Cores that take part in a barrier of all cores (SyncCoreType in the C++ API).
enum class SyncCores : uint8_t { kAIV, kAIC, kMix };
// Decides whether a conversion saturates: the library by its default for the pair of types, the kernel, or the
// assembler for a text without a mode.
enum class SaturationFrom : uint8_t { kLibrary, kKernel, kAssembler };
enum class QuantType : uint8_t { kMxFp8, kMxFp4E2M1, kInt8Sym, kInt8Asym };
// Rounding of a product's f32 factors before it multiplies: not at all, to 10 fraction bits (tf32, a5) or 11 (hf32,
// a2a3), ties away from zero or to even.
enum class FactorRounding : uint8_t { kNone, kTf32Away, kTf32Even, kHf32Away, kHf32Even };
// Effect of an index outside the target of an indexed access: GatherOOB and ScatterOOB.
enum class OutOfBounds : uint8_t { kUndefined, kClamp, kWrap, kZero, kSkip };

// Place of a vector instruction of an a5 in a vector function: alone, the first of several, or a further one.
enum class InFunction : uint8_t { kAlone, kFirst, kFurther };

// Meaning of a cross-core flag between the two ends of a FIFO: a tile is in a slot, or slots are free.
enum class FifoSignal : uint8_t { kNone, kTile, kSlot };

// A set of attributes, as rows of the instruction table name them: kAttrRound | kAttrSaturation.
class AttributeSet {
 public:
    constexpr AttributeSet() = default;
    constexpr explicit AttributeSet(unsigned index) : bits_{uint64_t{1} << index} {}
    constexpr AttributeSet operator|(AttributeSet other) const { return from(bits_ | other.bits_); }
    constexpr AttributeSet operator-(AttributeSet other) const { return from(bits_ & ~other.bits_); }
    constexpr bool has(AttributeSet other) const { return (bits_ & other.bits_) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    friend constexpr bool operator==(AttributeSet, AttributeSet) = default;

 private:
    static constexpr AttributeSet from(uint64_t bits) {
        AttributeSet set;
        set.bits_ = bits;
        return set;
    }
    uint64_t bits_ = 0;
};

namespace attribute_index {
enum : unsigned {
#define ATTRIBUTE_SET(NAME) k##NAME,
#include "include/ptosim/attributes.def"
    kCount
};
}  // namespace attribute_index
static_assert(attribute_index::kCount <= 64, "AttributeSet needs a second word");
inline constexpr AttributeSet kNoAttributes;
#define ATTRIBUTE_SET(NAME) inline constexpr AttributeSet kAttr##NAME{attribute_index::k##NAME};
#include "include/ptosim/attributes.def"

// Attributes of convolutions: TLOAD, TTRANS (shapes), TIMG2COL and the setting of its registers.
struct Convolution {
    ConvShape src, dst;
    Image image;
};

// Attributes that one class of instructions has. The opcode decides the class.
union Payload {
    std::array<std::byte, 120> bytes;
    Convolution convolution;
    std::array<uint64_t, 15> intrinsic;  // an IntrinsicCall (isa/intrinsics/intrinsic.h)
    constexpr Payload() : bytes{} {}
};
enum class PayloadKind : uint8_t { kNone, kConvolution, kIntrinsic };
static_assert(std::has_unique_object_representations_v<Convolution>);

// Modes of an instruction. A field has a meaning only if the instruction's row lists it. Equal attributes have equal
// bytes up to `payload`, and after it if there is a payload: the machine compares them for every instruction that it
// issues.
struct Attributes {
#define ATTRIBUTE(TYPE, MEMBER, DEFAULT, KEY, NUMBER, TEXT) TYPE MEMBER = DEFAULT;
#define HIDDEN_ATTRIBUTE(TYPE, MEMBER, DEFAULT, TEXT) TYPE MEMBER = DEFAULT;
#include "include/ptosim/attributes.def"
    PayloadKind payload_kind = PayloadKind::kNone;

    static constexpr size_t kModeBytes = 64;  // a cache line
    static constexpr size_t kUsedBytes = sizeof(PayloadKind)
#define ATTRIBUTE(TYPE, MEMBER, DEFAULT, KEY, NUMBER, TEXT) +sizeof(TYPE)
#define HIDDEN_ATTRIBUTE(TYPE, MEMBER, DEFAULT, TEXT) +sizeof(TYPE)
#include "include/ptosim/attributes.def"
        ;
    std::array<uint8_t, kModeBytes - kUsedBytes> padding{};  // always zero
    Payload payload;

    const Convolution& convolution() const {
        static constexpr Convolution kDefault;
        return payload_kind == PayloadKind::kConvolution ? payload.convolution : kDefault;
    }
    // The payload to write to; if it is not a Convolution yet, it becomes one with default values.
    Convolution& use_convolution() {
        if (payload_kind != PayloadKind::kConvolution) {
            payload_kind = PayloadKind::kConvolution;
            payload.convolution = {};
        }
        return payload.convolution;
    }

    // Copies the payload only if there is one: flags, the majority of issued instructions, have none.
    void assign(const Attributes& other) {
        const bool whole = other.payload_kind != PayloadKind::kNone;
        std::memcpy(static_cast<void*>(this), &other, whole ? sizeof other : kModeBytes);
    }
};
static_assert(std::is_standard_layout_v<Attributes>);
static_assert(std::is_trivially_copyable_v<Attributes>);
static_assert(offsetof(Attributes, payload) == Attributes::kModeBytes, "a field is not aligned: move it");

}  // namespace ptosim
