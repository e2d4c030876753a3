// Vector functions of an a5: `__VEC_SCOPE__ { ... }` and what works on vector registers within.
//
// The block's control flow runs where it stands, and each operation is noted with the registers that it
// reads and makes; at the end of the block they are one instruction of pipe V. A register or predicate
// is the number of the value that it has: an operation gives its destination a new one. Names and
// operands are those of the device's compiler (PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md;
// calls in hw-native-sys/pto-isa include/pto/npu/a5).
#pragma once

#include "pto/common/arch_macro.hpp"

#ifdef PTO_NPU_ARCH_A5

#include "pto/common/issue.hpp"

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
struct __attribute__((may_alias)) VectorRegister : VectorValue<256> {};
struct __attribute__((may_alias)) VectorPredicate : VectorValue<32> {};
struct VectorAlign {};  // bytes of a block that are still to be stored: in UB at once here
struct VectorAddress {};

// ---- ways of operations: ptosim/vector_modes.def -------------------------------------------------

enum VectorModeNumber : uint8_t {
#define PTO_VECTOR_MODE(Name_, Number_) kMode##Name_ = Number_,
#include "ptosim/vector_modes.def"
};
enum class VectorDistribution : uint8_t {};
enum class VectorPattern : uint8_t {};
enum class VectorPart : uint8_t {};
enum class VectorHalf : uint8_t {};
enum class VectorOrder : uint8_t {};
enum class VectorBarrier : uint8_t {};
enum class VectorMasking : uint8_t { kZeroing, kMerging, kUnknown };
enum class VectorRounding : uint8_t {};  // PTOSIM_ATTR_ROUND
enum class VectorSaturation : uint8_t { kOn, kOff };
enum class VectorStored : uint8_t { kStored, kNotStored };
struct VectorPostUpdate {};
struct VectorNoPostUpdate {};
enum VectorComparison : uint8_t {
    kEqual = kModeEq,
    kUnequal = kModeNe,
    kLess = kModeLt,
    kAtMost = kModeLe,
    kGreater = kModeGt,
    kAtLeast = kModeGe
};

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
        if (count_ != 0) ptosim_vector_function(operations_, count_, where_);
    }
    ptosim_vector_operation& add(uint32_t opcode) {
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
    ptosim_location where_;
    ptosim_vector_operation* operations_ = nullptr;
    uint64_t count_ = 0, room_ = 0;
    uint32_t values_ = 0;
    bool open_ = true;
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
    VectorNote& from(const Value_& source) {
        operation_->sources[sources_++] = source.value;
        return *this;
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
    VectorNote& at(const T_* pointer, int64_t offset = 0) {
        operation_->address =
            static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer) + offset * sizeof(T_));
        return *this;
    }
    VectorNote& bits(uint64_t bits) {
        operation_->scalar = bits;
        return *this;
    }
    template <class T_, class Scalar_>
    VectorNote& scalar(Scalar_ value) {
        return bits(to_bits(static_cast<T_>(value)));
    }
    template <class Value_>
    VectorNote& to(Value_& result) {
        if (merging_ && results_ == 0) {
            operation_->merges = 1;
            operation_->sources[3] = result.value;
        }
        result.value = operation_->results[results_++] = vector_scope->next();
        return *this;
    }
    ptosim_vector_operation& operator*() { return *operation_; }

    // What calls name behind their operands.
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

    ptosim_vector_operation* operation_;
    unsigned sources_ = 0, results_ = 0;
    bool merging_ = false;
};

template <class T_>
inline constexpr uint8_t register_type = element_type<T_>;

// The distribution that a load or store of whole registers has: of stores it says how wide lanes are.
inline uint8_t stored_as(VectorDistribution distribution, size_t width) {
    const auto mode = static_cast<uint8_t>(distribution);
    if (mode != kModeNorm) return mode;
    return width == 1 ? kModeNormB8 : width == 2 ? kModeNormB16 : kModeNormB32;
}
// That of a predicate: US, DS and PK are names of distributions of registers, too.
inline uint8_t predicate_as(VectorDistribution distribution) {
    switch (static_cast<uint8_t>(distribution)) {
        case kModeUsB8:
            return kModePredicateUs;
        case kModeDsB8:
            return kModePredicateDs;
        case kModePkB16:
            return kModePredicatePk;
        default:
            return kModePredicate;
    }
}

