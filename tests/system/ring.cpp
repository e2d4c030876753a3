// A ring of ranks: each puts its row into the window of the next one, notifies it, waits to be notified, and copies the
// received row into its own result. Words: the failure to play, if any.
#include <pto/pto-inst.hpp>

#include <acl/acl.h>
#include <hccl/hccl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ranks.h"

using namespace pto;

constexpr int kCols = 1024, kSignal = 8 * kCols;  // elements of a window: rows, then a signal


__global__ AICORE void ring(__gm__ Context* context, __gm__ float* mine, __gm__ float* result, int round,
                          int silent) {
    using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, 1, 256> staging;
    TASSIGN(staging, 0x0);
    const uint32_t next = (context->rank + 1) % context->ranks;
    __gm__ float* const there = reinterpret_cast<__gm__ float*>(context->in[next]);
    __gm__ float* const here = reinterpret_cast<__gm__ float*>(context->in[context->rank]);
    Row from(mine), to(there), given(here), out(result);
    comm::TPUT(to, from, staging);
    pipe_barrier(PIPE_ALL);
    comm::Signal theirs(reinterpret_cast<__gm__ int32_t*>(there + kSignal));
    if (silent == 0) comm::TNOTIFY(theirs, 1, comm::NotifyOp::AtomicAdd);
    comm::Signal own(reinterpret_cast<__gm__ int32_t*>(here + kSignal));
    comm::TWAIT(own, round, comm::WaitCmp::GE);
    comm::TPUT(out, given, staging);
}

// An instruction that chooses the part of the next one's window that it reads.
__global__ AICORE void choose(__gm__ Context* context) {
    using Table = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
    Tile<TileType::Vec, float, 8, 64> rows;
    Tile<TileType::Vec, int32_t, 1, 8> indices;
    TASSIGN(rows, 0x0);
    TASSIGN(indices, 0x4000);
    Table table(reinterpret_cast<__gm__ float*>(context->in[(context->rank + 1) % context->ranks]));
    TEXPANDS(indices, 3);
    MGATHER(rows, table, indices);
}

// All ranks set a slot of the first one's window at about the same time, `stride` int32 apart.
__global__ AICORE void slots(__gm__ Context* context, int stride) {
    __gm__ int32_t* const all = reinterpret_cast<__gm__ int32_t*>(context->in[0]);
    comm::Signal mine(all + context->rank * static_cast<uint32_t>(stride));
    comm::TNOTIFY(mine, 100 + static_cast<int32_t>(context->rank), comm::NotifyOp::Set);
}

// Reads the first word of the next one's window by a plain pointer.
__global__ AICORE void peek(__gm__ Context* context, __gm__ int32_t* result) {
    const uint32_t next = (context->rank + 1) % context->ranks;
    const volatile __gm__ int32_t* const there = reinterpret_cast<__gm__ int32_t*>(context->in[next]);
    comm::Signal to(result);
    comm::TNOTIFY(to, *there, comm::NotifyOp::Set);
}

