// Descriptions in tiles, tensors and events.
#include <catch2/catch.hpp>
#include <pto/pto-inst.hpp>

#include "recorder.h"

using namespace pto;

TEST_CASE("a tile is described by its type, its address and its valid region") {
    Tile<TileType::Vec, half, 16, 64, BLayout::RowMajor, -1, 64> tile(5u);
    TASSIGN(tile, 0x200);
    const ptosim_tile record = ptosim_detail::record(tile);
    CHECK(record.space == PTOSIM_UB);
    CHECK(record.dtype == PTOSIM_F16);
    CHECK(record.address == 0x200);
    CHECK(record.rows == 16);
    CHECK(record.cols == 64);
    CHECK(record.valid_rows == 5);
    CHECK(record.valid_cols == 64);
    CHECK(record.inner == PTOSIM_INNER_NONE);
    CHECK(tile.GetValidRow() == 5);

    const ptosim_tile left = ptosim_detail::record(TileLeft<float, 32, 16>{});
    CHECK(left.space == PTOSIM_L0A);
    CHECK(left.inner == PTOSIM_INNER_ROW);
#ifdef PTO_NPU_ARCH_A2A3
    CHECK(left.outer == PTOSIM_OUTER_ROW);
#else
    CHECK(left.outer == PTOSIM_OUTER_COL);
#endif
    const ptosim_tile product = ptosim_detail::record(TileAcc<float, 32, 16>{});
    CHECK(product.fractal == 1024);
    const ptosim_tile padded =
        ptosim_detail::record(Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 8,
                                   SLayout::NoneBox, 512, PadCustom<-1.0f>>{});
    CHECK(padded.pad == PTOSIM_PAD_CUSTOM);
    CHECK(padded.pad_bits == 0xbf800000);
}

TEST_CASE("signals of a view are read in the order of its dimensions until one does not hold") {
    using Signals = GlobalTensor<int32_t, pto::Shape<2, 1, 2, 1, 3>, pto::Stride<100, 70, 40, 20, 5>>;
    Signals signals(reinterpret_cast<int32_t*>(0x1000));
    std::vector<uint64_t> all{0};
    for (uint64_t first : {0, 100})
        for (uint64_t third : {0, 40})
            for (uint64_t last : {0, 5, 10}) all.push_back(0x1000 + 4 * (first + third + last));
    loads().assign(12, 7);
    loaded().clear();
    CHECK(comm::TTEST(signals, 7, comm::WaitCmp::EQ));
    CHECK(loaded() == all);
    loads() = {7, 7, 7, 7, 6};
    loaded().clear();
    CHECK_FALSE(comm::TTEST(signals, 7, comm::WaitCmp::GE));
    all.resize(1 + 5);
    CHECK(loaded() == all);
    comm::Signal one(reinterpret_cast<int32_t*>(0x2000));
    loads() = {7};
    loaded().clear();
    CHECK(comm::TTEST(one, 7, comm::WaitCmp::EQ));
    CHECK(loaded() == std::vector<uint64_t>{0x2000});
}

TEST_CASE("addresses of tiles can be computed with") {
    Tile<TileType::Vec, float, 8, 16> tile, next, part;
    TASSIGN(tile, 0x1000);
    TASSIGN(next, reinterpret_cast<uint64_t>(tile.data() + 128));
    CHECK(next.address == 0x1000 + 512);
    TASSIGN<0x40>(next);
    CHECK(reinterpret_cast<uint64_t>(next.data()) == 0x40);
    Tile<TileType::Vec, float, 4, 16> window;
    TSUBVIEW(window, tile, 2, 8);
    CHECK(window.address == 0x1000 + (2 * 16 + 8) * 4);
    Tile<TileType::Vec, int32_t, 16, 8> other;
    TRESHAPE(other, tile);
    CHECK(other.address == 0x1000);
}

TEST_CASE("a tile that is taken for one of another type is one of that type") {
    using Bytes = Tile<TileType::Vec, int8_t, 4, 64>;
    using Words = Tile<TileType::Vec, uint16_t, 4, 32>;
    Bytes bytes;
    TASSIGN(bytes, 0x80);
    const ptosim_tile record = ptosim_detail::record(reinterpret_cast<Words&>(bytes));
    CHECK(record.dtype == PTOSIM_U16);
    CHECK(record.cols == 32);
    CHECK(record.valid_cols == 32);
    CHECK(record.address == 0x80);
}

