// A sum over all ranks, in a ring: each rank adds its part of the sum to the next one's window, part after part, and
// then hands on the complete parts. Vector cores work on separate slices; cube cores multiply meanwhile, if rounds are
// given. Words: KiB of the numbers, blocks, rounds of products, and numbers of a tile (default 4096), of which UB holds two.
#include <pto/pto-inst.hpp>

#include <acl/acl.h>
#include <hccl/hccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ranks.h"

using namespace pto;

constexpr int kSlots = 16;  // words between signals

template <int kCols>
AICORE void reduce_by_tiles(__gm__ Context* context, int64_t slice) {
    using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, 1, kCols> ping, pong;
    TASSIGN(ping, 0x0);
    TASSIGN(pong, kCols * 4);
    const int64_t ranks = context->ranks, rank = context->rank, blocks = get_block_num(), block = get_block_idx();
    __gm__ float* const here = reinterpret_cast<__gm__ float*>(context->in[rank]);
    __gm__ float* const there = reinterpret_cast<__gm__ float*>(context->in[(rank + 1) % ranks]);
    const int64_t numbers = ranks * blocks * slice;
    comm::Signal theirs(reinterpret_cast<__gm__ int32_t*>(there + numbers) + block * kSlots);
    comm::Signal own(reinterpret_cast<__gm__ int32_t*>(here + numbers) + block * kSlots);
    for (int64_t step = 0; step < 2 * (ranks - 1); ++step) {
        const bool adds = step < ranks - 1;
        const int64_t part = (rank + 2 * ranks - step + (adds ? 0 : ranks)) % ranks;
        if (step > 0) comm::TWAIT(own, static_cast<int32_t>(step), comm::WaitCmp::GE);
        for (int64_t at = 0; at < slice; at += kCols) {
            const int64_t offset = (part * blocks + block) * slice + at;
            Row from(here + offset), to(there + offset);
            if (adds)
                comm::TPUT<AtomicType::AtomicAdd>(to, from, ping, pong);
            else
                comm::TPUT(to, from, ping, pong);
        }
        pipe_barrier(PIPE_ALL);
        comm::TNOTIFY(theirs, 1, comm::NotifyOp::AtomicAdd);
    }
    comm::TWAIT(own, static_cast<int32_t>(2 * (ranks - 1)), comm::WaitCmp::GE);
}

__global__ AICORE void reduce(__gm__ Context* context, int64_t slice, int64_t tile) {
    switch (tile) {
        case 1024: return reduce_by_tiles<1024>(context, slice);
        case 2048: return reduce_by_tiles<2048>(context, slice);
        case 4096: return reduce_by_tiles<4096>(context, slice);
        case 8192: return reduce_by_tiles<8192>(context, slice);
        case 16384: return reduce_by_tiles<16384>(context, slice);
    }
}

extern "C" void launch_products(uint32_t blocks, void* stream, int rounds);

int main(int argc, char** argv) {
    int rank = -1, ranks = 0;
    begin_ranks(argc, argv, rank, ranks);
    const int64_t numbers = 256 * std::atol(argv[1]);
    const auto blocks = static_cast<uint32_t>(std::atoi(argv[2]));
    const int rounds = std::atoi(argv[3]);
    const int64_t slice = numbers / ranks / blocks, tile = argc > 4 ? std::atol(argv[4]) : 4096;
    if (slice * ranks * blocks != numbers || slice % tile != 0) return 91;
    aclInit(nullptr);
    aclrtSetDevice(rank);
    HcclRootInfo root{};
    if (rank == 0) HcclGetRootInfo(&root);
    mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(&root, HCCL_ROOT_INFO_BYTES, kChar, 0, kWorld);
    HcclComm group = nullptr;
    void* context = nullptr;
    if (HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &root, static_cast<uint32_t>(rank), &group) != 0) return 92;
    if (HcclAllocComResourceByTiling(group, nullptr, nullptr, &context) != 0) return 93;
    Context all;
    aclrtMemcpy(&all, sizeof all, context, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST);
    void* const window = reinterpret_cast<void*>(all.in[rank]);
    std::vector<float> values(static_cast<size_t>(numbers));
    const size_t bytes = values.size() * sizeof(float);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i + 7 * static_cast<size_t>(rank)) % 1000);
    aclrtMemcpy(window, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtStream sums = nullptr, products = nullptr;
    aclrtCreateStream(&sums);
    aclrtCreateStream(&products);
    HcclBarrier(group, nullptr);
    reduce<<<blocks, nullptr, sums>>>(static_cast<Context*>(context), slice, tile);
    if (rounds > 0) launch_products(24, products, rounds);
    if (aclrtSynchronizeStream(sums) != 0 || aclrtSynchronizeStream(products) != 0) return 94;
    aclrtMemcpy(values.data(), bytes, window, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int64_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        float sum = 0;
        for (int each = 0; each < ranks; ++each) sum += static_cast<float>((i + 7 * static_cast<size_t>(each)) % 1000);
        if (values[i] != sum) ++wrong;
    }
    std::printf("%ld\n", static_cast<long>(wrong));
    std::fflush(stdout);
    HcclBarrier(group, nullptr);
    HcclCommDestroy(group);
    mpi<int (*)()>("MPI_Finalize")();
    return wrong == 0 ? 0 : 95;
}
