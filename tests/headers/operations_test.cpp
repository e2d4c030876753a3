// Every operation of the API once: that it becomes the instruction of its row, with the row's
// operands in the row's order.
#include <catch2/catch.hpp>
#include <pto/pto-inst.hpp>

#include "recorder.h"

using namespace pto;

namespace {

using F = Tile<TileType::Vec, float, 8, 16>;
using I = Tile<TileType::Vec, int32_t, 8, 16>;
using U = Tile<TileType::Vec, uint32_t, 8, 16>;
using B = Tile<TileType::Vec, uint8_t, 8, 32>;
using Left = TileLeft<half, 16, 16>;
using Right = TileRight<half, 16, 16>;
using Product = TileAcc<float, 16, 16>;
using Matrix = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
using View = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<128, 128, 128, 16, 1>>;

// The one instruction that a call issues, which fits its row.
template <class Call>
Recorded one(Call call) {
    take_recorded();
    call();
    const auto recorded = take_recorded();
    REQUIRE(recorded.size() == 1);
    CHECK(misfit(recorded[0]) == "");
    return recorded[0];
}

// Tiles with distinct addresses, so that operands can be distinguished.
struct Tiles {
    F d, a, b, c, t;
    Tiles() {
        d.assign_address(0x100), a.assign_address(0x200), b.assign_address(0x300), c.assign_address(0x400);
        t.assign_address(0x500);
    }
};
uint32_t address(const Recorded& r, size_t i) { return r.operands[i].tile.address; }

}  // namespace

