// The calls of HCCL: check arguments and call the communicators of the device.
#include "hccl/hccl.h"

#include <cstring>

#include "ptosim/device.h"

#include "sim/faces/host/acl_devices.h"
#include "sim/faces/host/host_error.h"

namespace {

using ptosim::AclDevice;
using ptosim::Communicators;
using ptosim::HostError;
using ptosim::RootInfo;

static_assert(sizeof(RootInfo) <= HCCL_ROOT_INFO_BYTES);

// Runs a call. Exceptions are reported and become its code.
template <class F>
HcclResult communicate(const char* name, std::initializer_list<const void*> results, F&& function) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    try {
        for (const void* const result : results)
            if (result == nullptr)
                throw ptosim::host_error(HCCL_E_PTR, std::string(name) + ": a required pointer is null");
        if (ptosim::AclDevices::get().several())
            throw ptosim::host_error(HCCL_E_NOT_SUPPORT,
                                     std::string(name) + ": a communicator of a process that has used several devices",
                                     "start a process for each rank with mpirun -n; or use aclrtDeviceEnablePeerAccess",
                                     "H27");
        device.run_pending();
        function(device.communicators());
        return HCCL_SUCCESS;
    } catch (const HostError& failure) {
        device.report(failure.diagnostic);
        return static_cast<HcclResult>(failure.code);
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) device.report(d);
        return HCCL_E_MEMORY;
    }
}

}  // namespace

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
    return communicate("HcclGetRootInfo", {rootInfo}, [&](Communicators& all) {
        const RootInfo root = all.make_root();
        *rootInfo = {};
        std::memcpy(rootInfo->internal, &root, sizeof root);
    });
}
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm) {
    return communicate("HcclCommInitRootInfo", {rootInfo, comm}, [&](Communicators& all) {
        RootInfo root;
        std::memcpy(&root, rootInfo->internal, sizeof root);
        root.meeting[sizeof root.meeting - 1] = 0;
        *comm = all.join(root, rank, nRanks);
    });
}
HcclResult HcclCommDestroy(HcclComm comm) {
    return communicate("HcclCommDestroy", {}, [&](Communicators& all) { all.destroy(comm); });
}
HcclResult HcclGetCommName(HcclComm comm, char* commName) {
    return communicate("HcclGetCommName", {commName}, [&](Communicators& all) {
        std::strcpy(commName, all.find(comm).name().c_str());
    });
}
HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
    return communicate("HcclGetRankSize", {rankSize},
                       [&](Communicators& all) { *rankSize = all.find(comm).ranks(); });
}
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
    return communicate("HcclGetRankId", {rank}, [&](Communicators& all) { *rank = all.find(comm).rank(); });
}
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
    return communicate("HcclBarrier", {}, [&](Communicators& all) {
        AclDevice::get().streams().stream(stream);
        AclDevice::get().captures().require_running(stream, "HcclBarrier");
        all.find(comm).barrier();
    });
}
HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topoType, uint32_t) {
    constexpr uint32_t kFullMesh = 1;
    return communicate("HcomGetL0TopoTypeEx", {group, topoType}, [&](Communicators& all) {
        all.find(std::string(group));
        *topoType = kFullMesh;
    });
}
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle) {
    return communicate("HcomGetCommHandleByGroup", {group, commHandle},
                       [&](Communicators& all) { *commHandle = &all.find(std::string(group)); });
}
HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void*, void** commContext) {
    return communicate("HcclAllocComResourceByTiling", {commContext}, [&](Communicators& all) {
        AclDevice::get().streams().stream(stream);
        *commContext = reinterpret_cast<void*>(all.windows(comm));
    });
}

int ptosim_operator_context(const char* group, void** context) {
    return communicate("an operator between ranks", {group, context}, [&](Communicators& all) {
        *context = reinterpret_cast<void*>(all.operator_context(group));
    });
}

const char* HcclGetErrorString(HcclResult code) {
    switch (code) {
        case HCCL_SUCCESS:
            return "no error";
        case HCCL_E_PARA:
            return "parameter error";
        case HCCL_E_PTR:
            return "null pointer";
        case HCCL_E_MEMORY:
            return "out of memory";
        case HCCL_E_NOT_SUPPORT:
            return "not supported";
        case HCCL_E_NOT_FOUND:
            return "not found";
        case HCCL_E_UNAVAIL:
            return "not available";
        case HCCL_E_REMOTE:
            return "another rank exited";
        default:
            return "error";
    }
}
