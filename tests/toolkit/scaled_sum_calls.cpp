// A host of the two-phase calls that are made from the definition of ScaledSum
// (tests/toolkit/operators/scaled_sum): two that are right, then calls that are refused.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_scaled_sum.h"

namespace {

aclTensor* tensor(const std::vector<float>& values, void** device) {
    const int64_t shape[] = {static_cast<int64_t>(values.size())};
    aclrtMalloc(device, values.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(*device, values.size() * sizeof(float), values.data(),
                values.size() * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE);
    return aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, *device);
}

// Prints the sum and the last element of z after the call.
void run(const aclTensor* x, const aclTensor* y, double alpha, const aclTensor* z, void* device,
         size_t count, aclrtStream stream) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus first = aclnnScaledSumGetWorkspaceSize(x, y, alpha, z, &size, &executor);
    const char* const message = first != OK ? aclGetRecentErrMsg() : nullptr;
    if (first != OK) {
        std::printf("refused %d: %s\n", first, message != nullptr ? message : "");
        return;
    }
    void* workspace = nullptr;
    aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    const aclnnStatus second = aclnnScaledSum(workspace, size, executor, stream);
    aclrtSynchronizeStream(stream);
    std::vector<float> out(count);
    aclrtMemcpy(out.data(), count * sizeof(float), device, count * sizeof(float),
                ACL_MEMCPY_DEVICE_TO_HOST);
    double sum = 0;
    for (const float value : out) sum += value;
    std::printf("%d %.1f %.1f\n", second, sum, static_cast<double>(out.back()));
    aclrtFree(workspace);
}

}  // namespace

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    std::vector<float> values(1000), others(1000);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);
        others[i] = 1 - static_cast<float>(i);
    }
    void *x_data = nullptr, *y_data = nullptr, *z_data = nullptr, *short_data = nullptr;
    aclTensor* const x = tensor(values, &x_data);
    aclTensor* const y = tensor(others, &y_data);
    aclTensor* const z = tensor(std::vector<float>(1000), &z_data);
    aclTensor* const shorter = tensor(std::vector<float>(32), &short_data);
    run(x, nullptr, 3, z, z_data, 1000, stream);  // key 2
    run(x, y, 2, z, z_data, 1000, stream);        // key 1
    run(x, shorter, 2, z, z_data, 1000, stream);  // the tiling refuses it
    run(nullptr, y, 2, z, z_data, 1000, stream);
    const int64_t shape[] = {500}, strides[] = {2}, whole[] = {1000};
    aclTensor* const every_second =
        aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, whole, 1, x_data);
    run(every_second, nullptr, 2, z, z_data, 1000, stream);
    int64_t before = -1, after = -1;
    aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &before);
    aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1);
    aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &after);
    std::printf("option: %d %d, unknown: %d\n", static_cast<int>(before), static_cast<int>(after),
                aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(9), 1) != ACL_SUCCESS);
    std::printf("no address: %d\n", aclnnScaledSumGetWorkspaceSize(x, y, 2, z, nullptr, nullptr));
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclnnScaledSumGetWorkspaceSize(x, y, 2, z, &size, &executor);
    std::printf("no workspace: %d\n", aclnnScaledSum(nullptr, size, executor, stream));
    std::printf("no executor: %d\n", aclnnScaledSum(z_data, size, nullptr, stream));
    for (aclTensor* one : {x, y, z, shorter, every_second}) aclDestroyTensor(one);
    for (void* data : {x_data, y_data, z_data, short_data}) aclrtFree(data);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}