#define CHECK_UNARY(NAME)                                \
    {                                                    \
        const Recorded r = one([&] { NAME(x.d, x.a); }); \
        CHECK(r.name == #NAME);                          \
        CHECK(address(r, 0) == 0x100);                   \
        CHECK(address(r, 1) == 0x200);                   \
    }
#define CHECK_BINARY(NAME)                                    \
    {                                                         \
        const Recorded r = one([&] { NAME(x.d, x.a, x.b); }); \
        CHECK(r.name == #NAME);                               \
        CHECK(address(r, 0) == 0x100);                        \
        CHECK(address(r, 1) == 0x200);                        \
        CHECK(address(r, 2) == 0x300);                        \
    }
#define CHECK_SCALAR(NAME)                                     \
    {                                                          \
        const Recorded r = one([&] { NAME(x.d, x.a, 1.5f); }); \
        CHECK(r.name == #NAME);                                \
        CHECK(address(r, 1) == 0x200);                         \
        CHECK(r.operands[2].scalar.bits == 0x3fc00000);        \
        CHECK(r.operands[2].scalar.dtype == PTOSIM_F32);       \
    }

TEST_CASE("operations on tiles of UB") {
    Tiles x;
    CHECK_UNARY(TABS)
    CHECK_UNARY(TNEG)
    CHECK_UNARY(TRELU)
    CHECK_UNARY(TEXP)
    CHECK_UNARY(TLOG)
    CHECK_UNARY(TSQRT)
    CHECK_UNARY(TRSQRT)
    CHECK_UNARY(TRECIP)
    CHECK_UNARY(TPAIRREDUCESUM)
    CHECK_UNARY(TROWEXPAND)
    CHECK_UNARY(TCOLEXPAND)
    CHECK_UNARY(TCOLMAX)
    CHECK_UNARY(TCOLMIN)
    CHECK_UNARY(TCOLPROD)
    CHECK_UNARY(TCOLSUM)
    CHECK_BINARY(TADD)
    CHECK_BINARY(TSUB)
    CHECK_BINARY(TMUL)
    CHECK_BINARY(TDIV)
    CHECK_BINARY(TMIN)
    CHECK_BINARY(TMAX)
    CHECK_BINARY(TFMOD)
    CHECK_BINARY(TMULADDDST)
    CHECK_BINARY(TFUSEDMULADD)
    CHECK_BINARY(TFUSEDMULADDRELU)
    CHECK_BINARY(TSUBRELU)
    CHECK_BINARY(TPARTADD)
    CHECK_BINARY(TPARTMUL)
    CHECK_BINARY(TPARTMAX)
    CHECK_BINARY(TPARTMIN)
    CHECK_BINARY(TROWEXPANDADD)
    CHECK_BINARY(TROWEXPANDSUB)
    CHECK_BINARY(TROWEXPANDMUL)
    CHECK_BINARY(TROWEXPANDDIV)
    CHECK_BINARY(TROWEXPANDMAX)
    CHECK_BINARY(TROWEXPANDMIN)
    CHECK_BINARY(TROWEXPANDEXPDIF)
    CHECK_BINARY(TCOLEXPANDADD)
    CHECK_BINARY(TCOLEXPANDSUB)
    CHECK_BINARY(TCOLEXPANDMUL)
    CHECK_BINARY(TCOLEXPANDDIV)
    CHECK_BINARY(TCOLEXPANDMAX)
    CHECK_BINARY(TCOLEXPANDMIN)
    CHECK_BINARY(TCOLEXPANDEXPDIF)
    CHECK_BINARY(TCONCAT)
    CHECK_BINARY(TROWSUM)
    CHECK_BINARY(TROWMAX)
    CHECK_BINARY(TROWMIN)
    CHECK_BINARY(TROWPROD)
    CHECK_BINARY(TTRANS)
    CHECK_BINARY(TADDRELUCONV)
    CHECK_BINARY(TSUBRELUCONV)
    CHECK_SCALAR(TADDS)
    CHECK_SCALAR(TSUBS)
    CHECK_SCALAR(TMULS)
    CHECK_SCALAR(TDIVS)
    CHECK_SCALAR(TMAXS)
    CHECK_SCALAR(TMINS)
    CHECK_SCALAR(TAXPY)
    CHECK_SCALAR(TLRELU)
    CHECK_SCALAR(TFMODS)
    CHECK(address(one([&] { TREM(x.d, x.a, x.b, x.t); }), 3) == 0x500);
    CHECK(address(one([&] { TPOW(x.d, x.a, x.b, x.t); }), 3) == 0x500);
    CHECK(address(one([&] { TPRELU(x.d, x.a, x.b, x.t); }), 3) == 0x500);
    CHECK(address(one([&] { TREMS(x.d, x.a, 2.0f, x.t); }), 3) == 0x500);
    CHECK(one([&] { TREM(x.d, x.a, x.b); }).operands.size() == 3);
    CHECK(one([&] { TREMS(x.d, x.a, 2.0f); }).operands.size() == 3);
    CHECK(address(one([&] { TPOWS(x.d, x.a, 2.0f, x.t); }), 3) == 0x500);
    CHECK(address(one([&] { TADDC(x.d, x.a, x.b, x.c); }), 3) == 0x400);
    CHECK(address(one([&] { TADDSC(x.d, x.a, 1.0f, x.b); }), 3) == 0x300);
    CHECK(one([&] { TEXPANDS(x.d, 3.0f); }).operands[1].scalar.bits == 0x40400000);
    CHECK(one([&] { TDIVS(x.d, 1.0f, x.a); }).operands[1].kind == PTOSIM_SCALAR_OPERAND);
    CHECK(one([&] {
              TEXP<ExpAlgorithm::HIGH_PRECISION>(x.d, x.a);
          }).attribute(PTOSIM_ATTR_HIGH_PRECISION) == 1);
    CHECK(one([&] { TCOLSUM(x.d, x.a, x.t, true); }).attribute(PTOSIM_ATTR_BINARY_TREE) == 1);
}

TEST_CASE("operations on integers, masks and indices") {
    Tiles x;
    I d, a, b, t;
    U u;
    B mask;
    a.assign_address(0x200);
    u.assign_address(0x600);
    mask.assign_address(0x700);
    one([&] { TAND(d, a, b); });
    one([&] { TOR(d, a, b); });
    one([&] { TXOR(d, a, b, t); });
    one([&] { TNOT(d, a); });
    one([&] { TSHL(d, a, b); });
    one([&] { TSHR(d, a, b); });
    CHECK(one([&] { TANDS(d, a, 7); }).operands[2].scalar.bits == 7);
    one([&] { TORS(d, a, 7); });
    one([&] { TXORS(d, a, 7, t); });
    one([&] { TSHLS(d, a, 3); });
    CHECK(one([&] { TSHRS(d, a, 3); }).operands[2].scalar.dtype == PTOSIM_I32);
    CHECK(one([&] { TCMP(mask, x.a, x.b, CmpMode::GE); }).attribute(PTOSIM_ATTR_COMPARE) == 5);
    CHECK(one([&] { TCMPS(mask, x.a, 0.5f, CmpMode::LT); }).attribute(PTOSIM_ATTR_COMPARE) == 2);
    CHECK(address(one([&] { TSEL(x.d, mask, x.a, x.b, x.t); }), 1) == 0x700);
    CHECK(one([&] { TSELS(x.d, mask, x.a, x.t, 1.0f); }).operands[4].kind == PTOSIM_SCALAR_OPERAND);
    one([&] { TROWARGMAX(u, x.a, x.t); });
    one([&] { TCOLARGMIN(u, x.a, x.t); });
    // The API gives the values first, the row has them last.
    const Recorded both = one([&] { TROWARGMAX(x.d, u, x.a, x.t); });
    CHECK(address(both, 0) == 0x600);
    CHECK(address(both, 3) == 0x100);
    one([&] { TSORT32(x.d, x.a, u); });
    CHECK(one([&] { TMRGSORT(x.d, x.a, 64); }).operands[6].scalar.bits == 64);
    MrgSortExecutedNumList executed;
    const Recorded merged = one([&] { TMRGSORT<F, F, F, F, false>(x.d, executed, x.t, x.a, x.b); });
    CHECK(address(merged, 2) == 0x200);
    CHECK(address(merged, 3) == 0x300);
    one([&] { TGATHER(x.d, x.a, u, x.t); });
    CHECK(one([&] {
              TGATHER<F, F, MaskPattern::P1010>(x.d, x.a);
          }).attribute(PTOSIM_ATTR_MASK_PATTERN) == 2);
    one([&] { TGATHERB(x.d, x.a, u); });
    one([&] { TSCATTER(x.d, x.a, u); });
    one([&] { TPARTARGMAX(x.d, x.a, x.b, u, u, u); });
    CHECK(one([&] { TCI<I, int32_t, 1>(d, 5); }).attribute(PTOSIM_ATTR_DESCENDING) == 1);
    CHECK(one([&] { TTRI<I, 1>(d, 2); }).operands[1].scalar.bits == 2);
    Tile<TileType::Vec, int8_t, 8, 32> q;
    Tile<TileType::Vec, half, 8, 16> h;
    one([&] { TQUANT<QuantType::INT8_SYM>(q, x.a, x.b); });
    one([&] { TDEQUANT(x.d, q, x.a, x.b); });
    CHECK(one([&] { TCVT(h, x.a, RoundMode::CAST_FLOOR); }).attribute(PTOSIM_ATTR_ROUND) == 3);
    CHECK(one([&] {
              TCVT(h, x.a, RoundMode::CAST_RINT, SaturationMode::OFF);
          }).attribute(PTOSIM_ATTR_SATURATION) == 1);
    one([&] { TADDDEQRELU(h, d, a, 0.5f, t); });
#ifdef PTO_NPU_ARCH_A5
    one([&] { TINTERLEAVE(x.d, x.a, x.b, x.c); });
    one([&] { TDEINTERLEAVE(x.d, x.a, x.b, x.c); });
    CHECK(one([&] {
              THISTOGRAM<HistByte::BYTE_2>(u, u, mask);
          }).attribute(PTOSIM_ATTR_BYTE_SELECT) == 2);
    TRandomKey key = {1, 2};
    TRandomCounter counter = {3, 4, 5, 6};
    CHECK(one([&] { TRANDOM<7>(u, key, counter); }).operands[6].scalar.bits == 6);
#endif
}

TEST_CASE("transfers and moves") {
    Tiles x;
    float data[128] = {};
    View view(data);
    CHECK(one([&] { TLOAD(x.d, view); }).operands[1].global.shape[3] == 8);
    one([&] { TPREFETCH(x.d, view); });
    CHECK(one([&] { TSTORE(view, x.a); }).operands[1].tile.address == 0x200);
    Product product;
    const Recorded scaled = one([&] {
        TSTORE<Product, View, AtomicType::AtomicAdd, ReluPreMode::NormalRelu>(view, product,
                                                                              uint64_t{0x3f800000});
    });
    CHECK(scaled.operands[3].scalar.bits == 0x3f800000);
    CHECK(scaled.attribute(PTOSIM_ATTR_ATOMIC) == 1);
    CHECK(scaled.attribute(PTOSIM_ATTR_RELU) == 1);
    CHECK(one([&] { TSTORE<STPhase::Final>(view, product); }).attribute(PTOSIM_ATTR_PHASE) == 3);
    Tile<TileType::Scaling, uint64_t, 1, 16> scales;
    CHECK(one([&] { TSTORE_FP(view, product, scales); }).operands[2].tile.space == PTOSIM_FIXPIPE);

    Matrix matrix;
    Left left;
    Right right;
    one([&] { TMOV(left, matrix); });
    CHECK(one([&] { TEXTRACT(right, matrix, 0, 16); }).operands[3].scalar.bits == 16);
    // The device does not read the valid region of a matrix in L1.
    Tile<TileType::Mat, half, 64, 48, BLayout::RowMajor, -1, -1, SLayout::ColMajor> transposed(35, 64);
    CHECK(one([&] { TEXTRACT(right, transposed, 0, 16); }).operands[1].tile.valid_cols == 48);
    Matrix half_product;
    one([&] { TMOV_FP(half_product, product, scales); });
    CHECK(one([&] { TINSERT(half_product, product, 4, 0); }).operands[2].scalar.bits == 4);
    CHECK(one([&] {
              TMOV<Matrix, Product, ReluPreMode::NormalRelu>(half_product, product);
          }).attribute(PTOSIM_ATTR_RELU) == 1);
#ifdef PTO_NPU_ARCH_A5
    // pto-isa's TMovCcToUb reads the valid region of the source alone, and the device gives each vector core a half.
    TileAcc<float, 64, 64, -1, -1> open_product(34, 32);
    Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, -1> rows(64, 64);
    const auto valid = [](const Recorded& move) {
        return std::pair(move.operands[0].tile.valid_rows, move.operands[0].tile.valid_cols);
    };
    CHECK(valid(one([&] { TMOV(rows, open_product); })) == std::pair(34, 32));
    CHECK(valid(one([&] { TMOV<decltype(rows), decltype(open_product), AccToVecMode::DualModeSplitM>(rows, open_product); })) ==
          std::pair(17, 32));
    CHECK(valid(one([&] { TMOV<decltype(rows), decltype(open_product), AccToVecMode::DualModeSplitN>(rows, open_product); })) ==
          std::pair(34, 16));
    Tile<TileType::Vec, float, 64, 64, BLayout::ColMajor, -1, -1, SLayout::RowMajor, 1024> boxes(64, 64);
    CHECK(valid(one([&] { TMOV<decltype(boxes), decltype(open_product), AccToVecMode::DualModeSplitM>(boxes, open_product); })) ==
          std::pair(24, 32));
    const auto extracted = [&] {
        TEXTRACT<decltype(rows), decltype(open_product), AccToVecMode::DualModeSplitM>(rows, open_product, 0, 32);
    };
    CHECK(valid(one(extracted)) == std::pair(17, 32));
    // 20 columns (bits 4 to 15) of 10 rows (16 to 31), 40 elements from row to row (32 to 63); blocks of L0C of 16 rows,
    // F322F16 (34 to 38), relu (39), rows (43).
    half packed[400] = {};
    const Recorded drained = one([&] {
        copy_matrix_cc_to_gm(packed, product.data(), uint64_t{20} << 4 | uint64_t{10} << 16 | uint64_t{40} << 32,
                             uint64_t{16} | uint64_t{1} << 34 | uint64_t{1} << 39 | uint64_t{1} << 43);
    });
    CHECK(drained.name == "TSTORE");
    CHECK(drained.operands[0].global.shape[3] == 10);
    CHECK(drained.operands[0].global.shape[4] == 20);
    CHECK(drained.operands[0].global.stride[3] == 40);
    CHECK(drained.operands[0].global.dtype == PTOSIM_F16);
    CHECK(drained.operands[1].tile.rows == 16);
    CHECK(drained.attribute(PTOSIM_ATTR_RELU) == 1);
#endif
    one([&] { TFILLPAD(x.d, x.a); });
    one([&] { TFILLPAD_EXPAND(x.d, x.a); });
    CHECK(one([&] { TFILLPAD<TFillPadMode::InPlace>(x.d, x.a); }).name == "TFILLPAD_INPLACE");
    U index;
    CHECK(one([&] {
              MGATHER<Coalesce::Elem, GatherOOB::Zero>(x.d, view, index);
          }).attribute(PTOSIM_ATTR_OUT_OF_BOUNDS) == 3);
    CHECK(one([&] {
              MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(view, x.a, index);
          }).attribute(PTOSIM_ATTR_OUT_OF_BOUNDS) == 4);
}

TEST_CASE("matrix products") {
    Product c, in;
    in.assign_address(0x800);
    Left a;
    Right b;
    Tile<TileType::Bias, float, 1, 16> bias;
    CHECK(one([&] { TMATMUL(c, a, b); }).name == "TMATMUL");
    CHECK(one([&] { TMATMUL<AccPhase::Partial>(c, a, b); }).attribute(PTOSIM_ATTR_PHASE) == 2);
    CHECK(address(one([&] { TMATMUL_ACC(c, in, a, b); }), 1) == 0x800);
    CHECK(one([&] { TMATMUL_ACC(c, a, b); }).operands.size() == 4);
    CHECK(one([&] { TMATMUL_BIAS(c, a, b, bias); }).operands[3].tile.space == PTOSIM_BIAS);
    one([&] { TGEMV(c, a, b); });
    one([&] { TGEMV_ACC(c, in, a, b); });
    one([&] { TGEMV_BIAS(c, a, b, bias); });
#ifdef PTO_NPU_ARCH_A5
    TileLeft<float8_e4m3_t, 16, 64> fa;
    TileRight<float8_e4m3_t, 64, 32> fb;
    TileAcc<float, 16, 32> fc, fin;
    TileLeftScale<float8_e8m0_t, 16, 2> sa;
    TileRightScale<float8_e8m0_t, 2, 32> sb;
    CHECK(one([&] { TMATMUL_MX(fc, fa, sa, fb, sb); }).name == "TMATMUL_MX");
    CHECK(one([&] { TMATMUL_MX(fc, fin, fa, sa, fb, sb); }).name == "TMATMUL_MX_ACC");
    Tile<TileType::Bias, float, 1, 32> fbias;
    CHECK(one([&] { TMATMUL_MX(fc, fa, sa, fb, sb, fbias); }).name == "TMATMUL_MX_BIAS");
#endif
}
