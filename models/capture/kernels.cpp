// Loops whose rounds measures.def lists. A kernel writes how many ticks of the system counter two
// loops took, a short and a long one, and how often they ran.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kShort = 32;  // rounds of the short loop
constexpr int kCols = 64;   // f32 elements of a repeat of 256 bytes

template <typename Element, int Rows, int Cols = kCols>
using Ub = Tile<TileType::Vec, Element, Rows, Cols>;
template <int Rows>
using Column = Tile<TileType::Vec, float, Rows, 1, BLayout::ColMajor>;
template <typename Element, int Rows, int Cols, int Pitch = Cols>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Pitch, 1>>;
template <int N>
using L1a = Tile<TileType::Mat, half, N, N, BLayout::ColMajor, N, N, SLayout::RowMajor>;

template <pipe_t From, pipe_t To>
AICORE inline void order() {
    set_flag(From, To, EVENT_ID0);
    wait_flag(From, To, EVENT_ID0);
}

template <typename Round>
AICORE inline void measure(__gm__ int64_t* to, int& at, int more, Round round) {
    for (int rounds : {kShort, kShort + more}) {
        pipe_barrier(PIPE_ALL);
        const int64_t begin = get_sys_cnt();
        for (int i = 0; i < rounds; ++i) round();
        pipe_barrier(PIPE_ALL);
        to[at++] = get_sys_cnt() - begin;
    }
}

#ifdef __DAV_VEC__
struct Vectors {
    static constexpr int kCore = 1;
    Ub<float, 1> f1, a1, b1;
    Ub<float, 8> a8, scratch8;
    Ub<float, 32> f32, a32, b32, c32, scratch32;
    Ub<half, 32> h32;
    Column<8> column8;
    Column<32> column32;
    Tile<TileType::Vec, uint8_t, 32, 32> mask;
    View<float, 1, kCols> view1;
    View<float, 32, kCols> view32;
    View<float, 32, kCols, 4 * kCols> rows32;
    AICORE explicit Vectors(__gm__ float* data) : view1(data), view32(data), rows32(data) {
        // Sources of sums in bank groups of their own, but c32, which meets a32.
        TASSIGN(f1, 0x20000);
        TASSIGN(f32, 0x20000);
        TASSIGN(h32, 0x20000);
        TASSIGN(mask, 0x20000);
        TASSIGN(a1, 0);
        TASSIGN(a8, 0);
        TASSIGN(a32, 0);
        TASSIGN(b1, 0x10100);
        TASSIGN(b32, 0x10100);
        TASSIGN(c32, 0x14000);
        TASSIGN(scratch8, 0x18000);
        TASSIGN(scratch32, 0x18000);
        TASSIGN(column8, 0x28000);
        TASSIGN(column32, 0x28000);
        TEXPANDS(a32, 2.0f);
        TEXPANDS(b32, 3.0f);
        TEXPANDS(c32, 3.0f);
        TEXPANDS(f32, 3.0f);
        TROWMAX(column32, a32, scratch32);
    }
};
#endif

#ifdef __DAV_CUBE__
struct Matrices {
    static constexpr int kCore = 0;
    L1a<64> l1a64, l1b64;
    L1a<128> l1a128, l1b128;
    TileLeft<half, 64, 64> left64;
    TileLeft<half, 128, 128> left128;
    TileRight<half, 64, 64> right64;
    TileRight<half, 128, 128> right128;
    TileAcc<float, 64, 64> acc64;
    TileAcc<float, 128, 128> acc128;
    View<half, 64, 64> factor64;
    View<half, 128, 128> factor128;
    View<float, 64, 64> product64;
    View<float, 128, 128> product128;
    AICORE explicit Matrices(__gm__ float* data)
        : factor64(reinterpret_cast<__gm__ half*>(data)),
          factor128(reinterpret_cast<__gm__ half*>(data)),
          product64(data + 0x10000),
          product128(data + 0x10000) {
        TASSIGN(l1a64, 0);
        TASSIGN(l1a128, 0);
        TASSIGN(l1b64, 0x10000);
        TASSIGN(l1b128, 0x10000);
        TASSIGN(left64, 0);
        TASSIGN(left128, 0);
        TASSIGN(right64, 0);
        TASSIGN(right128, 0);
        TASSIGN(acc64, 0);
        TASSIGN(acc128, 0);
        TLOAD(l1a128, factor128);
        TLOAD(l1b128, factor128);
        order<PIPE_MTE2, PIPE_MTE1>();
        TMOV(left128, l1a128);
        TMOV(right128, l1b128);
        order<PIPE_MTE1, PIPE_M>();
        TMATMUL(acc128, left128, right128);
        pipe_barrier(PIPE_ALL);
    }
};
#endif

