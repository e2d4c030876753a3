// The functions that op_build's calls use. Such a call describes its operator piece by piece, by
// the numbers of the parameters in the definition; then its first phase plans the variant.
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine.h"
#include "individual_op_api.h"
#include "opdev/op_errno.h"
#include "opdev/op_executor.h"
#include "ptosim/device.h"

extern "C" void NnopbaseSetHcclServerType(void* executor, NnopbaseHcclServerType type);

namespace {

using ptosim_aclnn::Tensors;
using ptosim_aclnn::word_of;

// A call between NnopbaseGetExecutor() and its second phase.
struct Described {
    explicit Described(const char* type) : call(type) {}

    ptosim_aclnn::Call call;
    std::vector<bool> any_strides;  // by inputs: tensors that need not be contiguous
    std::vector<std::string> names[2];  // of outputs, inputs
    bool is_supported = true;  // by the definition, on this chip
    int server = ptosim_aclnn::kUnstated;

    std::string where(bool input, size_t at) const {
        const auto& known = names[input];
        const std::string name = at < known.size() ? known[at] : "";
        return "aclnn" + call.type + "GetWorkspaceSize: " + (input ? "input " : "output ") +
               (name.empty() ? std::to_string(at) : "'" + name + "'");
    }
};

class Calls {
 public:
    static Calls& get() {
        static Calls& calls = *new Calls;
        return calls;
    }
    Described& add(void* executor, const char* type) {
        const std::lock_guard lock(mutex_);
        auto& made = all_[executor];
        made = std::make_unique<Described>(type);
        return *made;
    }
    Described* find(const void* executor) {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(executor);
        if (found != all_.end()) return found->second.get();
        ptosim_aclnn::report("a call names an executor that NnopbaseGetExecutor() has not made");
        return nullptr;
    }
    void remove(const void* executor) {
        const std::lock_guard lock(mutex_);
        all_.erase(executor);
    }

 private:
    std::mutex mutex_;
    std::unordered_map<const void*, std::unique_ptr<Described>> all_;
};

// The chip's short name in small letters, as in lists of supported chips.
const std::string& chip_name() {
    static const std::string& name = *[] {
        const char* const text = ptosim_chip_figure("version", "Short_SoC_version");
        auto* made = new std::string(text != nullptr ? text : "");
        std::transform(made->begin(), made->end(), made->begin(),
                       [](unsigned char c) { return std::tolower(c); });
        return made;
    }();
    return name;
}

aclnnStatus put(void* executor, bool input, size_t at, Tensors tensors) {
    Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    auto& side = input ? described->call.inputs : described->call.outputs;
    if (at >= side.size()) {
        ptosim_aclnn::report(described->where(input, at) + " is not in the definition");
        return ACLNN_ERR_PARAM_INVALID;
    }
    side[at] = std::move(tensors);
    return ACLNN_SUCCESS;
}

aclnnStatus put(void* executor, bool input, size_t at, const aclTensor* tensor) {
    return put(executor, input, at, tensor != nullptr ? Tensors{tensor} : Tensors());
}

aclnnStatus put(void* executor, bool input, size_t at, const aclTensorList* list) {
    return put(executor, input, at,
               list != nullptr ? Tensors(list->GetData(), list->GetData() + list->Size())
                               : Tensors());
}

// Values of the host as an input, which the tiling reads.
template <class Values>
aclnnStatus put_values(void* executor, size_t at, const Values* values, op::DataType type) {
    if (values == nullptr) return put(executor, true, at, Tensors());
    return put(executor, true, at,
               static_cast<aclOpExecutor*>(executor)->ConvertToTensor(values, type));
}

aclnnStatus put_attribute(void* executor, size_t at, std::string word) {
    Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    if (at >= described->call.attributes.size()) {
        ptosim_aclnn::report("aclnn" + described->call.type + "GetWorkspaceSize: attribute " +
                             std::to_string(at) + " is not in the definition");
        return ACLNN_ERR_PARAM_INVALID;
    }
    described->call.attributes[at] = std::move(word);
    return ACLNN_SUCCESS;
}

// The type of a scalar as an input: stated, or that of another input.
op::DataType type_of_scalar(void* executor, int32_t source, ge::DataType stated) {
    const Described* const described = Calls::get().find(executor);
    if (described == nullptr || source < 0 ||
        static_cast<size_t>(source) >= described->call.inputs.size())
        return stated;
    const Tensors& list = described->call.inputs[static_cast<size_t>(source)];
    return list.empty() || list[0] == nullptr ? stated : list[0]->GetDataType();
}

}  // namespace

