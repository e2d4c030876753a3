// Chips that exchange data, in order or not. Words: the case, and what to leave out, if anything.
// `//@ NAME` marks a line whose number races_test.py expects in a finding.
#include <pto/pto-inst.hpp>

#include <string>
#include <vector>

#include "group.h"

using namespace pto;

constexpr int kCols = 256, kRow = 1024;  // a row, and the words before it: signals and answers
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;

enum Leave { kNothing = 0, kBarrier = 1, kWait = 2, kAnswer = 4 };

AICORE __gm__ float* row_of(__gm__ Context* context, uint32_t rank) {
    return reinterpret_cast<__gm__ float*>(context->in[rank]) + kRow;
}
AICORE __gm__ int32_t* word_of(__gm__ Context* context, uint32_t rank, int word) {
    return reinterpret_cast<__gm__ int32_t*>(context->in[rank]) + 16 * word;
}

// Rank 0 puts rows into the window of rank 1, which copies each of them into its result.
__global__ AICORE void hand_over(__gm__ Context* context, __gm__ float* mine, __gm__ float* result, int rounds, int leave) {
    if (context->rank > 1) return;
    Tile<TileType::Vec, float, 1, kCols> tile;
    TASSIGN(tile, 0x0);
    comm::Signal full(word_of(context, 1, 0)), empty(word_of(context, 0, 1));
    for (int round = 1; round <= rounds; ++round) {
        if (context->rank == 0) {
            Row from(mine), to(row_of(context, 1));
            if (round > 1 && (leave & kAnswer) == 0) comm::TWAIT(empty, round - 1, comm::WaitCmp::GE);
            TLOAD(tile, from);
            pipe_barrier(PIPE_ALL);
            TSTORE(to, tile);  //@ store row
            if ((leave & kBarrier) == 0) pipe_barrier(PIPE_ALL);
            comm::TNOTIFY(full, 1, comm::NotifyOp::AtomicAdd);
        } else {
            Row from(row_of(context, 1)), to(result);
            if ((leave & kWait) == 0) comm::TWAIT(full, round, comm::WaitCmp::GE);
            TLOAD(tile, from);  //@ load row
            pipe_barrier(PIPE_ALL);
            TSTORE(to, tile);
            pipe_barrier(PIPE_ALL);
            comm::TNOTIFY(empty, 1, comm::NotifyOp::AtomicAdd);
        }
    }
}

// Rank 1 writes a row into its own window, which rank 0 gets.
__global__ AICORE void get(__gm__ Context* context, __gm__ float* mine, __gm__ float* result, int, int leave) {
    if (context->rank > 1) return;
    Tile<TileType::Vec, float, 1, kCols> tile;
    TASSIGN(tile, 0x0);
    comm::Signal ready(word_of(context, 0, 0));
    if (context->rank == 1) {
        Row from(mine), to(row_of(context, 1));
        TLOAD(tile, from);
        pipe_barrier(PIPE_ALL);
        TSTORE(to, tile);  //@ store own row
        pipe_barrier(PIPE_ALL);
        comm::TNOTIFY(ready, 1, comm::NotifyOp::Set);
    } else {
        Row from(row_of(context, 1)), to(result);
        if ((leave & kWait) == 0) comm::TWAIT(ready, 1, comm::WaitCmp::GE);
        TLOAD(tile, from);  //@ get row
        pipe_barrier(PIPE_ALL);
        TSTORE(to, tile);
        pipe_barrier(PIPE_ALL);
    }
}

// All ranks but the first write a row into the first one's window: the same one, or each its own.
__global__ AICORE void crowd(__gm__ Context* context, __gm__ float* mine, __gm__ float*, int apart, int) {
    if (context->rank == 0) return;
    Tile<TileType::Vec, float, 1, kCols> tile;
    TASSIGN(tile, 0x0);
    Row from(mine), to(row_of(context, 0) + static_cast<int>(context->rank) * apart * kCols);
    TLOAD(tile, from);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, tile);  //@ store into the crowd
    pipe_barrier(PIPE_ALL);
}

// All ranks but the first set words of the first one, `apart` int32 from each other.
__global__ AICORE void slots(__gm__ Context* context, __gm__ float*, __gm__ float*, int apart, int) {
    if (context->rank == 0) return;
    comm::Signal mine(word_of(context, 0, 0) + static_cast<int>(context->rank) * apart);
    comm::TNOTIFY(mine, 1, comm::NotifyOp::Set);
}

// Rank 0 sets a word of rank 1 twice, to the same number or to one that grows.
__global__ AICORE void again(__gm__ Context* context, __gm__ float*, __gm__ float*, int grows, int) {
    if (context->rank > 1) return;
    comm::Signal word(word_of(context, 1, 0));
    for (int round = 0; round < 2; ++round)
        if (context->rank == 0)
            comm::TNOTIFY(word, 1 + grows * round, comm::NotifyOp::Set);  //@ set again
        else
            comm::TWAIT(word, 1 + grows * round, comm::WaitCmp::GE);
}

