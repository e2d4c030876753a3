// Loops whose rounds measures.def lists. A kernel writes how many ticks of the system counter two
// loops took, a short and a long one, and how often they ran.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kShort = 16;  // rounds of the short loop
constexpr int kCols = 64;   // f32 elements of a repeat of 256 bytes

template <typename Element, int Rows, int Cols = kCols, int Valid = Cols>
using Ub = Tile<TileType::Vec, Element, Rows, Cols, BLayout::RowMajor, Rows, Valid>;
template <int Rows, typename Element = float>
using Column = Tile<TileType::Vec, Element, Rows, 1, BLayout::ColMajor>;
template <typename Element, int Rows, int Cols, int Pitch = Cols>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Pitch, 1>>;
template <typename Element, int Rows, int Cols = Rows>
using L1 =
    Tile<TileType::Mat, Element, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

template <pipe_t From, pipe_t To>
AICORE inline void order() {
    set_flag(From, To, EVENT_ID0);
    wait_flag(From, To, EVENT_ID0);
}

// Waits for the vector unit alone if it has a barrier: V of a5 executes in order, and its compiler refuses one.
AICORE inline void settle() {
#ifdef PTO_NPU_ARCH_A5
    pipe_barrier(PIPE_ALL);
#else
    pipe_barrier(PIPE_V);
#endif
}