// Calls report each of their steps that fails. Steps other than "NAME != nullptr" are functions
// below, which have reported the cause.
void NnopbaseOpLogE(const aclnnStatus, const char* const expression) {
    const std::string text = expression;
    if (const size_t at = text.find(" != nullptr"); at != std::string::npos)
        ptosim_aclnn::report("a two-phase call ends because '" + text.substr(0, at) + "' is null");
}

extern "C" {

aclnnStatus NnopbaseCreateExecutorSpace(void** space) {
    static char there;
    *space = &there;
    return ACLNN_SUCCESS;
}

void* NnopbaseGetExecutor(void*, const char* type, char*, uint32_t inputs, char*, uint32_t outputs,
                          char*, uint32_t attributes) {
    InitL2Phase1Context(type, nullptr);
    aclOpExecutor* executor = nullptr;
    UniqueExecutor(type).ReleaseTo(&executor);
    Described& described = Calls::get().add(executor, type);
    described.call.inputs.resize(inputs);
    described.call.outputs.resize(outputs);
    described.call.attributes.resize(attributes);
    described.any_strides.resize(inputs);
    return executor;
}

aclnnStatus NnopbaseAddInput(void* executor, const aclTensor* tensor, const uint32_t at) {
    return put(executor, true, at, tensor);
}
aclnnStatus NnopbaseAddIgnoreContinuesInput(void* executor, const aclTensor* tensor,
                                            const uint32_t at) {
    const aclnnStatus status = put(executor, true, at, tensor);
    if (status == ACLNN_SUCCESS) Calls::get().find(executor)->any_strides[at] = true;
    return status;
}
aclnnStatus NnopbaseAddDynamicInput(void* executor, const aclTensorList* list, const uint32_t at) {
    return put(executor, true, at, list);
}
aclnnStatus NnopbaseAddIgnoreContiguousDynamicInput(void* executor, const aclTensorList* list,
                                                    const uint32_t at) {
    const aclnnStatus status = put(executor, true, at, list);
    if (status == ACLNN_SUCCESS) Calls::get().find(executor)->any_strides[at] = true;
    return status;
}
aclnnStatus NnopbaseAddIntArrayInput(void* executor, const aclIntArray* array, const uint32_t at) {
    return put_values(executor, at, array, op::DataType::DT_INT64);
}
aclnnStatus NnopbaseAddBoolArrayInput(void* executor, const aclBoolArray* array,
                                      const uint32_t at) {
    return put_values(executor, at, array, op::DataType::DT_BOOL);
}
aclnnStatus NnopbaseAddFloatArrayInput(void* executor, const aclFloatArray* array,
                                       const uint32_t at) {
    return put_values(executor, at, array, op::DataType::DT_FLOAT);
}
aclnnStatus NnopbaseAddScalarInput(void* executor, const aclScalar* scalar, const uint32_t at,
                                   const int32_t source, const ge::DataType type) {
    return put_values(executor, at, scalar, type_of_scalar(executor, source, type));
}
aclnnStatus NnopbaseAddScalarListInput(void* executor, const aclScalarList* list,
                                       const uint32_t at, const int32_t source,
                                       const ge::DataType type) {
    if (list == nullptr) return put(executor, true, at, Tensors());
    std::vector<double> values;
    for (uint64_t i = 0; i < list->Size(); ++i) values.push_back((*list)[i]->ToDouble());
    return put(executor, true, at,
               static_cast<aclOpExecutor*>(executor)->AllocHostTensor(
                   values.data(), values.size(), type_of_scalar(executor, source, type)));
}
aclnnStatus NnopbaseAddOutput(void* executor, const aclTensor* tensor, const uint32_t at) {
    return put(executor, false, at, tensor);
}
aclnnStatus NnopbaseAddOutputShapeDependTensor(void* executor, aclTensor* tensor,
                                               const uint32_t at) {
    return put(executor, false, at, tensor);
}
aclnnStatus NnopbaseAddDynamicOutput(void* executor, const aclTensorList* list,
                                     const uint32_t at) {
    return put(executor, false, at, list);
}

aclnnStatus NnopbaseAddAttrWithDtype(void* executor, void* value, const size_t, const size_t at,
                                     const NnopbaseAttrDtype type) {
    switch (type) {
        case kNnopbaseBool:
            return put_attribute(executor, at, word_of(*static_cast<const bool*>(value)));
        case kNnopbaseFloat:
            return put_attribute(executor, at, word_of(*static_cast<const float*>(value)));
        case kNnopbaseInt:
            return put_attribute(executor, at, word_of(*static_cast<const int64_t*>(value)));
        default:
            return put_attribute(executor, at, word_of(static_cast<const char*>(value)));
    }
}
aclnnStatus NnopbaseAddIntArrayAttr(void* executor, const aclIntArray* array, const size_t at) {
    return put_attribute(executor, at, word_of(array));
}
aclnnStatus NnopbaseAddBoolArrayAttr(void* executor, const aclBoolArray* array, const size_t at) {
    return put_attribute(executor, at, word_of(array));
}
aclnnStatus NnopbaseAddFloatArrayAttr(void* executor, const aclFloatArray* array,
                                      const size_t at) {
    return put_attribute(executor, at, word_of(array));
}
aclnnStatus NnopbaseAddArrayAttrWithDtype(void* executor, void* array, const size_t count,
                                          const size_t, const size_t at,
                                          const NnopbaseAttrDtype type) {
    auto& owner = *static_cast<aclOpExecutor*>(executor);
    switch (type) {
        case kNnopbaseBool:
            return put_attribute(
                executor, at,
                word_of(owner.AllocBoolArray(static_cast<const bool*>(array), count)));
        case kNnopbaseFloat:
            return put_attribute(
                executor, at,
                word_of(owner.AllocFloatArray(static_cast<const float*>(array), count)));
        case kNnopbaseInt:
            return put_attribute(
                executor, at,
                word_of(owner.AllocIntArray(static_cast<const int64_t*>(array), count)));
        default:
            ptosim_aclnn::report("lists of strings as attributes are not supported");
            return ACLNN_ERR_PARAM_INVALID;
    }
}

aclnnStatus NnopbaseAddParamName(void* executor, const uint32_t at, const char* name,
                                 const bool input) {
    Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    auto& names = described->names[input];
    if (names.size() <= at) names.resize(at + 1);
    names[at] = name;
    return ACLNN_SUCCESS;
}
const char* NnopbaseGetSocName() { return chip_name().c_str(); }
aclnnStatus NnopbaseAddSocNameList(void* executor, OpSupportList*, const char* const* names,
                                   size_t count) {
    Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    described->is_supported = std::any_of(names, names + count,
                                          [](const char* name) { return chip_name() == name; });
    return ACLNN_SUCCESS;
}
aclnnStatus NnopbaseAddSupportList(void*, OpSupportList*, uint32_t*, size_t) {
    return ACLNN_SUCCESS;  // calls prefer NnopbaseAddSocNameList()
}

aclnnStatus NnopbaseSetHcclServerTypeBySocName(void* executor, NnopbaseHcclServerType* servers,
                                               const char* const* names, size_t count) {
    Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    for (size_t i = 0; i < count; ++i)
        if (chip_name() == names[i]) described->server = servers[i];
    return ACLNN_SUCCESS;
}
void NnopbaseSetHcclServerTypeList(void*, NnopbaseHcclServerType*, const uint32_t*, size_t) {
    // Calls prefer the names.
}
aclnnStatus NnopbaseSetMc2(void* const) { return ACLNN_SUCCESS; }
aclnnStatus NnopbaseSetHcomGroup(void* const, char* const) {
    return ACLNN_SUCCESS;  // an attribute has it, too
}

aclnnStatus NnopbaseRunForWorkspace(void* executor, uint64_t* size) {
    auto* const made = static_cast<aclOpExecutor*>(executor);
    Described* const described = Calls::get().find(executor);
    if (described == nullptr || size == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    aclnnStatus status = ACLNN_SUCCESS;
    if (!described->is_supported) {
        ptosim_aclnn::report("aclnn" + described->call.type + "GetWorkspaceSize: " +
                             described->call.type + " is not defined for " + chip_name());
        status = ACLNN_ERR_PARAM_INVALID;
    }
    for (const bool input : {true, false}) {
        auto& side = input ? described->call.inputs : described->call.outputs;
        for (size_t at = 0; at < side.size() && status == ACLNN_SUCCESS; ++at)
            if (!input || !described->any_strides[at])
                status = ptosim_aclnn::accept(side[at], described->where(input, at), *made);
    }
    if (status == ACLNN_SUCCESS)
        status = ptosim_aclnn::add_kernel(*made, std::move(described->call));
    if (status == ACLNN_SUCCESS) {
        *size = made->GetWorkspaceSize();
    } else {
        Calls::get().remove(executor);
        aclDestroyAclOpExecutor(made);
    }
    return status;
}

aclnnStatus NnopbaseRunWithWorkspace(void* executor, aclrtStream stream, void* workspace,
                                     uint64_t size) {
    const Described* const described = Calls::get().find(executor);
    if (described == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    if (described->server != ptosim_aclnn::kUnstated)
        NnopbaseSetHcclServerType(executor, static_cast<NnopbaseHcclServerType>(described->server));
    auto* const made = static_cast<aclOpExecutor*>(executor);
    if (!made->IsRepeatable()) Calls::get().remove(executor);
    return CommonOpExecutorRun(workspace, size, made, stream);
}

void* NnopbaseGetApiFunc(const char* name) { return dlsym(RTLD_DEFAULT, name); }

// Tensors that are not contiguous end the first phase, so there are no copies of them.
aclnnStatus NnopbaseGetUnContiguousTensors(void*, const aclTensorList** tensors) {
    *tensors = nullptr;
    return ACLNN_SUCCESS;
}
aclnnStatus NnopbaseSetUnContExecutor(void*, aclOpExecutor*, const size_t) { return ACLNN_SUCCESS; }
aclnnStatus NnopbaseGetUnContExecutor(void*, aclOpExecutor** executor, size_t* size) {
    *executor = nullptr;
    *size = 0;
    return ACLNN_SUCCESS;
}
aclnnStatus NnopbaseGetRefUnContiguousTensors(void*, const aclTensorList** strided,
                                              const aclTensorList** contiguous) {
    *strided = *contiguous = nullptr;
    return ACLNN_SUCCESS;
}
aclnnStatus NnopbaseSetRef(void*, const size_t, const size_t) { return ACLNN_SUCCESS; }
aclnnStatus NnopbaseSetViewCopyExecutor(void*, aclOpExecutor*) { return ACLNN_SUCCESS; }
aclnnStatus NnopbaseGetViewCopyExecutor(void*, aclOpExecutor** executor) {
    *executor = nullptr;
    return ACLNN_SUCCESS;
}
aclnnStatus NnopbaseReleaseRefContiguousTensors(void*, const aclTensorList** tensors) {
    *tensors = nullptr;
    return ACLNN_SUCCESS;
}

// Profiling, caches of executors and modes of checks are off.
uint64_t NnopbaseMsprofSysTime() { return 0; }
aclnnStatus NnopbaseAddTilingId(void*, NnopbaseDfxId*) { return ACLNN_SUCCESS; }
void NnopbaseReportApiInfo(const uint64_t, NnopbaseDfxId&) {}
void NnopbaseAddOpTypeId(void*, const uint32_t) {}
void NnopbaseSetMatchArgsFlag(void*) {}
bool NnopbaseMatchArgs(void*, uint64_t*) { return false; }
aclnnStatus NnopbaseSetFormatMatchMode(void*, const uint32_t) { return ACLNN_SUCCESS; }
void NnopbaseSetParamCheckMode(void*, const uint32_t) {}
void NnopbaseSetZeroEleOutputLaunchFlag(void*) {}
aclnnStatus NnopbaseDisableOptionalInput(void*, const size_t) { return ACLNN_SUCCESS; }

}  // extern "C"
