// Functions of the device's compiler for threads, which the library's (asc-devkit include/simt_api) are made of: indices, barriers,
// functions of warps, atomic operations, loads and stores with hints, numbers, printing.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <type_traits>

#include "cce/element_types.hpp"
#include "cce/thread_types.hpp"
#include "ptosim/scalar_access.h"
#include "ptosim/threads.h"

#define PTO_DETAIL_OF_THREAD static inline __attribute__((always_inline, unused))

// ---- indices ---------------------------------------------------------------------------------
namespace pto::ptosim_detail {
#ifndef PTOSIM_THREAD_FUNCTIONS
template <uint32_t First_>
struct ThreadIndex {
    __declspec(property(get = get_x)) uint32_t x;
    __declspec(property(get = get_y)) uint32_t y;
    __declspec(property(get = get_z)) uint32_t z;
    __attribute__((always_inline)) uint32_t get_x() const { return ptosim_thread_number(First_); }
    __attribute__((always_inline)) uint32_t get_y() const { return ptosim_thread_number(First_ + 1); }
    __attribute__((always_inline)) uint32_t get_z() const { return ptosim_thread_number(First_ + 2); }
    operator dim3() const { return dim3(get_x(), get_y(), get_z()); }    // NOLINT: implicit
    operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }  // NOLINT: implicit
};
#else  // for g++, too, which has no such members
template <uint32_t Which_>
struct ThreadNumber {
    __attribute__((always_inline)) operator uint32_t() const {
        return ptosim_thread_number(Which_);
    }  // NOLINT: implicit
};
template <uint32_t First_>
struct ThreadIndex {
    ThreadNumber<First_> x{};
    ThreadNumber<First_ + 1> y{};
    ThreadNumber<First_ + 2> z{};
    operator dim3() const { return dim3(x, y, z); }    // NOLINT: implicit
    operator uint3() const { return uint3{x, y, z}; }  // NOLINT: implicit
};
#endif
}  // namespace pto::ptosim_detail
inline constexpr pto::ptosim_detail::ThreadIndex<PTOSIM_THREAD_X> threadIdx{};
inline constexpr pto::ptosim_detail::ThreadIndex<PTOSIM_BLOCK_X> blockIdx{};
inline constexpr pto::ptosim_detail::ThreadIndex<PTOSIM_THREADS_X> blockDim{};
inline constexpr pto::ptosim_detail::ThreadIndex<PTOSIM_BLOCKS_X> gridDim{};
inline constexpr int warpSize = 32;

PTO_DETAIL_OF_THREAD int32_t laneid() { return static_cast<int32_t>(ptosim_thread_number(PTOSIM_LANE)); }
PTO_DETAIL_OF_THREAD int32_t lanemask_eq() { return static_cast<int32_t>(1u << laneid()); }
PTO_DETAIL_OF_THREAD int32_t lanemask_lt() { return static_cast<int32_t>((1u << laneid()) - 1); }
PTO_DETAIL_OF_THREAD int32_t lanemask_le() { return lanemask_eq() | lanemask_lt(); }
PTO_DETAIL_OF_THREAD int32_t lanemask_gt() { return ~lanemask_le(); }
PTO_DETAIL_OF_THREAD int32_t lanemask_ge() { return ~lanemask_lt(); }

// ---- arrays in UB (sim/compile/thread_arrays.h) --------------------------------------------------
namespace pto::ptosim_detail {
// The tag's type is another one at each declaration.
template <class Array_, class Tag_>
__attribute__((always_inline)) inline Array_& shared_array(Tag_) {
    static ptosim_shared_array place;
    return *static_cast<Array_*>(ptosim_share_array(&place, sizeof(Array_), alignof(Array_)));
}
template <class Element_>
__attribute__((always_inline)) inline Element_ (&dynamic_array())[] {
    return *reinterpret_cast<Element_(*)[]>(static_cast<Element_*>(ptosim_dynamic_array()));
}
// Outside of functions: found at each use.
template <class Array_>
class OuterArray {
 public:
    using Element_ = std::remove_extent_t<Array_>;
    operator Element_*() const {  // NOLINT: implicit
        return reinterpret_cast<Element_*>(ptosim_share_array(&place_, sizeof(Array_), alignof(Array_)));
    }