// A chain of operations on a register: each takes the result of the one before, so no compiler shortens it.
AICORE inline uint64_t scramble(uint64_t state) {
    for (int i = 0; i < 64; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

// A kernel of vector code alone, or one whose clusters' AIVs both run it: that is the compiler's
// choice.
AICORE inline int vector_core() {
    return static_cast<int>(get_block_idx() * get_subblockdim() + get_subblockid());
}
AICORE inline int vector_cores() { return static_cast<int>(get_block_num() * get_subblockdim()); }

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
    // Sources of sums are in bank groups of their own, but c32 and c128, which meet a32 and a128.
    Ub<float, 1> f1, a1, b1;
    Ub<float, 8> a8, scratch8;
    Ub<float, 32> f32, a32, b32, c32, scratch32;
    Ub<float, 128> f128, a128, b128, c128, skewed128;
    Ub<float, 32, 64, 40> f32part, a32part;
    Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512,
         PadValue::Zero>
        f32padded;
    Ub<float, 32, 192> a32wide, scratch32wide;
    Ub<float, 16, 256, 192> f16rows, a16rows;
    Ub<float, 1, 192> f1wide;
    Ub<float, 64> a64, f64, scratch64;
    Ub<half, 32> h32;
    Ub<half, 32, 128> h32a, h32b, h32f;
    Ub<int32_t, 32> i32a, i32b, i32f;
    Ub<int16_t, 32, 128> s32a, s32b, s32f, s32scratch;
    Ub<uint16_t, 32, 128> w32a, w32b, w32f, w32scratch;
    Ub<int8_t, 32, 64> q32;
    Column<8> column8;
    Column<32> column32;
    Column<32, uint32_t> index_column32;
    Ub<uint32_t, 1> index_row;
    Ub<uint32_t, 1, 1024> sort_index;
    Ub<float, 1, 1024> sort_from;
    Ub<float, 1, 2048> sort_to, sort_merged;
    Ub<int32_t, 32> indices32;
    Ub<int32_t, 4> indices4;
    Ub<float, 4> f4, a4;
    Ub<uint32_t, 32, 8> offsets32;
    Ub<float, 32, 32> f32half;
    Tile<TileType::Vec, uint8_t, 32, 32> mask;
    Ub<uint8_t, 32, 64> bytes;
    View<float, 1, kCols> view1;
    View<float, 32, kCols> view32, unaligned32;
    View<float, 32, kCols, 4 * kCols> rows32;
    View<float, 128, kCols> view128;
    View<float, 32, 8, 128> blocks32;
    Ub<float, 32, 8> narrow32;
    __gm__ float* cold;  // memory that L2 does not hold
    __gm__ float* cell;
    float sink = 0;
    uint64_t state = 88172645463325252u;
    AICORE Vectors(__gm__ float* data, __gm__ float* untouched)
        : view1(data),
          view32(data),
          unaligned32(data + 5),
          rows32(data),
          view128(data),
          blocks32(data),
          cold(untouched),
          cell(data) {
        TASSIGN(a1, 0);
        TASSIGN(a4, 0);
        TASSIGN(a8, 0);
        TASSIGN(a32, 0);
        TASSIGN(a32part, 0);
        TASSIGN(a64, 0);
        TASSIGN(a128, 0);
        TASSIGN(a32wide, 0);
        TASSIGN(a16rows, 0);
        TASSIGN(h32a, 0);
        TASSIGN(i32a, 0);
        TASSIGN(s32a, 0);
        TASSIGN(w32a, 0);
        TASSIGN(sort_from, 0);
        TASSIGN(narrow32, 0);
        TASSIGN(indices32, 0x2a000);
        TASSIGN(indices4, 0x2a000);
        TASSIGN(offsets32, 0x2a000);
        TASSIGN(sort_index, 0x2a000);
        TASSIGN(b1, 0x10100);
        TASSIGN(b32, 0x10100);
        TASSIGN(b128, 0x10100);
        TASSIGN(h32b, 0x10100);
        TASSIGN(i32b, 0x10100);
        TASSIGN(s32b, 0x10100);
        TASSIGN(w32b, 0x10100);
        TASSIGN(c128, 0x10000);
        TASSIGN(c32, 0x14000);
        TASSIGN(sort_to, 0x14000);
        TASSIGN(mask, 0x18000);
        TASSIGN(skewed128, 0x8020);
        TASSIGN(scratch8, 0x1a000);
        TASSIGN(scratch32wide, 0x1a000);
        TASSIGN(scratch32, 0x1a000);
        TASSIGN(scratch64, 0x1a000);
        TASSIGN(s32scratch, 0x1a000);
        TASSIGN(w32scratch, 0x1a000);
        TASSIGN(bytes, 0x1a000);
        TASSIGN(f1, 0x20000);
        TASSIGN(f1wide, 0x20000);
        TASSIGN(f16rows, 0x20000);
        TASSIGN(f4, 0x20000);
        TASSIGN(f32, 0x20000);
        TASSIGN(f32part, 0x20000);
        TASSIGN(f32padded, 0x20000);
        TASSIGN(f32half, 0x20000);
        TASSIGN(f64, 0x20000);
        TASSIGN(f128, 0x20000);
        TASSIGN(h32, 0x20000);
        TASSIGN(h32f, 0x20000);
        TASSIGN(i32f, 0x20000);
        TASSIGN(s32f, 0x20000);
        TASSIGN(w32f, 0x20000);
        TASSIGN(q32, 0x20000);
        TASSIGN(sort_merged, 0x20000);
        TASSIGN(column8, 0x28000);
        TASSIGN(column32, 0x28000);
        TASSIGN(index_column32, 0x29000);
        TASSIGN(index_row, 0x29000);
        TEXPANDS(a128, 2.0f);
        TEXPANDS(b128, 3.0f);
        TEXPANDS(c32, 3.0f);
        TEXPANDS(f128, 3.0f);
        TEXPANDS(scratch64, 1.0f);
        TEXPANDS(indices32, 0);
        TCMPS(mask, a32, 1.0f, CmpMode::GT);
        TROWMAX(column32, a32, scratch32);
        TSORT32(sort_to, sort_from, sort_index);
        pipe_barrier(PIPE_ALL);
    }
    // The next part of memory that L2 does not hold.
    template <int Rows>
    AICORE View<float, Rows, kCols> next() {
        __gm__ float* const here = cold;
        cold += Rows * kCols;
        return View<float, Rows, kCols>(here);
    }
};
#endif

#ifdef __DAV_CUBE__
struct Matrices {
    static constexpr int kCore = 0;
    L1<half, 16> l1a16, l1b16;
    L1<half, 64> l1a64, l1b64;
    L1<half, 128> l1a128, l1b128;
    L1<half, 128> l1c128;
    L1<half, 64> l1c64;
    Tile<TileType::Mat, half, 64, 128> l1plain;
    TileLeft<half, 16, 16> left16;
    TileLeft<half, 64, 64> left64;
    TileLeft<half, 128, 128> left128;
    TileLeft<float, 64, 64> left64f;
    TileLeft<int8_t, 128, 128> left128i;
    TileRight<half, 16, 16> right16;
    TileRight<half, 64, 64> right64;
    TileRight<half, 128, 128> right128;
    TileRight<float, 64, 64> right64f;
    TileRight<int8_t, 128, 128> right128i;
    TileAcc<float, 64, 64> acc64;
    TileAcc<float, 128, 128> acc128;
    TileAcc<int32_t, 128, 128> acc128i;
    Tile<TileType::Mat, float, 1, 192> l1bias192;
    Tile<TileType::Mat, float, 1, 256> l1bias256;
    Tile<TileType::Mat, float, 1, 64> l1bias64;
    Tile<TileType::Bias, float, 1, 192> bias192;
    Tile<TileType::Bias, float, 1, 256> bias256;
    Tile<TileType::Bias, float, 1, 64> bias64;
    View<half, 64, 64> factor64;
    View<half, 64, 128> factor64x128;
    View<half, 16, 256> factor16x256;
    View<half, 64, 256> factor64x256;
    View<half, 16, 64> factor16x64;
    View<half, 16, 1024> factor16x1024;
    L1<half, 16, 64> l1a16x64;
    L1<half, 16, 1024> l1a16x1024;
    L1<half, 16, 256> l1a16x256;
    L1<half, 64, 256> l1a64x256;
    View<half, 128, 64> factor128x64;
    View<half, 128, 128> factor128;
    View<half, 128, 64, 1024> rows128x64;
    L1<half, 128, 64> l1a128x64;
    View<float, 64, 64> product64;
    View<float, 128, 128> product128;
    View<half, 128, 128> narrow128;
    AICORE Matrices(__gm__ float* data, __gm__ float*)
        : factor64(reinterpret_cast<__gm__ half*>(data)),
          factor64x128(reinterpret_cast<__gm__ half*>(data)),
          factor16x256(reinterpret_cast<__gm__ half*>(data)),
          factor64x256(reinterpret_cast<__gm__ half*>(data)),
          factor16x64(reinterpret_cast<__gm__ half*>(data)),
          factor16x1024(reinterpret_cast<__gm__ half*>(data)),
          factor128x64(reinterpret_cast<__gm__ half*>(data)),
          factor128(reinterpret_cast<__gm__ half*>(data)),
          rows128x64(reinterpret_cast<__gm__ half*>(data)),
          product64(data + 0x10000),
          product128(data + 0x10000),
          narrow128(reinterpret_cast<__gm__ half*>(data + 0x10000)) {
        TASSIGN(l1a16, 0);
        TASSIGN(l1a64, 0);
        TASSIGN(l1a128, 0);
        TASSIGN(l1a128x64, 0);
        TASSIGN(l1a16x64, 0);
        TASSIGN(l1a16x1024, 0);
        TASSIGN(l1a16x256, 0);
        TASSIGN(l1a64x256, 0);
        TASSIGN(l1plain, 0);
        TASSIGN(l1b16, 0x10000);
        TASSIGN(l1b64, 0x10000);
        TASSIGN(l1b128, 0x10000);
        TASSIGN(l1c64, 0x20000);
        TASSIGN(l1c128, 0x20000);
        TASSIGN(l1bias64, 0x30000);
        TASSIGN(l1bias192, 0x30000);
        TASSIGN(l1bias256, 0x30000);
        TASSIGN(left16, 0);
        TASSIGN(left64, 0);
        TASSIGN(left128, 0);
        TASSIGN(left64f, 0);
        TASSIGN(left128i, 0);
        TASSIGN(right16, 0);
        TASSIGN(right64, 0);
        TASSIGN(right128, 0);
        TASSIGN(right64f, 0);
        TASSIGN(right128i, 0);
        TASSIGN(bias64, 0);
        TASSIGN(bias192, 0);
        TASSIGN(bias256, 0);
        TASSIGN(acc64, 0);
        TASSIGN(acc128, 0);
        TASSIGN(acc128i, 0);
        TLOAD(l1a128, factor128);
        TLOAD(l1b128, factor128);
        View<float, 1, 256> first(data);
        TLOAD(l1bias256, first);
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
    // A compiler omits the chain if nothing reads its end.
    if constexpr (Operands::kCore == AIV) to[at] = static_cast<int64_t>(d.state);
    dcci(to, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

// ---- between the cores of a cluster ----------------------------------------------------------
constexpr int kToVectors = 0, kToMatrices = 1;
#ifdef PTO_NPU_ARCH_A5
AICORE inline void tell_vectors() {
    set_intra_block(PIPE_FIX, kToVectors);
    set_intra_block(PIPE_FIX, kToVectors + 16);
}
AICORE inline void hear_vectors() {
    wait_intra_block(PIPE_S, kToMatrices);
    wait_intra_block(PIPE_S, kToMatrices + 16);
}
AICORE inline void tell_matrices() { set_intra_block(PIPE_MTE3, kToMatrices); }
AICORE inline void hear_matrices() { wait_intra_block(PIPE_S, kToVectors); }
#else
constexpr uint64_t message(int id) { return 0x21u | static_cast<unsigned>(id) << 8; }
AICORE inline void tell_vectors() { ffts_cross_core_sync(PIPE_FIX, message(kToVectors)); }
AICORE inline void hear_vectors() { wait_flag_dev(kToMatrices); }
AICORE inline void tell_matrices() { ffts_cross_core_sync(PIPE_MTE3, message(kToMatrices)); }
AICORE inline void hear_matrices() { wait_flag_dev(kToVectors); }
#endif

}  // namespace

__global__ AICORE void measure_vectors(__gm__ float* data, __gm__ float* cold, __gm__ int64_t* to,
                                       int more) {
#ifdef __DAV_VEC__
    if (vector_core() != 0) return;
    Vectors d(data, cold);
    measure_all(d, to, more);
#endif
}

__global__ AICORE void measure_matrices(__gm__ float* data, __gm__ float* cold, __gm__ int64_t* to,
                                        int more) {
#ifdef __DAV_CUBE__
    Matrices d(data, cold);
    measure_all(d, to, more);
#endif
}

// The AIC tells its AIVs, which tell it: a round is two signals.
__global__ AICORE void measure_signals(__gm__ uint64_t* flags, __gm__ int64_t* to, int more) {
#ifndef PTO_NPU_ARCH_A5
    set_ffts_base_addr(reinterpret_cast<uint64_t>(flags));
#else
    (void)flags;
#endif
#ifdef __DAV_CUBE__
    const auto round = [] {
        tell_vectors();
        hear_vectors();
    };
    round();  // the cores of a cluster begin one after the other
    int at = 0;
    measure(to, at, more, round);
    dcci(to, ENTIRE_DATA_CACHE, CACHELINE_OUT);
#endif
#ifdef __DAV_VEC__
    for (int i = 0; i < 1 + 2 * kShort + more; ++i) {
        hear_matrices();
        tell_matrices();
    }
    (void)to;
#endif
}

// Is a flag a bit or a counter? It is set twice and waited for, then V works, and sets it again. A
// counter lets the second wait through at once, a bit after the work. Ticks of that wait, and of
// the work.
__global__ AICORE void measure_flags(__gm__ int64_t* to) {
#ifdef __DAV_VEC__
    if (vector_core() != 0) return;
    Ub<float, 128> from, into;
    TASSIGN(from, 0);
    TASSIGN(into, 0x8000);
    TEXPANDS(from, 1.0f);
    pipe_barrier(PIPE_ALL);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    const int64_t begin = get_sys_cnt();
    for (int i = 0; i < 24; ++i) TDIV(into, from, from);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    const int64_t waited = get_sys_cnt() - begin;
    pipe_barrier(PIPE_ALL);
    const int64_t worked = get_sys_cnt() - begin;
    if (2 * waited < worked) wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // the third set is left
    to[0] = waited;
    to[1] = worked;
    dcci(to, ENTIRE_DATA_CACHE, CACHELINE_OUT);
#endif
}

// All AIVs move tiles of 64 KiB, each its own part of an array, or all the same.
enum Stream { kCopy, kRead, kWrite, kReadSame, kReadRows };
__global__ AICORE void stream(__gm__ float* from, __gm__ float* into, int tiles, int kind) {
#ifdef __DAV_VEC__
    using Block = Tile<TileType::Vec, float, 128, 128>;  // 64 KiB
    using Part = View<float, 128, 128>;
    using Rows = View<float, 128, 128, 512>;
    Block slots[2];
    TASSIGN(slots[0], 0);
    TASSIGN(slots[1], 0x10000);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    const int step = kind == kReadSame ? 1 : vector_cores();
    for (int i = 0, tile = kind == kReadSame ? 0 : vector_core(); tile < tiles; ++i, tile += step) {
        const event_t id = static_cast<event_t>(i % 2);
        Part source(from + tile * 16384), target(into + tile * 16384);
        Rows spread(from + tile * 65536 + 32);  // each row lies in two windows of L2
        wait_flag(PIPE_MTE3, PIPE_MTE2, id);
        if (kind == kReadRows) {
            TLOAD(slots[i % 2], spread);
        } else if (kind != kWrite) {
            TLOAD(slots[i % 2], source);
        }
        set_flag(PIPE_MTE2, PIPE_MTE3, id);
        wait_flag(PIPE_MTE2, PIPE_MTE3, id);
        if (kind == kCopy || kind == kWrite) TSTORE(target, slots[i % 2]);
        set_flag(PIPE_MTE3, PIPE_MTE2, id);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
#endif
}

// All AIVs wait for each other.
__global__ AICORE void barriers(__gm__ uint64_t* flags, __gm__ int64_t* to, int more) {
#ifndef PTO_NPU_ARCH_A5
    set_ffts_base_addr(reinterpret_cast<uint64_t>(flags));
#else
    (void)flags;
#endif
#ifdef __DAV_VEC__
    SYNCALL();  // blocks begin one after the other
    int64_t ticks[2];
    for (int i = 0; i < 2; ++i) {
        const int64_t begin = get_sys_cnt();
        for (int j = 0; j < (i == 0 ? kShort : kShort + more); ++j) SYNCALL();
        ticks[i] = get_sys_cnt() - begin;
    }
    if (vector_core() != 0) return;
    to[0] = ticks[0];
    to[1] = ticks[1];
    dcci(to, ENTIRE_DATA_CACHE, CACHELINE_OUT);
#endif
}

__global__ AICORE void nothing(__gm__ float* data) {
#ifdef __DAV_VEC__
    (void)data;
#endif
}

// Kernels that no core has run before: the first launch of one fetches its code.
#define FIRST(NUMBER)                                           \
    __global__ AICORE void first_##NUMBER(__gm__ float* data) { \
        (void)data;                                             \
        pipe_barrier(PIPE_ALL);                                 \
    }
FIRST(0)
FIRST(1)
FIRST(2)
FIRST(3)
FIRST(4)
FIRST(5)
FIRST(6)
FIRST(7)

// Inputs whose bits tell the ways apart in which a result may be rounded, summed or ordered.
__global__ AICORE void numbers(__gm__ float* x, __gm__ float* y, __gm__ float* out) {
#ifdef __DAV_VEC__
    if (vector_core() != 0) return;
    using Row = View<float, 1, kCols>;
    Ub<float, 1> a, b, c, scratch;
    Ub<float, 1, 128, 100> wide;
    Ub<int32_t, 1> ia, ib, ic;
    Ub<float, 1, 320> long_row, scratch320;
    Ub<half, 1> ha, hb, hc;
    Ub<int16_t, 1> sc;
    Ub<float, 5> rows;
    Ub<float, 1> row;
    Ub<uint32_t, 1> uc;
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1> sum;
    Tile<TileType::Vec, uint32_t, 8, 1, BLayout::ColMajor, 1, 1> index;
    using Ids = Ub<uint32_t, 1, 32>;
    Ids ids;
    Ub<float, 1, 32> row32, last32;
    Ub<float, 1, 128> pair;
    Ub<float, 1, 64> sorted;
    Ub<int32_t, 1> places;
    Ub<uint8_t, 1, 32> bits;
    Ub<float, 1, 64, 45> part;
    Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512,
         PadValue::Max>
        padded;
    Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 45, SLayout::NoneBox, 512,
         PadValue::Max>
        part_padded;
    TASSIGN(ids, 0x9000);
    TASSIGN(places, 0x9100);
    TASSIGN(row32, 0x6000);
    TASSIGN(last32, 0x1080);
    TASSIGN(pair, 0x7000);
    TASSIGN(sorted, 0x2000);
    TASSIGN(bits, 0x2000);
    TASSIGN(part, 0);
    TASSIGN(padded, 0x2000);
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    TASSIGN(ia, 0);
    TASSIGN(ib, 0x1000);
    TASSIGN(c, 0x2000);
    TASSIGN(ic, 0x2000);
    TASSIGN(sc, 0x2000);
    TASSIGN(hc, 0x2000);
    TASSIGN(scratch, 0x3000);
    TASSIGN(sum, 0x4000);
    TASSIGN(index, 0x4000);
    TASSIGN(ha, 0x5000);
    TASSIGN(hb, 0x5100);
    TASSIGN(rows, 0x6000);
    TASSIGN(long_row, 0x6000);
    TASSIGN(scratch320, 0x8000);
    TASSIGN(uc, 0x2000);
    TASSIGN(wide, 0x7000);
    Row in0(x), in1(y);
    View<float, 1, 45> in_part(y);
    TLOAD(a, in0);
    TLOAD(b, in1);
    order<PIPE_MTE2, PIPE_V>();
    TCVT(ha, a, RoundMode::CAST_RINT);
    TCVT(hb, b, RoundMode::CAST_RINT);
    TEXPANDS(wide, 1.0f);
    int at = 0;
    const auto keep = [&] {
        Row to(out + at++ * kCols);
        order<PIPE_V, PIPE_MTE3>();
        TSTORE(to, c);
        order<PIPE_MTE3, PIPE_V>();
        TEXPANDS(c, 0.0f);
        settle();
    };
#define NUMBERS(NAME, ...) \
    __VA_ARGS__;           \
    settle();              \
    keep();
#include "numbers.def"
#endif
}

// Products whose terms cancel: x and y are 16 x 64 and 64 x 16 as f16, out three times 16 x 16.
__global__ AICORE void products(__gm__ half* x, __gm__ half* y, __gm__ float* bias,
                                __gm__ float* out) {
#ifdef __DAV_CUBE__
    L1<half, 16, 64> from_a;
    L1<half, 64, 16> from_b;
    Tile<TileType::Mat, float, 1, 16> from_bias;
    TileLeft<half, 16, 64> a;
    TileRight<half, 64, 16> b;
    Tile<TileType::Bias, float, 1, 16> added;
    TileAcc<float, 16, 16> c;
    TASSIGN(from_a, 0);
    TASSIGN(from_b, 0x1000);
    TASSIGN(from_bias, 0x2000);
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(added, 0);
    TASSIGN(c, 0);
    View<half, 16, 64> in_a(x);
    View<half, 64, 16> in_b(y);
    View<float, 1, 16> in_bias(bias);
    TLOAD(from_a, in_a);
    TLOAD(from_b, in_b);
    TLOAD(from_bias, in_bias);
    order<PIPE_MTE2, PIPE_MTE1>();
    TMOV(a, from_a);
    TMOV(b, from_b);
    TMOV(added, from_bias);
    order<PIPE_MTE1, PIPE_M>();
    for (int i = 0; i < 3; ++i) {
        if (i == 0) TMATMUL(c, a, b);
        if (i == 1) TMATMUL_ACC(c, a, b);
        if (i == 2) TMATMUL_BIAS(c, a, b, added);
        order<PIPE_M, PIPE_FIX>();
        View<float, 16, 16> to(out + 256 * i);
        TSTORE(to, c);
        order<PIPE_FIX, PIPE_M>();
    }
#endif
}

void launch_vectors(float* data, float* cold, int64_t* to, int more, void* stream) {
    measure_vectors<<<1, nullptr, stream>>>(data, cold, to, more);
}
void launch_matrices(float* data, float* cold, int64_t* to, int more, void* stream) {
    measure_matrices<<<1, nullptr, stream>>>(data, cold, to, more);
}
void launch_signals(void* flags, int64_t* to, int more, void* stream) {
    measure_signals<<<1, nullptr, stream>>>(static_cast<uint64_t*>(flags), to, more);
}
void launch_barriers(void* flags, int64_t* to, int more, int blocks, void* stream) {
    barriers<<<blocks, nullptr, stream>>>(static_cast<uint64_t*>(flags), to, more);
}
void launch_flags(int64_t* to, void* stream) { measure_flags<<<1, nullptr, stream>>>(to); }
void launch_stream(float* from, float* into, int tiles, int kind, int blocks, void* queue) {
    stream<<<blocks, nullptr, queue>>>(from, into, tiles, kind);
}
void launch_nothing(float* data, int blocks, void* stream) {
    nothing<<<blocks, nullptr, stream>>>(data);
}
// False if all kernels for it have run.
bool launch_first(int which, float* data, void* stream) {
    switch (which) {
        case 0: first_0<<<1, nullptr, stream>>>(data); return true;
        case 1: first_1<<<1, nullptr, stream>>>(data); return true;
        case 2: first_2<<<1, nullptr, stream>>>(data); return true;
        case 3: first_3<<<1, nullptr, stream>>>(data); return true;
        case 4: first_4<<<1, nullptr, stream>>>(data); return true;
        case 5: first_5<<<1, nullptr, stream>>>(data); return true;
        case 6: first_6<<<1, nullptr, stream>>>(data); return true;
        case 7: first_7<<<1, nullptr, stream>>>(data); return true;
        default: return false;
    }
}
void launch_numbers(float* x, float* y, float* out, void* stream) {
    numbers<<<1, nullptr, stream>>>(x, y, out);
}
void launch_products(void* x, void* y, float* bias, float* out, void* stream) {
    products<<<1, nullptr, stream>>>(static_cast<half*>(x), static_cast<half*>(y), bias, out);
}
