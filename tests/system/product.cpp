// Work for cube cores: a given number of products of tiles that are in L0 already.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void multiply(int rounds) {
    TileLeft<half, 128, 64> left;
    TileRight<half, 64, 128> right;
    TileAcc<float, 128, 128> sum;
    TASSIGN(left, 0x0);
    TASSIGN(right, 0x0);
    TASSIGN(sum, 0x0);
    for (int i = 0; i < rounds; ++i) TMATMUL(sum, left, right);
    pipe_barrier(PIPE_ALL);
}

extern "C" void launch_products(uint32_t blocks, void* stream, int rounds) {
    multiply<<<blocks, nullptr, stream>>>(rounds);
}