template <class Pointer_, class Count_>
void advance(Pointer_& pointer, Count_ count, VectorPostUpdate) {
    pointer += count;
}
template <class Pointer_, class Count_>
void advance(Pointer_&&, Count_, VectorNoPostUpdate) {}

}  // namespace pto::ptosim_detail

// ---- names of the device's compiler -------------------------------------------------------------

#define __VEC_SCOPE__                                                                          \
    for (::pto::ptosim_detail::VectorScope ptosim_vector_scope{::pto::ptosim_detail::here()}; \
         ptosim_vector_scope.open(); ptosim_vector_scope.close())

#define PTO_DETAIL_REGISTER(Name_, Cpp_) \
    using vector_##Name_ = ::pto::ptosim_detail::VectorRegister<Cpp_>;
PTO_DETAIL_REGISTER(f32, float)
PTO_DETAIL_REGISTER(f16, half)
PTO_DETAIL_REGISTER(bf16, bfloat16_t)
PTO_DETAIL_REGISTER(s8, int8_t)
PTO_DETAIL_REGISTER(u8, uint8_t)
PTO_DETAIL_REGISTER(s16, int16_t)
PTO_DETAIL_REGISTER(u16, uint16_t)
PTO_DETAIL_REGISTER(s32, int32_t)
PTO_DETAIL_REGISTER(u32, uint32_t)
PTO_DETAIL_REGISTER(s64, int64_t)
PTO_DETAIL_REGISTER(u64, uint64_t)
PTO_DETAIL_REGISTER(f8e4m3, float8_e4m3_t)
PTO_DETAIL_REGISTER(f8e5m2, float8_e5m2_t)
PTO_DETAIL_REGISTER(f8e8m0, float8_e8m0_t)
PTO_DETAIL_REGISTER(hif8, hifloat8_t)
PTO_DETAIL_REGISTER(f4e2m1x2, float4_e2m1x2_t)
PTO_DETAIL_REGISTER(f4e1m2x2, float4_e1m2x2_t)
#undef PTO_DETAIL_REGISTER
using vector_bool = ::pto::ptosim_detail::VectorPredicate;
using vector_align = ::pto::ptosim_detail::VectorAlign;
using vector_address = ::pto::ptosim_detail::VectorAddress;

#define PTO_DETAIL_WAY(Type_, Name_, Number_) \
    inline constexpr auto Name_ = static_cast<::pto::ptosim_detail::Type_>(Number_);
