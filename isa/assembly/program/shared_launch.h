// What a port says by being one of these, too: its kernel may be one of several in a launch, on
// some of the launch's cores. Flags of all cores do not join those; a soft `pto.syncall` counts
// them in global memory instead, as a device does.
#pragma once

namespace ptosim::assembly {

class SharedLaunch {
 public:
    virtual ~SharedLaunch() = default;
};

}  // namespace ptosim::assembly
