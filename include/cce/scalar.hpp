// Calls of device code below the level of tiles: identity, the scalar unit's view of global memory, the control
// register, time, printing.
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "cce/flags.hpp"
#include "ptosim/mpmd.h"
#include "ptosim/scalar_access.h"

// ---- which part of the launch this core is ---------------------------------------------------
#ifdef PTOSIM_ADDRESS_SPACES
using ptosim_block_number = uint32_t;  // as libraries declare it
#else
using ptosim_block_number = int64_t;
#endif
inline ptosim_block_number get_block_idx() { return ptosim_self()->block; }
inline ptosim_block_number get_block_num() { return ptosim_self()->blocks; }
inline int64_t get_subblockid() { return ptosim_self()->subblock; }
inline int64_t get_subblockdim() { return ptosim_self()->subblocks; }
inline uint64_t get_imm(uint64_t value) { return value; }
inline int64_t get_coreid() { return ptosim_mpmd_core_number(); }

namespace pto::ptosim_detail {

// The names `block_idx` and `block_num` without a call.
struct BlockIndex {
    operator int64_t() const { return get_block_idx(); }  // NOLINT
};
struct BlockCount {
    operator int64_t() const { return get_block_num(); }  // NOLINT
};

}  // namespace pto::ptosim_detail
inline constexpr pto::ptosim_detail::BlockIndex block_idx;
inline constexpr pto::ptosim_detail::BlockCount block_num;

// ---- numbers ---------------------------------------------------------------------------------
// As in std, which is taken where both are visible.
template <class A_, class B_, class... None_>
constexpr auto min(A_ a, B_ b, None_...)
    -> std::enable_if_t<sizeof...(None_) == 0, std::common_type_t<A_, B_>> {
    return b < a ? b : a;
}
template <class A_, class B_, class... None_>
constexpr auto max(A_ a, B_ b, None_...)
    -> std::enable_if_t<sizeof...(None_) == 0, std::common_type_t<A_, B_>> {
    return a < b ? b : a;
}
// As in <cstdlib>, whose functions for a type go before this one.
template <class T_>
constexpr auto abs(T_ a) -> std::enable_if_t<std::is_arithmetic_v<T_>, T_> {
    return a < T_{} ? -a : a;
}

// ---- caches and order of the scalar unit -----------------------------------------------------
// The scalar unit reads and writes global memory itself here; its data cache is for checkers.
enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum dcci_dst_t {
    CACHELINE_ALL = 0,
    CACHELINE_UB = 1,
    CACHELINE_OUT = 2,
    CACHELINE_ATOMIC = 3,
};
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR = 1, DSB_UB = 2, DSB_SEQ = 3 };

template <class T_>
void dcci(T_* address, int64_t lines = SINGLE_CACHE_LINE, int64_t = CACHELINE_ALL,
          PTO_DETAIL_WHERE) {
    ptosim_clean_cache(reinterpret_cast<uintptr_t>(address),
                       lines == ENTIRE_DATA_CACHE ? 0 : 1, where);
#if defined(__NPU_DEVICE__) || defined(PTOSIM_DEVICE_BINARY)
    // Kernels of Ascend C and executors poll by plain pointers.
    if (lines != ENTIRE_DATA_CACHE) ptosim_fetch_line(reinterpret_cast<uintptr_t>(address), where);
#endif
}
inline void dsb(mem_dsb_t) { ptosim_await_stores(); }
inline void preload(const void*, int64_t = 0) { ptosim_scalar_work(1); }
inline void icache_preload(int64_t = 0) { ptosim_scalar_work(1); }
template <class T_>
void dc_preload(T_*, int64_t = 0) {
    ptosim_scalar_work(1);
}
inline int64_t get_icache_prl_st() { return 0; }

// ---- registers that the scalar unit writes -------------------------------------------------------
namespace pto::ptosim_detail {
inline uint64_t& core_register(ptosim_register number) {
    return ptosim_core_registers()->value[number];
}
inline void note_register(ptosim_register number) {
    if (ptosim_watched.registers != 0) ptosim_note_register(number);
}
inline void set_register(ptosim_register number, uint64_t value) {
    core_register(number) = value;
    note_register(number);
    ptosim_scalar_work(1);
}
}  // namespace pto::ptosim_detail

// The register that a scheduler on the AICPU reads (sim/faces/mpmd).
inline void set_cond(uint64_t value) { ptosim_mpmd_set_condition(value); }