#define PTO_VECTOR_NAME(Name_, Type_, Cpp_) \
    PTO_DETAIL_WAY(Vector##Type_, Cpp_, ::pto::ptosim_detail::kMode##Name_)
#include "ptosim/vector_modes.def"
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

namespace pto {
template <class T_>
using RegTensor = ptosim_detail::VectorRegister<T_>;
using MaskReg = vector_bool;
using UnalignReg = vector_align;
using AddrReg = vector_address;
}  // namespace pto

// The parameters that all calls end with: where the call is, for messages.
#define PTO_DETAIL_HERE \
    ::ptosim_location where = { __builtin_FILE(), static_cast<uint32_t>(__builtin_LINE()) }
#define PTO_DETAIL_NOTE(Name_, Type_) \
    ::pto::ptosim_detail::VectorNote(PTO_DETAIL_OPCODE(Name_), Type_, where)
#define PTO_DETAIL_REG ::pto::ptosim_detail::VectorRegister
#define PTO_DETAIL_MASKING ::pto::ptosim_detail::VectorMasking masking = MODE_ZEROING
#define PTO_DETAIL_TYPE(T_) ::pto::ptosim_detail::register_type<T_>

// ---- loads and stores ---------------------------------------------------------------------------

template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vlds(PTO_DETAIL_REG<T_>& dst, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, Post_ post = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    PTO_DETAIL_NOTE(VLDS, PTO_DETAIL_TYPE(T_))
        .mode(static_cast<uint8_t>(distribution))
        .at(pointer, kPost ? 0 : offset)
        .to(dst);
    ::pto::ptosim_detail::advance(pointer, offset, post);
}
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vlds(PTO_DETAIL_REG<T_>& low, PTO_DETAIL_REG<T_>& high, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, Post_ post = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    PTO_DETAIL_NOTE(VLDSX2, PTO_DETAIL_TYPE(T_))
        .mode(static_cast<uint8_t>(distribution))
        .at(pointer, kPost ? 0 : offset)
        .to(low)
        .to(high);
    ::pto::ptosim_detail::advance(pointer, offset, post);
}
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vsts(const PTO_DETAIL_REG<T_>& src, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, const vector_bool& mask,
          Post_ post = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    PTO_DETAIL_NOTE(VSTS, PTO_DETAIL_TYPE(T_))
        .from(src)
        .masked(mask)
        .mode(::pto::ptosim_detail::stored_as(distribution, sizeof(T_)))
        .at(pointer, kPost ? 0 : offset);
    ::pto::ptosim_detail::advance(pointer, offset, post);
}
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vsts(const PTO_DETAIL_REG<T_>& low, const PTO_DETAIL_REG<T_>& high, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, const vector_bool&, Post_ post = {},
          PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    PTO_DETAIL_NOTE(VSTSX2, PTO_DETAIL_TYPE(T_))
        .from(low)
        .from(high)
        .mode(static_cast<uint8_t>(distribution))
        .at(pointer, kPost ? 0 : offset);
    ::pto::ptosim_detail::advance(pointer, offset, post);
}
template <class P_>
void vldas(vector_align&, P_&&) {}
template <class T_, class P_>
void vldus(PTO_DETAIL_REG<T_>& dst, vector_align&, P_&& pointer, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VLDUS, PTO_DETAIL_TYPE(T_)).mode(1).at(pointer).to(dst);
}
template <class T_, class P_>
void vldus(PTO_DETAIL_REG<T_>& dst, vector_align&, P_& pointer, int64_t step,
           ::pto::ptosim_detail::VectorPostUpdate, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VLDUS, PTO_DETAIL_TYPE(T_)).mode(1).at(pointer).to(dst);
    pointer += step;
}
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vstus(vector_align&, uint32_t count, const PTO_DETAIL_REG<T_>& src, P_&& pointer, Post_ post = {},
           PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSTUS, PTO_DETAIL_TYPE(T_)).from(src).bits(count * sizeof(T_)).at(pointer);
    ::pto::ptosim_detail::advance(pointer, count, post);
}
template <class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vstas(vector_align&, P_&&, int32_t, Post_ = {}) {}
template <class P_>
void vstar(vector_align&, P_&&) {}
template <class T_, class P_>
void vstur(vector_align&, const PTO_DETAIL_REG<T_>& src, P_&& pointer,
           ::pto::ptosim_detail::VectorPostUpdate, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSTUR, PTO_DETAIL_TYPE(T_)).from(src).mode(1).at(pointer);
}
template <class T_, class P_>
void vstur(vector_align&, const PTO_DETAIL_REG<T_>& src, P_&& pointer,
           ::pto::ptosim_detail::VectorNoPostUpdate, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSTUR, PTO_DETAIL_TYPE(T_)).from(src).at(pointer);
}
inline constexpr uint8_t SPR_AR = 0;
inline void sprclr(uint8_t, PTO_DETAIL_HERE) { PTO_DETAIL_NOTE(SPRCLR, PTOSIM_U8); }
// `strides`: blocks of 32 bytes from one block to the next, and from the pointer to the first; after the
// call, if the pointer moves on.
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vsldb(PTO_DETAIL_REG<T_>& dst, P_&& pointer, uint32_t strides, const vector_bool& mask,
           Post_ post = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    auto note = PTO_DETAIL_NOTE(VSLDB, PTO_DETAIL_TYPE(T_));
    note.masked(mask).at(pointer).to(dst);
    (*note).block_stride = static_cast<uint16_t>(strides >> 16);
    (*note).repeat_stride = kPost ? 0 : static_cast<uint16_t>(strides);
    ::pto::ptosim_detail::advance(pointer, (strides & 0xFFFF) * 32 / sizeof(*pointer), post);
}
template <class T_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vsstb(const PTO_DETAIL_REG<T_>& src, P_&& pointer, uint32_t strides, const vector_bool& mask,
           Post_ post = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = std::is_same_v<Post_, ::pto::ptosim_detail::VectorPostUpdate>;
    auto note = PTO_DETAIL_NOTE(VSSTB, PTO_DETAIL_TYPE(T_));
    note.from(src).masked(mask).at(pointer);
    (*note).block_stride = static_cast<uint16_t>(strides >> 16);
    (*note).repeat_stride = kPost ? 0 : static_cast<uint16_t>(strides);
    ::pto::ptosim_detail::advance(pointer, (strides & 0xFFFF) * 32 / sizeof(*pointer), post);
}
template <class T_, class P_, class Index_>
void vgather2(PTO_DETAIL_REG<T_>& dst, P_&& pointer, const PTO_DETAIL_REG<Index_>& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    auto note = PTO_DETAIL_NOTE(VGATHER2, PTO_DETAIL_TYPE(T_));
    note.from(index).masked(mask).at(pointer).to(dst);
    (*note).to = PTO_DETAIL_TYPE(Index_);
}
template <class T_, class P_, class Index_>
void vgather2_bc(PTO_DETAIL_REG<T_>& dst, P_&& pointer, const PTO_DETAIL_REG<Index_>& index,
                 const vector_bool& mask, PTO_DETAIL_HERE) {
    vgather2(dst, pointer, index, mask, where);
}
template <class T_, class P_>
void vgatherb(PTO_DETAIL_REG<T_>& dst, P_&& pointer, const vector_u32& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VGATHERB, PTO_DETAIL_TYPE(T_)).from(index).masked(mask).at(pointer).to(dst);
}
template <class T_, class P_, class Index_>
void vscatter(const PTO_DETAIL_REG<T_>& src, P_&& pointer, const PTO_DETAIL_REG<Index_>& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    auto note = PTO_DETAIL_NOTE(VSCATTER, PTO_DETAIL_TYPE(T_));
    note.from(src).from(index).masked(mask).at(pointer);
    (*note).to = PTO_DETAIL_TYPE(Index_);
}
template <class P_>
void plds(vector_bool& dst, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PLDS, PTOSIM_U8)
        .mode(::pto::ptosim_detail::predicate_as(distribution))
        .at(reinterpret_cast<const uint8_t*>(pointer), offset)
        .to(dst);
}
template <class P_>
void psts(const vector_bool& src, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorDistribution distribution, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PSTS, PTOSIM_U8)
        .from(src)
        .mode(::pto::ptosim_detail::predicate_as(distribution))
        .at(reinterpret_cast<const uint8_t*>(pointer), offset);
}
inline void mem_bar(::pto::ptosim_detail::VectorBarrier barrier, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(MEM_BAR, PTOSIM_U8).mode(static_cast<uint8_t>(barrier));
}

