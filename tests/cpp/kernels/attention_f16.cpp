// tests/kernels/attention_f16.pto in C++: the same instructions in the same order, the cube's half
// compiled for the AIC, the vectors' for the AIVs.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kTile = 128, kHead = 64, kHalf = kTile / 2;

template <typename Element, int Rows, int Cols, Layout Of = Layout::ND>
using View =
    GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>,
                 Stride<1, 1, 1, Of == Layout::DN ? 1 : Cols, Of == Layout::DN ? Rows : 1>, Of>;
template <int Rows, int Cols, bool Transposed = false>
using L1 = Tile<TileType::Mat, half, Rows, Cols,
                Transposed ? BLayout::RowMajor : BLayout::ColMajor, Rows, Cols,
                Transposed ? SLayout::ColMajor : SLayout::RowMajor>;
template <typename Element, int Cols>
using Ub = Tile<TileType::Vec, Element, kHalf, Cols>;
using Column = Tile<TileType::Vec, float, kHalf, 1, BLayout::ColMajor>;
using Row = Tile<TileType::Vec, float, 1, kHalf>;  // the same bytes as a column

event_t id(int64_t number) { return static_cast<event_t>(number); }
// To the other cores of the cluster: mode 2.
void signal(pipe_t pipe, int event) { ffts_cross_core_sync(pipe, 1 | 2 << 4 | event << 8); }

struct Work {
    int64_t tasks_per_head, key_tiles, keys, block, blocks, steps;
    int64_t task(int64_t step) const { return block + step / key_tiles * blocks; }
    int64_t key_tile(int64_t step) const { return step % key_tiles; }
    int64_t key_row(int64_t step) const {
        return task(step) / tasks_per_head * keys + key_tile(step) * kTile;
    }
    int64_t workspace_row(int64_t step) const { return (block * 2 + step % 2) * kTile; }
};

#ifdef __DAV_CUBE__
void cube(const Work& work, __gm__ half* q, __gm__ half* k, __gm__ half* v, __gm__ float* scores,
          __gm__ half* probs, __gm__ float* partial) {
    TileLeft<half, kTile, kHead> l0q;
    TileRight<half, kHead, kTile> l0k;
    TileAcc<float, kTile, kTile> l0s;
    TileLeft<half, kTile, kTile> l0p;
    TileRight<half, kTile, kHead> l0v;
    TileAcc<float, kTile, kHead> l0o;
    TASSIGN(l0q, 0);
    TASSIGN(l0k, 0);
    TASSIGN(l0s, 0);
    TASSIGN(l0p, 16384);
    TASSIGN(l0v, 16384);
    TASSIGN(l0o, 65536);

    for (int i = 0; i < 4; ++i) set_flag(PIPE_MTE1, PIPE_MTE2, id(i));
    for (int i = 0; i < 2; ++i) set_flag(PIPE_M, PIPE_MTE1, id(i));
    for (int i = 0; i < 2; ++i) set_flag(PIPE_FIX, PIPE_M, id(i));
    for (int64_t turn = 0; turn <= work.steps; ++turn) {
        if (turn < work.steps) {
            L1<kHead, kTile, true> l1k;
            L1<kTile, kHead> l1q;
            TASSIGN(l1k, 32768 + 16384 * (turn % 2));
            TASSIGN(l1q, 16384 * (turn / work.key_tiles % 2));
            const event_t slot = id(turn % 2);
            wait_flag(PIPE_MTE1, PIPE_MTE2, slot);
            if (work.key_tile(turn) == 0) {
                View<half, kTile, kHead> from(q + work.task(turn) * kTile * kHead);
                TLOAD(l1q, from);
            }
            View<half, kHead, kTile, Layout::DN> from(k + work.key_row(turn) * kHead);
            TLOAD(l1k, from);
            set_flag(PIPE_MTE2, PIPE_MTE1, slot);

            wait_flag(PIPE_MTE2, PIPE_MTE1, slot);
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            TMOV(l0q, l1q);
            TMOV(l0k, l1k);
            set_flag(PIPE_MTE1, PIPE_MTE2, slot);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);

            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
            TMATMUL(l0s, l0q, l0k);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);

            View<float, kTile, kTile> to(scores + work.workspace_row(turn) * kTile);
            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            TSTORE(to, l0s);
            set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
            signal(PIPE_FIX, 0);
        }
        if (turn > 0) {
            const int64_t step = turn - 1;
            L1<kTile, kHead> l1v;
            L1<kTile, kTile> l1p;
            TASSIGN(l1v, 65536 + 16384 * (step % 2));
            TASSIGN(l1p, 98304 + 32768 * (step % 2));
            View<half, kTile, kHead> from_v(v + work.key_row(step) * kHead);
            View<half, kTile, kTile> from_p(probs + work.workspace_row(step) * kTile);
            View<float, kTile, kHead> to(partial + work.workspace_row(step) * kHead);
            const event_t slot = id(2 + step % 2);
            wait_flag(PIPE_MTE1, PIPE_MTE2, slot);
            TLOAD(l1v, from_v);
            wait_flag_dev(PIPE_MTE2, 1);
            TLOAD(l1p, from_p);
            set_flag(PIPE_MTE2, PIPE_MTE1, slot);

            wait_flag(PIPE_MTE2, PIPE_MTE1, slot);
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            TMOV(l0p, l1p);
            TMOV(l0v, l1v);
            set_flag(PIPE_MTE1, PIPE_MTE2, slot);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);

            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
            wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
            TMATMUL(l0o, l0p, l0v);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID1);

            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID1);
            TSTORE(to, l0o);
            set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
            signal(PIPE_FIX, 2);
        }
    }
    for (int i = 0; i < 4; ++i) wait_flag(PIPE_MTE1, PIPE_MTE2, id(i));
    for (int i = 0; i < 2; ++i) wait_flag(PIPE_M, PIPE_MTE1, id(i));
    for (int i = 0; i < 2; ++i) wait_flag(PIPE_FIX, PIPE_M, id(i));
}
#endif