 private:
    mutable ptosim_shared_array place_{};
};
template <class Element_>
struct OuterDynamicArray {
    operator Element_*() const { return static_cast<Element_*>(ptosim_dynamic_array()); }  // NOLINT: implicit
};
__attribute__((always_inline)) inline void thread_bound(uint32_t most, const char* file, uint32_t line) {
    const uint32_t threads = ptosim_thread_number(PTOSIM_THREADS_X) * ptosim_thread_number(PTOSIM_THREADS_X + 1) *
                             ptosim_thread_number(PTOSIM_THREADS_X + 2);
    if (threads > most) ptosim_thread_bound(most, {file, line});
}
}  // namespace pto::ptosim_detail

// ---- order -----------------------------------------------------------------------------------
PTO_DETAIL_OF_THREAD void __sync_workitems() { ptosim_thread_barrier(); }
PTO_DETAIL_OF_THREAD void __syncthreads() { ptosim_thread_barrier(); }
PTO_DETAIL_OF_THREAD void __builtin_cce_dcci(const void*, int, int) {}  // threads see each other's stores
PTO_DETAIL_OF_THREAD void __threadfence() { ptosim_thread_fence(); }
PTO_DETAIL_OF_THREAD void __threadfence_block() { ptosim_thread_fence_of_block(); }

// ---- warps -----------------------------------------------------------------------------------
namespace pto::ptosim_detail {
template <class T_>
__attribute__((always_inline)) inline T_ of_warp(uint32_t operation, T_ value, int32_t operand = 0, int32_t width = 32) {
    const uint64_t bits = ptosim_warp(operation, PTOSIM_U32, to_bits(value), operand, width);
    T_ result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}
template <class T_>
__attribute__((always_inline)) inline T_ reduced(uint32_t operation, T_ value) {
    const uint64_t bits = ptosim_warp(operation, element_type<T_>, to_bits(value), 0, 32);
    T_ result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}
}  // namespace pto::ptosim_detail
PTO_DETAIL_OF_THREAD int32_t __all(int32_t value) { return pto::ptosim_detail::of_warp(PTOSIM_WARP_ALL, value); }
PTO_DETAIL_OF_THREAD int32_t __any(int32_t value) { return pto::ptosim_detail::of_warp(PTOSIM_WARP_ANY, value); }
PTO_DETAIL_OF_THREAD uint32_t __ballot(int32_t value) {
    return static_cast<uint32_t>(pto::ptosim_detail::of_warp(PTOSIM_WARP_BALLOT, value));
}
PTO_DETAIL_OF_THREAD uint32_t __activemask() { return pto::ptosim_detail::of_warp(PTOSIM_WARP_ACTIVE, 0u); }
template <class T_>
PTO_DETAIL_OF_THREAD T_ __uni(T_ value) {
    return pto::ptosim_detail::of_warp(PTOSIM_WARP_UNIFORM, value);
}
// Functions in namespace Simt of the library pack the width of a group (as 32 less it), its last lane and the operand
// into one word.
#define PTO_DETAIL_SHUFFLE(Name_, Operand_, Operation_)                                                               \
    template <class T_>                                                                                               \
    PTO_DETAIL_OF_THREAD T_ Name_(T_ value, Operand_ operand, int32_t width) {                                        \
        return pto::ptosim_detail::of_warp(Operation_, value, static_cast<int32_t>(operand), width);                  \
    }                                                                                                                 \
    template <class T_>                                                                                               \
    PTO_DETAIL_OF_THREAD T_ Name_(T_ value, Operand_ word) {                                                          \
        return Name_(value, static_cast<Operand_>(word & 0xff), 32 - static_cast<int32_t>(word >> 16 & 0x1f));        \
    }
PTO_DETAIL_SHUFFLE(__shfl, int32_t, PTOSIM_WARP_SHUFFLE)
PTO_DETAIL_SHUFFLE(__shfl_up, uint32_t, PTOSIM_WARP_SHUFFLE_UP)
PTO_DETAIL_SHUFFLE(__shfl_down, uint32_t, PTOSIM_WARP_SHUFFLE_DOWN)
PTO_DETAIL_SHUFFLE(__shfl_xor, int32_t, PTOSIM_WARP_SHUFFLE_XOR)
#undef PTO_DETAIL_SHUFFLE
template <class T_>
PTO_DETAIL_OF_THREAD T_ __reduce_add(T_ value) {
    return pto::ptosim_detail::reduced(PTOSIM_WARP_ADD, value);
}
template <class T_>
PTO_DETAIL_OF_THREAD T_ __reduce_max(T_ value) {
    return pto::ptosim_detail::reduced(PTOSIM_WARP_MAX, value);
}
template <class T_>
PTO_DETAIL_OF_THREAD T_ __reduce_min(T_ value) {
    return pto::ptosim_detail::reduced(PTOSIM_WARP_MIN, value);
}