// ---- lane by lane ---------------------------------------------------------------------------------

#define PTO_DETAIL_UNARY(Name_, Row_)                                                          \
    template <class T_>                                                                         \
    void Name_(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, const vector_bool& mask,  \
               PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                                          \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).with(masking).from(src).masked(mask).to(dst); \
    }
#define PTO_DETAIL_BINARY(Name_, Row_)                                                         \
    template <class T_, class U_>                                                                \
    void Name_(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a, const PTO_DETAIL_REG<U_>& b, \
               const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                 \
        static_assert(sizeof(T_) == sizeof(U_), #Name_ ": lanes of two widths");                 \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_))                                              \
            .with(masking)                                                                     \
            .from(a)                                                                           \
            .from(b)                                                                           \
            .masked(mask)                                                                      \
            .to(dst);                                                                          \
    }
#define PTO_DETAIL_SCALAR(Name_, Row_)                                                         \
    template <class T_, class Scalar_>                                                           \
    void Name_(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, Scalar_ value,             \
               const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                 \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_))                                              \
            .with(masking)                                                                     \
            .from(src)                                                                         \
            .masked(mask)                                                                      \
            .template scalar<T_>(value)                                                         \
            .to(dst);                                                                          \
    }
PTO_DETAIL_UNARY(vabs, VABS)
PTO_DETAIL_UNARY(vneg, VNEG)
PTO_DETAIL_UNARY(vrelu, VRELU)
PTO_DETAIL_UNARY(vnot, VNOT)
PTO_DETAIL_UNARY(vexp, VEXP)
PTO_DETAIL_UNARY(vln, VLN)
PTO_DETAIL_UNARY(vsqrt, VSQRT)
PTO_DETAIL_BINARY(vadd, VADD)
PTO_DETAIL_BINARY(vsub, VSUB)
PTO_DETAIL_BINARY(vmul, VMUL)
PTO_DETAIL_BINARY(vdiv, VDIV)
PTO_DETAIL_BINARY(vmod, VMOD)
PTO_DETAIL_BINARY(vmax, VMAX)
PTO_DETAIL_BINARY(vmin, VMIN)
PTO_DETAIL_BINARY(vand, VAND)
PTO_DETAIL_BINARY(vor, VOR)
PTO_DETAIL_BINARY(vxor, VXOR)
PTO_DETAIL_BINARY(vshl, VSHL)
PTO_DETAIL_BINARY(vshr, VSHR)
PTO_DETAIL_BINARY(vprelu, VPRELU)
PTO_DETAIL_SCALAR(vadds, VADDS)
PTO_DETAIL_SCALAR(vmuls, VMULS)
PTO_DETAIL_SCALAR(vmaxs, VMAXS)
PTO_DETAIL_SCALAR(vmins, VMINS)
PTO_DETAIL_SCALAR(vshls, VSHLS)
PTO_DETAIL_SCALAR(vshrs, VSHRS)
PTO_DETAIL_SCALAR(vlrelu, VLRELU)
#undef PTO_DETAIL_UNARY
#undef PTO_DETAIL_BINARY
#undef PTO_DETAIL_SCALAR