// Rank 1 clears the word that rank 0 sets again, after an answer or without one.
__global__ AICORE void cleared(__gm__ Context* context, __gm__ float*, __gm__ float*, int, int leave) {
    if (context->rank > 1) return;
    comm::Signal word(word_of(context, 1, 0)), answer(word_of(context, 0, 1));
    for (int round = 1; round <= 2; ++round)
        if (context->rank == 0) {
            comm::TNOTIFY(word, round, comm::NotifyOp::Set);  //@ set
            if (round == 2) break;
            if ((leave & kAnswer) == 0)
                comm::TWAIT(answer, 1, comm::WaitCmp::GE);
            else
                for (int i = 0; i < 200; ++i) (void)comm::TTEST(answer, 1, comm::WaitCmp::GE);
        } else {
            comm::TWAIT(word, round, comm::WaitCmp::GE);
            if (round == 1) comm::TNOTIFY(word, 0, comm::NotifyOp::Set);  //@ clear
            if (round == 1 && (leave & kAnswer) == 0) comm::TNOTIFY(answer, 1, comm::NotifyOp::AtomicAdd);
        }
}

int main(int argc, char** argv) {
    const std::string what = argv[1], left_out = argc > 2 ? argv[2] : "";
    const int leave = left_out == "barrier" ? kBarrier : left_out == "wait" ? kWait : left_out == "answer" ? kAnswer : 0;
    Group group(argc, argv);
    constexpr size_t kBytes = kCols * sizeof(float);
    void *mine = nullptr, *result = nullptr;
    aclrtMalloc(&mine, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&result, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(mine, kBytes, 0, kBytes);
    aclrtMemset(result, kBytes, 0, kBytes);
    group.barrier();
    auto* const from = static_cast<float*>(mine);
    auto* const to = static_cast<float*>(result);
    const int number = argc > 3 ? std::atoi(argv[3]) : 1;
    if (left_out == "first group") {  // launches of another communicator before, whose numbers are not used again
        for (int i = 0; i < 3; ++i) {
            slots<<<1, nullptr, nullptr>>>(group.context, from, to, 32 * (i + 1), 0);
            if (aclrtSynchronizeStream(nullptr) != 0) return 1;
            group.barrier();
        }
        group.renew();
    }
    if (what == "hand_over") hand_over<<<1, nullptr, nullptr>>>(group.context, from, to, number, leave);
    if (what == "get" || (what == "launches" && group.rank == 1)) get<<<1, nullptr, nullptr>>>(group.context, from, to, 0, leave);
    if (what == "crowd") crowd<<<1, nullptr, nullptr>>>(group.context, from, to, number, leave);
    if (what == "slots") slots<<<1, nullptr, nullptr>>>(group.context, from, to, number, leave);
    if (what == "again") again<<<1, nullptr, nullptr>>>(group.context, from, to, number, leave);
    if (what == "cleared") cleared<<<1, nullptr, nullptr>>>(group.context, from, to, 0, leave);
    int code = aclrtSynchronizeStream(nullptr);
    if (what == "hand_over" && left_out == "next launch" && group.rank == 1) {  // it follows what this launch has seen
        get<<<1, nullptr, nullptr>>>(group.context, from, to, 0, 0);
        if (aclrtSynchronizeStream(nullptr) != 0) code = 1;
    }
    if (what == "launches") {  // the hosts order the two
        if (left_out != "meeting") group.barrier();
        if (group.rank == 0) get<<<1, nullptr, nullptr>>>(group.context, from, to, 0, kWait);
        if (aclrtSynchronizeStream(nullptr) != 0) code = 1;
    }
    if (what == "host") {  // rank 1 writes its row, rank 0 gets it, and rank 1 writes it again
        Context context;
        aclrtMemcpy(&context, sizeof context, group.context, sizeof context, ACL_MEMCPY_DEVICE_TO_HOST);
        const std::vector<float> row(kCols, 1.0F);
        auto* const own = reinterpret_cast<float*>(context.in[1]) + kRow;
        const auto write = [&] {
            if (group.rank == 1) aclrtMemcpy(own, kBytes, row.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
        };
        write();
        if (left_out != "first meeting") group.barrier();
        if (group.rank == 0) get<<<1, nullptr, nullptr>>>(group.context, from, to, 0, kWait);
        if (aclrtSynchronizeStream(nullptr) != 0) code = 1;
        if (left_out != "second meeting") group.barrier();
        if (left_out != "first meeting") write();
    }
    group.barrier();
    aclrtFree(mine);
    aclrtFree(result);
    return code;
}
