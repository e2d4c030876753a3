// Printing of Ascend C kernels. The headers of asc-devkit write texts and tensors into a ring buffer in global memory,
// which the device's runtime reads; these functions replace two of the headers under the same names and print at once.
// A core has done all that it issued before a tensor is read.
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>

#include "cce/kernel_call.hpp"
#include "cce/scalar.hpp"
#include "ptosim/threads.h"

#define IMPL_UTILS_DEBUG_ASC_AICORE_PRINTF_IMPL_H
#define IMPL_UTILS_DEBUG_ASC_AICORE_DUMP_IMPL_H

extern uint8_t* g_sysPrintFifoSpace __attribute__((weak, visibility("hidden")));

namespace pto::ptosim_detail {

// Headers look whether there is a ring buffer: memory without one's mark.
inline bool set_ring_buffer() {
    alignas(64) static uint8_t none[128];
    if (&g_sysPrintFifoSpace == nullptr) return false;
    g_sysPrintFifoSpace = none;
    return true;
}
inline const bool ring_buffer_set = set_ring_buffer();

// The argument as printf reads it.
template <class T_>
auto printed(T_ value) {
    if constexpr (std::is_same_v<T_, _Float16> || std::is_same_v<T_, __bf16>)
        return static_cast<double>(static_cast<float>(value));
    else
        return value;
}

template <class... Arguments_>
std::string formatted(const char* format, Arguments_... arguments) {
    const int length = snprintf(nullptr, 0, format, printed(arguments)...);
    if (length <= 0) return {};
    std::string text(static_cast<size_t>(length), ' ');
    snprintf(text.data(), text.size() + 1, format, printed(arguments)...);
    return text;
}

inline void print(const std::string& text) { ptosim_print(text.data(), text.size()); }

inline std::string print_head() {
#ifdef __DAV_VEC__
    return formatted("[AIV Block %lld/%lld] ",
                     static_cast<long long>(get_block_idx() * get_subblockdim() + get_subblockid()),
                     static_cast<long long>(get_block_num() * get_subblockdim()));
#else
    return formatted("[AIC Block %lld/%lld] ", static_cast<long long>(get_block_idx()),
                     static_cast<long long>(get_block_num()));
#endif
}

template <class T_>
const char* type_text() {
    constexpr const char* kNames[] = {"float32", "float16", "bfloat16", "", "", "", "", "", "", "", "",
                                      "",        "int8",    "uint8",    "int16", "uint16", "int32",
                                      "uint32",  "int64",   "uint64"};
    constexpr unsigned type = element_type<T_>;
    return type < sizeof(kNames) / sizeof(*kNames) ? kNames[type] : "";
}

template <class T_>
std::string element_text(uint64_t bits) {
    T_ value;
    __builtin_memcpy(&value, &bits, sizeof(T_));
    if constexpr (std::is_integral_v<T_>)
        return std::is_signed_v<T_> ? formatted("%lld", static_cast<long long>(value))
                                    : formatted("%llu", static_cast<unsigned long long>(value));
    else if constexpr (std::is_same_v<T_, _Float16> || std::is_same_v<T_, __bf16> || std::is_same_v<T_, float>)
        return formatted("%f", value);
    else
        return formatted("%llu", static_cast<unsigned long long>(bits));
}

// Elements of a shape from `index` on, rows in brackets.
template <class Element_>
std::string rows_text(const Element_& element, const uint32_t* shape, uint32_t dims, uint32_t count,
                      uint32_t& index) {
    std::string text = "[";
    for (uint32_t i = 0; i < shape[0]; ++i) {
        if (i != 0) text += dims == 1 ? "," : ",\n";
        if (dims > 1)
            text += rows_text(element, shape + 1, dims - 1, count, index);
        else
            text += index < count ? element(index++) : "-";
    }
    return text + "]";
}

template <class T_, class Load_>
void dump(const char* position, uint64_t address, const Load_& load, uint32_t desc, uint32_t count,
          const uint32_t* shape, uint32_t dims) {
    pipe_barrier(PIPE_ALL);
    std::string text = formatted("DumpTensor: desc=%u, addr=0x%llx, data_type=%s, position=%s, dump_size=%u\n",
                                 desc, static_cast<unsigned long long>(address), type_text<T_>(), position, count);
    const auto element = [&](uint32_t index) { return element_text<T_>(load(index)); };
    uint32_t index = 0, elements = 1;
    for (uint32_t i = 0; i < dims && shape != nullptr; ++i) elements *= shape[i];
    if (dims != 0 && shape != nullptr && elements != 0) {
        text += rows_text(element, shape, dims, count < elements ? count : elements, index) + "\n";
    } else {
        text += "[";
        for (; index < count; ++index) text += (index == 0 ? "" : ", ") + element(index);
        text += "]\n";
    }
    print(text);
}

template <class T_>
void dump_local(const char* name, ptosim_space space, uint64_t address, uint32_t desc, uint32_t count,
                const uint32_t* shape, uint32_t dims) {
    if (count == 0) return;
    ptosim_tile tile{};
    tile.space = static_cast<uint8_t>(space);
    tile.dtype = element_type<T_>;
    tile.fractal = 512;
    tile.address = static_cast<uint32_t>(address);
    tile.rows = tile.valid_rows = 1;
    tile.cols = tile.valid_cols = static_cast<int32_t>(count);
    const auto load = [&](uint32_t index) { return ptosim_load_local(&tile, index, {nullptr, 0}); };
    dump<T_>(name, address, load, desc, count, shape, dims);
}

template <class T_>
void dump_global(const T_* address, uint32_t desc, uint32_t count, const uint32_t* shape, uint32_t dims) {
    if (count == 0) return;
    const auto at = reinterpret_cast<uint64_t>(address);
    const auto load = [&](uint32_t index) {
        return ptosim_load_global(at + index * sizeof(T_), element_type<T_>, {nullptr, 0});
    };
    dump<std::remove_cv_t<T_>>("GM", at, load, desc, count, shape, dims);
}

}  // namespace pto::ptosim_detail