template <class T_>
void vmula(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a, const PTO_DETAIL_REG<T_>& b,
           const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMULA, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(dst)
        .from(a)
        .from(b)
        .masked(mask)
        .to(dst);
}
template <class T_>
void vmadd(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a, const PTO_DETAIL_REG<T_>& b,
           const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMADD, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(dst)
        .from(a)
        .from(b)
        .masked(mask)
        .to(dst);
}
template <class T_, class Scalar_>
void vaxpy(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, Scalar_ value,
           const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VAXPY, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(src)
        .from(dst)
        .masked(mask)
        .template scalar<T_>(value)
        .to(dst);
}
template <class T_>
void vexpdif(vector_f32& dst, const PTO_DETAIL_REG<T_>& src, const PTO_DETAIL_REG<T_>& subtracted,
             const vector_bool& mask, ::pto::ptosim_detail::VectorPart part, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VEXPDIF, PTO_DETAIL_TYPE(T_))
        .from(src)
        .from(subtracted)
        .masked(mask)
        .with(part)
        .to(dst);
}
template <class T_>
void vmull(PTO_DETAIL_REG<T_>& low, PTO_DETAIL_REG<T_>& high, const PTO_DETAIL_REG<T_>& a,
           const PTO_DETAIL_REG<T_>& b, const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMULL, PTO_DETAIL_TYPE(T_)).from(a).from(b).masked(mask).to(low).to(high);
}
#define PTO_DETAIL_CARRY(Name_, Row_)                                                          \
    template <class T_>                                                                         \
    void Name_(vector_bool& carry, PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a,         \
               const PTO_DETAIL_REG<T_>& b, const vector_bool& mask, PTO_DETAIL_HERE) {         \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).from(a).from(b).masked(mask).to(dst).to(carry); \
    }                                                                                          \
    template <class T_>                                                                         \
    void Name_##s(vector_bool& carry, PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a,      \
                  const PTO_DETAIL_REG<T_>& b, const vector_bool& before,                       \
                  const vector_bool& mask, PTO_DETAIL_HERE) {                                  \
        PTO_DETAIL_NOTE(Row_##S, PTO_DETAIL_TYPE(T_))                                           \
            .from(a)                                                                           \
            .from(b)                                                                           \
            .from(before)                                                                      \
            .masked(mask)                                                                      \
            .to(dst)                                                                           \
            .to(carry);                                                                        \
    }
PTO_DETAIL_CARRY(vaddc, VADDC)
PTO_DETAIL_CARRY(vsubc, VSUBC)
#undef PTO_DETAIL_CARRY
#define PTO_DETAIL_COMPARE(Name_, Mode_)                                                       \
    template <class T_>                                                                         \
    void vcmp_##Name_(vector_bool& dst, const PTO_DETAIL_REG<T_>& a, const PTO_DETAIL_REG<T_>& b, \
                      const vector_bool& mask, PTO_DETAIL_HERE) {                              \
        PTO_DETAIL_NOTE(VCMP, PTO_DETAIL_TYPE(T_))                                              \
            .from(a)                                                                           \
            .from(b)                                                                           \
            .masked(mask)                                                                      \
            .mode(::pto::ptosim_detail::Mode_)                                                 \
            .to(dst);                                                                          \
    }                                                                                          \
    template <class T_, class Scalar_>                                                           \
    void vcmps_##Name_(vector_bool& dst, const PTO_DETAIL_REG<T_>& a, Scalar_ value,             \
                       const vector_bool& mask, PTO_DETAIL_HERE) {                             \
        PTO_DETAIL_NOTE(VCMPS, PTO_DETAIL_TYPE(T_))                                             \
            .from(a)                                                                           \
            .masked(mask)                                                                      \
            .template scalar<T_>(value)                                                         \
            .mode(::pto::ptosim_detail::Mode_)                                                 \
            .to(dst);                                                                          \
    }
