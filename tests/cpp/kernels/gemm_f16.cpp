// tests/kernels/gemm_f16.pto in C++: the same instructions in the same order.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kM = 128, kN = 128, kStep = 256, kSub = 64;

template <typename Element, int Rows, int Cols>
using View = GlobalTensor<Element, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, DYNAMIC, 1>>;
template <typename Element, int Rows, int Cols>
View<Element, Rows, Cols> view(__gm__ Element* data, int64_t stride) {
    return {data, Shape<1, 1, 1, Rows, Cols>{}, Stride<1, 1, 1, DYNAMIC, 1>(stride)};
}

template <int Rows, int Cols>
using L1 = Tile<TileType::Mat, half, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

event_t id(int64_t slot) { return slot % 2 == 0 ? EVENT_ID0 : EVENT_ID1; }

}  // namespace

__global__ AICORE void gemm_f16(__gm__ half* a, __gm__ half* b, __gm__ float* c, int32_t m,
                                int32_t n, int32_t k) {
    const int64_t block = get_block_idx(), blocks = get_block_num();
    const int64_t tile_cols = n / kN, tiles = m / kM * tile_cols;
    const int64_t k_steps = k / kStep, steps = (tiles + blocks - block - 1) / blocks * k_steps;

    for (event_t slot : {EVENT_ID0, EVENT_ID1}) set_flag(PIPE_MTE1, PIPE_MTE2, slot);
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) set_flag(PIPE_M, PIPE_MTE1, slot);
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) set_flag(PIPE_FIX, PIPE_M, slot);

    for (int64_t turn = 0; turn <= steps; ++turn) {
        if (turn < steps) {
            const int64_t tile = block + turn / k_steps * blocks, depth = turn % k_steps * kStep;
            const int64_t row = tile / tile_cols * kM, col = tile % tile_cols * kN;
            L1<kM, kStep> l1a;
            L1<kStep, kN> l1b;
            TASSIGN(l1a, 65536 * (turn % 2));
            TASSIGN(l1b, 131072 + 65536 * (turn % 2));
            auto from_a = view<half, kM, kStep>(a + row * k + depth, k);
            auto from_b = view<half, kStep, kN>(b + depth * n + col, n);
            wait_flag(PIPE_MTE1, PIPE_MTE2, id(turn));
            TLOAD(l1a, from_a);
            TLOAD(l1b, from_b);
            set_flag(PIPE_MTE2, PIPE_MTE1, id(turn));
        }
        if (turn > 0) {
            const int64_t step = turn - 1, my_tile = step / k_steps, k_step = step % k_steps;
            L1<kM, kStep> l1a;
            L1<kStep, kN> l1b;
            TileAcc<float, kM, kN> l0c;
            TASSIGN(l1a, 65536 * (step % 2));
            TASSIGN(l1b, 131072 + 65536 * (step % 2));
            TASSIGN(l0c, 65536 * (my_tile % 2));
            if (k_step == 0) wait_flag(PIPE_FIX, PIPE_M, id(my_tile));
            wait_flag(PIPE_MTE2, PIPE_MTE1, id(step));
            for (int sub = 0; sub < kStep / kSub; ++sub) {
                TileLeft<half, kM, kSub> l0a;
                TileRight<half, kSub, kN> l0b;
                TASSIGN(l0a, 16384 * (sub % 2));
                TASSIGN(l0b, 16384 * (sub % 2));
                wait_flag(PIPE_M, PIPE_MTE1, id(sub));
                TEXTRACT(l0a, l1a, 0, sub * kSub);
                TEXTRACT(l0b, l1b, sub * kSub, 0);
                set_flag(PIPE_MTE1, PIPE_M, id(sub));
                wait_flag(PIPE_MTE1, PIPE_M, id(sub));
                if (k_step == 0 && sub == 0)
                    TMATMUL(l0c, l0a, l0b);
                else
                    TMATMUL_ACC(l0c, l0c, l0a, l0b);
                set_flag(PIPE_M, PIPE_MTE1, id(sub));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, id(step));
            if (k_step == k_steps - 1) {
                const int64_t tile = block + my_tile * blocks;
                auto to = view<float, kM, kN>(
                    c + tile / tile_cols * kM * n + tile % tile_cols * kN, n);
                set_flag(PIPE_M, PIPE_FIX, id(my_tile));
                wait_flag(PIPE_M, PIPE_FIX, id(my_tile));
                TSTORE(to, l0c);
                set_flag(PIPE_FIX, PIPE_M, id(my_tile));
            }
        }
    }

    for (event_t slot : {EVENT_ID0, EVENT_ID1}) wait_flag(PIPE_MTE1, PIPE_MTE2, slot);
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) wait_flag(PIPE_M, PIPE_MTE1, slot);
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) wait_flag(PIPE_FIX, PIPE_M, slot);
}