// ---- loads and stores that pass by the cache, and atomic ones -------------------------------------
template <class T_>
T_ ld_dev(T_* address, int64_t offset = 0, PTO_DETAIL_WHERE) {
    const uint64_t bits =
        ptosim_load_global(reinterpret_cast<uintptr_t>(address) + static_cast<uint64_t>(offset),
                           pto::ptosim_detail::element_type<T_>, where);
    std::remove_cv_t<T_> value;
    __builtin_memcpy(&value, &bits, sizeof(T_));
    return value;
}
// A store to the address of the cross-core flags is a signal of the scalar unit.
template <class T_, class Value>
void st_dev(Value value, T_* address, int64_t offset = 0, PTO_DETAIL_WHERE) {
    if (pto::ptosim_detail::is_flag_address(reinterpret_cast<uintptr_t>(address))) {
        ffts_cross_core_sync(PIPE_S, static_cast<uint64_t>(value), where);
        return;
    }
    ptosim_store_global(reinterpret_cast<uintptr_t>(address) + static_cast<uint64_t>(offset),
                        pto::ptosim_detail::element_type<T_>,
                        pto::ptosim_detail::to_bits(static_cast<T_>(value)), where);
}
enum atomic_type_t { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8 };
enum atomic_op_t { ATOMIC_SUM = 1, ATOMIC_MAX = 2, ATOMIC_MIN = 3 };
// The type of st_atomic in bits 2:0, which is that of the address here, and the operation in bits 4:3.
inline void set_st_atomic_cfg(uint64_t configuration) {
    pto::ptosim_detail::set_register(PTOSIM_REGISTER_ST_ATOMIC, configuration);
}
inline void set_st_atomic_cfg(atomic_type_t type, atomic_op_t operation) {
    set_st_atomic_cfg(static_cast<uint64_t>(type) | static_cast<uint64_t>(operation) << 3);
}
inline int64_t get_st_atomic_cfg() {
    return static_cast<int64_t>(
        pto::ptosim_detail::core_register(PTOSIM_REGISTER_ST_ATOMIC));
}
template <class Value, class T_>
void st_atomic(Value value, T_* address, PTO_DETAIL_WHERE) {
    const uint64_t operation =
        pto::ptosim_detail::core_register(PTOSIM_REGISTER_ST_ATOMIC) >> 3 & 3;
    ptosim_atomic_global(reinterpret_cast<uintptr_t>(address), pto::ptosim_detail::element_type<T_>,
                         static_cast<uint8_t>(operation == 0 ? uint64_t{ATOMIC_SUM} : operation),
                         pto::ptosim_detail::to_bits(static_cast<T_>(value)), where);
}
#if !defined(PTO_NPU_ARCH_A5) || \
    !(defined(PTOSIM_ADDRESS_SPACES) || defined(PTOSIM_THREAD_FUNCTIONS))  // else cce/threads.hpp
template <class T_, class Value>
T_ atomicAdd(T_* address, Value value, PTO_DETAIL_WHERE) {
    const uint64_t bits = ptosim_atomic_global(
        reinterpret_cast<uintptr_t>(address), pto::ptosim_detail::element_type<T_>, 1,
        pto::ptosim_detail::to_bits(static_cast<T_>(value)), where);
    T_ before;
    __builtin_memcpy(&before, &bits, sizeof(T_));
    return before;
}
#endif

