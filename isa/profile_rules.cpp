#include "isa/profile_rules.h"

#include <array>

namespace ptosim {

namespace {

using enum Numerics;
using enum Opcode;
constexpr auto kAssumed = Grade::kAssumed;

constexpr std::array kRules{
    // Choices of the default profile.
    ProfileRule{"bias-after-dot", kTMATMUL_BIAS, kIEEE, kAssumed, true,
                "The bias is added after the last term of the product.",
                "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"},
    ProfileRule{"mx-scales-inputs", kTMATMUL_MX, kIEEE, kAssumed, true,
                "A block scale is multiplied into each input in f32 before the fused multiply-add.",
                "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"},
    ProfileRule{"product-rounds", kTMULADDDST, kIEEE, kAssumed, true,
                "TMULADDDST and TAXPY round the product, then the sum; only the instructions whose "
                "name says fused round once.",
                "hw-native-sys/pto-isa include/pto/cpu/ElementOp.h"},
    ProfileRule{"rem-sign-of-zero", kTREM, kIEEE, kAssumed, true,
                "A zero remainder of TREM has the sign of the divisor.",
                "floor modulo of docs/isa/TREM.md; the sign of zero is our choice"},
    ProfileRule{"integer-division-by-zero", kTDIV, kIEEE, kAssumed, true,
                "An integer quotient by zero has all bits set; a remainder is the dividend.",
                "no source defines it (N01)"},
    ProfileRule{"relu-after-quantisation", kTSTORE, kIEEE, kAssumed, true,
                "The fixpipe's relu comes after scaling and rounding.",
                "hw-native-sys/pto-isa include/pto/cpu/common.hpp"},
    ProfileRule{"quantisation-9-bit", kTSTORE, kIEEE, kAssumed, true,
                "Before its offset is added, a value on its way to 8 bits is clamped to 9.",
                "PTO-ISA/pto-spec asl/arch/profile/matrix-quantization.asl"},
    ProfileRule{"conversion-default-saturation", kTCVT, kIEEE, kAssumed, true,
                "Without a mode, f16 to i8 and u8, f32 and f16 to i16, i64 to i32 and i32 to i16 "
                "wrap; other conversions saturate.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp"},
    ProfileRule{"sort-nan-last", kTSORT32, kIEEE, kAssumed, true, "NaN sorts below every number.",
                "PTO-ISA/pto-spec asl/tile/model/ordering/sorting.asl"},
    ProfileRule{"sort-padding", kTSORT32, kIEEE, kAssumed, true,
                "The two spare bytes of an f16 record are zero.",
                "hw-native-sys/pto-isa docs/isa/TSORT32.md"},
    ProfileRule{"prefetch-no-data", kTPREFETCH, kIEEE, kAssumed, true,
                "The destination is a buffer of the transfer and keeps what it held.",
                "hw-native-sys/pto-isa docs/isa/TPREFETCH.md: advisory"},
    ProfileRule{"concat-index-bytes", kTCONCATIDX, kIEEE, kAssumed, true,
                "Indices are lengths times the size of an index in bytes, as the code has it; a "
                "manual says elements.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TConcat.hpp"},
    ProfileRule{"gather-compare-index", kTGATHER, kIEEE, kAssumed, true,
                "A gathered index is the offset and the column; every row starts anew.",
                "hw-native-sys/pto-isa docs/isa/TGATHER.md"},
    ProfileRule{
        "mx-quantisation-rounds", kTQUANT_MX, kIEEE, kAssumed, true,
        "Scaled elements round to nearest even; the documents speak of stochastic rounding.",
        "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tquant/gen_data.py"},
    ProfileRule{
        "mx-nan-group", kTQUANT_MX, kIEEE, kAssumed, true,
        "A group with a NaN has the exponent 0xFF and NaN as its scaling; e2m1 elements are "
        "then 7.",
        "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tquant/gen_data.py"},
    ProfileRule{"power-rounds-once", kTPOW, kIEEE, kAssumed, true,
                "Powers of floats are rounded once, from about 85 bits.",
                "IEEE 754-2019 9.2.1; no rule is published"},
    // Hardware.
    ProfileRule{"conversion-low-bits", kTCVT, kA2A3, kAssumed, true,
                "Floats to i8, u8 and i16 without saturation keep the low bits of the 32-bit integer "
                "(300 to i8: 44; +inf: all ones; -inf, NaN: 0); ieee has the indefinite value. As "
                "a5.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp, docs/isa/TCVT.md"},
    ProfileRule{"conversion-low-bits-a5", kTCVT, kA5, kAssumed, true,
                "As conversion-low-bits.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tcvt/gen_data.py; "
                "PTO-ISA/PTO-Gym tileop suite tcvt"},
    ProfileRule{"part-extreme-fill", kTPARTMAX, kA5, kAssumed, true,
                "Lanes that neither source of TPARTMAX covers take the lowest finite value; ieee "
                "leaves them.",
                "hw-native-sys/PTOAS lib/TileOps/a5/_part.py; PTO-ISA/PTO-Gym tileop suite tpartmax; "
                "hw-native-sys/pto-isa a5/TPartBinOps.hpp asserts that there are none"},
    ProfileRule{"part-extreme-fill-min", kTPARTMIN, kA5, kAssumed, true,
                "Lanes that neither source of TPARTMIN covers take the highest finite value; ieee "
                "leaves them.",
                "as part-extreme-fill"},
    ProfileRule{"tscatter-clears", kTSCATTER, kA2A3, kAssumed, true,
                "TSCATTER with indices sets the whole physical destination to zero first.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TScatter.hpp"},
    ProfileRule{"row-sum-tree", kTROWSUM, kA2A3, kAssumed, false,
                "Row reductions use trees that depend on the shape.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TRowReduceOps.hpp"},
    ProfileRule{"flush-subnormals", kTADD, kA2A3, kAssumed, false,
                "Documents say that subnormals are flushed to zero; code elsewhere contradicts it.",
                "hw-native-sys/pto-isa docs/isa/state-and-types/type-system.md"},
    ProfileRule{"approximate-functions", kTEXP, kA2A3, kAssumed, false,
                "exp, log, sqrt, rsqrt and division have an unpublished error.",
                "PTO-ISA/pto-spec ADR-0091: no bound is accepted"},
    ProfileRule{"matmul-order", kTMATMUL, kA2A3, kAssumed, false,
                "The width and order of the cube's accumulation are not published.",
                "hw-native-sys/pto-isa docs/isa/TMATMUL.md"},
    ProfileRule{"nd2nz-zero-tail", kTLOAD, kA2A3, kAssumed, false,
                "ND to NZ loads may fill the last 32 bytes of a row with zeros.",
                "not documented for the tile instruction"},
};

}  // namespace

std::string_view name(Grade grade) { return grade == Grade::kCaptured ? "captured" : "assumed"; }

std::span<const ProfileRule> profile_rules() { return kRules; }

const ProfileRule* find_profile_rule(std::string_view name) {
    for (const ProfileRule& rule : kRules)
        if (rule.name == name) return &rule;
    return nullptr;
}

}  // namespace ptosim