PTO_DETAIL_COMPARE(eq, kEqual)
PTO_DETAIL_COMPARE(ne, kUnequal)
PTO_DETAIL_COMPARE(lt, kLess)
PTO_DETAIL_COMPARE(le, kAtMost)
PTO_DETAIL_COMPARE(gt, kGreater)
PTO_DETAIL_COMPARE(ge, kAtLeast)
#undef PTO_DETAIL_COMPARE
template <class T_>
void vsel(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& a, const PTO_DETAIL_REG<T_>& b,
          const vector_bool& chosen, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSEL, PTO_DETAIL_TYPE(T_)).from(a).from(b).from(chosen).to(dst);
}
template <class T_>
void vmov(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMOV, PTO_DETAIL_TYPE(T_)).from(src).to(dst);
}
template <class T_>
void vmov(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, const vector_bool& mask,
          PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMOV, PTO_DETAIL_TYPE(T_)).with(masking).from(src).masked(mask).to(dst);
}

// ---- other types, other places --------------------------------------------------------------------

// Options_ in any order: rounding, saturation, the part of wider lanes, masking.
template <class To_, class From_, class... Options_>
void vcvt(PTO_DETAIL_REG<To_>& dst, const PTO_DETAIL_REG<From_>& src, const vector_bool& mask,
          Options_... options) {
    const ::ptosim_location where{};
    auto note = PTO_DETAIL_NOTE(VCVT, PTO_DETAIL_TYPE(From_));
    (*note).saturation = 0;
    (*note).to = PTO_DETAIL_TYPE(To_);
    note.with(options...).from(src).masked(mask).to(dst);
}
template <class T_>
void vtrc(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src,
          ::pto::ptosim_detail::VectorRounding rounding, const vector_bool& mask,
          PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VTRC, PTO_DETAIL_TYPE(T_))
        .with(rounding, masking)
        .from(src)
        .masked(mask)
        .to(dst);
}
template <class T_, class Scalar_, class = std::enable_if_t<std::is_convertible_v<Scalar_, T_>>>
void vbr(PTO_DETAIL_REG<T_>& dst, Scalar_ value, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUPS, PTO_DETAIL_TYPE(T_)).template scalar<T_>(value).to(dst);
}
template <class T_, class Scalar_, class = std::enable_if_t<std::is_convertible_v<Scalar_, T_>>>
void vdup(PTO_DETAIL_REG<T_>& dst, Scalar_ value, const vector_bool& mask, PTO_DETAIL_MASKING,
          PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUPS, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .masked(mask)
        .template scalar<T_>(value)
        .to(dst);
}
template <class T_>
void vdup(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, const vector_bool& mask,
          ::pto::ptosim_detail::VectorHalf position, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUP, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(src)
        .masked(mask)
        .mode(static_cast<uint8_t>(position))
        .to(dst);
}
template <class T_, class Scalar_>
void vci(PTO_DETAIL_REG<T_>& dst, Scalar_ first,
         ::pto::ptosim_detail::VectorOrder order = INC_ORDER, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VCI, PTO_DETAIL_TYPE(T_))
        .template scalar<T_>(first)
        .mode(static_cast<uint8_t>(order))
        .to(dst);
}
template <class T_>
void vintlv(PTO_DETAIL_REG<T_>& low, PTO_DETAIL_REG<T_>& high, const PTO_DETAIL_REG<T_>& a,
            const PTO_DETAIL_REG<T_>& b, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VINTLV, PTO_DETAIL_TYPE(T_)).from(a).from(b).to(low).to(high);
}
template <class T_>
void vdintlv(PTO_DETAIL_REG<T_>& low, PTO_DETAIL_REG<T_>& high, const PTO_DETAIL_REG<T_>& a,
             const PTO_DETAIL_REG<T_>& b, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDINTLV, PTO_DETAIL_TYPE(T_)).from(a).from(b).to(low).to(high);
}
template <class T_>
void vsqz(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src, const vector_bool& mask,
          ::pto::ptosim_detail::VectorStored = MODE_STORED, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSQZ, PTO_DETAIL_TYPE(T_)).from(src).masked(mask).to(dst);
}
template <class T_>
void vusqz(PTO_DETAIL_REG<T_>& dst, const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VUSQZ, PTO_DETAIL_TYPE(T_)).masked(mask).to(dst);
}
template <class T_, class Index_>
void vselr(PTO_DETAIL_REG<T_>& dst, const PTO_DETAIL_REG<T_>& src,
           const PTO_DETAIL_REG<Index_>& index, PTO_DETAIL_HERE) {
    static_assert(sizeof(T_) == sizeof(Index_), "vselr: lanes of two widths");
    PTO_DETAIL_NOTE(VSELR, PTO_DETAIL_TYPE(T_)).from(src).from(index).to(dst);
}
template <class To_, class From_>
void vpack(PTO_DETAIL_REG<To_>& dst, const PTO_DETAIL_REG<From_>& src,
           ::pto::ptosim_detail::VectorHalf half, PTO_DETAIL_HERE) {
    static_assert(sizeof(From_) == 2 * sizeof(To_), "vpack: lanes become half as wide");
    PTO_DETAIL_NOTE(VPACK, PTO_DETAIL_TYPE(From_)).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}
