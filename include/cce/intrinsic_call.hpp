// Passes the arguments of intrinsics from device code to the kernel ABI.
#pragma once

#include "cce/element_types.hpp"

namespace pto::ptosim_detail {

// The type that a pointer's target has without its address space.
template <class T_>
struct Target {
    using type = std::remove_cv_t<T_>;
};
#ifdef PTOSIM_ADDRESS_SPACES
#define PTO_DETAIL_TARGET(Space_)                             \
    template <class T_>                                       \
    struct Target<Space_ T_> {                                \
        using type = std::remove_cv_t<T_>;                    \
    };                                                        \
    template <class T_>                                       \
    struct Target<const Space_ T_> {                          \
        using type = T_;                                      \
    };
PTO_DETAIL_TARGET(__ubuf__)
PTO_DETAIL_TARGET(__cbuf__)
PTO_DETAIL_TARGET(__ca__)
PTO_DETAIL_TARGET(__cb__)
PTO_DETAIL_TARGET(__cc__)
PTO_DETAIL_TARGET(__fbuf__)
PTO_DETAIL_TARGET(__biasbuf__)
#undef PTO_DETAIL_TARGET
#endif

template <class T_, class = void>
inline constexpr uint8_t target_type = PTOSIM_U8;  // of void, and of structures
template <class T_>
inline constexpr uint8_t target_type<T_, std::enable_if_t<(ElementType<T_>::value >= 0)>> =
    ElementType<T_>::value;

// A pointer into any memory: a byte address, and the type of the elements there.
struct Address {
    uint64_t value;
    uint8_t type;

    template <class T_>
    Address(T_* pointer)  // NOLINT: implicit, as calls write pointers
        : value{(uint64_t)pointer}, type{target_type<typename Target<T_>::type>} {}
    // Numbers of registers that hold addresses, and null.
    explicit Address(uint64_t number) : value{number}, type{PTOSIM_U8} {}
    Address(std::nullptr_t) : value{0}, type{PTOSIM_U8} {}  // NOLINT
};

// A count, a stride, a mode.
struct Word {
    uint64_t value;
    template <class T_,
              std::enable_if_t<std::is_integral_v<T_> || std::is_enum_v<T_>, int> = 0>
    Word(T_ number) : value{static_cast<uint64_t>(number)} {}  // NOLINT: implicit
};

// The address with PTOSIM_PAST_L2 if the cache control of a transfer disables L2: bit 2 of it (cann/asc-devkit
// impl/basic_api/utils/kernel_utils_macros.h, L2CacheAlter).
inline Address hinted(Address address, const Word& control) {
    if ((control.value & 4) != 0) address.value |= PTOSIM_PAST_L2;
    return address;
}

// The low `count` bits of a word, from bit `low` on.
constexpr uint64_t packed(const Word& word, unsigned low, unsigned count) {
    return (word.value & ((uint64_t{1} << count) - 1)) << low;
}

// The two words of an image load: a part of the matrix, and its windows.
struct ImageWords {
    uint64_t part, windows;
};
inline ImageWords image_words(Word columns, Word rows, Word column, Word row, Word stride_width, Word stride_height,
                              Word filter_width, Word filter_height, Word dilation_width, Word dilation_height,
                              Word wide_filter, Word high_filter, Word transpose, Word map_b, Word channels) {
    return {packed(columns, 0, 16) | packed(rows, 16, 16) | packed(column, 32, 16) | packed(row, 48, 16),
            packed(stride_width, 0, 6) | packed(stride_height, 6, 6) | packed(filter_width, 12, 8) |
                packed(filter_height, 20, 8) | packed(dilation_width, 28, 8) | packed(dilation_height, 36, 8) |
                packed(wide_filter, 44, 1) | packed(high_filter, 45, 1) | packed(transpose, 46, 1) | packed(map_b, 47, 1) |
                packed(channels, 48, 16)};
}

// A number that is computed with, of the type that the call has for it.
struct Scalar {
    uint64_t bits;
    uint8_t type;
    template <class T_>
    Scalar(T_ number) : bits{to_bits(number)}, type{element_type<T_>} {}  // NOLINT: implicit
    Scalar(double number) : Scalar(static_cast<float>(number)) {}          // NOLINT
};

class IntrinsicCall {
 public:
    IntrinsicCall(uint32_t opcode, const char* name, ptosim_location where) {
        call_.opcode = opcode;
        call_.name = name;
        call_.where = where;
        call_.argument_count = 0;
        call_.scalar_type = PTOSIM_I64;
        for (uint8_t& type : call_.types) type = PTOSIM_U8;
    }
    void add(const Address& address) {
        if (addresses_ < sizeof(call_.types)) call_.types[addresses_++] = address.type;
        call_.arguments[call_.argument_count++] = address.value;
    }
    void add(const Word& word) { call_.arguments[call_.argument_count++] = word.value; }
    void add(const Scalar& scalar) {
        call_.scalar_type = scalar.type;
        call_.arguments[call_.argument_count++] = scalar.bits;
    }
    PTOSIM_PLACED void issue() const { ptosim_issue_intrinsic(&call_); }