TEST_CASE("elements are where layouts put them") {
    // Written out by hand: boxes of 16 x 8 floats, one column of boxes after the other.
    using Nz = Tile<TileType::Mat, float, 32, 16, BLayout::ColMajor, 32, 16, SLayout::RowMajor>;
    CHECK(GetTileOffset<Nz>(0, 7) == 7);
    CHECK(GetTileOffset<Nz>(1, 0) == 8);
    CHECK(GetTileOffset<Nz>(17, 9) == 128 * 3 + 8 + 1);
    using Zn = Tile<TileType::Mat, float, 16, 32, BLayout::RowMajor, 16, 32, SLayout::ColMajor>;
    CHECK(GetTileOffset<Zn>(1, 0) == 1);
    CHECK(GetTileOffset<Zn>(0, 1) == 8);
    CHECK(GetTileOffset<Zn>(9, 17) == 128 * 3 + 8 + 1);
}

TEST_CASE("a tensor has its static and its given extents") {
    float data[1] = {};
    using View = GlobalTensor<float, Shape<1, 1, 1, -1, 16>, Stride<1, 1, 1, -1, 1>>;
    View view(data, Shape<1, 1, 1, -1, 16>(4), Stride<1, 1, 1, -1, 1>(32));
    const ptosim_global& record = view.view;
    CHECK(record.address == reinterpret_cast<uintptr_t>(data));
    CHECK(record.shape[3] == 4);
    CHECK(record.shape[4] == 16);
    CHECK(record.stride[3] == 32);
    CHECK(record.dtype == PTOSIM_F32);
    CHECK(view.GetShape(GlobalTensorDim::DIM_3) == 4);
    view.SetShape<3>(7);
    CHECK(view.GetShape(3) == 7);

    // 48 x 32 halves in NZ: two columns of blocks of 3 x 16 rows x 16.
    const TileShape2D<half, DYNAMIC, DYNAMIC, Layout::NZ> shape(48, 32);
    const BaseShape2D<half, 48, 32, Layout::NZ> stride;
    const int64_t shapes[] = {1, 2, 3, 16, 16}, strides[] = {1536, 768, 256, 16, 1};
    for (int i = 0; i < 5; ++i) {
        CHECK(shape.shape[i] == shapes[i]);
        CHECK(stride.stride[i] == strides[i]);
    }
}

template <Layout Layout_>
void check_scales_without_pairs() {
    uint8_t data[1] = {};
    using Matrix = Shape<1, 1, 1, DYNAMIC, DYNAMIC>;
    const TileShape2D<uint8_t, 32, 48, Layout_> expected;
    const GlobalTensor<uint8_t, Matrix, BaseShape2D<uint8_t, 32, 48, Layout_>, Layout_> view(
        data, Matrix(32, 48));
    for (int i = 0; i < 5; ++i) CHECK(view.GetShape(i) == expected.shape[i]);
}

TEST_CASE("scales whose shape leaves out their pairs are those of a matrix") {
    check_scales_without_pairs<Layout::MX_A_ND>();
    check_scales_without_pairs<Layout::MX_A_DN>();
    check_scales_without_pairs<Layout::MX_B_ND>();
    check_scales_without_pairs<Layout::MX_B_DN>();
    // In pairs already; and no scales.
    uint8_t data[1] = {};
    const GlobalTensor<uint8_t, Shape<1, 1, 1, 24, 2>, BaseShape2D<uint8_t, 1, 48, Layout::MX_A_ND>,
                       Layout::MX_A_ND>
        pairs(data);
    CHECK(pairs.GetShape(3) == 24);
    const GlobalTensor<uint8_t, Shape<1, 1, 1, 32, 48>, Stride<1, 1, 1, 48, 1>> matrix(data);
    CHECK(matrix.GetShape(4) == 48);
}

