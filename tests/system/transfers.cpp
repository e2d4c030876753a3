// Times of transfers between two or more chips, as published benchmarks measure them. Words: the case, and its bytes.
//   get BYTES         TGET from the next rank through one tile of 4 KiB
//   exchange BYTES    BYTES to each rank, this one included, 256 bytes at a time between barriers of all pipes
//   crowd BYTES       each of 8 cores of every rank puts BYTES to the next rank, by tiles of 16 KiB
//   ping              a signal there and back
//   loads BYTES N     rank 0 loads BYTES of rank 1's window twice, by tiles of 64 KiB. Rank 1 has loaded the second half
//                     of them before, and meanwhile loads N times as many from its own memory
//   stores BYTES N    rank 0 stores them, and rank 1 its own
// Rank 0 prints microseconds; of loads and stores each rank does, of both times.
#include <pto/pto-inst.hpp>

#include <acl/acl.h>
#include <hccl/hccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ranks.h"

using namespace pto;

template <int Cols>
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, Cols>, Stride<1, 1, 1, Cols, 1>>;
using AnyRow = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

__global__ AICORE void get(__gm__ Context* context, __gm__ float* to, __gm__ int64_t* ticks, int bytes, int rounds) {
    if (context->rank != 0) return;
    AnyRow there(reinterpret_cast<__gm__ float*>(context->in[1]), AnyRow::Shape(bytes / 4));
    AnyRow here(to, AnyRow::Shape(bytes / 4));
    Tile<TileType::Vec, float, 1, 1024> staging;
    TASSIGN(staging, 0x0);
    comm::TGET(here, there, staging);
    pipe_barrier(PIPE_ALL);
    const int64_t begin = get_sys_cnt();
    for (int i = 0; i < rounds; ++i) {
        comm::TGET(here, there, staging);
        pipe_barrier(PIPE_ALL);
    }
    *ticks = get_sys_cnt() - begin;
}

__global__ AICORE void exchange(__gm__ Context* context, __gm__ float* from, __gm__ int64_t* ticks, int bytes, int) {
    if (context->rank != 0) return;
    constexpr int kChunk = 64;
    Tile<TileType::Vec, float, 1, kChunk> tile;
    TASSIGN(tile, 0x0);
    for (int warm = 1; warm >= 0; --warm) {
        const int64_t begin = get_sys_cnt();
        for (uint32_t peer = 0; peer < context->ranks; ++peer) {
            __gm__ float* const to = reinterpret_cast<__gm__ float*>(context->in[peer]);
            for (int at = 0; at < bytes / 4; at += kChunk) {
                Row<kChunk> source(from + at), target(to + at);
                pipe_barrier(PIPE_ALL);
                TLOAD(tile, source);
                set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
                TSTORE(target, tile);
                pipe_barrier(PIPE_ALL);
            }
        }
        *ticks = get_sys_cnt() - begin;
    }
}

__global__ AICORE void crowd(__gm__ Context* context, __gm__ float* from, __gm__ int64_t* ticks, int bytes, int) {
    const int block = static_cast<int>(get_block_idx());
    const uint32_t next = (context->rank + 1) % context->ranks;
    AnyRow here(from, AnyRow::Shape(bytes / 4));
    AnyRow there(reinterpret_cast<__gm__ float*>(context->in[next]) + block * bytes / 4, AnyRow::Shape(bytes / 4));
    Tile<TileType::Vec, float, 1, 4096> ping, pong;
    TASSIGN(ping, 0x0);
    TASSIGN(pong, 0x8000);
    const int64_t begin = get_sys_cnt();
    comm::TPUT(there, here, ping, pong);
    pipe_barrier(PIPE_ALL);
    ticks[block] = get_sys_cnt() - begin;
}

__global__ AICORE void ping(__gm__ Context* context, __gm__ float*, __gm__ int64_t* ticks, int, int) {
    __gm__ int32_t* const mine = reinterpret_cast<__gm__ int32_t*>(context->in[context->rank]);
    __gm__ int32_t* const theirs = reinterpret_cast<__gm__ int32_t*>(context->in[1 - context->rank]);
    comm::Signal own(mine), other(theirs);
    const int64_t begin = get_sys_cnt();
    for (int i = 1; i <= 100; ++i) {
        if (context->rank == 0) comm::TNOTIFY(other, 1, comm::NotifyOp::AtomicAdd);
        while (!comm::TTEST(own, i, comm::WaitCmp::GE)) continue;
        if (context->rank == 1) comm::TNOTIFY(other, 1, comm::NotifyOp::AtomicAdd);
    }
    *ticks = get_sys_cnt() - begin;
}

