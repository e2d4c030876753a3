// Executors: objects and kernels of one call, its workspace, and its second phase.
#include "opdev/op_executor.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "engine.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/format_utils.h"
#include "opdev/framework_op.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"
#include "opdev/platform.h"
#include "opdev/tensor_view_utils.h"

namespace {

constexpr uint64_t kAlignment = 512;

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Log {
    op::internal::OpLogInfo info;
    op::OpConfigInfo config;
};
thread_local Log t_log;

// The choice of a second phase, which the state of its executor cannot keep.
thread_local const void* t_chooser = nullptr;
thread_local int t_server = ptosim_aclnn::kUnstated;

}  // namespace

namespace op {

// A step of the second phase.
class KernelLauncher : public Object {
 public:
    virtual uint64_t bytes() const { return 0; }  // of its workspace
    virtual aclnnStatus run(int server, void* workspace, aclrtStream stream) const = 0;
    uint64_t offset = 0;  // of its workspace
};

class Kernel final : public KernelLauncher {
 public:
    explicit Kernel(ptosim_aclnn::Call given) : call(std::move(given)) {}
    uint64_t bytes() const override { return plan->bytes(); }
    aclnnStatus run(int server, void* workspace, aclrtStream stream) const override {
        return ptosim_aclnn::launch(*plan, call, server, workspace, stream);
    }
    ptosim_aclnn::Call call;
    const ptosim_aclnn::Plan* plan = nullptr;
};

// Copies a tensor, of the device or of the host, to one of the device.
class Copy final : public KernelLauncher {
 public:
    Copy(const aclTensor* source, const aclTensor* target) : from_(source), to_(target) {}
    aclnnStatus run(int, void*, aclrtStream stream) const override {
        const size_t size =
            CalcShapeBytes(from_->GetStorageShape().GetShapeSize(), from_->GetDataType());
        const bool host = from_->GetPlacement() == gert::kOnHost;
        const void* const data = host ? kept(from_->GetData(), size) : from_->GetData();
        return aclrtMemcpyAsync(to_->GetData(), size, data, size,
                                host ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_DEVICE,
                                stream) == ACL_SUCCESS
                   ? ACLNN_SUCCESS
                   : ACLNN_ERR_RUNTIME_ERROR;
    }

 private:
    // The stream may copy after the executor has ended, so values of the host, which are few and
    // small, stay; equal ones once.
    static const void* kept(const void* data, size_t size) {
        static std::mutex& mutex = *new std::mutex;
        static auto& values = *new std::set<std::string>;
        const std::lock_guard lock(mutex);
        return values.emplace(static_cast<const char*>(data), size).first->data();
    }

    const aclTensor* from_;
    const aclTensor* to_;
};

class OpExecutorImpl : public Object {
 public:
    std::vector<std::pair<const aclTensor*, const aclTensor*>> relations;  // output, intermediate
    std::vector<const aclTensor*> inputs, outputs;
    FVector<uint64_t> offsets;
    Log log;
    aclrtStream stream = nullptr;
    void* workspace = nullptr;
    uint64_t size = 0;
    bool repeatable = false;
};

namespace internal {
std::string GetLogApiInfo() {
    const auto& info = t_log.info;
    return std::string(info.l2ApiName != nullptr ? info.l2ApiName : "") +
           (info.l0Name != nullptr ? std::string("_") + info.l0Name : "");
}
}  // namespace internal
}  // namespace op

aclOpExecutor::aclOpExecutor() : impl_(new op::OpExecutorImpl) { impl_->log = t_log; }

aclOpExecutor::~aclOpExecutor() {
    for (op::KernelLauncher* kernel : kernelLaunchObjList_) delete kernel;
    for (op::Object* made : allocatedObjList_) delete made;
    delete impl_;
}

UniqueExecutor::UniqueExecutor(const char* name)
    : funcName_(name), uniqueExecutor_(new aclOpExecutor) {}

namespace {

// Registers an object that an executor owns.
template <class List, class Made>
Made* kept(List& list, Made* made) {
    if (made != nullptr) list.push_back(made);
    return made;
}

}  // namespace

// ---- objects of an executor ---------------------------------------------------------------------