namespace {

constexpr int kInt = 0x4c000405;

int fail(const char* what, int code) {
    std::printf("%s %d\n", what, code);
    std::fflush(stdout);
    return 1;
}

int try_mpi(int rank, int ranks) {
    std::vector<char> text(20000, static_cast<char>('a' + rank));
    mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(text.data(), 20000, kChar, ranks - 1, kWorld);
    for (const char c : text)
        if (c != 'a' + ranks - 1) return fail("bcast", c);
    std::vector<int> own(3000, rank), all(3000 * static_cast<size_t>(ranks), -1);
    mpi<int (*)(void*, int, int, void*, int, int, int)>("MPI_Allgather")(own.data(), 3000, kInt, all.data(), 3000, kInt,
                                                                         kWorld);
    for (size_t i = 0; i < all.size(); ++i)
        if (all[i] != static_cast<int>(i / 3000)) return fail("allgather", static_cast<int>(i));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string failure = argc > 1 ? argv[1] : "";
    int rank = -1, ranks = 0;
    begin_ranks(argc, argv, rank, ranks);
    if (try_mpi(rank, ranks) != 0) return 1;

    uint32_t devices = 0;
    aclInit(nullptr);
    aclrtGetDeviceCount(&devices);
    if (devices != static_cast<uint32_t>(ranks)) return fail("devices", static_cast<int>(devices));
    if (const int code = aclrtSetDevice(rank + (failure == "device" ? ranks : 0))) return fail("device", code);
    if (failure == "second device") return fail("device", aclrtSetDevice((rank + 1) % ranks));

    if (failure == "missing" && rank == 1) return 0;
    HcclRootInfo root{};
    if (rank == 0) HcclGetRootInfo(&root);
    if (failure != "missing")
        mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(&root, HCCL_ROOT_INFO_BYTES, kChar, 0, kWorld);
    HcclComm group = nullptr;
    const uint32_t said = static_cast<uint32_t>(failure == "ranks" && rank == 1 ? ranks + 1 : ranks);
    if (const int code = HcclCommInitRootInfo(said, &root, static_cast<uint32_t>(rank), &group))
        return fail("init", code);
    if (failure == "sizes" && rank == 1) setenv("HCCL_BUFFSIZE", "3", 1);
    void* context = nullptr;
    if (const int code = HcclAllocComResourceByTiling(group, nullptr, nullptr, &context)) return fail("windows", code);

    if (failure == "choose") {
        choose<<<1, nullptr, nullptr>>>(static_cast<Context*>(context));
        return fail("choose", aclrtSynchronizeStream(nullptr));
    }

    if (failure == "slots") {
        const int stride = std::atoi(argv[2]);
        HcclBarrier(group, nullptr);
        slots<<<1, nullptr, nullptr>>>(static_cast<Context*>(context), stride);
        HcclBarrier(group, nullptr);
        Context all;
        std::vector<int32_t> values(static_cast<size_t>(64 * stride));
        aclrtMemcpy(&all, sizeof all, context, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST);
        if (rank == 0)
            aclrtMemcpy(values.data(), 4 * values.size(), reinterpret_cast<void*>(all.in[0]), 4 * values.size(),
                        ACL_MEMCPY_DEVICE_TO_HOST);
        for (int each = 0; rank == 0 && each < ranks; ++each)
            if (values[static_cast<size_t>(each * stride)] != 100 + each) std::printf("lost %d\n", each);
        HcclCommDestroy(group);
        return 0;
    }
    if (failure == "peek") {
        Context all;
        aclrtMemcpy(&all, sizeof all, context, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST);
        void* result = nullptr;
        aclrtMalloc(&result, 64, ACL_MEM_MALLOC_HUGE_FIRST);
        for (int32_t round = 1; round <= 2; ++round) {
            const int32_t mine = 100 * round + rank;
            aclrtMemcpy(reinterpret_cast<void*>(all.in[rank]), 4, &mine, 4, ACL_MEMCPY_HOST_TO_DEVICE);
            HcclBarrier(group, nullptr);
            peek<<<1, nullptr, nullptr>>>(static_cast<Context*>(context), static_cast<int32_t*>(result));
            int32_t seen = 0;
            aclrtMemcpy(&seen, 4, result, 4, ACL_MEMCPY_DEVICE_TO_HOST);
            HcclBarrier(group, nullptr);
            std::printf("%d\n", seen - 100 * round - (rank + 1) % ranks);
            std::fflush(stdout);
        }
        aclrtFree(result);
        HcclCommDestroy(group);
        return 0;
    }
    if (failure == "copy") {
        Context all;
        aclrtMemcpy(&all, sizeof all, context, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST);
        void* const there = reinterpret_cast<void*>(all.in[1 - rank]);
        return fail("copy", aclrtMemcpy(&all, sizeof all, there, sizeof all, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    void *mine = nullptr, *result = nullptr;
    aclrtMalloc(&mine, 4 * kCols, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&result, 4 * kCols, ACL_MEM_MALLOC_HUGE_FIRST);
    std::vector<float> row(kCols);
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < kCols; ++i)
            row[static_cast<size_t>(i)] = static_cast<float>(10000 * round + 1000 * rank + i % 7);
        aclrtMemcpy(mine, 4 * kCols, row.data(), 4 * kCols, ACL_MEMCPY_HOST_TO_DEVICE);
        if (failure == "killed" && rank == 1 && round == 2) kill(getpid(), SIGKILL);
        HcclBarrier(group, nullptr);
        if (failure == "absent" && rank == 1) {
            HcclBarrier(group, nullptr);
            return fail("absent", 0);
        }
        ring<<<1, nullptr, nullptr>>>(static_cast<Context*>(context), static_cast<float*>(mine),
                                      static_cast<float*>(result), round, failure == "silent" && round == 2);
        if (const int code = aclrtSynchronizeStream(nullptr)) return fail("stream", code);
        aclrtMemcpy(row.data(), 4 * kCols, result, 4 * kCols, ACL_MEMCPY_DEVICE_TO_HOST);
        const int before = (rank + ranks - 1) % ranks;
        for (int i = 0; i < kCols; ++i)
            if (row[static_cast<size_t>(i)] != static_cast<float>(10000 * round + 1000 * before + i % 7))
                return fail("element", i);
    }
    aclrtFree(mine);
    aclrtFree(result);
    HcclCommDestroy(group);
    std::printf("rank %d of %d is right\n", rank, ranks);
    std::fflush(stdout);
    mpi<int (*)()>("MPI_Finalize")();
    aclFinalize();
    return 0;
}
