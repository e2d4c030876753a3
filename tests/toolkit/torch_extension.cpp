// An extension of PyTorch that reads storages of npu as extensions do: it declares the structure itself
// with the members of torch_npu's, and copies rows by the runtime.
#include <ATen/ATen.h>
#include <acl/acl.h>
#include <torch/library.h>

#include "torch_npu/csrc/aten/NPUNativeFunctions.h"
#include "torch_npu/csrc/aten/common/from_blob.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"
#include "torch_npu/csrc/framework/interface/EnvVariables.h"
#include "torch_npu/csrc/framework/utils/CalcuOpUtil.h"
#include "torch_npu/csrc/framework/utils/OpAdapter.h"
#include "torch_npu/csrc/framework/utils/OpPreparation.h"

namespace {

struct Description {
    struct Type {};
    c10::SmallVector<int64_t, 5> sizes, strides, storage_sizes;
    int64_t offset;
    Type type;
    int origin, format;
};
struct Storage : c10::StorageImpl {
    Description description;
};

// The format of the memory, and its extents if they are known.
std::vector<int64_t> storage(const at::Tensor& tensor) {
    const auto* const seen = static_cast<const Storage*>(tensor.storage().unsafeGetStorageImpl());
    std::vector<int64_t> made{seen->description.format};
    made.insert(made.end(), seen->description.storage_sizes.begin(),
                seen->description.storage_sizes.end());
    TORCH_CHECK(made[0] == at_npu::native::get_npu_format(tensor));
    return made;
}

at::Tensor rows(const at::Tensor& tensor, int64_t begin, int64_t count) {
    const c10_npu::OptionalNPUGuard guard(tensor.device());
    TORCH_CHECK(torch_npu::utils::is_npu(tensor) && c10_npu::device_count() > 0);
    const at::Tensor part = at_npu::native::from_blob(
        static_cast<char*>(tensor.data_ptr()) + begin * tensor.stride(0) * 2,
        {count, tensor.size(1)}, tensor.options());
    at::Tensor out = at_npu::native::OpPreparation::apply_tensor_without_format(part);
    at_npu::native::OpCommand command;
    command.Name("rows");
    command.SetCustomHandler([from = part.data_ptr(), to = out.data_ptr(), bytes = part.nbytes(),
                              stream = c10_npu::getCurrentNPUStream().stream(false)]() -> int {
        return aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    });
    command.Run();
    return out;
}

void vendors() {
    at_npu::native::OpCommand command;
    command.Name("Nothing");
    command.Run();
}

}  // namespace

TORCH_LIBRARY(ptosim_test, m) {
    m.def("storage(Tensor tensor) -> int[]", &storage);
    m.def("rows(Tensor tensor, int begin, int count) -> Tensor", &rows);
    m.def("vendors() -> ()", &vendors);
}