// ---- atomic operations -------------------------------------------------------------------------
namespace pto::ptosim_detail {
template <class T_>
inline constexpr bool is_pair = std::is_same_v<T_, half2> || std::is_same_v<T_, bfloat16x2_t>;
template <class Pointer_, class T_>
__attribute__((always_inline)) inline T_ atomic_pair(uint32_t operation, Pointer_ address, T_ value, T_ compare);
template <class Pointer_, class T_>
__attribute__((always_inline)) inline T_ atomic(uint32_t operation, Pointer_ address, T_ value, T_ compare = T_{}) {
    if constexpr (is_pair<T_>) {
        return atomic_pair<Pointer_, T_>(operation, address, value, compare);
    } else {
        const auto at = reinterpret_cast<uint64_t>(address);
        // The scalar unit has its own addition.
        const bool scalar = operation == PTOSIM_ATOMIC_ADD && ptosim_in_thread() == 0;
        uint64_t bits;
        if (scalar) {
            bits = ptosim_atomic_global(at, element_type<T_>, 1, to_bits(value), {nullptr, 0});
        } else {
            ptosim_thread_atomic(operation, element_type<T_>, at, to_bits(value), to_bits(compare));
            bits = ptosim_atomic_result();
        }
        T_ result;
        __builtin_memcpy(&result, &bits, sizeof result);
        return result;
    }
}
// No thread comes between the two.
template <class Pointer_, class T_>
inline T_ atomic_pair(uint32_t operation, Pointer_ address, T_ value, T_ compare) {
    using Number_ = decltype(value.x);
    if (operation == PTOSIM_ATOMIC_EXCHANGE || operation == PTOSIM_ATOMIC_COMPARE) {
        ptosim_thread_atomic(operation, PTOSIM_U32, reinterpret_cast<uint64_t>(address), to_bits(value),
                             to_bits(compare));
        const uint64_t bits = ptosim_atomic_result();
        T_ result;
        __builtin_memcpy(&result, &bits, sizeof result);
        return result;
    }
    const auto at = reinterpret_cast<uint64_t>(address);
    const auto part = [&](uint64_t offset, Number_ number) {
        ptosim_thread_atomic(operation, element_type<Number_>, at + offset, to_bits(number), 0);
        const uint64_t bits = ptosim_atomic_result();
        Number_ before;
        __builtin_memcpy(&before, &bits, sizeof before);
        return before;
    };
    const Number_ x = part(0, value.x);
    return {x, part(sizeof(Number_), value.y)};
}
// The type of the memory at a pointer.
template <class T_>
std::remove_cv_t<T_> pointed(T_*);
#ifdef PTOSIM_ADDRESS_SPACES
template <class T_>
std::remove_cv_t<T_> pointed(__ubuf__ T_*);
template <class T_>
std::remove_cv_t<T_> pointed(__ubuf__ volatile T_*);
#endif
template <class Pointer_>
using Pointed = decltype(pointed(static_cast<Pointer_>(nullptr)));
template <class T_>
struct Same {
    using type = T_;
};
}  // namespace pto::ptosim_detail
#define PTO_DETAIL_ATOMIC(Mixed_, Pure_, Operation_)                                                                  \
    template <class Pointer_, class T_ = typename pto::ptosim_detail::Pointed<Pointer_>>                              \
    PTO_DETAIL_OF_THREAD T_ Mixed_(Pointer_ address, typename pto::ptosim_detail::Same<T_>::type value) {             \
        return pto::ptosim_detail::atomic<Pointer_, T_>(Operation_, address, value);                                  \
    }                                                                                                                 \
    template <class Pointer_, class T_ = typename pto::ptosim_detail::Pointed<Pointer_>>                              \
    PTO_DETAIL_OF_THREAD T_ Pure_(Pointer_ address, typename pto::ptosim_detail::Same<T_>::type value) {              \
        return pto::ptosim_detail::atomic<Pointer_, T_>(Operation_, address, value);                                  \
    }