#define AIV 1
#define AIC 0
#define MEASURE(NAME, CORE, ...) \
    if constexpr (CORE == Operands::kCore) measure(to, at, more, [&] { __VA_ARGS__; });
template <typename Operands>
AICORE inline void measure_all(Operands& d, __gm__ int64_t* to, int more) {
    int at = 0;
#include "measures.def"
    dcci(to, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

}  // namespace

__global__ AICORE void measure_vectors(__gm__ float* data, __gm__ int64_t* to, int more) {
#ifdef __DAV_VEC__
    Vectors d(data);
    measure_all(d, to, more);
#endif
}

__global__ AICORE void measure_matrices(__gm__ float* data, __gm__ int64_t* to, int more) {
#ifdef __DAV_CUBE__
    Matrices d(data);
    measure_all(d, to, more);
#endif
}

// Every AIV copies its part of an array: the memory behind L2, and L2.
__global__ AICORE void stream(__gm__ float* from, __gm__ float* into, int tiles) {
#ifdef __DAV_VEC__
    using Block = Tile<TileType::Vec, float, 64, 128>;  // 32 KiB
    using Part = View<float, 64, 128>;
    Block slots[2];
    TASSIGN(slots[0], 0);
    TASSIGN(slots[1], 0x8000);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    for (int i = 0, tile = get_block_idx(); tile < tiles; ++i, tile += get_block_num()) {
        const event_t id = static_cast<event_t>(i % 2);
        Part source(from + tile * 8192), target(into + tile * 8192);
        wait_flag(PIPE_MTE3, PIPE_MTE2, id);
        TLOAD(slots[i % 2], source);
        set_flag(PIPE_MTE2, PIPE_MTE3, id);
        wait_flag(PIPE_MTE2, PIPE_MTE3, id);
        TSTORE(target, slots[i % 2]);
        set_flag(PIPE_MTE3, PIPE_MTE2, id);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
#endif
}

__global__ AICORE void nothing(__gm__ float* data) {
#ifdef __DAV_VEC__
    (void)data;
#endif
}

// Inputs whose bits tell the ways apart in which a result may be rounded or summed.
__global__ AICORE void numbers(__gm__ float* x, __gm__ float* y, __gm__ float* out) {
#ifdef __DAV_VEC__
    using Row = View<float, 1, kCols>;
    Ub<float, 1> a, b, c;
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1> sum;
    Ub<float, 1> scratch;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    TASSIGN(c, 0x2000);
    TASSIGN(scratch, 0x3000);
    TASSIGN(sum, 0x4000);
    Row in0(x), in1(y);
    TLOAD(a, in0);
    TLOAD(b, in1);
    order<PIPE_MTE2, PIPE_V>();
    int at = 0;
    const auto keep = [&] {
        Row to(out + at++ * kCols);
        order<PIPE_V, PIPE_MTE3>();
        TSTORE(to, c);
        order<PIPE_MTE3, PIPE_V>();
    };
#define NUMBERS(NAME, ...) \
    __VA_ARGS__;           \
    keep();
#include "numbers.def"
#endif
}

void launch_vectors(float* data, int64_t* to, int more, void* stream) {
    measure_vectors<<<1, nullptr, stream>>>(data, to, more);
}
void launch_matrices(float* data, int64_t* to, int more, void* stream) {
    measure_matrices<<<1, nullptr, stream>>>(data, to, more);
}
void launch_stream(float* from, float* into, int tiles, int blocks, void* queue) {
    stream<<<blocks, nullptr, queue>>>(from, into, tiles);
}
void launch_nothing(float* data, int blocks, void* stream) {
    nothing<<<blocks, nullptr, stream>>>(data);
}
void launch_numbers(float* x, float* y, float* out, void* stream) {
    numbers<<<1, nullptr, stream>>>(x, y, out);
}
