// A rank of the two-phase calls of SharedSum (tests/toolkit/operators/shared_sum): calls them with
// the table at each place that releases have it, and prints the sum of its output. An argument
// makes windows before, which the calls cannot use.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_shared_sum.h"
#include "hccl/hccl_comm.h"
#include "ranks.h"

int main(int argc, char** argv) {
    int rank = 0, ranks = 0;
    begin_ranks(argc, argv, rank, ranks);
    aclInit(nullptr);
    aclrtSetDevice(rank);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    HcclRootInfo root{};
    if (rank == 0) HcclGetRootInfo(&root);
    mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(&root, sizeof root, kChar, 0, kWorld);
    HcclComm group = nullptr;
    HcclCommInitRootInfo(ranks, &root, rank, &group);
    char name[128] = {};
    HcclGetCommName(group, name);
    void* context = nullptr;
    if (argc > 1) HcclAllocComResourceByTiling(group, stream, nullptr, &context);

    constexpr int64_t kCount = 1000;
    const int64_t shape[] = {kCount};
    std::vector<float> values(kCount), out(kCount);
    const size_t bytes = kCount * sizeof(float);
    void *x_data = nullptr, *y_data = nullptr, *workspace = nullptr;
    aclrtMalloc(&x_data, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&y_data, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclTensor* const x =
        aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, x_data);
    aclTensor* const y =
        aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, y_data);
    int failed = 0;
    for (int call = 0; call < 4 && failed == 0; ++call) {
        for (int64_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i * (rank + 1) + call);
        aclrtMemcpy(x_data, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        failed = aclnnSharedSumGetWorkspaceSize(x, name, call % 2 == 0 ? 3320 : 2984, y, &size,
                                                &executor);
        if (failed != 0) break;
        aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
        failed = aclnnSharedSum(workspace, size, executor, stream);
        aclrtSynchronizeStream(stream);
        aclrtFree(workspace);
        aclrtMemcpy(out.data(), bytes, y_data, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
        double sum = 0;
        for (const float value : out) sum += value;
        if (failed == 0)
            std::printf("rank %d call %d: %.0f %.0f\n", rank, call, sum,
                        static_cast<double>(out.back()));
    }
    if (failed != 0) std::printf("rank %d: %d\n", rank, failed);
    aclDestroyTensor(x);
    aclDestroyTensor(y);
    aclrtFree(x_data);
    aclrtFree(y_data);
    HcclCommDestroy(group);
    aclrtDestroyStream(stream);
    aclrtResetDevice(rank);
    aclFinalize();
    mpi<int (*)()>("MPI_Finalize")();
    return failed != 0;
}