#define PTOSIM_TENSOR(...)                            \
    try {                                             \
        aclTensor* made = new aclTensor(__VA_ARGS__); \
        allocatedTensorList_.push_back(made);         \
        return kept(allocatedObjList_, made);         \
    } catch (const std::exception& failure) {         \
        ptosim_aclnn::report(failure.what());         \
        return nullptr;                               \
    }

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& shape, op::DataType type, op::Format format){
    PTOSIM_TENSOR(shape, type, format,
                  nullptr)} aclTensor* aclOpExecutor::AllocTensor(const op::Shape& storage,
                                                                  const op::Shape& origin,
                                                                  op::DataType type,
                                                                  op::Format storage_format,
                                                                  op::Format origin_format){
    PTOSIM_TENSOR(storage, origin, type, storage_format, origin_format,
                  nullptr)} aclTensor* aclOpExecutor::AllocTensor(op::DataType type,
                                                                  op::Format storage_format,
                                                                  op::Format origin_format){
    PTOSIM_TENSOR(type, storage_format,
                  origin_format)} aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& shape,
                                                                            op::DataType type,
                                                                            op::Format format){
    PTOSIM_TENSOR(shape, type,
                  format)} aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& storage,
                                                                     const op::Shape& origin,
                                                                     op::DataType type,
                                                                     op::Format storage_format,
                                                                     op::Format origin_format){
    PTOSIM_TENSOR(storage, origin, type, storage_format, origin_format)}
#define PTOSIM_HOST_TENSOR(T)                                                                     \
    aclTensor* aclOpExecutor::AllocHostTensor(const T* value, uint64_t size, op::DataType type) { \
        PTOSIM_TENSOR(value, size, type)                                                          \
    }
PTOSIM_HOST_TENSOR(int64_t) PTOSIM_HOST_TENSOR(uint64_t) PTOSIM_HOST_TENSOR(bool)
    PTOSIM_HOST_TENSOR(char) PTOSIM_HOST_TENSOR(int32_t) PTOSIM_HOST_TENSOR(uint32_t)
        PTOSIM_HOST_TENSOR(int16_t) PTOSIM_HOST_TENSOR(uint16_t) PTOSIM_HOST_TENSOR(int8_t)
            PTOSIM_HOST_TENSOR(uint8_t) PTOSIM_HOST_TENSOR(double) PTOSIM_HOST_TENSOR(float)
                PTOSIM_HOST_TENSOR(op::fp16_t) PTOSIM_HOST_TENSOR(op::bfloat16)

                    aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor,
                                                         const op::Shape& shape,
                                                         int64_t offset){PTOSIM_TENSOR(
                        *tensor, shape,
                        offset)} aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor,
                                                                      const op::Shape& shape,
                                                                      const op::Shape& storage,
                                                                      const op::Strides& strides,
                                                                      int64_t offset) {
    const int64_t left = storage.GetShapeSize() - offset;
    if (offset < 0 || left < 0) {
        ptosim_aclnn::report("a view begins " + std::to_string(offset) +
                             " elements into a tensor of " +
                             std::to_string(storage.GetShapeSize()));
        return nullptr;
    }
    PTOSIM_TENSOR(*tensor, shape, op::Shape{left}, strides, offset)
}

#define PTOSIM_ARRAY(Array, T)                                               \
    acl##Array* aclOpExecutor::Alloc##Array(const T* value, uint64_t size) { \
        return kept(allocatedObjList_, new acl##Array(value, size));         \
    }
PTOSIM_ARRAY(IntArray, int64_t)
PTOSIM_ARRAY(FloatArray, float)
PTOSIM_ARRAY(BoolArray, bool)
PTOSIM_ARRAY(TensorList, aclTensor* const)
PTOSIM_ARRAY(ScalarList, aclScalar* const)

aclScalar* aclOpExecutor::AllocScalar(const void* data, op::DataType type) {
    return kept(allocatedObjList_, new aclScalar(data, type));
}
#define PTOSIM_SCALAR(T)                                      \
    aclScalar* aclOpExecutor::AllocScalar(T value) {          \
        return kept(allocatedObjList_, new aclScalar(value)); \
    }