PTO_DETAIL_ATOMIC(atomicAdd, __atomic_add, PTOSIM_ATOMIC_ADD)
PTO_DETAIL_ATOMIC(atomicSub, __atomic_sub, PTOSIM_ATOMIC_SUB)
PTO_DETAIL_ATOMIC(atomicExch, __atomic_exch, PTOSIM_ATOMIC_EXCHANGE)
PTO_DETAIL_ATOMIC(atomicMax, __atomic_max, PTOSIM_ATOMIC_MAX)
PTO_DETAIL_ATOMIC(atomicMin, __atomic_min, PTOSIM_ATOMIC_MIN)
PTO_DETAIL_ATOMIC(atomicInc, __atomic_inc, PTOSIM_ATOMIC_INC)
PTO_DETAIL_ATOMIC(atomicDec, __atomic_dec, PTOSIM_ATOMIC_DEC)
PTO_DETAIL_ATOMIC(atomicAnd, __atomic_and, PTOSIM_ATOMIC_AND)
PTO_DETAIL_ATOMIC(atomicOr, __atomic_or, PTOSIM_ATOMIC_OR)
PTO_DETAIL_ATOMIC(atomicXOr, __atomic_xor, PTOSIM_ATOMIC_XOR)
#undef PTO_DETAIL_ATOMIC
#define PTO_DETAIL_CAS(Name_)                                                                                          \
    template <class Pointer_, class T_ = typename pto::ptosim_detail::Pointed<Pointer_>>                               \
    PTO_DETAIL_OF_THREAD T_ Name_(Pointer_ address, typename pto::ptosim_detail::Same<T_>::type compare,               \
                                  typename pto::ptosim_detail::Same<T_>::type value) {                                 \
        return pto::ptosim_detail::atomic<Pointer_, T_>(PTOSIM_ATOMIC_COMPARE, address, value, compare);               \
    }
PTO_DETAIL_CAS(atomicCAS)
PTO_DETAIL_CAS(__atomic_cas)
#undef PTO_DETAIL_CAS

// ---- loads and stores with hints -----------------------------------------------------------------
enum class LD_L2CacheType { L2_CACHE_HINT_NORMAL_FV = 0 };
enum class ST_L2CacheType { L2_CACHE_HINT_NORMAL_FV = 0 };
enum class L1CacheType { NON_CACHEABLE = 0, CACHEABLE = 1 };
template <LD_L2CacheType, L1CacheType Cache_, class Pointer_>
PTO_DETAIL_OF_THREAD auto __ldg(Pointer_ address) {
    if constexpr (Cache_ == L1CacheType::NON_CACHEABLE) ptosim_watched.past_cache = 1;
    typename pto::ptosim_detail::Pointed<Pointer_> value = *address;
    return value;
}
template <ST_L2CacheType, L1CacheType Cache_, class Pointer_, class T_>
PTO_DETAIL_OF_THREAD void __stg(Pointer_ address, T_ value) {
    if constexpr (Cache_ == L1CacheType::NON_CACHEABLE) ptosim_watched.past_cache = 1;
    *address = value;
}

// ---- numbers ---------------------------------------------------------------------------------
namespace pto::ptosim_detail {
template <class To_, class From_>
__attribute__((always_inline)) inline To_ converted(From_ value, uint8_t round, bool saturates) {
    const uint64_t bits = ptosim_thread_convert(element_type<To_>, element_type<From_>, to_bits(value), round,
                                                saturates ? 0 : 1);
    To_ result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}
template <class T_>
__attribute__((always_inline)) inline T_ function(uint32_t which, T_ a, T_ b = T_{}) {
    const uint64_t bits = ptosim_thread_function(which, element_type<T_>, to_bits(a), to_bits(b));
    T_ result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}
}  // namespace pto::ptosim_detail
#define PTO_DETAIL_CONVERSION(Name_, To_)                                                                \
    template <ROUND Round_, PTO_DETAIL_SATURATION Saturation_, class From_>                              \
    PTO_DETAIL_OF_THREAD To_ Name_(From_ value) {                                                        \
        return pto::ptosim_detail::converted<To_>(value, static_cast<uint8_t>(Round_),                   \
                                                  pto::ptosim_detail::saturates(Saturation_));           \
    }