template <class To_, class From_>
void vunpack(PTO_DETAIL_REG<To_>& dst, const PTO_DETAIL_REG<From_>& src,
             ::pto::ptosim_detail::VectorHalf half, PTO_DETAIL_HERE) {
    static_assert(sizeof(To_) == 2 * sizeof(From_), "vunpack: lanes become twice as wide");
    if constexpr (std::is_signed_v<From_>)
        PTO_DETAIL_NOTE(VSUNPACK, PTO_DETAIL_TYPE(From_))
            .from(src)
            .mode(static_cast<uint8_t>(half))
            .to(dst);
    else
        PTO_DETAIL_NOTE(VZUNPACK, PTO_DETAIL_TYPE(From_))
            .from(src)
            .mode(static_cast<uint8_t>(half))
            .to(dst);
}

// ---- reductions -------------------------------------------------------------------------------------

#define PTO_DETAIL_REDUCE(Name_, Row_)                                                          \
    template <class To_, class T_>                                                                \
    void Name_(PTO_DETAIL_REG<To_>& dst, const PTO_DETAIL_REG<T_>& src, const vector_bool& mask,  \
               PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                                           \
        static_cast<void>(masking);                                                             \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).from(src).masked(mask).to(dst);               \
    }
PTO_DETAIL_REDUCE(vcadd, VCADD)
PTO_DETAIL_REDUCE(vcmax, VCMAX)
PTO_DETAIL_REDUCE(vcmin, VCMIN)
PTO_DETAIL_REDUCE(vcgadd, VCGADD)
PTO_DETAIL_REDUCE(vcgmax, VCGMAX)
PTO_DETAIL_REDUCE(vcgmin, VCGMIN)
PTO_DETAIL_REDUCE(vcpadd, VCPADD)
#undef PTO_DETAIL_REDUCE

// ---- predicates -------------------------------------------------------------------------------------