 private:
    ptosim_intrinsic call_;
    unsigned addresses_ = 0;
};

template <class... Arguments_>
PTOSIM_PLACED void issue_intrinsic(uint32_t opcode, const char* name, ptosim_location where,
                                   const Arguments_&... arguments) {
    IntrinsicCall call(opcode, name, where);
    (call.add(arguments), ...);
    call.issue();
}

}  // namespace pto::ptosim_detail

#define PTO_DETAIL_INTRINSIC(Name_, ...)                                                        \
    ::pto::ptosim_detail::issue_intrinsic(                                                      \
        std::integral_constant<uint32_t, ptosim_opcode(#Name_)>::value, #Name_, where, __VA_ARGS__)

// A fill by a number of a type, which its instruction has as bits.
#define PTO_DETAIL_NUMBER_FILL(Name_)                                                         \
    template <class Value_, std::enable_if_t<!std::is_integral_v<Value_>, int> = 0>      \
    void Name_(Address dst, Word configuration, Value_ value, PTO_DETAIL_WHERE) {        \
        Name_(dst, configuration, Word(to_bits(value)), where);                           \
    }

#if defined(PTO_NPU_ARCH_A2A3) || defined(PTOSIM_ADDRESS_SPACES)
// ---- transposes between registers of addresses ----------------------------------------------------
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
template <class T_>
void set_va_reg_sb(ub_addr8_t va, T_* addresses) {
    for (int i = 0; i < 8; ++i)
        ptosim_core_registers()->va[va][i] = static_cast<uint64_t>(addresses[i]);
    ptosim_scalar_work(1);
}
#define PTO_DETAIL_TRANSPOSITION(Name_)                                                         \
    inline void Name_(ub_addr8_t dst, ub_addr8_t src, ::pto::ptosim_detail::Word repeat,         \
                      ::pto::ptosim_detail::Word dst_stride,                                     \
                      ::pto::ptosim_detail::Word src_stride, PTO_DETAIL_WHERE) {                 \
        using ::pto::ptosim_detail::Word;                                                        \
        PTO_DETAIL_INTRINSIC(Name_, Word(dst), Word(src), repeat, dst_stride, src_stride);      \
    }
PTO_DETAIL_TRANSPOSITION(scatter_vnchwconv_b16)
PTO_DETAIL_TRANSPOSITION(scatter_vnchwconv_b32)
#undef PTO_DETAIL_TRANSPOSITION
// For bytes: also the halves of each block that are written and read.
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, ::pto::ptosim_detail::Word repeat,
                                 ::pto::ptosim_detail::Word dst_stride,
                                 ::pto::ptosim_detail::Word src_stride,
                                 ::pto::ptosim_detail::Word dst_upper,
                                 ::pto::ptosim_detail::Word src_upper, PTO_DETAIL_WHERE) {
    using ::pto::ptosim_detail::Word;
    PTO_DETAIL_INTRINSIC(scatter_vnchwconv_b8, Word(dst), Word(src), repeat, dst_stride, src_stride,
                         dst_upper, src_upper);
}

// ---- merging of sorted lists ----------------------------------------------------------------------
// The addresses of the lists that bits 8 to 11 of the configuration name.
template <class T_, class List_>
void vmrgsort4(T_* dst, List_** lists, uint64_t lengths, uint64_t configuration, PTO_DETAIL_WHERE) {
    using ::pto::ptosim_detail::Address;
    using ::pto::ptosim_detail::Word;
    const auto list = [&](unsigned i) {
        Address address(static_cast<List_*>(nullptr));
        if ((configuration >> (8 + i) & 1) != 0) address = Address(lists[i]);
        return address;
    };
    PTO_DETAIL_INTRINSIC(vmrgsort4, Address(dst), list(0), list(1), list(2), list(3), Word(lengths),
                         Word(configuration));
}

// With numbers as arguments: repeats in bits 7:0 of the configuration, the lists in 11:8, the end at the first list
// that is used up in bit 12.
template <class T_, class List_>
void vmrgsort4(T_* dst, List_** lists, uint8_t repeat, uint16_t length0, uint16_t length1,
               uint16_t length2, uint16_t length3, bool until_first_end, uint8_t valid,
               PTO_DETAIL_WHERE) {
    vmrgsort4(dst, lists,
              uint64_t{length0} | uint64_t{length1} << 16 | uint64_t{length2} << 32 |
                  uint64_t{length3} << 48,
              uint64_t{repeat} | uint64_t(valid & 15) << 8 | uint64_t{until_first_end} << 12, where);
}

// ---- registers that pipe V writes -----------------------------------------------------------------
#define PTO_DETAIL_RESULT(Name_, Register_)                                   \
    inline int64_t Name_(PTO_DETAIL_WHERE) {                                  \
        return static_cast<int64_t>(ptosim_result(PTOSIM_##Register_, where)); \
    }
PTO_DETAIL_RESULT(get_vms4_sr, VMS4_SR)
PTO_DETAIL_RESULT(get_rsvd_cnt, RSVD_CNT)
PTO_DETAIL_RESULT(get_acc_val, ACC_VAL)
PTO_DETAIL_RESULT(get_max_min_cnt, MAX_MIN_CNT)
#undef PTO_DETAIL_RESULT
#endif