#ifdef __DAV_VEC__
void vectors(const Work& work, __gm__ float* scores, __gm__ half* probs, __gm__ float* partial,
             __gm__ float* o) {
    constexpr uint32_t kNothing = 0xFF800000;
    const float minus_infinity = __builtin_bit_cast(float, kNothing);
    const int64_t sub_row = get_subblockid() * kHalf;
    Ub<float, kTile> scratch;
    Ub<float, kHead> result;
    Column new_max, tile_max, tile_sum;
    Row max_row, new_max_row, tile_max_row, tile_sum_row;
    TASSIGN(scratch, 98304);
    TASSIGN(result, 163840);
    TASSIGN(max_row, 180224);
    TASSIGN(new_max, 180480);
    TASSIGN(new_max_row, 180480);
    TASSIGN(tile_max, 180736);
    TASSIGN(tile_max_row, 180736);
    TASSIGN(tile_sum, 180992);
    TASSIGN(tile_sum_row, 180992);

    for (int i = 0; i < 4; ++i) set_flag(PIPE_V, PIPE_MTE2, id(i));
    for (int i = 0; i < 3; ++i) set_flag(PIPE_MTE3, PIPE_V, id(i));
    for (int64_t turn = 0; turn <= work.steps; ++turn) {
        if (turn < work.steps) {
            const event_t slot = id(turn % 2);
            Ub<float, kTile> s;
            Ub<half, kTile> p;
            Row alpha_row, sum_row;
            TASSIGN(s, 32768 * (turn % 2));
            TASSIGN(p, 65536 + 16384 * (turn % 2));
            TASSIGN(alpha_row, 181248 + 256 * (turn % 2));
            TASSIGN(sum_row, 181760 + 256 * (turn / work.key_tiles % 2));
            const int64_t row = work.workspace_row(turn) + sub_row;
            View<float, kHalf, kTile> from(scores + row * kTile);
            View<half, kHalf, kTile> to(probs + row * kTile);

            wait_flag_dev(PIPE_MTE2, 0);
            wait_flag(PIPE_V, PIPE_MTE2, slot);
            TLOAD(s, from);
            set_flag(PIPE_MTE2, PIPE_V, slot);

            if (work.key_tile(turn) == 0) {
                TEXPANDS(max_row, minus_infinity);
                TEXPANDS(sum_row, 0.0f);
            }
            wait_flag(PIPE_MTE2, PIPE_V, slot);
            TMULS(s, s, 0.125f);
            pipe_barrier(PIPE_V);
            TROWMAX(tile_max, s, scratch);
            pipe_barrier(PIPE_V);
            TMAX(new_max_row, max_row, tile_max_row);
            pipe_barrier(PIPE_V);
            TSUB(alpha_row, max_row, new_max_row);
            TROWEXPANDSUB(s, s, new_max);
            pipe_barrier(PIPE_V);
            TEXP(alpha_row, alpha_row);
            TEXP(s, s);
            TMOV(max_row, new_max_row);
            wait_flag(PIPE_MTE3, PIPE_V, slot);
            pipe_barrier(PIPE_V);
            TCVT(p, s, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, slot);
            TROWSUM(tile_sum, s, scratch);
            TMUL(sum_row, sum_row, alpha_row);
            pipe_barrier(PIPE_V);
            set_flag(PIPE_V, PIPE_MTE2, slot);
            TADD(sum_row, sum_row, tile_sum_row);
            pipe_barrier(PIPE_V);

            wait_flag(PIPE_V, PIPE_MTE3, slot);
            TSTORE(to, p);
            set_flag(PIPE_MTE3, PIPE_V, slot);
            signal(PIPE_MTE3, 1);
        }
        if (turn > 0) {
            const int64_t step = turn - 1;
            const event_t slot = id(2 + step % 2);
            Ub<float, kHead> product;
            Column alpha;
            TASSIGN(product, 131072 + 16384 * (step % 2));
            TASSIGN(alpha, 181248 + 256 * (step % 2));
            View<float, kHalf, kHead> from(partial +
                                           (work.workspace_row(step) + sub_row) * kHead);
            wait_flag_dev(PIPE_MTE2, 2);
            wait_flag(PIPE_V, PIPE_MTE2, slot);
            TLOAD(product, from);
            set_flag(PIPE_MTE2, PIPE_V, slot);
            if (work.key_tile(step) == 0) {
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
                TEXPANDS(result, 0.0f);
                pipe_barrier(PIPE_V);
            }
            TROWEXPANDMUL(result, result, alpha);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, slot);
            TADD(result, result, product);
            set_flag(PIPE_V, PIPE_MTE2, slot);
            pipe_barrier(PIPE_V);

            if (work.key_tile(step) == work.key_tiles - 1) {
                Column sum;
                TASSIGN(sum, 181760 + 256 * (step / work.key_tiles % 2));
                View<float, kHalf, kHead> to(o + (work.task(step) * kTile + sub_row) * kHead);
                TROWEXPANDDIV(result, result, sum);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                TSTORE(to, result);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
            }
        }
    }
    for (int i = 0; i < 4; ++i) wait_flag(PIPE_V, PIPE_MTE2, id(i));
    for (int i = 0; i < 3; ++i) wait_flag(PIPE_MTE3, PIPE_V, id(i));
}
#endif

}  // namespace

__global__ AICORE void attention_f16(__gm__ half* q, __gm__ half* k, __gm__ half* v,
                                     __gm__ float* scores, __gm__ half* probs,
                                     __gm__ float* partial, __gm__ float* o, int32_t heads,
                                     int32_t queries, int32_t keys) {
    const int64_t tasks_per_head = queries / kTile, tasks = tasks_per_head * heads;
    const int64_t block = get_block_idx(), blocks = get_block_num();
    const int64_t my_tasks = (tasks + blocks - block - 1) / blocks;
    const Work work{tasks_per_head, keys / kTile, keys, block, blocks, my_tasks * (keys / kTile)};
#ifdef __DAV_CUBE__
    cube(work, q, k, v, scores, probs, partial);
#endif
#ifdef __DAV_VEC__
    vectors(work, scores, probs, partial, o);
#endif
}