PTOSIM_SCALAR(float)
PTOSIM_SCALAR(double)
PTOSIM_SCALAR(op::fp16_t)
PTOSIM_SCALAR(op::bfloat16)
PTOSIM_SCALAR(int32_t)
PTOSIM_SCALAR(int64_t)
PTOSIM_SCALAR(int16_t)
PTOSIM_SCALAR(int8_t)
PTOSIM_SCALAR(uint32_t)
PTOSIM_SCALAR(uint64_t)
PTOSIM_SCALAR(uint16_t)
PTOSIM_SCALAR(uint8_t)
PTOSIM_SCALAR(bool)

#define PTOSIM_CONVERT(From)                                                                \
    const aclTensor* aclOpExecutor::ConvertToTensor(const From* value, op::DataType type) { \
        PTOSIM_TENSOR(value, type)                                                          \
    }
PTOSIM_CONVERT(aclIntArray)
PTOSIM_CONVERT(aclBoolArray)
PTOSIM_CONVERT(aclFloatArray)
PTOSIM_CONVERT(aclFp16Array)
PTOSIM_CONVERT(aclBf16Array)
PTOSIM_CONVERT(aclScalar)

// ---- kernels and workspace ----------------------------------------------------------------------

uint64_t aclOpExecutor::GetWorkspaceSize() const {
    // Views share a storage, which has room for the largest of them.
    std::map<const aclStorage*, uint64_t> rooms;
    for (const aclTensor* tensor : allocatedTensorList_)
        if (tensor->IsFromWorkspace()) {
            uint64_t& bytes = rooms[tensor->GetStorage()];
            bytes = std::max<uint64_t>(bytes,
                                       op::CalcShapeBytes(tensor->GetStorageShape().GetShapeSize(),
                                                          tensor->GetDataType()));
        }
    uint64_t size = 0;
    for (const aclTensor* tensor : allocatedTensorList_) {  // in the order of their creation
        const auto room = rooms.find(tensor->GetStorage());
        if (room == rooms.end()) continue;
        tensor->SetWorkspaceOffset(size);
        size += aligned(room->second);
        rooms.erase(room);
    }
    for (op::KernelLauncher* kernel : kernelLaunchObjList_) {
        kernel->offset = size;
        size += aligned(kernel->bytes());
    }
    impl_->size = size;
    return size;
}
uint64_t aclOpExecutor::GetLinearWorkspaceSize() const { return GetWorkspaceSize(); }

void aclOpExecutor::UpdateTensorAddr(void* workspace, const size_t size) {
    impl_->workspace = workspace;
    impl_->size = size;
    for (aclTensor* tensor : allocatedTensorList_)
        if (tensor->IsFromWorkspace()) tensor->SetStorageAddr(workspace);
}

aclnnStatus aclOpExecutor::Run() {
    const int server = t_chooser == this ? t_server : ptosim_aclnn::kUnstated;
    for (const op::KernelLauncher* kernel : kernelLaunchObjList_) {
        const aclnnStatus status = kernel->run(
            server, static_cast<char*>(impl_->workspace) + kernel->offset, impl_->stream);
        if (status != ACLNN_SUCCESS) return status;
    }
    return ACLNN_SUCCESS;
}