// ---- registers that instructions have as they are when they are issued --------------------------
// An integer, or the bits of a number.
#define PTO_DETAIL_REGISTER_SETTER(Name_, Register_)                                             \
    template <class T_>                                                                          \
    void Name_(T_ value) {                                                                       \
        uint64_t bits;                                                                           \
        if constexpr (std::is_integral_v<T_> || std::is_enum_v<T_>)                              \
            bits = static_cast<uint64_t>(value);                                                 \
        else                                                                                     \
            bits = ::pto::ptosim_detail::to_bits(value);                                         \
        ::pto::ptosim_detail::set_register(PTOSIM_REGISTER_##Register_, bits);                   \
    }
PTO_DETAIL_REGISTER_SETTER(set_ctrl, CTRL)
PTO_DETAIL_REGISTER_SETTER(set_deqscale, DEQSCALE)
PTO_DETAIL_REGISTER_SETTER(set_fpc, FPC)
PTO_DETAIL_REGISTER_SETTER(set_quant_pre, QUANT_PRE)
PTO_DETAIL_REGISTER_SETTER(set_nd_para, ND_PARA)
PTO_DETAIL_REGISTER_SETTER(set_fmatrix, FMATRIX)
PTO_DETAIL_REGISTER_SETTER(set_fmatrix_b, FMATRIX_B)
PTO_DETAIL_REGISTER_SETTER(set_l3d_rpt, L3D_RPT)
PTO_DETAIL_REGISTER_SETTER(set_padding, PADDING)
PTO_DETAIL_REGISTER_SETTER(set_l1_3d_size, L1_3D_SIZE)
PTO_DETAIL_REGISTER_SETTER(set_mov_pad_val, MOV_PAD)
PTO_DETAIL_REGISTER_SETTER(set_lrelu_alpha, LRELU_ALPHA)
inline int64_t get_ctrl() {
    return static_cast<int64_t>(pto::ptosim_detail::core_register(PTOSIM_REGISTER_CTRL));
}
inline int64_t get_fpc() {
    return static_cast<int64_t>(pto::ptosim_detail::core_register(PTOSIM_REGISTER_FPC));
}
inline int64_t sbitset0(int64_t value, int64_t bit) { return value & ~(int64_t{1} << bit); }
inline int64_t sbitset1(int64_t value, int64_t bit) { return value | (int64_t{1} << bit); }

// The operation of stores to global memory on the data there, unless TSTORE names one, and the type of
// the elements.
namespace pto::ptosim_detail {
struct AtomicRegister {
    uint8_t operation;  // as PTOSIM_ATTR_ATOMIC
    int dtype;          // -1: none was set: that of the tensor
};
inline AtomicRegister atomic_register() {
    const uint64_t bits = core_register(PTOSIM_REGISTER_ATOMIC);
    return {static_cast<uint8_t>(bits), static_cast<int>(bits >> 8 & 0xFF) - 1};
}
inline void set_atomic_operation(uint8_t operation) {
    const uint64_t bits = core_register(PTOSIM_REGISTER_ATOMIC);
    set_register(PTOSIM_REGISTER_ATOMIC, (bits & ~uint64_t{0xFF}) | operation);
}
inline void set_atomic_type(int dtype) {
    const uint64_t bits = core_register(PTOSIM_REGISTER_ATOMIC);
    set_register(PTOSIM_REGISTER_ATOMIC, (bits & 0xFF) | static_cast<uint64_t>(dtype + 1) << 8);
}
}  // namespace pto::ptosim_detail
inline void set_atomic_none() { pto::ptosim_detail::set_atomic_operation(0); }
inline void set_atomic_add() { pto::ptosim_detail::set_atomic_operation(1); }
inline void set_atomic_max() { pto::ptosim_detail::set_atomic_operation(2); }
inline void set_atomic_min() { pto::ptosim_detail::set_atomic_operation(3); }
inline void set_atomic_f32() { pto::ptosim_detail::set_atomic_type(PTOSIM_F32); }
inline void set_atomic_f16() { pto::ptosim_detail::set_atomic_type(PTOSIM_F16); }
inline void set_atomic_bf16() { pto::ptosim_detail::set_atomic_type(PTOSIM_BF16); }
inline void set_atomic_s32() { pto::ptosim_detail::set_atomic_type(PTOSIM_I32); }
inline void set_atomic_s16() { pto::ptosim_detail::set_atomic_type(PTOSIM_I16); }
inline void set_atomic_s8() { pto::ptosim_detail::set_atomic_type(PTOSIM_I8); }

// The lanes that a vector intrinsic works on; tile instructions have separate masks.
inline void set_mask_norm() {
    pto::ptosim_detail::set_register(PTOSIM_REGISTER_COUNTER, 0);
}
inline void set_mask_count() {
    pto::ptosim_detail::set_register(PTOSIM_REGISTER_COUNTER, 1);
}
inline void set_vector_mask(uint64_t high, uint64_t low) {
    pto::ptosim_detail::core_register(PTOSIM_REGISTER_MASK_HIGH) = high;
    pto::ptosim_detail::note_register(PTOSIM_REGISTER_MASK_HIGH);
    pto::ptosim_detail::set_register(PTOSIM_REGISTER_MASK_LOW, low);
}

// ---- time, ends, texts -----------------------------------------------------------------------
inline int64_t get_sys_cnt() { return static_cast<int64_t>(ptosim_system_counter()); }
[[noreturn]] inline void trap(PTO_DETAIL_WHERE) { ptosim_trap("trap() was called", where); }

namespace cce {

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
inline int
printf(const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0) {
        const size_t size = static_cast<size_t>(length);
        ptosim_print(text, size < sizeof(text) ? size : sizeof(text) - 1);
    }
    return length;
}

}  // namespace cce