namespace __asc_aicore {

template <class... Arguments_>
void printf_impl(const char* format, Arguments_&&... arguments) {
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    using namespace pto::ptosim_detail;
    const std::string text = formatted(format, arguments...);
    if (ptosim_in_thread() != 0) return ptosim_thread_print(text.data(), text.size());
    print(print_head() + text);
#endif
}
template <class... Arguments_>
void printf_impl_assert(const char* format, Arguments_&&... arguments) {
    printf_impl(format, arguments...);
}
template <class... Arguments_>
void printf_impl_assert_msg(const char* assertion, const char* file, unsigned line, const char* function,
                            const char* format, Arguments_&&... arguments) {
    using namespace pto::ptosim_detail;
    printf_impl("[ASSERT] %s:%u: %s: Assertion `%s' failed. %s", file, line, function, assertion,
                formatted(format, arguments...).c_str());
}
// Redeclared by utils/debug/asc_printf.h, as the functions that dump are by asc_dump.h.
template <class... Arguments_>
static __attribute__((noinline)) void printf(const char* format, Arguments_&&... arguments) {
#ifdef PTOSIM_HOST_PASS  // a host that uses this namespace calls the C library's, which is the device's compiler's choice
    fputs(::pto::ptosim_detail::formatted(format, arguments...).c_str(), stdout);
#else
    printf_impl(format, arguments...);
#endif
}
template <class... Arguments_>
void PRINTF(const char* format, Arguments_&&... arguments) {
    printf_impl(format, arguments...);
}

#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
#define PTO_DETAIL_DUMP(Name_, Space_, Where_, Text_)                                                    \
    template <class T_>                                                                                  \
    static void Name_(Space_ T_* source, uint32_t desc, uint32_t count, const uint32_t* shape, uint32_t dims) { \
        ::pto::ptosim_detail::dump_local<T_>(Text_, Where_, reinterpret_cast<uint64_t>(source), desc,    \
                                             count, shape, dims);                                        \
    }
#else
#define PTO_DETAIL_DUMP(Name_, Space_, Where_, Text_)                              \
    template <class T_>                                                            \
    static void Name_(Space_ T_*, uint32_t, uint32_t, const uint32_t*, uint32_t) {}
#endif
#define PTO_DETAIL_DUMPS(Name_, Space_, Where_, Text_)                 \
    PTO_DETAIL_DUMP(Name_, Space_, Where_, Text_)                      \
    PTO_DETAIL_DUMP(asc_dump, Space_, Where_, Text_)                   \
    template <class T_>                                                \
    static __attribute__((noinline)) void Name_(Space_ T_* source, uint32_t desc, uint32_t count) {     \
        Name_(source, desc, count, nullptr, 0);                        \
    }                                                                  \
    template <class T_>                                                \
    static __attribute__((noinline)) void asc_dump(Space_ T_* source, uint32_t desc, uint32_t count) {  \
        Name_(source, desc, count, nullptr, 0);                        \
    }
PTO_DETAIL_DUMPS(asc_dump_ubuf, __ubuf__, PTOSIM_UB, "UB")
PTO_DETAIL_DUMPS(asc_dump_l1buf, __cbuf__, PTOSIM_L1, "L1")
PTO_DETAIL_DUMPS(asc_dump_abuf, __ca__, PTOSIM_L0A, "L0A")
PTO_DETAIL_DUMPS(asc_dump_bbuf, __cb__, PTOSIM_L0B, "L0B")
PTO_DETAIL_DUMPS(asc_dump_cbuf, __cc__, PTOSIM_L0C, "L0C")
PTO_DETAIL_DUMPS(asc_dump_biasbuf, __biasbuf__, PTOSIM_BIAS, "BIAS")
PTO_DETAIL_DUMPS(asc_dump_fbuf, __fbuf__, PTOSIM_FIXPIPE, "FIXBUF")
#undef PTO_DETAIL_DUMPS
#undef PTO_DETAIL_DUMP

template <class T_>
void asc_dump_gm(T_* source, uint32_t desc, uint32_t count, const uint32_t* shape, uint32_t dims) {
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    ::pto::ptosim_detail::dump_global(source, desc, count, shape, dims);
#endif
}
template <class T_>
static __attribute__((noinline)) void asc_dump_gm(T_* source, uint32_t desc, uint32_t count) {
    asc_dump_gm(source, desc, count, nullptr, 0);
}
template <class T_>
static __attribute__((noinline)) void asc_dump(T_* source, uint32_t desc, uint32_t count) {
    asc_dump_gm(source, desc, count);
}

inline void asc_dump_shape_impl(uint32_t dims, const uint32_t* shape) {
    std::string text = "DumpShape: [";
    for (uint32_t i = 0; i < dims; ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    ::pto::ptosim_detail::print(text + "]\n");
}

}  // namespace __asc_aicore

// The names that utils/debug gives kernels without a namespace.
using __asc_aicore::asc_dump;
using __asc_aicore::asc_dump_abuf;
using __asc_aicore::asc_dump_bbuf;
using __asc_aicore::asc_dump_biasbuf;
using __asc_aicore::asc_dump_cbuf;
using __asc_aicore::asc_dump_fbuf;
using __asc_aicore::asc_dump_gm;
using __asc_aicore::asc_dump_l1buf;
using __asc_aicore::asc_dump_ubuf;

template <class... Arguments_>
[[noreturn]] void __assert_fail_msg(const char* assertion, const char* file, unsigned line, const char* function,
                                    const char* format, Arguments_&&... arguments) {
    __asc_aicore::printf_impl_assert_msg(assertion, file, line, function, format, arguments...);
    trap();
}

#ifndef PTOSIM_HOST_PASS
// Instead of the C library's: with the core in front, and half and bfloat16_t among the arguments.
template <class First_, class... Arguments_>
int printf(const char* format, First_&& first, Arguments_&&... arguments) {
    __asc_aicore::printf_impl(format, first, arguments...);
    return 0;
}
extern "C" __attribute__((visibility("hidden"))) inline int printf(const char* format, ...) {
    __asc_aicore::printf_impl(format, nullptr);
    return 0;
}
#endif
