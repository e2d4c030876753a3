// Names that headers of Ascend C for a C310 (dav-3510) use and libraries of tiles do not.
#pragma once

#include <stdio.h>

#include "cce/kernel_texts.hpp"
#include "cce/opaque.hpp"
#include "cce/vector_registers.hpp"

// Simt::PRINTF: cce/simt.hpp.
#define ASCENDC_MODULE_SIMT_PRINT_INTERFACE_H
#define __no_simd_vf_fusion__
// An assertion that fails ends the kernel by the C library's function, which has the same name.
#define IMPL_UTILS_DEBUG_ASC_AICORE_ASSERT_IMPL_H

// The device's compiler finds functions of kernels in this namespace without its name. Hosts keep their printf.
using namespace __asc_aicore;
#ifdef PTOSIM_HOST_PASS
template <class First_, class... Arguments_>
int printf(const char* format, First_&& first, Arguments_&&... arguments) {
    return fprintf(stdout, format, first, arguments...);
}
#endif

// ---- types ----------------------------------------------------------------------------------------

// Pairs of 4-bit numbers. Kernels can copy them and not compute with them.
using int4x2_t = ::pto::ptosim_detail::Opaque8<104>;
using hifloat4x2_t = ::pto::ptosim_detail::Opaque8<105>;
using vector_s4x2 = ::pto::ptosim_detail::VectorRegister<int4x2_t>;
using vector_hif4x2 = ::pto::ptosim_detail::VectorRegister<hifloat4x2_t>;

// ---- scalar unit ------------------------------------------------------------------------------------

inline uint64_t get_repeat_ceiling(uint64_t count, uint64_t per_repeat) {
    ptosim_scalar_work(1);
    return (count + per_repeat - 1) / per_repeat;
}
namespace __cce_scalar {
template <class... Arguments_>
void copy_ubuf_to_ubuf(const Arguments_&...) {
    ptosim_trap("copy_ubuf_to_ubuf is an intrinsic that ptosim does not simulate on an a5", {nullptr, 0});
}
}  // namespace __cce_scalar
template <class D_, class S_, class I_>
void vbs(D_* dst, S_* src, I_* indices, uint64_t config, PTO_DETAIL_WHERE) {
    vbitsort(::pto::ptosim_detail::Address(dst), ::pto::ptosim_detail::Address(src),
             ::pto::ptosim_detail::Address(indices), ::pto::ptosim_detail::Word(config >> 56), where);
}
namespace bisheng::cce {
template <auto Pipe_>
void mark_stamp(uint64_t) {}
}  // namespace bisheng::cce

// Where no function's parameter counts a loop, no address can be made.
namespace pto::ptosim_detail {
struct UnknownIndex {
    operator uint64_t() const {  // NOLINT: implicit
        ptosim_trap("an address register outside of CreateAddrReg, which ptosim does not simulate", {nullptr, 0});
    }
};
}  // namespace pto::ptosim_detail
inline constexpr pto::ptosim_detail::UnknownIndex index0{}, index1{}, index2{}, index3{};

// ---- addresses in loops -------------------------------------------------------------------------------

// The device counts the loops around an address register; here the parameters index0 to index3 of the functions
// that make one (CreateAddrReg) are the counts.
#define PTO_DETAIL_VAG1(Bytes_, A_) (::pto::ptosim_detail::VectorAddress{Bytes_ * (uint64_t{index0} * (A_))})
#define PTO_DETAIL_VAG2(Bytes_, A_, B_) \
    (::pto::ptosim_detail::VectorAddress{Bytes_ * (uint64_t{index0} * (A_) + uint64_t{index1} * (B_))})
#define PTO_DETAIL_VAG3(Bytes_, A_, B_, C_)                                                                     \
    (::pto::ptosim_detail::VectorAddress{Bytes_ * (uint64_t{index0} * (A_) + uint64_t{index1} * (B_) + \
                                                   uint64_t{index2} * (C_))})
#define PTO_DETAIL_VAG4(Bytes_, A_, B_, C_, D_)                                                                 \
    (::pto::ptosim_detail::VectorAddress{Bytes_ * (uint64_t{index0} * (A_) + uint64_t{index1} * (B_) + \
                                                   uint64_t{index2} * (C_) + uint64_t{index3} * (D_))})
#define PTO_DETAIL_VAG(A_, B_, C_, D_, Name_, ...) Name_
#define PTO_DETAIL_VAG_OF(...) \
    PTO_DETAIL_VAG(__VA_ARGS__, PTO_DETAIL_VAG4, PTO_DETAIL_VAG3, PTO_DETAIL_VAG2, PTO_DETAIL_VAG1, none)
