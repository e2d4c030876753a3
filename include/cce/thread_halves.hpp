// Arithmetic and comparisons of half and bf16, and of pairs of them, that the device's compiler has for threads.
#pragma once

#include "cce/threads.hpp"

namespace pto::ptosim_detail {
template <class T_>
struct PairOf;
template <>
struct PairOf<half> {
    using type = half2;
};
template <>
struct PairOf<bfloat16_t> {
    using type = bfloat16x2_t;
};
template <class T_>
T_ fused(T_ a, T_ b, T_ c) {
    return static_cast<T_>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
// A NaN goes before a number.
template <class T_>
T_ greater_or_nan(T_ a, T_ b) {
    return a != a ? a : b != b ? b : a < b ? b : a;
}
template <class T_>
T_ lesser_or_nan(T_ a, T_ b) {
    return a != a ? a : b != b ? b : b < a ? b : a;
}
template <class T_>
T_ without_sign(T_ a) {
    const auto bits = static_cast<uint16_t>(__builtin_bit_cast(uint16_t, a) & 0x7fff);
    return __builtin_bit_cast(T_, bits);
}
template <class T_>
T_ not_negative(T_ a) {
    return a < T_(0) ? T_(0) : a;
}
}  // namespace pto::ptosim_detail

// `Ordered_`: false for a NaN; the forms with u are true for one.
#define PTO_DETAIL_COMPARISON(T_, P_, Name_, Unordered_, Sign_)                                                     \
    PTO_DETAIL_OF_THREAD bool __h##Name_(T_ x, T_ y) {                                                              \
        return (Unordered_ && (x != x || y != y)) || ((x == x && y == y) && x Sign_ y);                             \
    }                                                                                                               \
    PTO_DETAIL_OF_THREAD bool __hb##Name_##x2(P_ x, P_ y) { return __h##Name_(x.x, y.x) && __h##Name_(x.y, y.y); }  \
    PTO_DETAIL_OF_THREAD P_ __h##Name_##x2(P_ x, P_ y) {                                                            \
        return {T_(__h##Name_(x.x, y.x) ? 1 : 0), T_(__h##Name_(x.y, y.y) ? 1 : 0)};                                \
    }                                                                                                               \
    PTO_DETAIL_OF_THREAD unsigned __h##Name_##x2_mask(P_ x, P_ y) {                                                 \
        return (__h##Name_(x.x, y.x) ? 0xffffu : 0) | (__h##Name_(x.y, y.y) ? 0xffff0000u : 0);                     \
    }
#define PTO_DETAIL_COMPARISONS(T_, P_, Name_, Sign_)        \
    PTO_DETAIL_COMPARISON(T_, P_, Name_, false, Sign_)      \
    PTO_DETAIL_COMPARISON(T_, P_, Name_##u, true, Sign_)
#define PTO_DETAIL_ARITHMETIC(T_, P_, Name_, Sign_)                     \
    PTO_DETAIL_OF_THREAD T_ Name_(const T_ x, const T_ y) { return x Sign_ y; } \
    PTO_DETAIL_OF_THREAD P_ Name_##x2(const P_ x, const P_ y) { return {T_(x.x Sign_ y.x), T_(x.y Sign_ y.y)}; }
#define PTO_DETAIL_HALVES(T_, P_)                                                                                  \
    PTO_DETAIL_COMPARISONS(T_, P_, eq, ==)                                                                         \
    PTO_DETAIL_COMPARISONS(T_, P_, ne, !=)                                                                         \
    PTO_DETAIL_COMPARISONS(T_, P_, le, <=)                                                                         \
    PTO_DETAIL_COMPARISONS(T_, P_, ge, >=)                                                                         \
    PTO_DETAIL_COMPARISONS(T_, P_, lt, <)                                                                          \
    PTO_DETAIL_COMPARISONS(T_, P_, gt, >)                                                                          \
    PTO_DETAIL_ARITHMETIC(T_, P_, __hadd, +)                                                                       \
    PTO_DETAIL_ARITHMETIC(T_, P_, __hsub, -)                                                                       \
    PTO_DETAIL_ARITHMETIC(T_, P_, __hmul, *)                                                                       \
    PTO_DETAIL_ARITHMETIC(T_, P_, __hdiv, /)                                                                       \
    PTO_DETAIL_OF_THREAD T_ __hneg(const T_ x) { return -x; }                                                      \
    PTO_DETAIL_OF_THREAD P_ __hnegx2(const P_ x) { return {T_(-x.x), T_(-x.y)}; }                                  \
    PTO_DETAIL_OF_THREAD P_ __isnanx2(P_ x) { return {T_(x.x != x.x ? 1 : 0), T_(x.y != x.y ? 1 : 0)}; }           \
    PTO_DETAIL_OF_THREAD P_ __habsx2(const P_ x) {                                                                 \
        return {pto::ptosim_detail::without_sign(x.x), pto::ptosim_detail::without_sign(x.y)};                     \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD T_ __hmax_nan(const T_ x, const T_ y) {                                                   \
        return pto::ptosim_detail::greater_or_nan(x, y);                                                           \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD T_ __hmin_nan(const T_ x, const T_ y) { return pto::ptosim_detail::lesser_or_nan(x, y); } \
    PTO_DETAIL_OF_THREAD P_ __hmaxx2_nan(const P_ x, const P_ y) {                                                 \
        return {__hmax_nan(x.x, y.x), __hmax_nan(x.y, y.y)};                                                       \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD P_ __hminx2_nan(const P_ x, const P_ y) {                                                 \
        return {__hmin_nan(x.x, y.x), __hmin_nan(x.y, y.y)};                                                       \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD P_ __hmaxx2(const P_ x, const P_ y) { return {__fmaxf(x.x, y.x), __fmaxf(x.y, y.y)}; }    \
    PTO_DETAIL_OF_THREAD P_ __hminx2(const P_ x, const P_ y) { return {__fminf(x.x, y.x), __fminf(x.y, y.y)}; }    \
    PTO_DETAIL_OF_THREAD T_ __hfma_relu(const T_ x, const T_ y, const T_ z) {                                      \
        return pto::ptosim_detail::not_negative(pto::ptosim_detail::fused(x, y, z));                               \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD P_ __hfmax2(const P_ x, const P_ y, const P_ z) {                                         \
        return {pto::ptosim_detail::fused(x.x, y.x, z.x), pto::ptosim_detail::fused(x.y, y.y, z.y)};               \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD P_ __hfmax2_relu(const P_ x, const P_ y, const P_ z) {                                    \
        return {__hfma_relu(x.x, y.x, z.x), __hfma_relu(x.y, y.y, z.y)};                                           \
    }                                                                                                              \
    PTO_DETAIL_OF_THREAD P_ __hcmadd(const P_ x, const P_ y, const P_ z) {                                         \
        using pto::ptosim_detail::fused;                                                                           \
        return {fused(T_(-x.y), y.y, fused(x.x, y.x, z.x)), fused(x.y, y.x, fused(x.x, y.y, z.y))};                \
    }
PTO_DETAIL_HALVES(half, half2)
PTO_DETAIL_HALVES(bfloat16_t, bfloat16x2_t)
#undef PTO_DETAIL_HALVES
#undef PTO_DETAIL_ARITHMETIC
#undef PTO_DETAIL_COMPARISONS
#undef PTO_DETAIL_COMPARISON

#define PTO_DETAIL_PAIRS(T_, P_)                                                                                \
    PTO_DETAIL_OF_THREAD P_ operator+(const P_& x, const P_& y) { return {T_(x.x + y.x), T_(x.y + y.y)}; }      \
    PTO_DETAIL_OF_THREAD P_ operator-(const P_& x, const P_& y) { return {T_(x.x - y.x), T_(x.y - y.y)}; }      \
    PTO_DETAIL_OF_THREAD P_ operator*(const P_& x, const P_& y) { return {T_(x.x * y.x), T_(x.y * y.y)}; }      \
    PTO_DETAIL_OF_THREAD P_ operator/(const P_& x, const P_& y) { return {T_(x.x / y.x), T_(x.y / y.y)}; }      \
    PTO_DETAIL_OF_THREAD P_ operator-(const P_& x) { return {T_(-x.x), T_(-x.y)}; }                             \
    PTO_DETAIL_OF_THREAD P_& operator+=(P_& x, const P_& y) { return x = x + y; }                               \
    PTO_DETAIL_OF_THREAD P_& operator-=(P_& x, const P_& y) { return x = x - y; }                               \
    PTO_DETAIL_OF_THREAD P_& operator*=(P_& x, const P_& y) { return x = x * y; }                               \
    PTO_DETAIL_OF_THREAD bool operator==(const P_& x, const P_& y) { return x.x == y.x && x.y == y.y; }         \
    PTO_DETAIL_OF_THREAD bool operator!=(const P_& x, const P_& y) { return !(x == y); }
PTO_DETAIL_PAIRS(half, half2)
PTO_DETAIL_PAIRS(bfloat16_t, bfloat16x2_t)
#undef PTO_DETAIL_PAIRS

#define PTO_DETAIL_BOTH_OF(Name_, P_) \
    PTO_DETAIL_OF_THREAD P_ Name_(P_ value) { return {Name_(value.x), Name_(value.y)}; }
#define PTO_DETAIL_BOTH(Name_)       \
    PTO_DETAIL_BOTH_OF(Name_, half2) \
    PTO_DETAIL_BOTH_OF(Name_, bfloat16x2_t)
PTO_DETAIL_BOTH(__expf)
PTO_DETAIL_BOTH(__exp)
PTO_DETAIL_BOTH(__logf)
PTO_DETAIL_BOTH(__log)
PTO_DETAIL_BOTH(__sqrtf)
PTO_DETAIL_BOTH(__fabsf)
PTO_DETAIL_BOTH(__floorf)
PTO_DETAIL_BOTH(__ceilf)
PTO_DETAIL_BOTH(__rintf)
PTO_DETAIL_BOTH(__roundf)
#undef PTO_DETAIL_BOTH
#undef PTO_DETAIL_BOTH_OF
