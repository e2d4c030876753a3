// Objects that programs make for two-phase calls: tensors, scalars, arrays, lists.
#include <cstring>

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "engine.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"

namespace {

template <class Make>
auto made(const char* what, Make&& make) -> decltype(make()) {
    try {
        return make();
    } catch (const std::exception& failure) {
        ptosim_aclnn::report(std::string(what) + ": " + failure.what());
        return nullptr;
    }
}

bool is_missing(const void* pointer, const char* what) {
    if (pointer != nullptr) return false;
    ptosim_aclnn::report(std::string(what) + ": a pointer is null");
    return true;
}

// Copies for the caller, who frees them with delete[].
template <class List>
aclnnStatus copied(const List& list, size_t count, int64_t** values, uint64_t* size) {
    *size = count;
    *values = new int64_t[count];
    for (size_t i = 0; i < count; ++i) (*values)[i] = list[i];
    return OK;
}

template <class Made>
aclnnStatus size_of(const Made* list, uint64_t* size, const char* what) {
    if (is_missing(list, what) || is_missing(size, what)) return ACLNN_ERR_PARAM_NULLPTR;
    *size = list->Size();
    return OK;
}

}  // namespace

extern "C" {

aclnnStatus aclnnInit(const char*) {
    const aclError status = aclInit(nullptr);
    return status == ACL_ERROR_REPEAT_INITIALIZE ? OK : status;
}
aclnnStatus aclnnFinalize() { return OK; }

aclTensor* aclCreateTensor(const int64_t* view, uint64_t rank, aclDataType type,
                           const int64_t* strides, int64_t offset, aclFormat format,
                           const int64_t* storage, uint64_t storage_rank, void* data) {
    if ((rank > 0 && is_missing(view, __func__)) ||
        (storage_rank > 0 && is_missing(storage, __func__)))
        return nullptr;
    return made(__func__, [&] {
        return new aclTensor(view, rank, type, strides, offset, format, storage, storage_rank,
                             data);
    });
}
aclScalar* aclCreateScalar(void* value, aclDataType type) {
    if (is_missing(value, __func__)) return nullptr;
    return made(__func__, [&] { return new aclScalar(value, op::ToOpDataType(type)); });
}
aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return made(__func__, [&] { return new aclIntArray(value, size); });
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return made(__func__, [&] { return new aclFloatArray(value, size); });
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    return made(__func__, [&] { return new aclBoolArray(value, size); });
}
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return made(__func__, [&] { return new aclTensorList(value, size); });
}
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    return made(__func__, [&] { return new aclScalarList(value, size); });
}

// Only these functions may delete the objects, as friends of their classes.
aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    delete tensor;
    return OK;
}
aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    delete scalar;
    return OK;
}
aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    delete array;
    return OK;
}
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
    delete array;
    return OK;
}
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
    delete array;
    return OK;
}
aclnnStatus aclDestroyTensorList(const aclTensorList* list) {
    delete list;
    return OK;
}
aclnnStatus aclDestroyScalarList(const aclScalarList* list) {
    delete list;
    return OK;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
    if (is_missing(tensor, __func__) || is_missing(dims, __func__) || is_missing(rank, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    return copied(tensor->GetViewShape(), tensor->GetViewShape().GetDimNum(), dims, rank);
}
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
    if (is_missing(tensor, __func__) || is_missing(dims, __func__) || is_missing(rank, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    return copied(tensor->GetStorageShape(), tensor->GetStorageShape().GetDimNum(), dims, rank);
}
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** strides, uint64_t* rank) {
    if (is_missing(tensor, __func__) || is_missing(strides, __func__) || is_missing(rank, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    return copied(tensor->GetViewStrides(), tensor->GetViewStrides().size(), strides, rank);
}
aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    if (is_missing(tensor, __func__) || is_missing(offset, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    *offset = tensor->GetViewOffset();
    return OK;
}
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    if (is_missing(tensor, __func__) || is_missing(format, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    *format = op::ToAclFormat(tensor->GetStorageFormat());
    return OK;
}
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* type) {
    if (is_missing(tensor, __func__) || is_missing(type, __func__)) return ACLNN_ERR_PARAM_NULLPTR;
    *type = op::ToAclDataType(tensor->GetDataType());
    return OK;
}
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return size_of(array, size, __func__);
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return size_of(array, size, __func__);
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return size_of(array, size, __func__);
}
aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size) {
    return size_of(list, size, __func__);
}
aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size) {
    return size_of(list, size, __func__);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* view, uint64_t rank, aclDataType type,
                          const int64_t* strides, int64_t offset, aclFormat format,
                          const int64_t* storage, uint64_t storage_rank, void* data) {
    if (is_missing(tensor, __func__)) return ACLNN_ERR_PARAM_NULLPTR;
    tensor->InitTensor(view, rank, type, strides, offset, format, storage, storage_rank, data);
    return OK;
}
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    return is_missing(executor, __func__) ? ACLNN_ERR_PARAM_NULLPTR : executor->SetRepeatable();
}
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    delete executor;
    return OK;
}
aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* address) {
    if (is_missing(tensor, __func__)) return ACLNN_ERR_PARAM_NULLPTR;
    tensor->SetStorageAddr(address);
    return OK;
}
aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** address) {
    if (is_missing(tensor, __func__) || is_missing(address, __func__))
        return ACLNN_ERR_PARAM_NULLPTR;
    *address = tensor->GetStorageAddr();
    return OK;
}

// Addresses for the next run of a repeatable executor. Executors read a tensor's address at the
// launch.
#define PTOSIM_SET_ADDRESS(Name)                                                       \
    aclnnStatus Name(aclOpExecutor*, const size_t, aclTensor* tensor, void* address) { \
        return aclSetRawTensorAddr(tensor, address);                                   \
    }
#define PTOSIM_SET_ADDRESS_OF_LIST(Name)                                           \
    aclnnStatus Name(aclOpExecutor*, size_t, const size_t at, aclTensorList* list, \
                     void* address) {                                              \
        if (is_missing(list, #Name)) return ACLNN_ERR_PARAM_NULLPTR;               \
        return at < list->Size() ? aclSetRawTensorAddr((*list)[at], address)       \
                                 : ACLNN_ERR_PARAM_INVALID;                        \
    }
PTOSIM_SET_ADDRESS(AclSetInputTensorAddr)
PTOSIM_SET_ADDRESS(AclSetOutputTensorAddr)
PTOSIM_SET_ADDRESS(AclSetTensorAddr)
PTOSIM_SET_ADDRESS(aclSetInputTensorAddr)
PTOSIM_SET_ADDRESS(aclSetOutputTensorAddr)
PTOSIM_SET_ADDRESS(aclSetTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(AclSetDynamicInputTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(AclSetDynamicOutputTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(AclSetDynamicTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(aclSetDynamicInputTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(aclSetDynamicOutputTensorAddr)
PTOSIM_SET_ADDRESS_OF_LIST(aclSetDynamicTensorAddr)

}  // extern "C"
