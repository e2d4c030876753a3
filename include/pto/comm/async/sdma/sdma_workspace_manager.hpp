// The host's side of asynchronous prefetches. They need no workspace here; it is there for kernels
// that ask whether they have one.
#pragma once

#include <stdint.h>

#include "acl/acl.h"

namespace pto::comm::sdma {

class SdmaWorkspaceManager {
 public:
    bool Init() { return true; }
    void* GetWorkspaceAddr() { return &workspace_; }
    void Finalize() {}

 private:
    uint64_t workspace_ = 0;
};

}  // namespace pto::comm::sdma