aclnnStatus CreatAiCoreKernelLauncher(const char*, uint32_t type, aclOpExecutor* executor,
                                      op::OpArgContext* arguments) {
    if (arguments == nullptr || executor == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    ptosim_aclnn::Call call(op::OpTypeDict::ToString(type).GetString(), *arguments);
    op::DestroyOpArgContext(arguments);
    return ptosim_aclnn::add_kernel(*executor, std::move(call));
}

aclnnStatus ptosim_aclnn::add_kernel(aclOpExecutor& executor, Call&& call) {
    auto kernel = std::make_unique<op::Kernel>(std::move(call));
    const aclnnStatus status = plan(kernel->call, kernel->plan);
    if (status == ACLNN_SUCCESS) executor.AddToKernelLauncherList(kernel.release());
    return status;
}

void aclOpExecutor::AddToKernelLauncherList(op::KernelLauncher* kernel) {
    kernelLaunchObjList_.push_back(kernel);
}

const aclTensor* op::CopyToNpu(const aclTensor* source, aclOpExecutor* executor) {
    if (source == nullptr || executor == nullptr) return nullptr;
    const aclTensor* const made = executor->AllocTensor(
        source->GetStorageShape(), source->GetOriginalShape(), source->GetDataType(),
        source->GetStorageFormat(), source->GetOriginalFormat());
    if (made != nullptr) executor->AddToKernelLauncherList(new op::Copy(source, made));
    return made;
}
const aclTensor* op::CopyToNpuSync(const aclTensor* source, aclOpExecutor* executor) {
    return CopyToNpu(source, executor);
}
aclnnStatus op::CopyNpuToNpu(const aclTensor* source, const aclTensor* target,
                             aclOpExecutor* executor) {
    if (source == nullptr || target == nullptr || executor == nullptr)
        return ACLNN_ERR_PARAM_NULLPTR;
    executor->AddToKernelLauncherList(new op::Copy(source, target));
    return ACLNN_SUCCESS;
}

void CreatDSAKernelLauncher(const char*, uint32_t type, DSA_TASK_TYPE, aclOpExecutor*,
                            op::OpArgContext* arguments) {
    op::DestroyOpArgContext(arguments);
    ptosim_aclnn::report(std::string(op::OpTypeDict::ToString(type).GetString()) +
                         " runs on the generator of random numbers (DSA), which is not simulated");
}

aclnnStatus op::internal::CreatAicpuKernelLauncher(uint32_t type, AicpuTaskSpace&, aclOpExecutor*,
                                                   const FVector<std::string>&,
                                                   op::OpArgContext* arguments) {
    op::DestroyOpArgContext(arguments);
    ptosim_aclnn::report(
        std::string(op::OpTypeDict::ToString(type).GetString()) +
        " with these inputs is a kernel of the AICPU, which two-phase calls cannot run");
    return ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
}

aclnnStatus InferShape(uint32_t type, op::OpArgList& inputs, op::OpArgList& outputs,
                       op::OpArgList& attributes) {
    const ptosim_aclnn::Call call(op::OpTypeDict::ToString(type).GetString(), inputs, outputs,
                                  attributes);
    std::vector<ptosim_aclnn::Shape> shapes;
    const aclnnStatus status = ptosim_aclnn::infer(call, shapes);
    if (status != ACLNN_SUCCESS) return status;
    size_t at = 0;
    for (const ptosim_aclnn::Tensors& list : call.outputs)
        for (const aclTensor* tensor : list) {
            if (at >= shapes.size()) return ACLNN_ERR_INNER_INFERSHAPE_ERROR;
            op::Shape shape;
            for (const int64_t extent : shapes[at].dims) shape.AppendDim(extent);
            ++at;
            aclTensor* changed = const_cast<aclTensor*>(tensor);
            changed->SetStorageShape(shape);
            changed->SetOriginalShape(shape);
            changed->SetViewShape(shape);
        }
    return ACLNN_SUCCESS;
}

// ---- other members ------------------------------------------------------------------------------

void* aclOpExecutor::GetWorkspaceAddr() const { return impl_->workspace; }
const op::FVector<uint64_t>& aclOpExecutor::GetWorkspaceOffsets() const { return impl_->offsets; }
void aclOpExecutor::SetWorkspaceOffsets(const op::FVector<uint64_t>& offsets) {
    impl_->offsets = offsets;
}
aclrtStream aclOpExecutor::GetStream() const { return impl_->stream; }
void aclOpExecutor::SetStream(aclrtStream stream) { impl_->stream = stream; }
std::vector<const aclTensor*>& aclOpExecutor::GetInputTensors() { return impl_->inputs; }
std::vector<const aclTensor*>& aclOpExecutor::GetOutputTensors() { return impl_->outputs; }
op::internal::OpLogInfo aclOpExecutor::GetLogInfo() const { return impl_->log.info; }
void aclOpExecutor::SetLogInfo(const op::internal::OpLogInfo& info) { impl_->log.info = info; }
op::OpConfigInfo aclOpExecutor::GetOpConfigInfo() const { return impl_->log.config; }
void aclOpExecutor::SetOpConfigInfo(const op::OpConfigInfo& config) { impl_->log.config = config; }
void aclOpExecutor::AddTensorRelation(const aclTensor* out, const aclTensor* middle) {
    impl_->relations.emplace_back(out, middle);
}
void aclOpExecutor::UpdateStorageAddr() {
    if (!impl_->repeatable) return;  // the addresses of the first phase are those of the second
    for (const auto& [out, middle] : impl_->relations)
        middle->SetStorageAddr(out->GetStorageAddr());
}
aclnnStatus aclOpExecutor::SetRepeatable() {
    impl_->repeatable = true;
    return ACLNN_SUCCESS;
}
bool aclOpExecutor::IsRepeatable() const { return impl_->repeatable; }
uint64_t aclOpExecutor::GetMagicNumber() { return magicNumber_; }
// Plans are kept by ptosim_aclnn::plan(); executors are not.
void aclOpExecutor::AbandonCache(bool) {}
void aclOpExecutor::FinalizeCache() {}
void aclOpExecutor::AddCache() {}
void aclOpExecutor::DeleteCache() {}
void aclOpExecutor::SetIOTensorList() {}
bool aclOpExecutor::CheckLauncherRepeatable() { return true; }
aclnnStatus aclOpExecutor::RepeatRunWithCache(void*, const aclrtStream) { return ACLNN_ERR_INNER; }
op::internal::OpExecCache* aclOpExecutor::GetOpExecCache() { return nullptr; }
void* aclOpExecutor::GetGraph() { return nullptr; }

aclnnStatus CommonOpExecutorRun(void* workspace, uint64_t size, aclOpExecutor* executor,
                                aclrtStream stream) {
    if (executor == nullptr || (size > 0 && workspace == nullptr)) {
        ptosim_aclnn::report(std::string("a second phase has no ") +
                             (executor == nullptr ? "executor" : "workspace"));
        if (executor != nullptr) delete executor;
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    const uint64_t needed = executor->GetWorkspaceSize();
    aclnnStatus status = ACLNN_SUCCESS;
    if (size < needed) {
        ptosim_aclnn::report("a second phase has a workspace of " + std::to_string(size) +
                             " bytes, and needs " + std::to_string(needed));
        status = ACLNN_ERR_PARAM_INVALID;
    } else {
        executor->UpdateStorageAddr();
        executor->SetStream(stream);
        executor->UpdateTensorAddr(workspace, size);
        status = executor->Run();
    }
    if (!executor->IsRepeatable()) delete executor;
    return status;
}

// Calls of op_api declare it themselves.
extern "C" __attribute__((visibility("default"))) void NnopbaseSetHcclServerType(void* executor,
                                                                                 int type) {
    t_chooser = executor;
    t_server = type;
}

void InitL2Phase1Context(const char* name, aclOpExecutor**) {
    t_log.info = {};
    t_log.info.l2ApiName = name;
    t_log.config.aicNum_ = op::GetCurrentPlatformInfo().GetCubeCoreNum();
    t_log.config.aivNum_ = op::GetCurrentPlatformInfo().GetVectorCoreNum();
}
void InitL2Phase2Context(const char* name, aclOpExecutor*) {
    t_log.info = {};
    t_log.info.l2ApiName = name;
}
void InitL0Context(const char* name, aclOpExecutor*) { t_log.info.l0Name = name; }

// ---- calls that are generated from a definition
// ---------------------------------------------------

namespace {

// The argument as a list of tensors. Values of the host become tensors of the executor.
ptosim_aclnn::Tensors tensors_of(const ptosim_argument& argument, aclOpExecutor& executor) {
    const auto type = static_cast<op::DataType>(argument.integer);
    switch (argument.kind) {
        case PTOSIM_INPUT_LIST:
        case PTOSIM_OUTPUT_LIST: {
            const auto& list = *static_cast<const aclTensorList*>(argument.pointer);
            return {list.GetData(), list.GetData() + list.Size()};
        }
        case PTOSIM_INPUT_VALUES:
            return {
                executor.ConvertToTensor(static_cast<const aclIntArray*>(argument.pointer), type)};
        case PTOSIM_INPUT_FLOATS:
            return {executor.ConvertToTensor(static_cast<const aclFloatArray*>(argument.pointer),
                                             type)};
        case PTOSIM_INPUT_BOOLS:
            return {
                executor.ConvertToTensor(static_cast<const aclBoolArray*>(argument.pointer), type)};
        default:
            return {static_cast<const aclTensor*>(argument.pointer)};
    }
}

// A tensor with the shape of its view also in memory: PyTorch's extensions give memory one extent.
const aclTensor* as_seen(const aclTensor* tensor, aclOpExecutor& executor) {
    if (tensor->GetPlacement() == gert::kOnHost ||
        op::IsPrivateFormat(tensor->GetStorageFormat()) ||
        tensor->GetStorageShape() == tensor->GetViewShape())
        return tensor;
    return executor.CreateView(tensor, tensor->GetViewShape(), tensor->GetViewOffset());
}

}  // namespace

aclnnStatus ptosim_aclnn::accept(Tensors& tensors, const std::string& where,
                                 aclOpExecutor& executor) {
    for (const aclTensor*& tensor : tensors) {
        if (tensor == nullptr || !op::IsContiguous(tensor)) {
            report(where + (tensor == nullptr
                                ? " has a tensor that is null"
                                : " is not contiguous, and this call does not copy it"));
            return tensor == nullptr ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID;
        }
        tensor = as_seen(tensor, executor);
    }
    return ACLNN_SUCCESS;
}

namespace {

std::string attribute_of(const ptosim_argument& argument) {
    switch (argument.kind) {
        case PTOSIM_BOOL:
            return ptosim_aclnn::word_of(argument.integer != 0);
        case PTOSIM_INT:
            return ptosim_aclnn::word_of(argument.integer);
        case PTOSIM_FLOAT:
            return ptosim_aclnn::word_of(static_cast<float>(argument.number));
        case PTOSIM_STRING:
            return ptosim_aclnn::word_of(static_cast<const char*>(argument.pointer));
        case PTOSIM_BOOL_LIST:
            return ptosim_aclnn::word_of(static_cast<const aclBoolArray*>(argument.pointer));
        case PTOSIM_INT_LIST:
            return ptosim_aclnn::word_of(static_cast<const aclIntArray*>(argument.pointer));
        default:
            return ptosim_aclnn::word_of(static_cast<const aclFloatArray*>(argument.pointer));
    }
}

}  // namespace

aclnnStatus ptosim_aclnn_prepare(const char* api, const char* type,
                                 const ptosim_argument* arguments, uint64_t count,
                                 uint64_t* workspace, aclOpExecutor** executor) {
    if (const aclnnStatus status = op::CheckPhase1Params(executor, workspace);
        status != ACLNN_SUCCESS)
        return status;
    InitL2Phase1Context(api, executor);
    UniqueExecutor owner(api);
    ptosim_aclnn::Call call(type);
    for (uint64_t i = 0; i < count; ++i) {
        const ptosim_argument& argument = arguments[i];
        const bool is_output =
            argument.kind == PTOSIM_OUTPUT || argument.kind == PTOSIM_OUTPUT_LIST;
        if (argument.kind >= PTOSIM_BOOL) {
            call.attributes.push_back(attribute_of(argument));
            continue;
        }
        auto& side = is_output ? call.outputs : call.inputs;
        if (argument.pointer == nullptr && argument.optional == 0) {
            ptosim_aclnn::report(std::string(api) + "GetWorkspaceSize: '" + argument.name +
                                 "' is null");
            return ACLNN_ERR_PARAM_NULLPTR;
        }
        side.push_back(argument.pointer != nullptr ? tensors_of(argument, *owner.get())
                                                   : ptosim_aclnn::Tensors());
        const aclnnStatus status = ptosim_aclnn::accept(
            side.back(), std::string(api) + "GetWorkspaceSize: '" + argument.name + "'",
            *owner.get());
        if (status != ACLNN_SUCCESS) return status;
    }
    const aclnnStatus status = ptosim_aclnn::add_kernel(*owner.get(), std::move(call));
    if (status != ACLNN_SUCCESS) return status;
    *workspace = owner->GetWorkspaceSize();
    owner.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

aclnnStatus ptosim_aclnn_run(void* workspace, uint64_t size, aclOpExecutor* executor,
                             aclrtStream stream) {
    return CommonOpExecutorRun(workspace, size, executor, stream);
}
