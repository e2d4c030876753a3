// The host's side of transfers by URMA, which is not simulated: hosts that only name it compile and run.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "hccl/hccl_comm.h"

namespace pto::comm::urma {

class UrmaWorkspaceManager {
 public:
    UrmaWorkspaceManager() = default;
    UrmaWorkspaceManager(const UrmaWorkspaceManager&) = delete;
    UrmaWorkspaceManager& operator=(const UrmaWorkspaceManager&) = delete;

    bool Init(HcclComm, uint32_t, uint32_t, void*, uint64_t) {
        fputs("error: URMA is not simulated [U01]\n  help: use TPUT and TGET, or SDMA\n", stderr);
        return false;
    }
    void* GetWorkspaceAddr() const { return nullptr; }
    uint64_t PeerBaseAddr(uint32_t) const { return 0; }
    void Finalize() {}
};

}  // namespace pto::comm::urma