#define PTO_DETAIL_PAIR_CONVERSION(Name_, To_, Element_)                                                 \
    template <ROUND Round_, PTO_DETAIL_SATURATION Saturation_, class From_>                              \
    PTO_DETAIL_OF_THREAD To_ Name_(From_ value) {                                                        \
        constexpr bool kSaturates = pto::ptosim_detail::saturates(Saturation_);                          \
        return {pto::ptosim_detail::converted<Element_>(value.x, static_cast<uint8_t>(Round_), kSaturates), \
                pto::ptosim_detail::converted<Element_>(value.y, static_cast<uint8_t>(Round_), kSaturates)}; \
    }
PTO_DETAIL_CONVERSION(__cvt_float, float)
PTO_DETAIL_CONVERSION(__cvt_half, half)
PTO_DETAIL_CONVERSION(__cvt_bfloat16_t, bfloat16_t)
PTO_DETAIL_CONVERSION(__cvt_int32_t, int32_t)
PTO_DETAIL_CONVERSION(__cvt_uint32_t, uint32_t)
PTO_DETAIL_CONVERSION(__cvt_int64_t, int64_t)
PTO_DETAIL_CONVERSION(__cvt_uint64_t, uint64_t)
PTO_DETAIL_PAIR_CONVERSION(__cvt_float2, float2, float)
PTO_DETAIL_PAIR_CONVERSION(__cvt_half2, half2, half)
PTO_DETAIL_PAIR_CONVERSION(__cvt_bfloat16x2_t, bfloat16x2_t, bfloat16_t)
PTO_DETAIL_PAIR_CONVERSION(__cvt_hifloat8x2_t, hifloat8x2_t, hifloat8_t)
PTO_DETAIL_PAIR_CONVERSION(__cvt_float8_e4m3x2_t, float8_e4m3x2_t, float8_e4m3_t)
PTO_DETAIL_PAIR_CONVERSION(__cvt_float8_e5m2x2_t, float8_e5m2x2_t, float8_e5m2_t)
#undef PTO_DETAIL_CONVERSION
#undef PTO_DETAIL_PAIR_CONVERSION

#define PTO_DETAIL_FUNCTION_OF(Name_, Which_, T_) \
    PTO_DETAIL_OF_THREAD T_ Name_(T_ value) { return pto::ptosim_detail::function(Which_, value); }
// The C library declares the names of these for float, too.
#define PTO_DETAIL_C_FUNCTION extern "C" inline __attribute__((always_inline, unused))
#define PTO_DETAIL_FUNCTION_C(Name_, Which_)                                                                          \
    PTO_DETAIL_C_FUNCTION float Name_(float value) noexcept { return pto::ptosim_detail::function(Which_, value); } \
    PTO_DETAIL_FUNCTION_OF(Name_, Which_, half)                                                                       \
    PTO_DETAIL_FUNCTION_OF(Name_, Which_, bfloat16_t)
#define PTO_DETAIL_FUNCTION(Name_, Which_)         \
    PTO_DETAIL_FUNCTION_OF(Name_, Which_, float)   \
    PTO_DETAIL_FUNCTION_OF(Name_, Which_, half)    \
    PTO_DETAIL_FUNCTION_OF(Name_, Which_, bfloat16_t)
PTO_DETAIL_FUNCTION_C(__expf, PTOSIM_THREAD_EXP)
PTO_DETAIL_FUNCTION(__exp, PTOSIM_THREAD_EXP)
PTO_DETAIL_FUNCTION_C(__logf, PTOSIM_THREAD_LOG)
PTO_DETAIL_FUNCTION(__log, PTOSIM_THREAD_LOG)
PTO_DETAIL_FUNCTION_C(__sqrtf, PTOSIM_THREAD_SQRT)
PTO_DETAIL_FUNCTION_C(__fabsf, PTOSIM_THREAD_ABS)
PTO_DETAIL_FUNCTION_C(__floorf, PTOSIM_THREAD_FLOOR)
PTO_DETAIL_FUNCTION_C(__ceilf, PTOSIM_THREAD_CEIL)
PTO_DETAIL_FUNCTION_C(__rintf, PTOSIM_THREAD_RINT)
PTO_DETAIL_FUNCTION_C(__roundf, PTOSIM_THREAD_ROUND)
#undef PTO_DETAIL_FUNCTION
#undef PTO_DETAIL_FUNCTION_C
#undef PTO_DETAIL_FUNCTION_OF
#define PTO_DETAIL_POWER(T_) \
    PTO_DETAIL_OF_THREAD T_ __powf(T_ a, T_ b) { return pto::ptosim_detail::function(PTOSIM_THREAD_POW, a, b); }