template <bool Loads>
__global__ AICORE void beside(__gm__ Context* context, __gm__ float*, __gm__ int64_t* ticks, int bytes, int times) {
    constexpr int kCols = 16384;
    Tile<TileType::Vec, float, 1, kCols> tile;
    TASSIGN(tile, 0x0);
    const int64_t rank = context->rank, tiles = bytes / 4 / kCols;
    __gm__ float* const window = reinterpret_cast<__gm__ float*>(context->in[1]);
    __gm__ int32_t* const signals = reinterpret_cast<__gm__ int32_t*>(window + 4 * tiles * kCols);
    comm::Signal begin(signals + 16), end(signals + 32);
    const auto pass = [&](int64_t first, int64_t count, int64_t wrap) {
        const int64_t before = get_sys_cnt();
        for (int64_t i = 0; i < count; ++i) {
            Row<kCols> row(window + (first + i % wrap) * kCols);
            if constexpr (Loads)
                TLOAD(tile, row);
            else
                TSTORE(row, tile);
        }
        pipe_barrier(PIPE_ALL);
        return get_sys_cnt() - before;
    };
    if (rank == 1) {
        pass(tiles, 3 * tiles, 3 * tiles);
        comm::TNOTIFY(begin, 1, comm::NotifyOp::AtomicAdd);
        ticks[1] = pass(2 * tiles, times * tiles, 2 * tiles);
    } else if (rank == 0) {
        while (!comm::TTEST(begin, 1, comm::WaitCmp::GE)) continue;
        ticks[1] = pass(tiles, tiles, tiles);
        ticks[0] = pass(0, tiles, tiles);
    }
}

namespace {

constexpr int kCores = 8;

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argv[1];
    const int bytes = argc > 2 ? std::atoi(argv[2]) : 4;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : bytes >= 1 << 18 ? 1 : 10;
    int rank = -1, ranks = 0;
    begin_ranks(argc, argv, rank, ranks);
    aclInit(nullptr);
    if (aclrtSetDevice(rank) != ACL_SUCCESS) return 2;
    HcclRootInfo root{};
    if (rank == 0) HcclGetRootInfo(&root);
    mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(&root, HCCL_ROOT_INFO_BYTES, kChar, 0, kWorld);
    HcclComm group = nullptr;
    void *context = nullptr, *data = nullptr, *ticks = nullptr;
    if (HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &root, static_cast<uint32_t>(rank), &group)) return 3;
    if (HcclAllocComResourceByTiling(group, nullptr, nullptr, &context)) return 4;
    aclrtMalloc(&data, static_cast<size_t>(bytes), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&ticks, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    std::vector<float> values(static_cast<size_t>(bytes) / 4);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    aclrtMemcpy(data, 4 * values.size(), values.data(), 4 * values.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    HcclBarrier(group, nullptr);
    auto* const of = static_cast<Context*>(context);
    auto* const in_time = static_cast<int64_t*>(ticks);
    auto* const array = static_cast<float*>(data);
    if (what == "get")
        get<<<1, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    else if (what == "exchange")
        exchange<<<1, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    else if (what == "crowd")
        crowd<<<kCores, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    else if (what == "loads")
        beside<true><<<1, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    else if (what == "stores")
        beside<false><<<1, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    else
        ping<<<1, nullptr, nullptr>>>(of, array, in_time, bytes, rounds);
    if (aclrtSynchronizeStream(nullptr)) return 5;
    HcclBarrier(group, nullptr);
    int64_t all[kCores] = {};
    aclrtMemcpy(all, sizeof all, ticks, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST);
    const int64_t counted = what == "crowd" ? *std::max_element(all, all + kCores) : all[0];
    const int repeated = what == "get" ? rounds : what == "ping" ? 100 : 1;
    if (what == "loads" || what == "stores")
        std::printf("%d %.3f %.3f\n", rank, 0.02 * static_cast<double>(all[0]), 0.02 * static_cast<double>(all[1]));
    else if (rank == 0)
        std::printf("%.3f\n", 0.02 * static_cast<double>(counted) / repeated);
    std::fflush(stdout);
    aclrtFree(data);
    aclrtFree(ticks);
    HcclCommDestroy(group);
    mpi<int (*)()>("MPI_Finalize")();
    return 0;
}