#define PTO_DETAIL_OF_WIDTH(Bits_, Type_)                                                          \
    inline vector_bool pset_##Bits_(::pto::ptosim_detail::VectorPattern pattern,                   \
                                    PTO_DETAIL_HERE) {                                             \
        vector_bool result;                                                                        \
        PTO_DETAIL_NOTE(PSET, Type_).mode(static_cast<uint8_t>(pattern)).to(result);               \
        return result;                                                                             \
    }                                                                                              \
    inline vector_bool pge_##Bits_(::pto::ptosim_detail::VectorPattern pattern, PTO_DETAIL_HERE) { \
        return pset_##Bits_(pattern, where);                                                       \
    }                                                                                              \
    template <class Count_>                                                                         \
    vector_bool plt_##Bits_(Count_& count, ::pto::ptosim_detail::VectorPostUpdate,                  \
                            PTO_DETAIL_HERE) {                                                     \
        constexpr Count_ kLanes = sizeof(#Bits_) == 3 ? 256 : #Bits_[1] == '1' ? 128 : 64;          \
        vector_bool result;                                                                        \
        PTO_DETAIL_NOTE(PLT, Type_).bits(count < 0 ? 0 : static_cast<uint64_t>(count)).to(result); \
        count = count < kLanes ? 0 : count - kLanes;                                               \
        return result;                                                                             \
    }                                                                                              \
    inline void pintlv_##Bits_(vector_bool& low, vector_bool& high, const vector_bool& a,          \
                               const vector_bool& b, PTO_DETAIL_HERE) {                            \
        PTO_DETAIL_NOTE(PINTLV, Type_).from(a).from(b).to(low).to(high);                           \
    }                                                                                              \
    inline void pdintlv_##Bits_(vector_bool& low, vector_bool& high, const vector_bool& a,         \
                                const vector_bool& b, PTO_DETAIL_HERE) {                           \
        PTO_DETAIL_NOTE(PDINTLV, Type_).from(a).from(b).to(low).to(high);                          \
    }
PTO_DETAIL_OF_WIDTH(b8, PTOSIM_U8)
PTO_DETAIL_OF_WIDTH(b16, PTOSIM_U16)
PTO_DETAIL_OF_WIDTH(b32, PTOSIM_U32)
#undef PTO_DETAIL_OF_WIDTH
#define PTO_DETAIL_LOGIC(Name_, Row_)                                                              \
    inline void Name_(vector_bool& dst, const vector_bool& a, const vector_bool& b,                \
                      const vector_bool& mask, PTO_DETAIL_HERE) {                                  \
        PTO_DETAIL_NOTE(Row_, PTOSIM_U8).from(a).from(b).masked(mask).to(dst);                     \
    }
PTO_DETAIL_LOGIC(pand, PAND)
PTO_DETAIL_LOGIC(por, POR)
PTO_DETAIL_LOGIC(pxor, PXOR)
#undef PTO_DETAIL_LOGIC
inline void pnot(vector_bool& dst, const vector_bool& src, const vector_bool& mask,
                 PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PNOT, PTOSIM_U8).from(src).masked(mask).to(dst);
}
inline void psel(vector_bool& dst, const vector_bool& a, const vector_bool& b,
                 const vector_bool& chosen, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PSEL, PTOSIM_U8).from(a).from(b).from(chosen).to(dst);
}
inline void pmov(vector_bool& dst, const vector_bool& src, const vector_bool& mask,
                 PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PMOV, PTOSIM_U8).from(src).masked(mask).to(dst);
}
inline void ppack(vector_bool& dst, const vector_bool& src, ::pto::ptosim_detail::VectorHalf half,
                  PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PPACK, PTOSIM_U8).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}
inline void punpack(vector_bool& dst, const vector_bool& src, ::pto::ptosim_detail::VectorHalf half,
                    PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PUNPACK, PTOSIM_U8).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}

#undef PTO_DETAIL_HERE
#undef PTO_DETAIL_NOTE
#undef PTO_DETAIL_REG
#undef PTO_DETAIL_MASKING
#undef PTO_DETAIL_TYPE

namespace pto {
// A predicate of so many lanes of T_; the count becomes what is left.
template <class T_>
MaskReg CreatePredicate(uint32_t& count) {
    if constexpr (sizeof(T_) == 1)
        return plt_b8(count, POST_UPDATE);
    else if constexpr (sizeof(T_) == 2)
        return plt_b16(count, POST_UPDATE);
    else
        return plt_b32(count, POST_UPDATE);
}
}  // namespace pto

#endif
