#include "isa/profile_rules.h"

#include <array>

namespace ptosim {

namespace {

using enum Numerics;
using enum Opcode;
using Text = std::string_view;

constexpr Opcodes kProducts{kTMATMUL,         kTMATMUL_ACC, kTMATMUL_BIAS, kTGEMV,
                            kTGEMV_ACC,       kTGEMV_BIAS,  kTMATMUL_MX,   kTMATMUL_MX_ACC,
                            kTMATMUL_MX_BIAS, kTGEMV_MX,    kTGEMV_MX_ACC, kTGEMV_MX_BIAS};

// A choice of the default profile.
constexpr ProfileRule choice(Text name, Opcodes opcodes, Text text, Text source) {
    return {name, opcodes, kIEEE, Grade::kAssumed, text, source};
}
constexpr ProfileRule assumed(Numerics profile, Text name, Opcodes opcodes, Text text,
                              Text source) {
    return {name, opcodes, profile, Grade::kAssumed, text, source};
}
// Measured: tests/CONFORMANCE_PTO_ISA.md.
constexpr ProfileRule captured(Numerics profile, Text name, Opcodes opcodes, Text text,
                               Text source) {
    return {name, opcodes, profile, Grade::kCaptured, text, source};
}
constexpr std::array kRules{
    // Choices of the default profile.
    choice("bias-after-dot", {kTMATMUL_BIAS, kTGEMV_BIAS, kTMATMUL_MX_BIAS, kTGEMV_MX_BIAS},
           "The bias is added after the last term of the product.",
           "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"),
    choice(
        "mx-scales-inputs",
        {kTMATMUL_MX, kTMATMUL_MX_ACC, kTMATMUL_MX_BIAS, kTGEMV_MX, kTGEMV_MX_ACC, kTGEMV_MX_BIAS},
        "A block scale is multiplied into each input in f32 before the fused multiply-add.",
        "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"),
    choice("product-rounds", {kTMULADDDST, kTAXPY},
           "TMULADDDST and TAXPY round the product, then the sum; only the instructions whose "
           "name says fused round once.",
           "hw-native-sys/pto-isa include/pto/cpu/ElementOp.h"),
    choice("rem-sign-of-zero", {kTREM, kTREMS},
           "A zero remainder of TREM has the sign of the divisor.",
           "floor modulo of docs/isa/TREM.md; the sign of zero is our choice"),
    choice("integer-division-by-zero", {kTDIV, kTDIVS, kTREM, kTREMS, kTFMOD, kTFMODS},
           "An integer quotient by zero has all bits set; a remainder is the dividend.",
           "no source defines it (N01)"),
    choice("relu-after-quantisation", {kTSTORE, kTMOV, kTEXTRACT, kTINSERT},
           "The fixpipe's relu comes after scaling and rounding.",
           "hw-native-sys/pto-isa include/pto/cpu/common.hpp"),
    choice("quantisation-9-bit", {kTSTORE, kTMOV, kTEXTRACT, kTINSERT},
           "Before its offset is added, a value on its way to 8 bits is clamped to 9.",
           "PTO-ISA/pto-spec asl/arch/profile/matrix-quantization.asl"),
    choice("conversion-default-saturation", kTCVT,
           "Without a mode, f16 to i8 and u8, f32 and f16 to i16, i64 to i32 and i32 to i16 "
           "wrap; other conversions saturate.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp"),
    choice("sort-nan-last", {kTSORT32, kTMRGSORT}, "NaN sorts below every number.",
           "PTO-ISA/pto-spec asl/tile/model/ordering/sorting.asl"),
    choice("sort-padding", {kTSORT32, kTMRGSORT}, "The two spare bytes of an f16 record are zero.",
           "hw-native-sys/pto-isa docs/isa/TSORT32.md"),
    choice("prefetch-no-data", kTPREFETCH,
           "The destination is a buffer of the transfer and keeps what it held.",
           "hw-native-sys/pto-isa docs/isa/TPREFETCH.md: advisory"),
    choice("concat-index-bytes", kTCONCATIDX,
           "Indices are lengths times the size of an index in bytes, as the code has it; a "
           "manual says elements.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TConcat.hpp"),
    choice("gather-thresholds", kTGATHER,
           "Thresholds in a tile are signed integers, one for each row, compared by value.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TGather.hpp, "
           "TGather_cmp_FillIndexAndConvertK"),
    choice("gather-compare-index", kTGATHER,
           "A gathered index is the offset and the column; every row starts anew.",
           "hw-native-sys/pto-isa docs/isa/TGATHER.md"),
    choice("mx-quantisation-rounds", kTQUANT_MX,
           "Scaled elements round to nearest even; the documents speak of stochastic rounding.",
           "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tquant/gen_data.py"),
    choice("mx-nan-group", kTQUANT_MX,
           "A group with a NaN has the exponent 0xFF and NaN as its scaling; e2m1 elements are "
           "then 7.",
           "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tquant/gen_data.py"),
    choice("power-rounds-once", {kTPOW, kTPOWS},
           "Powers of floats are rounded once, from about 85 bits.",
           "IEEE 754-2019 9.2.1; no rule is published"),
    choice("img2col-beyond", kTIMG2COL,
           "Windows beyond the last image and channels beyond the last block are the padding "
           "value.",
           "hw-native-sys/pto-isa include/pto/cpu/TImg2col.hpp"),
    choice("img2col-repetition", kTIMG2COL,
           "Repetitions start 16 * stride rows (mode 0) or c0 * stride columns (mode 1) further "
           "in the matrix and make one larger target, below or beside one another; none at all "
           "is no operation.",
           "CANN AscendC API, SetLoadDataRepeat (hiascend.com); where results go is our choice"),
    choice("img2col-transposition", kTIMG2COL,
           "With transpose, the whole target matrix is transposed: its rows are places in the "
           "window. On a2a3 for 16-bit elements only.",
           "CANN AscendC API, LoadData, Load3Dv2, enTranspose (hiascend.com)"),
    choice("memory-indices-unsigned", {kMSCATTER, kMGATHER},
           "Indices of MGATHER and MSCATTER count as unsigned: -1 is clamped to the last row.",
           "hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/MGather.hpp, mgather_remap"),
    choice("gather-clears", kMGATHER,
           "By element into L1, or with the policy zero into a tile of fractals, the whole "
           "physical destination becomes 0 first.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/MGather.hpp"),
    choice("pair-sum-drops-odd", kTPAIRREDUCESUM,
           "The last of an odd number of columns is left out.",
           "hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TPairReduceSum.hpp"),
    choice("exponent-boxes", kTQUANT_MX,
           "exp_zz has the exponents in boxes of 16 rows and 2 groups, one after the other.",
           "hw-native-sys/pto-isa include/pto/cpu/TQuant.hpp"),
    choice("fractal-z-3d-order", {kTTRANS, kTLOAD},
           "The first dimension of FRACTAL_Z_3D is d, c1, h, w for TTRANS and c1, d, h, w for "
           "TLOAD: the code of the two differs.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TTrans.hpp, a5/TLoad.hpp"),
    choice("accumulation-starts-at-c", {kTMATMUL_ACC, kTGEMV_ACC, kTMATMUL_MX_ACC, kTGEMV_MX_ACC},
           "The chain of fused multiply-adds starts at the accumulator; the public CPU "
           "simulator adds it at the end.",
           "PTO-ISA/pto-spec spec/hardware-conformance-profile.json; hw-native-sys/pto-isa "
           "include/pto/cpu/TMatmul.hpp"),
    choice("factor-precision",
           {kTMATMUL, kTMATMUL_ACC, kTMATMUL_BIAS, kTGEMV, kTGEMV_ACC, kTGEMV_BIAS},
           "With tf32_mode, f32 factors are rounded first: on a5 to 10 fraction bits, on a2a3 "
           "to 11.",
           "hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, SetMadTF32Mode"),
    choice("round-to-odd", kTCVT,
           "CAST_ODD is round to odd; the public CPU simulator rounds to nearest with ties to "
           "odd.",
           "PTO-ISA/pto-spec ADR-0047; hw-native-sys/pto-isa include/pto/common/type.hpp"),
    choice("conversion-is-numeric", kTCVT,
           "f16 and bf16 are converted by value; a document says that bits are reinterpreted.",
           "hw-native-sys/pto-isa include/pto/npu/a5/TCvt.hpp; against "
           "docs/isa/state-and-types/type-system.md"),
    choice("fp4-pairs", kTCVT,
           "The even column of a pair of 4-bit elements is the low half of the byte.",
           "PTO-ISA/pto-spec ADR-0033"),
    choice("minimum-skips-nan",
           {kTMAX, kTMIN, kTMAXS, kTMINS, kTROWMAX, kTROWMIN, kTCOLMAX, kTCOLMIN, kTROWEXPANDMAX,
            kTROWEXPANDMIN, kTCOLEXPANDMAX, kTCOLEXPANDMIN, kTPARTMAX, kTPARTMIN},
           "TMAX, TMIN and the reductions with them skip a NaN beside a number; +0 is larger "
           "than -0.",
           "PTO-ISA/pto-spec asl/arch/features/minmax-profile.asl"),
    choice("work-by-destination", {kTSUB, kTADD, kTMUL, kTDIV},
           "A source with another valid region than the destination is read over that of the "
           "destination if its tile holds it; it is told (S04, S07).",
           "hw-native-sys/pto-isa include/pto/common/debug.h: PTO_ASSERT is nothing in what is "
           "built to run; model kernels of hw-native-sys/PTOAS test/samples need it"),
    choice(
        "subnormals-stay", {kTADD, kTSUB, kTMUL, kTADDS, kTSUBS, kTMULS},
        "Subnormal operands and results are kept, under a2a3 and a5 as well but for "
        "flush-subnormals-a5. A document says that a2a3 and a5 flush them; the API's documents say "
        "that sums and products of a5 support them, and that a5, unlike a2a3, does not in "
        "divisions, exponentials, logarithms and roots.",
        "CANN API, precision of Reg vector instructions; changes from 2201 to 3510 (hiascend.com, "
        "cann/asc-devkit docs/zh); against hw-native-sys/pto-isa "
        "docs/isa/state-and-types/type-system.md"),
    choice("integers-wrap",
           {kTADD, kTADDS, kTSUB, kTSUBS, kTMUL, kTMULS, kTROWSUM, kTROWPROD, kTCOLSUM, kTCOLPROD},
           "Sums, differences and products of integers keep their low bits.",
           "PTO-ISA/pto-spec asl/tile/model/execution/elementwise.asl"),
    choice("shift-count-modulo", {kTSHL, kTSHR, kTSHLS, kTSHRS},
           "A count is taken modulo the width; it is reported (N04).",
           "PTO-ISA/pto-spec asl/tile/model/execution/elementwise.asl"),
    choice("reductions-in-order", {kTROWSUM, kTROWPROD, kTCOLSUM, kTCOLPROD},
           "Element after element in the type of the elements, one rounding each.",
           "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"),
    choice("argument-ties", {kTROWARGMAX, kTROWARGMIN, kTCOLARGMAX, kTCOLARGMIN},
           "Of equal elements the first one counts.",
           "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"),
    choice("difference-in-f32", {kTROWEXPANDEXPDIF, kTCOLEXPANDEXPDIF},
           "The difference is rounded to f32, its exponential to the element type.",
           "PTO-ISA/pto-spec spec/evidence/pto-isa-0583-hardware-numeric-vectors.json"),
    choice("mask-bits", {kTCMP, kTCMPS, kTSEL, kTSELS},
           "A row's bits start at its first byte, the lowest bit first; rows of the mask are "
           "its own, not packed together.",
           "hw-native-sys/pto-isa include/pto/npu/a5/TCmps.hpp; against "
           "hw-native-sys/PTOAS lib/TileOps/a5/tcmps.py in one dimension"),
    choice("sort-ties", {kTSORT32, kTMRGSORT},
           "Equal values keep the order of their indices; merges take the earlier list first.",
           "hw-native-sys/pto-isa docs/isa/TSORT32.md, docs/isa/TMRGSORT.md"),
    choice("offsets-are-linear", kTGATHER,
           "An index counts elements from the tile's address; a formula in the documents says "
           "rows.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TGather.hpp; against docs/isa/TGATHER.md"),
    choice("scatter-last-wins", kTSCATTER,
           "Indices are linear, and the last lane in row-major order wins an element.",
           "hw-native-sys/pto-isa include/pto/npu/a2a3/TScatter.hpp"),
    captured(kA5, "tscatter-clears-a5", kTSCATTER, "As tscatter-clears.",
             "hw-native-sys/pto-isa include/pto/npu/a5/TScatter.hpp, InitUBBuffer"),
    captured(kA5, "l1-lines-end-in-zeros", kTLOAD,
             "A load into a tile of L1 without boxes fills the last 32 bytes of a line with "
             "zeros; ieee leaves them.",
             "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tload_shape2d"),
    assumed(kA5, "rsqrt-of-two-steps", kTRSQRT,
            "TRSQRT is the rounded square root, and 1 divided by it; ieee rounds once.",
            "hw-native-sys/pto-isa include/pto/npu/a5/TRsqrt.hpp"),
    choice("index-outside", {kMGATHER, kMSCATTER, kTGATHER, kTGATHERB, kTSCATTER},
           "An index outside without a policy reads 0 and writes nothing; it is reported "
           "(G07). TGATHER, TGATHERB, TSCATTER and MSCATTER do the same.",
           "no source defines it"),
    choice("histogram-cumulates", kTHISTOGRAM,
           "Counts are cumulative; a document says plain counts.",
           "hw-native-sys/pto-isa include/pto/cpu/THistogram.hpp, "
           "tests/npu/a5/src/st/testcase/thistogram; against docs/isa/THISTOGRAM.md"),
    choice("random-order", kTRANDOM,
           "Philox 4x32 with 7 or 10 rounds; word i of a lane's counter is column 4 lane + i of "
           "its group of 256.",
           "hw-native-sys/pto-isa include/pto/npu/a5/TRandom.hpp"),
    choice("quantisation-multiplies", kTQUANT,
           "TQUANT multiplies by the scale and then adds the offset, each in f32; a document "
           "divides.",
           "PTO-ISA/pto-spec asl/arch/profile/reference-quantization.asl; against "
           "hw-native-sys/pto-isa docs/isa/TQUANT.md"),
    choice("uncovered-lanes-stay", {kTPARTADD, kTPARTMUL, kTPARTMAX, kTPARTMIN},
           "Lanes that no source covers keep what they held.",
           "hw-native-sys/pto-isa docs/isa/TPARTADD.md: undefined"),
    choice("pad-infinity", {kTFILLPAD, kTFILLPAD_INPLACE, kTFILLPAD_EXPAND},
           "The pad values max and min of floats are infinities; templates of PTOAS for a5 "
           "have the largest finite number.",
           "hw-native-sys/pto-isa include/pto/common/constants.hpp; against "
           "hw-native-sys/PTOAS lib/TileOps/a5"),
    choice("load-pads-blocks", kTLOAD,
           "A load into UB with a pad value fills the last 32-byte block of each line, and "
           "nothing beyond.",
           "hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp"),
    choice("box-tail-is-zero", kTLOAD,
           "A load into L1 that makes boxes of lines (ND to NZ, DN to ZN) fills up the last "
           "32 bytes of each line with zeros; lines that are not there are left.",
           "CANN CCE intrinsics, copy_gm_to_cbuf_multi_nd2nz (hiascend.com); "
           "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tload_gm2mat"),
    choice("channel-tail-is-zero", {kTLOAD, kTTRANS},
           "Loads and turns into blocks of c0 channels fill up the last block with zeros; "
           "missing filters are left by TLOAD and zero after TTRANS.",
           "hw-native-sys/pto-isa include/pto/npu/a5/TLoad.hpp, a5/TTrans.hpp"),
    choice("fixpipe-nan-is-zero", {kTMOV, kTSTORE, kTEXTRACT, kTINSERT},
           "A NaN that the fixpipe scales to an integer is 0; results saturate.",
           "PTO-ISA/pto-spec asl/arch/profile/matrix-quantization.asl"),
    choice(
        "high-precision-is-default",
        {kTDIV, kTDIVS, kTEXP, kTLOG, kTSQRT, kTRSQRT, kTRECIP, kTROWEXPANDDIV, kTCOLEXPANDDIV},
        "Division and functions are correctly rounded with and without HIGH_PRECISION, under a2a3 "
        "and a5 as well. Their instructions are within 1 ulp on a5, the API's documents say; which "
        "results are not the nearest is not public.",
        "PTO-ISA/pto-spec ADR-0091: no bound is accepted; CANN API, precision of Reg vector "
        "instructions (hiascend.com)"),
    choice("division-is-division", kTDIVS,
           "TDIVS divides, under a2a3 and a5 as well; a document says that it may multiply by the "
           "reciprocal of the scalar, without saying when.",
           "hw-native-sys/pto-isa docs/isa/TDIVS.md"),
    choice("nan-is-canonical", {kTADD, kTSUB, kTMUL, kTDIV},
           "Results that are NaN are the canonical NaN, under a2a3 and a5 as well: that NaN is "
           "quiet is "
           "documented, its bits are not, but for a division of a5, where an example has 7FFFFFFF.",
           "hw-native-sys/pto-isa docs/isa/state-and-types/type-system.md; CANN API, Reg Div "
           "(hiascend.com)"),
    choice("products-in-order", kProducts,
           "The terms of a product are added in the order of k, one fused multiply-add each, under "
           "a2a3 and a5 as well: width and order of the cube's accumulation are not public.",
           "PTO-ISA/pto-spec spec/hardware-conformance-profile.json; hw-native-sys/pto-isa "
           "docs/isa/TMATMUL.md"),
    choice("factors-as-they-are", kProducts,
           "Infinities and NaN enter products as they are; that the cube can make them the largest "
           "number and 0 is a mode below tile instructions, which none of them sets.",
           "hw-native-sys/pto-isa docs/isa/cube/ops/mad/mad.md"),
    choice("invalid-lanes-unread", {kTADD, kTSUB, kTMUL, kTDIV},
           "Lanes outside of a source's valid region are not read, under a2a3 and a5 as well; one "
           "document says that they read as ones, another that they are unspecified.",
           "hw-native-sys/pto-isa docs/isa/tile/ops/elementwise-tile-tile/tadd.md; against "
           "docs/isa/conventions.md"),
    // Hardware.
    captured(kA2A3, "conversion-low-bits", kTCVT,
             "Floats to i8, u8 and i16 without saturation keep the low bits of the 32-bit integer "
             "(300 to i8: 44; +inf: all ones; -inf, NaN: 0); ieee has the indefinite value. As "
             "a5.",
             "hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp, docs/isa/TCVT.md, "
             "tests/npu/a2a3/src/st/testcase/tcvt"),
    captured(kA5, "conversion-low-bits-a5", kTCVT, "As conversion-low-bits.",
             "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tcvt/gen_data.py; "
             "PTO-ISA/PTO-Gym tileop suite tcvt"),
    assumed(kA2A3, "expdif-in-f16", {kTCOLEXPANDEXPDIF, kTROWEXPANDEXPDIF},
            "Of f16, the difference is rounded to f16 before its exponential; TROWEXPANDEXPDIF "
            "does the same; ieee has it in f32.",
            "hw-native-sys/pto-isa include/pto/npu/a2a3/TColExpandExpdif.hpp"),
    assumed(kA5, "expdif-in-f16-a5", {kTROWEXPANDEXPDIF, kTCOLEXPANDEXPDIF}, "As expdif-in-f16.",
            "hw-native-sys/pto-isa include/pto/npu/a5/TRowExpandExpdif.hpp, "
            "a5/TColExpandExpdif.hpp"),
    assumed(kA2A3, "fused-rounds-f16-product", {kTFUSEDMULADD, kTFUSEDMULADDRELU},
            "Of f16, the product is rounded before the sum, in TFUSEDMULADDRELU too.",
            "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tfusedmuladd: results rounded "
            "once are beyond its tolerance"),
    assumed(kA5, "fused-rounds-f16-product-a5", {kTFUSEDMULADDRELU, kTFUSEDMULADD},
            "As fused-rounds-f16-product.",
            "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tfusedmuladd: the same golden"),
    assumed(kA5, "gather-thresholds-are-bits", kTGATHER,
            "Thresholds in a tile are compared with the bits of the elements, unsigned.",
            "hw-native-sys/pto-isa include/pto/npu/a5/TGather.hpp"),
    assumed(kA5, "product-fused", {kTAXPY, kTMULADDDST},
            "TAXPY and TMULADDDST round once; ieee rounds the product and the sum.",
            "PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md, vaxpy and vmula: fused; "
            "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/taxpy"),
    captured(kA5, "wide-division-by-zero", {kTDIVS, kTDIV, kTREM, kTREMS},
             "A 64-bit integer divided by zero gives 0, and so does its TREM, which otherwise has "
             "the sign of the dividend; ieee has all bits set, the dividend, and the sign of the "
             "divisor. A division by zero is reported (N01).",
             "hw-native-sys/pto-isa include/pto/npu/a5/Int64Div.hpp, "
             "tests/npu/a5/src/st/testcase/tdiv, trem"),
    captured(kA2A3, "shift-out", {kTSHL, kTSHR, kTSHLS, kTSHRS},
             "A count of the width or more shifts everything out, in TSHR, TSHLS and TSHRS too; "
             "ieee takes it modulo the width. It is reported (N04).",
             "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tshl, tshr"),
    captured(kA5, "shift-out-a5", {kTSHR, kTSHL, kTSHLS, kTSHRS},
             "As shift-out; counts of 64-bit integers are taken modulo 64.",
             "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tshl, tshr"),
    assumed(kA5, "part-extreme-fill", kTPARTMAX,
            "Lanes that neither source of TPARTMAX covers take the lowest finite value; ieee "
            "leaves them.",
            "hw-native-sys/PTOAS lib/TileOps/a5/_part.py; PTO-ISA/PTO-Gym tileop suite tpartmax; "
            "hw-native-sys/pto-isa a5/TPartBinOps.hpp asserts that there are none"),
    captured(
        kA5, "fp4-rows-clear", kTCVT,
        "A conversion to 4-bit floats clears the rows of its destination, and leaves out the last "
        "of an odd number of columns; ieee converts it and leaves the rest.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TCvt.hpp, castBf16toFp4"),
    captured(
        kA5, "wide-gather-by-rows", kTGATHER,
        "With a mask pattern, 64-bit elements of row i go to row i of the destination as if it had "
        "as many columns as the pattern leaves of its own; those of other types, and in ieee of "
        "all, follow one another across rows.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TGather.hpp, Int64GatherPattern"),
    assumed(kA5, "power-in-f32", {kTPOWS, kTPOW},
            "TPOW and TPOWS of 16-bit floats are rounded to f32, and that to the element type; "
            "ieee rounds once (power-rounds-once).",
            "hw-native-sys/pto-isa include/pto/npu/a5/TPow.hpp, StoreDstData"),
    captured(kA5, "fixpipe-hif8-away", {kTSTORE, kTMOV, kTEXTRACT, kTINSERT},
             "The fixpipe rounds to hif8 with ties away from zero, in TMOV, TEXTRACT and "
             "TINSERT, too; ieee to even.",
             "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tstore_acc2gm"),
    captured(kA5, "mx-maximum-as-bf16", kTQUANT_MX,
             "With OCP scales, the maxima of groups of f16 are the bits of a bf16, truncated; "
             "ieee has f16.",
             "hw-native-sys/pto-isa include/pto/npu/a5/TQuant.hpp, AbsReduceMax_DN"),
    assumed(
        kA5, "exponents-end-in-zeros", kTMOV,
        "With scratch, TMOV sets the bytes behind the last row of exponents in its source to 0, up "
        "to 16 rows; ieee leaves them. TQUANT does not, whatever a comment in the suite tmov_zz "
        "says: its stores write active lanes only.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, ZeroSourcePaddingB16; "
        "PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md, PK4_B32"),
    assumed(kA5, "part-extreme-fill-min", kTPARTMIN,
            "Lanes that neither source of TPARTMIN covers take the highest finite value; ieee "
            "leaves them.",
            "as part-extreme-fill"),
    captured(kA2A3, "tscatter-clears", kTSCATTER,
             "TSCATTER with indices sets the whole physical destination to zero first.",
             "hw-native-sys/pto-isa include/pto/npu/a2a3/TScatter.hpp"),
    assumed(
        kA2A3, "row-sum-tree", kTROWSUM,
        "Floats: vectors of 256 bytes are added pair by pair until one is left, an odd one to the "
        "first of the first round and to the last of later ones, what is no whole vector to the "
        "first after the first round; then neighbours, and neighbours of the sums. f32 of 64x128, "
        "32x256, 16x512 and 8x1024 into a column: blocks of eight by neighbours, then by steps of "
        "their own. That the lanes of a vector or block are added by neighbours, in the element "
        "type, is what the API's documents say.",
        "hw-native-sys/pto-isa include/pto/npu/a2a3/TRowSum.hpp, TRowReduceOps.hpp; CANN API "
        "asc_repeat_reduce_sum, asc_datablock_reduce_sum (hiascend.com)"),
    assumed(
        kA2A3, "row-product-by-blocks", kTROWPROD,
        "Floats: blocks of 32 bytes are multiplied lane by lane, and the lanes of what is left one "
        "after the other, in f32.",
        "hw-native-sys/pto-isa include/pto/npu/a2a3/TRowProd.hpp"),
    assumed(
        kA5, "row-sum-tree-a5", kTROWSUM,
        "Floats: of each vector of 256 bytes, neighbours are added, and neighbours of the sums; "
        "those of the vectors one after the other, from +0 on.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TRowReduce.hpp; CANN API asc_reduce_sum "
        "(hiascend.com)"),
    assumed(kA5, "row-product-tree-a5", kTROWPROD,
            "Floats: vectors of 256 bytes are multiplied lane by lane, then each lane of the first "
            "half with its like in the second, until one is left.",
            "hw-native-sys/pto-isa include/pto/npu/a5/TRowProd.hpp"),
    assumed(
        kA5, "column-sums-by-pairs", kTCOLSUM,
        "Floats: two rows are added, and their sum to that of the rows before. With isBinary, an "
        "odd row is added to the last sum of its level, not the first. Templates of PTOAS take "
        "row after row.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TColReduceOps.hpp, TColReduceInstr_PostUpdate; "
        "a5/TColSum.hpp, TColSum_Binary"),
    assumed(kA5, "column-products-by-pairs", kTCOLPROD, "As column-sums-by-pairs.",
            "hw-native-sys/pto-isa include/pto/npu/a5/TColReduceOps.hpp, "
            "TColReduceInstr_PostUpdate"),
    assumed(
        kA5, "flush-subnormals-a5",
        {kTDIV, kTDIVS, kTEXP, kTLOG, kTSQRT, kTRSQRT, kTRECIP, kTROWEXPANDDIV, kTCOLEXPANDDIV,
         kTROWEXPANDEXPDIF, kTCOLEXPANDEXPDIF},
        "Without HIGH_PRECISION, subnormal operands and results of divisions, exponentials, "
        "logarithms and roots of f32 are zeros of their sign: TDIV, TDIVS, TEXP, TLOG, TRECIP, "
        "TRSQRT, TSQRT, T...EXPANDDIV and the exponential of T...EXPANDEXPDIF. The documents say "
        "so of f16 as well; a suite keeps those.",
        "CANN API, precision of Reg vector instructions, and Reg Div, Exp, Ln, Sqrt, \"Subnormal "
        "mode\" (hiascend.com, cann/asc-devkit docs/zh/api); hw-native-sys/pto-isa "
        "tests/npu/a5/src/st/testcase/trecip"),
    assumed(kA5Templates, "pad-largest-finite", {kTFILLPAD_EXPAND, kTFILLPAD, kTFILLPAD_INPLACE},
            "TFILLPAD and its like fill with the largest finite number where ieee has infinity "
            "(pad-infinity).",
            "hw-native-sys/PTOAS lib/TileOps/a5/_fillpad.py; PTO-ISA/PTO-Gym tileop suite "
            "tfillpad"),
    assumed(kA5Templates, "row-vector-first-lane",
            {kTROWEXPANDADD, kTROWEXPANDSUB, kTROWEXPANDMUL, kTROWEXPANDDIV, kTROWEXPANDMAX,
             kTROWEXPANDMIN},
            "TROWEXPANDADD and its like take the first lane of a block of 32 bytes for the row; "
            "ieee takes the block again and again.",
            "PTO-ISA/PTO-Gym tileop suites trowexpand*; against hw-native-sys/pto-isa "
            "include/pto/npu/a5/TRowExpandBinOp.hpp"),
    assumed(kA5Templates, "mask-steps-joined", kTCMPS,
            "Masks of TCMPS are stored step after step of 128 bits (256 of 8-bit elements), and "
            "rows without gaps as one, whatever the rows of the mask (mask-bits).",
            "hw-native-sys/PTOAS lib/TileOps/a5/tcmps.py; PTO-ISA/PTO-Gym tileop suite tcmps"),
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