TEST_CASE("GetValue and SetValue go through the scalar unit") {
    take_recorded();
    Tile<TileType::Vec, half, 1, 16> tile;
    TASSIGN(tile, 0x80);
    loads() = {0x3e00};
    CHECK(float(tile.GetValue(3)) == 1.5f);
    tile.SetValue(2, 2.0f);
    const auto recorded = take_recorded();
    REQUIRE(recorded.size() == 2);
    CHECK(recorded[0].name == "load_local");
    CHECK(recorded[0].operands[1].scalar.bits == 3);
    CHECK(recorded[0].operands[0].tile.address == 0x80);
    CHECK(recorded[1].operands[2].scalar.bits == 0x4000);
}

TEST_CASE("events set their flag after one operation and wait before the other") {
    take_recorded();
    float data[64] = {};
    GlobalTensor<float, Shape<1, 1, 1, 4, 16>, Stride<64, 64, 64, 16, 1>> global(data);
    Tile<TileType::Vec, float, 4, 16> tile, sum;
    Event<Op::TLOAD, Op::TADD> loaded;
    Event<Op::TADD, Op::TSTORE_VEC> added;
    loaded = TLOAD(tile, global);
    added = TADD(sum, tile, tile, loaded);
    TSTORE(global, sum, added);
    const auto recorded = take_recorded();
    const char* names[] = {"TLOAD",    "SET_FLAG",  "WAIT_FLAG", "TADD",
                           "SET_FLAG", "WAIT_FLAG", "TSTORE"};
    REQUIRE(recorded.size() == 7);
    for (size_t i = 0; i < 7; ++i) CHECK(recorded[i].name == names[i]);
    CHECK(recorded[1].attribute(PTOSIM_ATTR_SOURCE_PIPE) == PTOSIM_PIPE_MTE2);
    CHECK(recorded[1].attribute(PTOSIM_ATTR_DESTINATION_PIPE) == PTOSIM_PIPE_V);
    CHECK(recorded[1].attribute(PTOSIM_ATTR_EVENT) == recorded[2].attribute(PTOSIM_ATTR_EVENT));
    CHECK(recorded[5].attribute(PTOSIM_ATTR_DESTINATION_PIPE) == PTOSIM_PIPE_MTE3);
}

TEST_CASE("each event takes the next id of its pair of pipes") {
    using Ids = EventIdCounter<PIPE_MTE2, PIPE_MTE3>;
    Ids::Reset();
    Event<Op::TLOAD, Op::TSTORE_VEC> events[9];
    for (int i = 0; i < 9; ++i) CHECK(int(events[i].token) == i % 8);
    Event<Op::TLOAD, Op::TSTORE_VEC, false, EVENT_ID5> fixed;
    CHECK(fixed.token == EVENT_ID5);
}

TEST_CASE("an event between two operations of one pipe is a barrier where the pipe needs one") {
    take_recorded();
    Tile<TileType::Vec, float, 4, 16> tile;
    Event<Op::TADD, Op::TMUL> done;
    done = TADD(tile, tile, tile);
    TMUL(tile, tile, tile, done);
    const auto recorded = take_recorded();
    // a2a3 does not order dependent vector instructions by itself; a5 does.
#ifdef PTO_NPU_ARCH_A2A3
    REQUIRE(recorded.size() == 3);
    CHECK(recorded[1].name == "PIPE_BARRIER");
#else
    REQUIRE(recorded.size() == 2);
#endif
}

TEST_CASE("instructions carry the line that they were written on") {
    take_recorded();
    Tile<TileType::Vec, float, 4, 16> tile;
    TADD(tile, tile, tile);
    const uint32_t line = __LINE__ - 1;
    const auto recorded = take_recorded();
    CHECK(recorded[0].line == line);
    CHECK(recorded[0].file == __FILE__);
}

TEST_CASE("cross-core messages are taken apart") {
    take_recorded();
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(2, 7));
    wait_flag_dev(9);
    const auto recorded = take_recorded();
    CHECK(recorded[0].attribute(PTOSIM_ATTR_SOURCE_PIPE) == PTOSIM_PIPE_MTE3);
    CHECK(recorded[0].attribute(PTOSIM_ATTR_EVENT) == 7);
    CHECK(recorded[0].attribute(PTOSIM_ATTR_CROSS_MODE) == 2);
    CHECK(recorded[1].attribute(PTOSIM_ATTR_EVENT) == 9);
}