#define vag_b8(...) PTO_DETAIL_VAG_OF(__VA_ARGS__)(1, __VA_ARGS__)
#define vag_b16(...) PTO_DETAIL_VAG_OF(__VA_ARGS__)(2, __VA_ARGS__)
#define vag_b32(...) PTO_DETAIL_VAG_OF(__VA_ARGS__)(4, __VA_ARGS__)

namespace pto::ptosim_detail {
template <class T_>
__ubuf__ T_* at_address(__ubuf__ T_* base, VectorAddress address) {
    return base + address.offset / sizeof(T_);
}
}  // namespace pto::ptosim_detail
template <class D_, class T_>
void vld(D_&& dst, __ubuf__ T_* base, vector_address address, ::pto::ptosim_detail::VectorAccess access) {
    vlds(dst, ::pto::ptosim_detail::at_address(base, address), 0, access);
}
template <class L_, class H_, class T_>
void vld(L_&& low, H_&& high, __ubuf__ T_* base, vector_address address,
         ::pto::ptosim_detail::VectorAccess access) {
    vlds(low, high, ::pto::ptosim_detail::at_address(base, address), 0, access);
}
template <class S_, class T_>
void vst(S_&& src, __ubuf__ T_* base, vector_address address, ::pto::ptosim_detail::VectorAccess access,
         const vector_bool& mask) {
    vsts(src, ::pto::ptosim_detail::at_address(base, address), 0, access, mask);
}
template <class L_, class H_, class T_>
void vst(L_&& low, H_&& high, __ubuf__ T_* base, vector_address address,
         ::pto::ptosim_detail::VectorAccess access, const vector_bool& mask) {
    vsts(low, high, ::pto::ptosim_detail::at_address(base, address), 0, access, mask);
}

template <class D_, class T_>
void vlda(D_&&, __ubuf__ T_*, vector_address) {}
template <class D_, class T_>
void vldu(D_&& dst, vector_align& rest, vector_address address, __ubuf__ T_* base, uint32_t) {
    vldus(dst, rest, ::pto::ptosim_detail::at_address(base, address));
}
template <class S_, class T_, class Post_>
void vstu(vector_align& rest, vector_address address, S_&& src, __ubuf__ T_* base, Post_) {
    vstus(rest, 256 / sizeof(T_), src, ::pto::ptosim_detail::at_address(base, address));
}
template <class S_, class T_>
void vsta(S_&&, __ubuf__ T_*, vector_address) {}
template <class T_>
void pld(vector_bool& dst, __ubuf__ T_* base, vector_address address,
         ::pto::ptosim_detail::VectorAccess access) {
    plds(dst, ::pto::ptosim_detail::at_address(base, address), 0, access);
}
template <class T_>
void pst(const vector_bool& src, __ubuf__ T_* base, vector_address address,
         ::pto::ptosim_detail::VectorAccess access) {
    psts(src, ::pto::ptosim_detail::at_address(base, address), 0, access);
}

// Converts the mask register to a predicate, with one operation for each run of equal bits.
namespace pto::ptosim_detail {
inline bool mask_bit(unsigned i) {
    const uint32_t word = i < 64 ? PTOSIM_REGISTER_MASK_LOW : PTOSIM_REGISTER_MASK_HIGH;
    return (ptosim_core_registers()->value[word] >> (i % 64) & 1) != 0;
}
template <class First_>
vector_bool predicate_of_mask(unsigned lanes, vector_bool all, First_ first) {
    vector_bool result = first(mask_bit(lanes - 1) ? lanes : 0);
    for (unsigned i = 1; i < lanes; ++i)
        if (mask_bit(i) != mask_bit(i - 1)) pxor(result, result, first(i), all);
    return result;
}
}  // namespace pto::ptosim_detail
inline vector_bool movp_b16() {
    return ::pto::ptosim_detail::predicate_of_mask(
        128, pset_b16(PAT_ALL), [](uint32_t count) { return plt_b16(count, POST_UPDATE); });
}
inline vector_bool movp_b32() {
    return ::pto::ptosim_detail::predicate_of_mask(
        64, pset_b32(PAT_ALL), [](uint32_t count) { return plt_b32(count, POST_UPDATE); });
}

// ---- several operations in one ------------------------------------------------------------------------

// Each is made of two operations here; that the device rounds in the same places is assumed.

template <class D_, class S_, class Scalar_, class Part_>
void vmulscvt(D_&& dst, S_&& src, Scalar_ value, const vector_bool& mask, Part_ part) {
    std::decay_t<S_> product;
    vmuls(product, src, value, mask, MODE_ZEROING);
    vcvt(dst, product, mask, ROUND_R, RS_DISABLE, part, MODE_ZEROING);
}
