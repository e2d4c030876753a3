// The storage of a tensor of PyTorch's `npu`, with the members of torch_npu's, because extensions
// read them.
#pragma once

#include <ATen/core/Tensor.h>
#include <acl/acl_base.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/SmallVector.h>
#include <c10/util/typeid.h>

namespace torch_npu {

struct NPUStorageDesc {
    struct use_byte_size_t {};
    c10::SmallVector<int64_t, 5> base_sizes_, base_strides_;
    c10::SmallVector<int64_t, 5> storage_sizes_;  // in the format of the memory
    int64_t base_offset_ = 0;
    use_byte_size_t base_dtype_ = {};
    aclFormat origin_format_ = ACL_FORMAT_UNDEFINED;
    aclFormat npu_format_ = ACL_FORMAT_ND;
    caffe2::TypeMeta data_type_ = caffe2::TypeMeta::Make<uint8_t>();
};

struct NPUStorageImpl : c10::StorageImpl {
    using StorageImpl::StorageImpl;
    NPUStorageDesc npu_desc_;
    NPUStorageDesc get_npu_desc() const { return npu_desc_; }
};

inline NPUStorageImpl& storage_of(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.is_privateuseone(), "a tensor of ", tensor.device(),
                " has no storage of npu");
    return *static_cast<NPUStorageImpl*>(tensor.storage().unsafeGetStorageImpl());
}

}  // namespace torch_npu
