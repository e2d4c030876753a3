// Vector functions of an a5: `__VEC_SCOPE__ { ... }` and what works on vector registers within.
//
// The block's control flow runs where it stands, and each operation is noted with the registers that it
// reads and makes; at the end of the block they are one instruction of pipe V. A register or predicate
// is the number of the value that it has: an operation gives its destination a new one. Names and
// operands are those of the device's compiler (PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md;
// calls in hw-native-sys/pto-isa include/pto/npu/a5).
#pragma once

#include "cce/arch.hpp"

#ifdef PTO_NPU_ARCH_A5

#include "cce/element_types.hpp"

#define PTO_DETAIL_REGISTERS(X)                                                                \
    X(f32, float) X(f16, half) X(bf16, bfloat16_t) X(s8, int8_t) X(u8, uint8_t) X(s16, int16_t) \
    X(u16, uint16_t) X(s32, int32_t) X(u32, uint32_t) X(s64, int64_t) X(u64, uint64_t)         \
    X(f8e4m3, float8_e4m3_t) X(f8e5m2, float8_e5m2_t) X(f8e8m0, float8_e8m0_t)                 \
    X(hif8, hifloat8_t) X(f4e2m1x2, float4_e2m1x2_t) X(f4e1m2x2, float4_e1m2x2_t)

namespace pto::ptosim_detail {

// ---- values -----------------------------------------------------------------------------------

// The number of a value, in an object of the size that a register has: kernels ask for it.
template <unsigned Bytes_>
struct __attribute__((may_alias)) VectorValue {
    uint32_t value = 0;
    unsigned char rest[Bytes_ - sizeof(uint32_t)];

    VectorValue() {}
    VectorValue(const VectorValue& other) : value{other.value} {}
    VectorValue& operator=(const VectorValue& other) {
        value = other.value;
        return *this;
    }
};
// Registers of all types are the same: kernels cast a register's reference to another type's.
template <class T_>
struct __attribute__((may_alias)) VectorRegister : VectorValue<256> {
    VectorRegister() = default;
    // Returns the same bits as another type.
    template <class Other_>
    explicit VectorRegister(const VectorRegister<Other_>& other) : VectorValue<256>{other} {}
};
struct __attribute__((may_alias)) VectorPredicate : VectorValue<32> {};
struct VectorAlign {};  // bytes of a block that are still to be stored: in UB at once here
struct VectorAddress {
    uint64_t offset = 0;  // in bytes
};

// ---- ways of operations: ptosim/vector_modes.def -------------------------------------------------

enum VectorModeNumber : uint8_t {
#define PTO_VECTOR_MODE(Name_, Number_) kMode##Name_ = Number_,
#include "ptosim/vector_modes.def"
};
enum class VectorDistribution : uint8_t {};
enum class VectorStore : uint32_t {  // distributions of stores by the numbers of the device's compiler
#define PTO_VECTOR_STORE(Name_, Number_, Cpp_) Cpp_ = Number_,
#include "ptosim/vector_modes.def"
};
// Dist of the device's compiler: its number means one thing for registers, another for predicates.
enum class VectorLoad : int { DIST_NORM, DIST_US, DIST_DS };
enum class VectorSpecial : uint32_t { AR = 74 };
enum class VectorPattern : uint8_t {};
enum class VectorPart : uint8_t {};
enum class VectorHalf : uint8_t {};
enum class VectorOrder : uint8_t {};
enum class VectorBarrier : uint8_t {};
enum class VectorMasking : uint8_t { kZeroing, kMerging, kUnknown };
enum class VectorRounding : uint8_t {  // PTOSIM_ATTR_ROUND
    CAST_RINT = 1,
    CAST_ROUND = 2,
    CAST_FLOOR = 3,
    CAST_CEIL = 4,
    CAST_TRUNC = 5,
    CAST_ODD = 6,
    CAST_HYBRID = 7,
#if defined(__NPU_DEVICE__) || defined(__NPU_HOST__)
    R = CAST_RINT,  // ROUND of the device's compiler, which headers of Ascend C name
    A = CAST_ROUND,
    F = CAST_FLOOR,
    C = CAST_CEIL,
    Z = CAST_TRUNC,
    O = CAST_ODD,
    H = CAST_HYBRID
#endif
};
enum class VectorSaturation : uint8_t { kOn, kOff };
enum class VectorStored : uint8_t { kStored, kNotStored };
// A name of one of these ways: each has a separate type, by which libraries select overloads.
template <class Way_, uint8_t Number_>
struct VectorTag {
    constexpr operator Way_() const { return static_cast<Way_>(Number_); }  // NOLINT: implicit
};
struct VectorPostUpdate {};
struct VectorNoPostUpdate {};
template <class Post_>
inline constexpr bool is_post_update = std::is_same_v<Post_, VectorPostUpdate>;
enum VectorComparison : uint8_t {
    kEqual = kModeEq,
    kUnequal = kModeNe,
    kLess = kModeLt,
    kAtMost = kModeLe,
    kGreater = kModeGt,
    kAtLeast = kModeGe
};

}  // namespace pto::ptosim_detail

