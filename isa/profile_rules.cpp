#include "isa/profile_rules.h"

#include <array>

namespace ptosim {

namespace {

using enum Numerics;
using enum Opcode;
constexpr auto kAssumed = Grade::kAssumed;
constexpr auto kCaptured = Grade::kCaptured;  // measured: tests/CONFORMANCE_PTO_ISA.md
// Why rules are not done.
constexpr std::string_view kNoBits =
    "no bits from this hardware are public, and the sources contradict each other or stop at the "
    "lowering";

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
    ProfileRule{"gather-thresholds", kTGATHER, kIEEE, kAssumed, true,
                "Thresholds in a tile are signed integers, one for each row, compared by value.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TGather.hpp, "
                "TGather_cmp_FillIndexAndConvertK"},
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
    ProfileRule{"img2col-beyond", kTIMG2COL, kIEEE, kAssumed, true,
                "Windows beyond the last image and channels beyond the last block are the padding "
                "value.",
                "hw-native-sys/pto-isa include/pto/cpu/TImg2col.hpp"},
    ProfileRule{
        "img2col-repetition", kTIMG2COL, kIEEE, kAssumed, true,
        "Repetitions start 16 * stride rows (mode 0) or c0 * stride columns (mode 1) further "
        "in the matrix and make one larger target, below or beside one another; none at all "
        "is no operation.",
        "CANN AscendC API, SetLoadDataRepeat (hiascend.com); where results go is our choice"},
    ProfileRule{"img2col-transposition", kTIMG2COL, kIEEE, kAssumed, true,
                "With transpose, the whole target matrix is transposed: its rows are places in the "
                "window. On a2a3 for 16-bit elements only.",
                "CANN AscendC API, LoadData, Load3Dv2, enTranspose (hiascend.com)"},
    ProfileRule{"memory-indices-unsigned", kMSCATTER, kIEEE, kAssumed, true,
                "Indices of MGATHER and MSCATTER count as unsigned: -1 is clamped to the last row.",
                "hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/MGather.hpp, mgather_remap"},
    ProfileRule{"gather-clears", kMGATHER, kIEEE, kAssumed, true,
                "By element into L1, or with the policy zero into a tile of fractals, the whole "
                "physical destination becomes 0 first.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/MGather.hpp"},
    ProfileRule{"pair-sum-drops-odd", kTPAIRREDUCESUM, kIEEE, kAssumed, true,
                "The last of an odd number of columns is left out.",
                "hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TPairReduceSum.hpp"},
    ProfileRule{"exponent-boxes", kTQUANT_MX, kIEEE, kAssumed, true,
                "exp_zz has the exponents in boxes of 16 rows and 2 groups, one after the other.",
                "hw-native-sys/pto-isa include/pto/cpu/TQuant.hpp"},
    ProfileRule{"fractal-z-3d-order", kTTRANS, kIEEE, kAssumed, true,
                "The first dimension of FRACTAL_Z_3D is d, c1, h, w for TTRANS and c1, d, h, w for "
                "TLOAD: the code of the two differs.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TTrans.hpp, a5/TLoad.hpp"},
    ProfileRule{"accumulation-starts-at-c", kTMATMUL_ACC, kIEEE, kAssumed, true,
                "The chain of fused multiply-adds starts at the accumulator; the public CPU "
                "simulator adds it at the end.",
                "PTO-ISA/pto-spec spec/hardware-conformance-profile.json; hw-native-sys/pto-isa "
                "include/pto/cpu/TMatmul.hpp"},
    ProfileRule{"factor-precision", kTMATMUL, kIEEE, kAssumed, true,
                "With tf32_mode, f32 factors are rounded first: on a5 to 10 fraction bits, on a2a3 "
                "to 11.",
                "hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, SetMadTF32Mode"},
    ProfileRule{"round-to-odd", kTCVT, kIEEE, kAssumed, true,
                "CAST_ODD is round to odd; the public CPU simulator rounds to nearest with ties to "
                "odd.",
                "PTO-ISA/pto-spec ADR-0047; hw-native-sys/pto-isa include/pto/common/type.hpp"},
    ProfileRule{"conversion-is-numeric", kTCVT, kIEEE, kAssumed, true,
                "f16 and bf16 are converted by value; a document says that bits are reinterpreted.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TCvt.hpp; against "
                "docs/isa/state-and-types/type-system.md"},
    ProfileRule{"fp4-pairs", kTCVT, kIEEE, kAssumed, true,
                "The even column of a pair of 4-bit elements is the low half of the byte.",
                "PTO-ISA/pto-spec ADR-0033"},
    ProfileRule{"minimum-skips-nan", kTMAX, kIEEE, kAssumed, true,
                "TMAX, TMIN and the reductions with them skip a NaN beside a number; +0 is larger "
                "than -0.",
                "PTO-ISA/pto-spec asl/arch/features/minmax-profile.asl"},
    ProfileRule{
        "work-by-destination", kTSUB, kIEEE, kAssumed, true,
        "A source with another valid region than the destination is read over that of the "
        "destination if its tile holds it; it is told (S04, S07).",
        "hw-native-sys/pto-isa include/pto/common/debug.h: PTO_ASSERT is nothing in what is "
        "built to run; model kernels of hw-native-sys/PTOAS test/samples need it"},
    ProfileRule{"integers-wrap", kTADD, kIEEE, kAssumed, true,
                "Sums, differences and products of integers keep their low bits.",
                "PTO-ISA/pto-spec asl/tile/model/execution/elementwise.asl"},
    ProfileRule{"shift-count-modulo", kTSHL, kIEEE, kAssumed, true,
                "A count is taken modulo the width; it is reported (N04).",
                "PTO-ISA/pto-spec asl/tile/model/execution/elementwise.asl"},
    ProfileRule{"reductions-in-order", kTROWSUM, kIEEE, kAssumed, true,
                "Element after element in the type of the elements, one rounding each.",
                "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"},
    ProfileRule{"argument-ties", kTROWARGMAX, kIEEE, kAssumed, true,
                "Of equal elements the first one counts.",
                "PTO-ISA/pto-spec spec/hardware-conformance-profile.json"},
    ProfileRule{"difference-in-f32", kTROWEXPANDEXPDIF, kIEEE, kAssumed, true,
                "The difference is rounded to f32, its exponential to the element type.",
                "PTO-ISA/pto-spec spec/evidence/pto-isa-0583-hardware-numeric-vectors.json"},
    ProfileRule{"mask-bits", kTCMP, kIEEE, kAssumed, true,
                "A row's bits start at its first byte, the lowest bit first; rows of the mask are "
                "its own, not packed together.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TCmps.hpp; against "
                "hw-native-sys/PTOAS lib/TileOps/a5/tcmps.py in one dimension"},
    ProfileRule{"sort-ties", kTSORT32, kIEEE, kAssumed, true,
                "Equal values keep the order of their indices; merges take the earlier list first.",
                "hw-native-sys/pto-isa docs/isa/TSORT32.md, docs/isa/TMRGSORT.md"},
    ProfileRule{
        "offsets-are-linear", kTGATHER, kIEEE, kAssumed, true,
        "An index counts elements from the tile's address; a formula in the documents says "
        "rows.",
        "hw-native-sys/pto-isa include/pto/npu/a2a3/TGather.hpp; against docs/isa/TGATHER.md"},
    ProfileRule{"scatter-last-wins", kTSCATTER, kIEEE, kAssumed, true,
                "Indices are linear, and the last lane in row-major order wins an element.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TScatter.hpp"},
    ProfileRule{"tscatter-clears-a5", kTSCATTER, kA5, kCaptured, true, "As tscatter-clears.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TScatter.hpp, InitUBBuffer"},
    ProfileRule{"l1-lines-end-in-zeros", kTLOAD, kA5, kCaptured, true,
                "A load into a tile of L1 without boxes fills the last 32 bytes of a line with "
                "zeros; ieee leaves them.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tload_shape2d"},
    ProfileRule{"rsqrt-of-two-steps", kTRSQRT, kA5, kAssumed, true,
                "TRSQRT is the rounded square root, and 1 divided by it; ieee rounds once.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TRsqrt.hpp"},
    ProfileRule{"index-outside", kMGATHER, kIEEE, kAssumed, true,
                "An index outside without a policy reads 0 and writes nothing; it is reported "
                "(G07). TGATHER, TGATHERB, TSCATTER and MSCATTER do the same.",
                "no source defines it"},
    ProfileRule{"histogram-cumulates", kTHISTOGRAM, kIEEE, kAssumed, true,
                "Counts are cumulative; a document says plain counts.",
                "hw-native-sys/pto-isa include/pto/cpu/THistogram.hpp, "
                "tests/npu/a5/src/st/testcase/thistogram; against docs/isa/THISTOGRAM.md"},
    ProfileRule{
        "random-order", kTRANDOM, kIEEE, kAssumed, true,
        "Philox 4x32 with 7 or 10 rounds; word i of a lane's counter is column 4 lane + i of "
        "its group of 256.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TRandom.hpp"},
    ProfileRule{"quantisation-multiplies", kTQUANT, kIEEE, kAssumed, true,
                "TQUANT multiplies by the scale and then adds the offset, each in f32; a document "
                "divides.",
                "PTO-ISA/pto-spec asl/arch/profile/reference-quantization.asl; against "
                "hw-native-sys/pto-isa docs/isa/TQUANT.md"},
    ProfileRule{"uncovered-lanes-stay", kTPARTADD, kIEEE, kAssumed, true,
                "Lanes that no source covers keep what they held.",
                "hw-native-sys/pto-isa docs/isa/TPARTADD.md: undefined"},
    ProfileRule{"pad-infinity", kTFILLPAD, kIEEE, kAssumed, true,
                "The pad values max and min of floats are infinities; templates of PTOAS for a5 "
                "have the largest finite number.",
                "hw-native-sys/pto-isa include/pto/common/constants.hpp; against "
                "hw-native-sys/PTOAS lib/TileOps/a5"},
    ProfileRule{"load-pads-blocks", kTLOAD, kIEEE, kAssumed, true,
                "A load into UB with a pad value fills the last 32-byte block of each line, and "
                "nothing beyond.",
                "hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp"},
    ProfileRule{"box-tail-is-zero", kTLOAD, kIEEE, kAssumed, true,
                "A load into L1 that makes boxes of lines (ND to NZ, DN to ZN) fills up the last "
                "32 bytes of each line with zeros; lines that are not there are left.",
                "CANN CCE intrinsics, copy_gm_to_cbuf_multi_nd2nz (hiascend.com); "
                "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tload_gm2mat"},
    ProfileRule{"channel-tail-is-zero", kTLOAD, kIEEE, kAssumed, true,
                "Loads and turns into blocks of c0 channels fill up the last block with zeros; "
                "missing filters are left by TLOAD and zero after TTRANS.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TLoad.hpp, a5/TTrans.hpp"},
    ProfileRule{"fixpipe-nan-is-zero", kTMOV, kIEEE, kAssumed, true,
                "A NaN that the fixpipe scales to an integer is 0; results saturate.",
                "PTO-ISA/pto-spec asl/arch/profile/matrix-quantization.asl"},
    ProfileRule{"high-precision-is-default", kTDIV, kIEEE, kAssumed, true,
                "Division and functions are correctly rounded with and without HIGH_PRECISION.",
                "PTO-ISA/pto-spec ADR-0091: no bound is accepted"},
    // Hardware.
    ProfileRule{
        "conversion-low-bits", kTCVT, kA2A3, kCaptured, true,
        "Floats to i8, u8 and i16 without saturation keep the low bits of the 32-bit integer "
        "(300 to i8: 44; +inf: all ones; -inf, NaN: 0); ieee has the indefinite value. As "
        "a5.",
        "hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp, docs/isa/TCVT.md, "
        "tests/npu/a2a3/src/st/testcase/tcvt"},
    ProfileRule{"conversion-low-bits-a5", kTCVT, kA5, kCaptured, true, "As conversion-low-bits.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tcvt/gen_data.py; "
                "PTO-ISA/PTO-Gym tileop suite tcvt"},
    ProfileRule{"expdif-in-f16", kTCOLEXPANDEXPDIF, kA2A3, kAssumed, true,
                "Of f16, the difference is rounded to f16 before its exponential; TROWEXPANDEXPDIF "
                "does the same; ieee has it in f32.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TColExpandExpdif.hpp"},
    ProfileRule{"expdif-in-f16-a5", kTROWEXPANDEXPDIF, kA5, kAssumed, true, "As expdif-in-f16.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TRowExpandExpdif.hpp, "
                "a5/TColExpandExpdif.hpp"},
    ProfileRule{
        "fused-rounds-f16-product", kTFUSEDMULADD, kA2A3, kAssumed, true,
        "Of f16, the product is rounded before the sum, in TFUSEDMULADDRELU too.",
        "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tfusedmuladd: results rounded "
        "once are beyond its tolerance"},
    ProfileRule{"fused-rounds-f16-product-a5", kTFUSEDMULADDRELU, kA5, kAssumed, true,
                "As fused-rounds-f16-product.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tfusedmuladd: the same golden"},
    ProfileRule{"gather-thresholds-are-bits", kTGATHER, kA5, kAssumed, true,
                "Thresholds in a tile are compared with the bits of the elements, unsigned.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TGather.hpp"},
    ProfileRule{"product-fused", kTAXPY, kA5, kAssumed, true,
                "TAXPY and TMULADDDST round once; ieee rounds the product and the sum.",
                "PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md, vaxpy and vmula: fused; "
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/taxpy"},
    ProfileRule{
        "wide-division-by-zero", kTDIVS, kA5, kCaptured, true,
        "A 64-bit integer divided by zero gives 0, and so does its TREM, which otherwise has "
        "the sign of the dividend; ieee has all bits set, the dividend, and the sign of the "
        "divisor. A division by zero is reported (N01).",
        "hw-native-sys/pto-isa include/pto/npu/a5/Int64Div.hpp, "
        "tests/npu/a5/src/st/testcase/tdiv, trem"},
    ProfileRule{"shift-out", kTSHL, kA2A3, kCaptured, true,
                "A count of the width or more shifts everything out, in TSHR, TSHLS and TSHRS too; "
                "ieee takes it modulo the width. It is reported (N04).",
                "hw-native-sys/pto-isa tests/npu/a2a3/src/st/testcase/tshl, tshr"},
    ProfileRule{"shift-out-a5", kTSHR, kA5, kCaptured, true,
                "As shift-out; counts of 64-bit integers are taken modulo 64.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tshl, tshr"},
    ProfileRule{
        "part-extreme-fill", kTPARTMAX, kA5, kAssumed, true,
        "Lanes that neither source of TPARTMAX covers take the lowest finite value; ieee "
        "leaves them.",
        "hw-native-sys/PTOAS lib/TileOps/a5/_part.py; PTO-ISA/PTO-Gym tileop suite tpartmax; "
        "hw-native-sys/pto-isa a5/TPartBinOps.hpp asserts that there are none"},
    ProfileRule{
        "fp4-rows-clear", kTCVT, kA5, kCaptured, true,
        "A conversion to 4-bit floats clears the rows of its destination, and leaves out the last "
        "of an odd number of columns; ieee converts it and leaves the rest.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TCvt.hpp, castBf16toFp4"},
    ProfileRule{
        "wide-gather-by-rows", kTGATHER, kA5, kCaptured, true,
        "With a mask pattern, 64-bit elements of row i go to row i of the destination as if it had "
        "as many columns as the pattern leaves of its own; those of other types, and in ieee of "
        "all, follow one another across rows.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TGather.hpp, Int64GatherPattern"},
    ProfileRule{"power-in-f32", kTPOWS, kA5, kAssumed, true,
                "TPOW and TPOWS of 16-bit floats are rounded to f32, and that to the element type; "
                "ieee rounds once (power-rounds-once).",
                "hw-native-sys/pto-isa include/pto/npu/a5/TPow.hpp, StoreDstData"},
    ProfileRule{"fixpipe-hif8-away", kTSTORE, kA5, kCaptured, true,
                "The fixpipe rounds to hif8 with ties away from zero, in TMOV, TEXTRACT and "
                "TINSERT, too; ieee to even.",
                "hw-native-sys/pto-isa tests/npu/a5/src/st/testcase/tstore_acc2gm"},
    ProfileRule{"mx-maximum-as-bf16", kTQUANT_MX, kA5, kCaptured, true,
                "With OCP scales, the maxima of groups of f16 are the bits of a bf16, truncated; "
                "ieee has f16.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TQuant.hpp, AbsReduceMax_DN"},
    ProfileRule{
        "exponents-end-in-zeros", kTMOV, kA5, kAssumed, true,
        "With scratch, TMOV sets the bytes behind the last row of exponents in its source to 0, up "
        "to 16 rows; ieee leaves them. TQUANT does not, whatever a comment in the suite tmov_zz "
        "says: its stores write active lanes only.",
        "hw-native-sys/pto-isa include/pto/npu/a5/TMov.hpp, ZeroSourcePaddingB16; "
        "PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md, PK4_B32"},
    ProfileRule{"part-extreme-fill-min", kTPARTMIN, kA5, kAssumed, true,
                "Lanes that neither source of TPARTMIN covers take the highest finite value; ieee "
                "leaves them.",
                "as part-extreme-fill"},
    ProfileRule{"tscatter-clears", kTSCATTER, kA2A3, kCaptured, true,
                "TSCATTER with indices sets the whole physical destination to zero first.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TScatter.hpp"},
    ProfileRule{"row-sum-tree", kTROWSUM, kA2A3, kAssumed, false,
                "Row reductions use trees that depend on the shape.",
                "hw-native-sys/pto-isa include/pto/npu/a2a3/TRowReduceOps.hpp", kNoBits},
    ProfileRule{"flush-subnormals", kTADD, kA2A3, kAssumed, false,
                "Documents say that subnormals are flushed to zero; code elsewhere contradicts it.",
                "hw-native-sys/pto-isa docs/isa/state-and-types/type-system.md", kNoBits},
    ProfileRule{"approximate-functions", kTEXP, kA2A3, kAssumed, false,
                "exp, log, sqrt, rsqrt and division have an unpublished error.",
                "PTO-ISA/pto-spec ADR-0091: no bound is accepted", kNoBits},
    ProfileRule{"matmul-order", kTMATMUL, kA2A3, kAssumed, false,
                "The width and order of the cube's accumulation are not published.",
                "hw-native-sys/pto-isa docs/isa/TMATMUL.md", kNoBits},
    ProfileRule{"flush-subnormals-a5", kTABS, kA5, kAssumed, false,
                "Documents say that subnormals are flushed to zero; the code of HIGH_PRECISION "
                "functions makes them.",
                "hw-native-sys/pto-isa docs/isa/state-and-types/type-system.md; against "
                "include/pto/npu/a5/custom/Div754.hpp",
                kNoBits},
    ProfileRule{"nan-payload", kTSUB, kA5, kAssumed, false,
                "NaN results are quiet; which bits they have is not said. Here they are canonical.",
                "hw-native-sys/pto-isa docs/isa/state-and-types/type-system.md", kNoBits},
    ProfileRule{"row-sum-tree-a5", kTROWPROD, kA5, kAssumed, false,
                "Row reductions follow the vector unit's own tree.",
                "hw-native-sys/pto-isa include/pto/npu/a5/TRowReduce.hpp", kNoBits},
    ProfileRule{"matmul-order-a5", kTMATMUL_BIAS, kA5, kAssumed, false,
                "The width and order of the cube's accumulation are not published.",
                "hw-native-sys/pto-isa docs/isa/TMATMUL.md", kNoBits},
    ProfileRule{"division-by-reciprocal", kTDIVS, kA5, kAssumed, false,
                "TDIVS may multiply by the reciprocal of the scalar.",
                "hw-native-sys/pto-isa docs/isa/TDIVS.md: may, without saying when", kNoBits},
    ProfileRule{"approximate-functions-a5", kTLOG, kA5, kAssumed, false,
                "exp, log, sqrt, rsqrt and division without HIGH_PRECISION have an unpublished "
                "error.",
                "PTO-ISA/pto-spec ADR-0091: no bound is accepted", kNoBits},
    ProfileRule{"factor-saturation", kTMATMUL_ACC, kA5, kAssumed, false,
                "The cube can turn infinities into the largest number and NaN into 0 before it "
                "multiplies.",
                "hw-native-sys/pto-isa docs/isa/cube/ops/mad/mad.md",
                "a mode of the instruction below the tile level, which no tile instruction sets"},
    ProfileRule{"pad-largest-finite", kTFILLPAD_EXPAND, kA5Templates, kAssumed, true,
                "TFILLPAD and its like fill with the largest finite number where ieee has infinity "
                "(pad-infinity).",
                "hw-native-sys/PTOAS lib/TileOps/a5/_fillpad.py; PTO-ISA/PTO-Gym tileop suite "
                "tfillpad"},
    ProfileRule{
        "row-vector-first-lane", kTROWEXPANDADD, kA5Templates, kAssumed, true,
        "TROWEXPANDADD and its like take the first lane of a block of 32 bytes for the row; "
        "ieee takes the block again and again.",
        "PTO-ISA/PTO-Gym tileop suites trowexpand*; against hw-native-sys/pto-isa "
        "include/pto/npu/a5/TRowExpandBinOp.hpp"},
    ProfileRule{
        "mask-steps-joined", kTCMPS, kA5Templates, kAssumed, true,
        "Masks of TCMPS are stored step after step of 128 bits (256 of 8-bit elements), and "
        "rows without gaps as one, whatever the rows of the mask (mask-bits).",
        "hw-native-sys/PTOAS lib/TileOps/a5/tcmps.py; PTO-ISA/PTO-Gym tileop suite tcmps"},
    ProfileRule{"invalid-lanes-are-ones", kTSEL, kA2A3, kAssumed, false,
                "Lanes outside of a source's valid region read as ones.",
                "hw-native-sys/pto-isa docs/isa/tile/ops/elementwise-tile-tile/tadd.md",
                "nothing else says so, and conventions.md calls them unspecified"},
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
