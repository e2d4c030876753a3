// Loops for the widest vectors of the host.
#pragma once

#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace ptosim {

// Minimum abilities of a host's vector instructions; each level includes the previous ones.
enum class Vectors { kPlain, k256, k512 };

namespace detail {

// The environment variable PTOSIM_VECTORS (256, or plain for the compiler's default) limits the vectors to less than
// the host has, and so does PTOSIM_NARROW (256 or 0) at compile time. Tests use them to prove that all widths give the
// same bits.
inline Vectors wanted_vectors() {
    const char* const given = std::getenv("PTOSIM_VECTORS");
    const std::string_view wanted = given == nullptr ? "" : given;
    return wanted == "plain" ? Vectors::kPlain : wanted == "256" ? Vectors::k256 : Vectors::k512;
}

inline Vectors host_vectors() {
    [[maybe_unused]] const Vectors wanted = wanted_vectors();
#if defined(PTOSIM_NARROW)
    if (PTOSIM_NARROW == 0) return Vectors::kPlain;
#endif
#if defined(__x86_64__)
#if !defined(PTOSIM_NARROW)
    if (wanted >= Vectors::k512 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0)
        return Vectors::k512;
#endif
    if (wanted >= Vectors::k256 && __builtin_cpu_supports("avx2") != 0 &&
        __builtin_cpu_supports("fma") != 0)
        return Vectors::k256;
#endif
    return Vectors::kPlain;
}

#if defined(__x86_64__)
template <typename F>
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c"), flatten)) void run_512(
    F f) {
    f();
}
template <typename F>
__attribute__((target("avx2,fma,f16c"), flatten)) void run_256(F f) {
    f();
}
#endif

}  // namespace detail

inline const Vectors kHostVectors = detail::host_vectors();

// Placed before a loop whose iterations do not depend on one another, although source and target may be the same lanes.
#if defined(__clang__)
#define PTO_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PTO_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Calls f(), compiled for several instruction sets with everything inline; the host chooses at run time. The bits do
// not depend on the choice: there is no contraction and no reassociation (-ffp-contract=off), and std::fma rounds once
// everywhere. Captures should be by value, because every store counts as a change of captures by reference, and then
// loops are not vectorised.
template <typename F>
void widest(F f) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) return detail::run_512(f);
    if (kHostVectors == Vectors::k256) return detail::run_256(f);
#endif
    f();
}

// The same; f receives true if products and sums are fused by one instruction, for functions that give the same bits in
// both cases.
template <typename F>
void widest_fused(F f) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) return detail::run_512([=] { f(std::true_type{}); });
    if (kHostVectors == Vectors::k256) return detail::run_256([=] { f(std::true_type{}); });
#endif
#if defined(__FMA__) || defined(__aarch64__)
    f(std::true_type{});
#else
    f(std::false_type{});
#endif
}

}  // namespace ptosim