#include "cce/vector_codes.hpp"

namespace pto::ptosim_detail {

// ---- operands -------------------------------------------------------------------------------------

// The register of an operand: itself, or the result of converting a library's register class.
template <class T_>
const VectorRegister<T_>& in_register(const VectorRegister<T_>& operand) {
    return operand;
}
#define PTO_DETAIL_REGISTER(Name_, Cpp_) \
    inline VectorRegister<Cpp_>& in_register(VectorRegister<Cpp_>& operand) { return operand; }
PTO_DETAIL_REGISTERS(PTO_DETAIL_REGISTER)
#undef PTO_DETAIL_REGISTER
template <class Register_>
struct RegisterElement;
template <class T_>
struct RegisterElement<VectorRegister<T_>> {
    using type = T_;
};
template <class Operand_>
using VectorElement = typename RegisterElement<
    std::decay_t<decltype(in_register(std::declval<std::remove_reference_t<Operand_>&>()))>>::type;
// A template that is there if two operands have one element type.
template <class A_, class B_>
using SameElement = std::enable_if_t<std::is_same_v<VectorElement<A_>, VectorElement<B_>>>;

template <class Operand_, class = void>
inline constexpr bool is_register = false;
template <class Operand_>
inline constexpr bool is_register<Operand_, std::void_t<VectorElement<Operand_>>> = true;

// A scalar as an element: formats that do not convert into each other go by f32.
template <class T_, class Scalar_>
T_ as_element(Scalar_ value) {
    if constexpr (std::is_integral_v<T_> || std::is_enum_v<T_>)
        return static_cast<T_>(value);
    else
        return static_cast<T_>(static_cast<float>(value));
}

// ---- the function that is being noted -----------------------------------------------------------

class VectorScope;
static VectorScope* vector_scope = nullptr;

class VectorScope {
 public:
    explicit VectorScope(ptosim_location where) : where_{where} { vector_scope = this; }
    VectorScope(const VectorScope&) = delete;
    VectorScope& operator=(const VectorScope&) = delete;
    ~VectorScope() {
        vector_scope = nullptr;
        __builtin_free(operations_);
    }

    bool open() const { return open_; }
    // The end of the block.
    void close() {
        open_ = false;
        vector_scope = nullptr;
        ptosim_scalar_instructions = scalar_;
        if (count_ != 0) ptosim_vector_function(operations_, count_, where_);
    }
    ptosim_vector_operation& add(uint32_t opcode) {
        if (count_ == kMostOperations)
            ptosim_trap("a vector function executes over four million operations: one of its loops does not end, as if a counter "
                        "of 16 bits is compared with a larger bound", where_);
        if (count_ == room_) {
            room_ = room_ == 0 ? 64 : 2 * room_;
            operations_ = static_cast<ptosim_vector_operation*>(
                __builtin_realloc(operations_, room_ * sizeof(ptosim_vector_operation)));
        }
        ptosim_vector_operation& operation = operations_[count_++];
        operation = {};
        operation.opcode = opcode;
        return operation;
    }
    uint32_t next() { return ++values_; }

 private:
    static constexpr uint64_t kMostOperations = 4'000'000;

    ptosim_location where_;
    ptosim_vector_operation* operations_ = nullptr;
    uint64_t count_ = 0, room_ = 0;
    uint32_t values_ = 0;
    // Its loops and addresses are part of the vector function, not of the scalar unit's code.
    uint64_t scalar_ = ptosim_scalar_instructions;
    bool open_ = true;
};

// The block of a function that is a vector function as a whole (__simd_vf__); one that another calls is part of it.
class VectorFunction {
 public:
    explicit VectorFunction(ptosim_location where)
        : own_{vector_scope == nullptr ? new VectorScope(where) : nullptr} {}
    VectorFunction(const VectorFunction&) = delete;
    VectorFunction& operator=(const VectorFunction&) = delete;
    ~VectorFunction() {
        if (own_ == nullptr) return;
        own_->close();
        delete own_;
    }

