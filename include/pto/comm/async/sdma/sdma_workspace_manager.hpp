// The host's side of asynchronous prefetches. They need no workspace here; there is one, on the
// device, for kernels that are handed its address or ask whether they have it.
#pragma once

#include <stddef.h>

#include "acl/acl.h"

namespace pto::comm::sdma {

class SdmaWorkspaceManager {
 public:
    SdmaWorkspaceManager() = default;
    SdmaWorkspaceManager(const SdmaWorkspaceManager&) = delete;
    SdmaWorkspaceManager& operator=(const SdmaWorkspaceManager&) = delete;
    ~SdmaWorkspaceManager() { Finalize(); }

    // False if the device has no memory left.
    bool Init() {
        return workspace_ != nullptr ||
               aclrtMalloc(&workspace_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS;
    }
    void* GetWorkspaceAddr() const { return workspace_; }
    void Finalize() {
        if (workspace_ != nullptr) aclrtFree(workspace_);
        workspace_ = nullptr;
    }

 private:
    static constexpr size_t kBytes = 4096;
    void* workspace_ = nullptr;
};

}  // namespace pto::comm::sdma
