// A kernel of the kind that stopped for ever on other simulators and not on boards: it stays on its
// cluster and takes every blocks'th task, and tiles go both ways between its cores through one
// TPipe, in a ring of slots that is gone round several times.
//
// y[t] = relu(a[t] b) w, all of whole numbers that f16 holds: the cube core pushes a[t] b, the
// vector cores push relu of it back, the cube core pushes the product with w, the vector cores
// store that. The cube core is a task ahead: the FIFO holds tiles of two tasks, and the vector
// cores pop the product of the task before after the tile of the next one.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

#ifdef NO_SPLIT  // both vector cores take the whole tile; slots of 32 KiB, two of them
constexpr int kRows = 64, kCols = 128;
constexpr TileSplitAxis kSplit = TileSplitAxis::TILE_NO_SPLIT;
using Pipe = TPipe<0, Direction::DIR_BOTH, kRows * kCols * 4, 2, 2, true>;
#else
constexpr int kRows = 32, kCols = 64;
constexpr TileSplitAxis kSplit = TileSplitAxis::TILE_UP_DOWN;
using Pipe = TPipe<0, Direction::DIR_BOTH, kRows * kCols * 4, 4, 4, false>;
#endif
constexpr int kPart = kSplit == TileSplitAxis::TILE_NO_SPLIT ? kRows : kRows / 2;

template <typename Element, int Rows, int Cols>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
template <int Rows, int Cols>
using L1 = Tile<TileType::Mat, half, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

#ifdef __DAV_CUBE__
// left (in L1) times right (in L1), pushed.
template <class Left, class Right>
void push_product(Pipe& pipe, Left& left, Right& right) {
    TileLeft<half, kRows, kCols> a;
    TileRight<half, kCols, kCols> b;
    TileAcc<float, kRows, kCols> c;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    pipe_barrier(PIPE_ALL);
    TMOV(a, left);
    TMOV(b, right);
    pipe_barrier(PIPE_ALL);
    TMATMUL(c, a, b);
    pipe_barrier(PIPE_ALL);
    TPUSH<Pipe, TileAcc<float, kRows, kCols>, kSplit>(pipe, c);
    pipe_barrier(PIPE_ALL);
}

void cube(__gm__ half* a, __gm__ half* b, __gm__ half* w, __gm__ float* ring, int32_t tasks) {
    constexpr uint32_t kLeft = 0, kB = 1 << 16, kW = 2 << 16, kPopped = 3 << 16;
    Pipe pipe(ring, 0, kPopped);
    L1<kRows, kCols> left;
    L1<kCols, kCols> of_b, of_w;
    TASSIGN(left, kLeft);
    TASSIGN(of_b, kB);
    TASSIGN(of_w, kW);
    View<half, kCols, kCols> from_b(b), from_w(w);
    TLOAD(of_b, from_b);
    TLOAD(of_w, from_w);
    const int64_t step = get_block_num();
    for (int64_t task = get_block_idx(); task < tasks + step; task += step) {
        if (task < tasks) {
            View<half, kRows, kCols> from(a + task * kRows * kCols);
            TLOAD(left, from);
            push_product(pipe, left, of_b);
        }
        if (task >= step) {
            L1<kRows, kCols> popped;
            TPOP<Pipe, L1<kRows, kCols>, kSplit>(pipe, popped);
            push_product(pipe, popped, of_w);
            TFREE<Pipe, kSplit>(pipe);
        }
    }
}
#endif

#ifdef __DAV_VEC__
using Part = Tile<TileType::Vec, float, kPart, kCols>;
using Small = Tile<TileType::Vec, half, kPart, kCols>;

void vector(__gm__ float* y, __gm__ float* ring, int32_t tasks) {
    constexpr uint32_t kPopped = 0, kSmall = 0x20000;
    Pipe pipe(ring, kPopped, 0);
    Small small;
    TASSIGN(small, kSmall);
    const int64_t step = get_block_num();
    const int64_t row = kPart == kRows ? 0 : get_subblockid() * kPart;
    for (int64_t task = get_block_idx(); task < tasks + step; task += step) {
        if (task < tasks) {
            Part part;
            TPOP<Pipe, Part, kSplit>(pipe, part);
            pipe_barrier(PIPE_ALL);
            TRELU(part, part);
            pipe_barrier(PIPE_V);
            TCVT(small, part, RoundMode::CAST_RINT);
            pipe_barrier(PIPE_ALL);
            TFREE<Pipe, kSplit>(pipe);
#ifdef LAST_IS_NOT_PUSHED
            if (task + step < tasks)
#endif
                TPUSH<Pipe, Small, kSplit>(pipe, small);
            pipe_barrier(PIPE_ALL);
        }
        if (task >= step) {
            Part part;
            TPOP<Pipe, Part, kSplit>(pipe, part);
            pipe_barrier(PIPE_ALL);
            View<float, kPart, kCols> to(y + ((task - step) * kRows + row) * kCols);
            if (kPart != kRows || get_subblockid() == 0) TSTORE(to, part);
            pipe_barrier(PIPE_ALL);
            TFREE<Pipe, kSplit>(pipe);
        }
    }
}
#endif

}  // namespace

extern "C" __global__ __aicore__ void both_ways(__gm__ half* a, __gm__ half* b, __gm__ half* w,
                                                __gm__ float* y, __gm__ float* rings,
                                                int32_t tasks) {
    __gm__ float* const ring = rings + get_block_idx() * 2 * (kRows * kCols) * 4;
#ifdef __DAV_CUBE__
    cube(a, b, w, ring, tasks);
#else
    vector(y, ring, tasks);
#endif
}