 private:
    VectorScope* own_;
};

// An operation as it is put together.
class VectorNote {
 public:
    VectorNote(Opcode opcode, uint8_t type, ptosim_location where) {
        if (vector_scope == nullptr)
            ptosim_trap("a vector register is used outside of __VEC_SCOPE__", where);
        operation_ = &vector_scope->add(opcode.code);
        operation_->dtype = operation_->to = type;
        operation_->line = where.line;
        operation_->saturation = 1;
    }
    // Sources before results: a destination may be a source.
    template <class Value_>
    VectorNote& from(Value_& source) {
        operation_->sources[sources_++] = in_register(source).value;
        return *this;
    }
    VectorNote& from(const VectorPredicate& source) {
        operation_->sources[sources_++] = source.value;
        return *this;
    }
    VectorNote& from(VectorPredicate& source) {
        return from(static_cast<const VectorPredicate&>(source));
    }
    VectorNote& masked(const VectorPredicate& mask) {
        operation_->mask = mask.value;
        return *this;
    }
    VectorNote& mode(uint8_t mode) {
        operation_->mode = mode;
        return *this;
    }
    template <class T_>
    VectorNote& at(T_* pointer, int64_t offset = 0) {
        return at_byte(pointer, offset * static_cast<int64_t>(sizeof(T_)));
    }
    template <class T_>
    VectorNote& at_byte(T_* pointer, int64_t offset) {
        operation_->address = static_cast<uint32_t>((uintptr_t)pointer + offset);
        return *this;
    }
    VectorNote& bits(uint64_t bits) {
        operation_->scalar = bits;
        return *this;
    }
    template <class T_, class Scalar_>
    VectorNote& scalar(Scalar_ value) {
        return bits(to_bits(as_element<T_>(value)));
    }
    template <class Value_>
    VectorNote& to(Value_& result) {
        return put(in_register(result).value);
    }
    VectorNote& to(VectorPredicate& result) { return put(result.value); }
    ptosim_vector_operation& operator*() { return *operation_; }

    // Names the modes after the operands of a call.
    VectorNote& with() { return *this; }
    template <class Option_, class... Options_>
    VectorNote& with(Option_ option, Options_... options) {
        set(option);
        return with(options...);
    }

 private:
    void set(VectorMasking masking) { merging_ = masking == VectorMasking::kMerging; }
    void set(VectorRounding rounding) { operation_->round = static_cast<uint8_t>(rounding); }
    void set(VectorSaturation saturation) {
        operation_->saturation = static_cast<uint8_t>(saturation);
    }
    void set(VectorPart part) { operation_->mode = static_cast<uint8_t>(part); }
    template <class Code_, Code_ Value_>
    void set(std::integral_constant<Code_, Value_>) {
        set(way_of(Value_));
    }
    VectorNote& put(uint32_t& result) {
        // Lanes of a register that nothing has set are undefined: 0 here.
        if (merging_ && results_ == 0 && result != 0) {
            operation_->merges = 1;
            operation_->sources[3] = result;
        }
        result = operation_->results[results_++] = vector_scope->next();
        return *this;
    }

    ptosim_vector_operation* operation_;
    unsigned sources_ = 0, results_ = 0;
    bool merging_ = false;
};

// CTRL[60]: CTRL[59] decides of conversions to integers, CTRL[48] of those to floating-point numbers, instead of
// the call (cann/asc-devkit docs/zh/api/SIMD-API, Cast, table of CTRL).
inline void saturate_by_register(ptosim_vector_operation& operation, bool to_integer) {
    const uint64_t ctrl = ptosim_core_registers()->value[PTOSIM_REGISTER_CTRL];
    if ((ctrl >> 60 & 1) != 0)
        operation.saturation = static_cast<uint8_t>(ctrl >> (to_integer ? 59 : 48) & 1);
}

template <class T_>
inline constexpr uint8_t register_type = element_type<T_>;

// The distribution of a load or store of whole registers; for stores it gives the lane width.
inline uint8_t stored_as(uint8_t mode, size_t width) {
    if (mode != kModeNorm) return mode;
    return width == 1 ? kModeNormB8 : width == 2 ? kModeNormB16 : kModeNormB32;
}
template <class Post_, class Pointer_, class Count_>
void advance(Pointer_&& pointer, Count_ count) {
    if constexpr (is_post_update<Post_>) pointer += count;
}

}  // namespace pto::ptosim_detail