PTO_DETAIL_C_FUNCTION float __powf(float a, float b) noexcept {
    return pto::ptosim_detail::function(PTOSIM_THREAD_POW, a, b);
}
PTO_DETAIL_POWER(half)
PTO_DETAIL_POWER(bfloat16_t)
#undef PTO_DETAIL_POWER
PTO_DETAIL_OF_THREAD float __fma(float a, float b, float c) {
    return ptosim_thread_fma(a, b, c);  // fmaf may be the library's, which calls this function
}
PTO_DETAIL_OF_THREAD bfloat16_t __fma(bfloat16_t a, bfloat16_t b, bfloat16_t c) {
    return static_cast<bfloat16_t>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
PTO_DETAIL_OF_THREAD half __fma(half a, half b, half c) {
    // Exact in double before the one rounding: products of half have 22 bits.
    return static_cast<half>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
PTO_DETAIL_C_FUNCTION float __fmaxf(float a, float b) noexcept { return a != a ? b : b != b ? a : a < b ? b : a; }
PTO_DETAIL_C_FUNCTION float __fminf(float a, float b) noexcept { return a != a ? b : b != b ? a : b < a ? b : a; }
#define PTO_DETAIL_EXTREMES_OF(T_)                                                                  \
    PTO_DETAIL_OF_THREAD T_ __fmaxf(T_ a, T_ b) { return a != a ? b : b != b ? a : a < b ? b : a; } \
    PTO_DETAIL_OF_THREAD T_ __fminf(T_ a, T_ b) { return a != a ? b : b != b ? a : b < a ? b : a; }
PTO_DETAIL_EXTREMES_OF(half)
PTO_DETAIL_EXTREMES_OF(bfloat16_t)
#undef PTO_DETAIL_EXTREMES_OF
#define PTO_DETAIL_NUMBERS(T_)                                                                         \
    PTO_DETAIL_OF_THREAD bool __isnan(T_ value) { return value != value; }                             \
    PTO_DETAIL_OF_THREAD bool __isinf(T_ value) { return __builtin_isinf(static_cast<float>(value)); } \
    PTO_DETAIL_OF_THREAD bool __isfinite(T_ value) { return __builtin_isfinite(static_cast<float>(value)); }
PTO_DETAIL_NUMBERS(float)
PTO_DETAIL_NUMBERS(half)
PTO_DETAIL_NUMBERS(bfloat16_t)
#undef PTO_DETAIL_NUMBERS
template <class A_, class B_>
PTO_DETAIL_OF_THREAD auto __max(A_ a, B_ b) -> std::common_type_t<A_, B_> {
    return a < b ? b : a;
}
template <class A_, class B_>
PTO_DETAIL_OF_THREAD auto __min(A_ a, B_ b) -> std::common_type_t<A_, B_> {
    return b < a ? b : a;
}
#ifdef PTOSIM_THREADS
#define PTO_DETAIL_EXTREMES(T_)                                          \
    PTO_DETAIL_OF_THREAD T_ max(T_ a, T_ b) { return a < b ? b : a; } \
    PTO_DETAIL_OF_THREAD T_ min(T_ a, T_ b) { return b < a ? b : a; }
PTO_DETAIL_EXTREMES(char)
PTO_DETAIL_EXTREMES(unsigned char)
PTO_DETAIL_EXTREMES(short)
PTO_DETAIL_EXTREMES(unsigned short)
PTO_DETAIL_EXTREMES(int)
PTO_DETAIL_EXTREMES(unsigned)
PTO_DETAIL_EXTREMES(long)
PTO_DETAIL_EXTREMES(unsigned long)
PTO_DETAIL_EXTREMES(long long)
PTO_DETAIL_EXTREMES(unsigned long long)
#undef PTO_DETAIL_EXTREMES
#endif
// ---- bits ------------------------------------------------------------------------------------
PTO_DETAIL_OF_THREAD int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
PTO_DETAIL_OF_THREAD int __clz(long value) { return value == 0 ? 64 : __builtin_clzl(static_cast<unsigned long>(value)); }
PTO_DETAIL_OF_THREAD int __clz(long long value) { return __clz(static_cast<long>(value)); }
PTO_DETAIL_OF_THREAD int __popc(unsigned value) { return __builtin_popcount(value); }
PTO_DETAIL_OF_THREAD int __popc(unsigned long value) { return __builtin_popcountl(value); }
PTO_DETAIL_OF_THREAD int __popc(unsigned long long value) { return __builtin_popcountll(value); }
PTO_DETAIL_OF_THREAD int __ffs(int value) { return __builtin_ffs(value); }
PTO_DETAIL_OF_THREAD int __ffs(long value) { return __builtin_ffsl(value); }
PTO_DETAIL_OF_THREAD int __ffs(long long value) { return __builtin_ffsll(value); }
namespace pto::ptosim_detail {
template <class T_>
PTO_DETAIL_OF_THREAD T_ reversed(T_ value) {
#ifdef __clang__
    return sizeof(T_) == 4 ? static_cast<T_>(__builtin_bitreverse32(static_cast<uint32_t>(value)))
                           : static_cast<T_>(__builtin_bitreverse64(value));
#else
    T_ result = 0;
    for (unsigned i = 0; i < sizeof(T_) * 8; ++i) result = result << 1 | (value >> i & 1);
    return result;
#endif
}
}  // namespace pto::ptosim_detail
PTO_DETAIL_OF_THREAD unsigned __brev(unsigned value) { return pto::ptosim_detail::reversed(value); }
PTO_DETAIL_OF_THREAD unsigned long __brev(unsigned long value) {
    return pto::ptosim_detail::reversed(value);
}
PTO_DETAIL_OF_THREAD unsigned long long __brev(unsigned long long value) {
    return pto::ptosim_detail::reversed(value);
}
PTO_DETAIL_OF_THREAD unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i)
        result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}
