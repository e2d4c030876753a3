// Loops for the widest vectors of the host.
#pragma once

namespace ptosim {

// What a host's vector instructions can do at least; each has what those before it have.
enum class Vectors { kPlain, k256, k512 };

namespace detail {

// PTOSIM_NARROW (256, or 0 for no more than the compiler's default) makes do with less than the
// host has: for proofs that widths agree.
inline Vectors host_vectors() {
#if defined(PTOSIM_NARROW)
    if (PTOSIM_NARROW == 0) return Vectors::kPlain;
#endif
#if defined(__x86_64__)
#if !defined(PTOSIM_NARROW)
    if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
        __builtin_cpu_supports("avx512dq") != 0)
        return Vectors::k512;
#endif
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
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

// Calls f(), compiled several times over with everything inline in it; the host chooses at run
// time. The bits do not depend on the choice: there is no contraction and no reassociation
// (-ffp-contract=off), and std::fma rounds once everywhere. Captures should be by value: what is
// captured by reference counts as changed by every store, and loops are not vectorised then.
template <typename F>
void widest(F f) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) return detail::run_512(f);
    if (kHostVectors == Vectors::k256) return detail::run_256(f);
#endif
    f();
}

}  // namespace ptosim
