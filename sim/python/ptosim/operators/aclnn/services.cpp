// Functions that opbase's classes and operators call, other than those of executors: memory, the log, the platform, and
// the switches of profiling and caches, which are off.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine.h"
#include "opdev/op_cache.h"
#include "opdev/op_dfx.h"
#include "opdev/op_executor.h"
#include "opdev/platform.h"
#include "ptosim/device.h"

extern "C" void ptosim_host_message(const char* text);

namespace ptosim_aclnn {

void report(const std::string& text) {
    std::fprintf(stderr, "error: %s\n", text.c_str());
    ptosim_host_message(text.c_str());
}

namespace {

std::string formatted(const char* format, va_list values) {
    char text[4096];
    std::vsnprintf(text, sizeof text, format, values);
    return text;
}

uint32_t figure(const char* group, const char* key, uint32_t otherwise) {
    const char* const text = ptosim_chip_figure(group, key);
    return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace
}  // namespace ptosim_aclnn

// ---- the log ------------------------------------------------------------------------------------

int32_t CheckLogLevelInner(int32_t, int32_t level) { return level == OP_LOG_ERROR ? 1 : 0; }

void DlogRecordInner(int32_t, int32_t level, const char* format, ...) {
    if (level != OP_LOG_ERROR) return;
    va_list values;
    va_start(values, format);
    const std::string text = ptosim_aclnn::formatted(format, values);
    va_end(values);
    // A first phase that fails does not free its executor.
    if (text.find("errno[" + std::to_string(ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR) + "]") !=
        std::string::npos)
        return;
    std::fprintf(stderr, "error: %s\n", text.c_str());
}

void ReportErrorMessageInner(const std::string& code, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const std::string text = ptosim_aclnn::formatted(format, values);
    va_end(values);
    ptosim_host_message((code + ": " + text).c_str());
}

// ---- objects ------------------------------------------------------------------------------------

namespace op {
namespace internal {

void* Allocate(size_t size) { return std::malloc(size != 0 ? size : 1); }
void DeAllocate(void* address) { std::free(address); }
void FreeExtendTensorImpl(void*) {}

OpProfilingSwitch::OpProfilingSwitch()
    : reportFlag(false),
      kernelLaunchFlag(false),
      additionInfoFlag(false),
      recordOpArgFlag(false),
      level2ProfilingFlag(false),
      timeStampFlag(false) {}
OpProfilingSwitch opProfilingSwitch;
uint64_t OpGetLogSequence() { return 0; }
uint64_t GenSummaryItemId(const char*, const char*) { return 0; }
uint64_t GenSummaryItemId(const char*, const char*, const char*) { return 0; }
uint64_t GenKernelLauncherId(const char*) { return 0; }

void* MallocPtr(size_t size) { return std::malloc(size); }
void FreePtr(void* address) { std::free(address); }

// ---- the cache of executors, which is off -------------------------------------------------------

thread_local char g_hashBuf[K_HASH_BUF_SIZE];
thread_local uint64_t g_hashOffset = 0;
bool CheckCacheable() { return false; }
void* GetCacheBuf() { return nullptr; }
void AddSeperator() {}
void AddParamToBuf(const aclTensor*) {}
void AddParamToBuf(aclTensor*) {}
void AddParamToBuf(const aclScalar*) {}
void AddParamToBuf(aclScalar*) {}
void AddParamToBuf(const aclIntArray*) {}
void AddParamToBuf(const aclBoolArray*) {}
void AddParamToBuf(const aclFloatArray*) {}
void AddParamToBuf(const aclFp16Array*) {}
void AddParamToBuf(const aclTensorList*) {}
void AddParamToBuf(const aclScalarList*) {}
void AddParamToBuf(aclTensorList*) {}
void AddParamToBuf(aclScalarList*) {}
void AddParamToBuf(const std::string&) {}
void AddParamToBuf(const aclDataType) {}
void AddParamToBuf(const char*) {}
void AddParamToBuf(char*) {}
void AddParamToBuf() {}
void InitExecutorCacheThreadLocal() { g_hashOffset = 0; }
void AddOpConfigInfoToBuf() {}
bool GetFromCache(aclOpExecutor**, uint64_t*) { return false; }

}  // namespace internal

// ---- traces of functions, which are off ---------------------------------------------------------

ge::AscendString ToString(const std::string& text) { return ge::AscendString(text.c_str()); }
uint32_t GenOpTypeId(const char* name) {
    uint32_t id = INVALID_OP_TYPE;
    OpTypeDict::Add(id, name);
    return id;
}
uint32_t GenOpTypeId(const char* name, const OP_RESOURCES&) { return GenOpTypeId(name); }
uint32_t GenOpTypeId(const char* name, const OP_SOC_RESOURCES&) { return GenOpTypeId(name); }
bool IsDumpEnabled() { return false; }
void InitThreadLocalContext() {}
aclnnStatus CheckPhase1Params(aclOpExecutor** executor, uint64_t* size) {
    if (executor != nullptr && size != nullptr) return ACLNN_SUCCESS;
    ptosim_aclnn::report(std::string("a first phase has no address for the ") +
                         (executor == nullptr ? "executor" : "size of the workspace"));
    return ACLNN_ERR_PARAM_NULLPTR;
}
void AddInputTensorToThreadLocalCtx(const aclTensor* const) {}
void AddInputTensorToThreadLocalCtx(aclTensor* const) {}
void AddInputTensorToThreadLocalCtx(const aclTensorList* const) {}
void AddInputTensorToThreadLocalCtx(aclTensorList* const) {}
void AddOutputTensorToThreadLocalCtx(const aclTensor* const) {}
void AddOutputTensorToThreadLocalCtx(aclTensor* const) {}
void AddOutputTensorToThreadLocalCtx(const aclTensorList* const) {}
void AddOutputTensorToThreadLocalCtx(aclTensorList* const) {}
OpDfxProfiler* CreateDfxProfiler(const char*) { return nullptr; }
OpDfxProfiler* CreateDfxProfiler(uint32_t) { return nullptr; }
OpDfxGuard::OpDfxGuard(const char*, int, OpLevel, const char*) {}
OpDfxGuard::OpDfxGuard(uint64_t, DfxProfilingType) {}
OpDfxGuard::~OpDfxGuard() = default;
// Names of parameters, which only the log would show: as many as there may be values.
void OpDfxGuard::StringToVec(const char*, std::vector<std::string>& names) { names.resize(256); }
void OpDfxGuard::StringToVecWithBrackets(const char*, std::vector<std::string>& names) {
    names.resize(256);
}

// ---- the platform -------------------------------------------------------------------------------

class PlatformInfoImpl {
 public:
    std::string name;
    SocVersion version = SocVersion::ASCEND910B;
    NpuArch arch = NpuArch::DAV_2201;
    fe::PlatFormInfos infos;
};

namespace {

PlatformInfoImpl& platform() {
    static PlatformInfoImpl& made = *[] {
        auto* found = new PlatformInfoImpl;
        const char* const soc = ptosim_chip_figure("version", "SoC_version");
        const char* const family = ptosim_chip_figure("version", "Short_SoC_version");
        found->name = soc != nullptr ? soc : "";
        const std::string known = family != nullptr ? family : "";
        if (known.find("910_93") != std::string::npos) found->version = SocVersion::ASCEND910_93;
        if (known.find("950") != std::string::npos || known.find("910_95") != std::string::npos) {
            found->version = SocVersion::ASCEND950;
            found->arch = NpuArch::DAV_3510;
        }
        found->infos.Init();
        return found;
    }();
    return made;
}

}  // namespace

const PlatformInfo& GetCurrentPlatformInfo() {
    static PlatformInfo& current = *new PlatformInfo(0);
    return current;
}
PlatformInfo::~PlatformInfo() = default;
SocVersion PlatformInfo::GetSocVersion() const { return platform().version; }
const std::string& PlatformInfo::GetSocLongVersion() const { return platform().name; }
int32_t PlatformInfo::GetDeviceId() const { return deviceId_; }
bool PlatformInfo::CheckSupport(SocSpec, SocSpecAbility ability) const {
    switch (ability) {
        case SocSpecAbility::INST_MMAD_F162F32:
        case SocSpecAbility::INST_MMAD_H322F32:
        case SocSpecAbility::INST_MMAD_F322F32:
        case SocSpecAbility::INST_MMAD_S32S8S8:
        case SocSpecAbility::INST_MMAD_S8:
            return true;
        default:
            return false;
    }
}
int64_t PlatformInfo::GetBlockSize() const { return 32; }
uint32_t PlatformInfo::GetCubeCoreNum() const {
    return ptosim_aclnn::figure("SoCInfo", "cube_core_cnt", 20);
}
uint32_t PlatformInfo::GetVectorCoreNum() const {
    return ptosim_aclnn::figure("SoCInfo", "vector_core_cnt", 40);
}
bool PlatformInfo::Valid() const { return true; }
bool PlatformInfo::GetFftsPlusMode() const { return platform().arch == NpuArch::DAV_2201; }
NpuArch PlatformInfo::GetCurNpuArch() const { return platform().arch; }
fe::PlatFormInfos* PlatformInfo::GetPlatformInfos() const { return &platform().infos; }
ge::AscendString ToString(SocVersion version) {
    return version == SocVersion::ASCEND950      ? "Ascend950"
           : version == SocVersion::ASCEND910_93 ? "Ascend910_93"
                                                 : "Ascend910B";
}

}  // namespace op