PTO_DETAIL_OF_THREAD int __mulhi(int a, int b) { return static_cast<int>(static_cast<int64_t>(a) * b >> 32); }
PTO_DETAIL_OF_THREAD unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
PTO_DETAIL_OF_THREAD long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
PTO_DETAIL_OF_THREAD unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
PTO_DETAIL_OF_THREAD int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
PTO_DETAIL_OF_THREAD unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
PTO_DETAIL_OF_THREAD int __hadd(int a, int b) { return static_cast<int>((static_cast<int64_t>(a) + b) >> 1); }
PTO_DETAIL_OF_THREAD int __rhadd(int a, int b) { return static_cast<int>((static_cast<int64_t>(a) + b + 1) >> 1); }
PTO_DETAIL_OF_THREAD unsigned __uhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<uint64_t>(a) + b) >> 1);
}
PTO_DETAIL_OF_THREAD unsigned __urhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<uint64_t>(a) + b + 1) >> 1);
}
PTO_DETAIL_OF_THREAD unsigned __sad(int a, int b, unsigned c) {
    const int64_t difference = static_cast<int64_t>(a) - b;
    return static_cast<unsigned>(difference < 0 ? -difference : difference) + c;
}
PTO_DETAIL_OF_THREAD unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
PTO_DETAIL_OF_THREAD long long __mul_i32toi64(int a, int b) { return static_cast<long long>(a) * b; }
PTO_DETAIL_OF_THREAD unsigned long long __mul_i32toi64(unsigned a, unsigned b) {
    return static_cast<unsigned long long>(a) * b;
}
PTO_DETAIL_OF_THREAD float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
PTO_DETAIL_OF_THREAD int signbitf(float x) { return __builtin_signbitf(x) != 0 ? 1 : 0; }
PTO_DETAIL_OF_THREAD float __fdividef(float a, float b) { return a / b; }

// ---- printing, stops, time ---------------------------------------------------------------------
#define IMPL_UTILS_DEBUG_ASC_PRINTF_SIMT_IMPL_H
#define IMPL_UTILS_DEBUG_ASC_TIME_SIMT_IMPL_H
#define IMPL_UTILS_DEBUG_ASC_ASSERT_SIMT_IMPL_H
namespace pto::ptosim_detail {
// The argument as the C library's functions read it.
template <class T_>
auto thread_printed(T_ value) {
    if constexpr (std::is_same_v<T_, half> || std::is_same_v<T_, bfloat16_t>)
        return static_cast<double>(static_cast<float>(value));
    else
        return value;
}
template <class... Arguments_>
void thread_print(const char* format, Arguments_... arguments) {
    char text[1024];
    const int length = snprintf(text, sizeof text, format, thread_printed(arguments)...);
    if (length > 0)
        ptosim_thread_print(text, static_cast<uint64_t>(length) < sizeof text ? static_cast<uint64_t>(length)
                                                                              : sizeof text - 1);
}
}  // namespace pto::ptosim_detail