// ---- names of the device's compiler -------------------------------------------------------------

#define __VEC_SCOPE__                                                                          \
    for (::pto::ptosim_detail::VectorScope ptosim_vector_scope{::pto::ptosim_detail::here()}; \
         ptosim_vector_scope.open(); ptosim_vector_scope.close())

#define PTO_DETAIL_REGISTER(Name_, Cpp_) \
    using vector_##Name_ = ::pto::ptosim_detail::VectorRegister<Cpp_>;
PTO_DETAIL_REGISTERS(PTO_DETAIL_REGISTER)
#undef PTO_DETAIL_REGISTER
#undef PTO_DETAIL_REGISTERS
using vector_bool = ::pto::ptosim_detail::VectorPredicate;
using vector_align = ::pto::ptosim_detail::VectorAlign;
using vector_address = ::pto::ptosim_detail::VectorAddress;

#define PTO_DETAIL_WAY(Type_, Name_, Number_) \
    inline constexpr ::pto::ptosim_detail::VectorTag<::pto::ptosim_detail::Type_, Number_> Name_{};
#define PTO_VECTOR_NAME(Name_, Type_, Cpp_) \
    PTO_DETAIL_WAY(Vector##Type_, Cpp_, ::pto::ptosim_detail::kMode##Name_)
#include "ptosim/vector_modes.def"
// Barriers between the vector and the scalar unit.
PTO_DETAIL_WAY(VectorBarrier, VST_LD, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, VST_ST, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, VLD_ST, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, ST_VLD, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, ST_VST, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, LD_VST, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, VS_ALL, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorBarrier, SV_ALL, ::pto::ptosim_detail::kModeOtherBarrier)
PTO_DETAIL_WAY(VectorMasking, MODE_ZEROING, 0)
PTO_DETAIL_WAY(VectorMasking, MODE_MERGING, 1)
PTO_DETAIL_WAY(VectorMasking, MODE_UNKNOWN, 2)
PTO_DETAIL_WAY(VectorStored, MODE_STORED, 0)
PTO_DETAIL_WAY(VectorStored, MODE_NO_STORED, 1)
PTO_DETAIL_WAY(VectorRounding, ROUND_R, 1)
PTO_DETAIL_WAY(VectorRounding, ROUND_A, 2)
PTO_DETAIL_WAY(VectorRounding, ROUND_F, 3)
PTO_DETAIL_WAY(VectorRounding, ROUND_C, 4)
PTO_DETAIL_WAY(VectorRounding, ROUND_Z, 5)
PTO_DETAIL_WAY(VectorRounding, ROUND_O, 6)
PTO_DETAIL_WAY(VectorRounding, ROUND_H, 7)
PTO_DETAIL_WAY(VectorSaturation, RS_ENABLE, 0)
PTO_DETAIL_WAY(VectorSaturation, RS_DISABLE, 1)
#undef PTO_DETAIL_WAY
inline constexpr ::pto::ptosim_detail::VectorPostUpdate POST_UPDATE{};
inline constexpr ::pto::ptosim_detail::VectorNoPostUpdate NO_POST_UPDATE{};

namespace __cce_simd {
using RoundRType = std::remove_const_t<decltype(ROUND_R)>;
using RoundAType = std::remove_const_t<decltype(ROUND_A)>;
using RoundFType = std::remove_const_t<decltype(ROUND_F)>;
using RoundCType = std::remove_const_t<decltype(ROUND_C)>;
using RoundZType = std::remove_const_t<decltype(ROUND_Z)>;
using RoundOType = std::remove_const_t<decltype(ROUND_O)>;
using RoundHType = std::remove_const_t<decltype(ROUND_H)>;
}  // namespace __cce_simd
using DistVST = ::pto::ptosim_detail::VectorStore;
using Dist = ::pto::ptosim_detail::VectorLoad;
using Spr = ::pto::ptosim_detail::VectorSpecial;
inline constexpr Spr SPR_AR = Spr::AR;

// Names of this simulator's tile headers; a library has its own.
#ifndef PTOSIM_ADDRESS_SPACES
namespace pto {
template <class T_>
using RegTensor = ptosim_detail::VectorRegister<T_>;
using MaskReg = vector_bool;
using UnalignReg = vector_align;
using AddrReg = vector_address;
}  // namespace pto
#endif

#include "cce/vector_calls.hpp"

#endif
