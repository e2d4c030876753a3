// Cross-core flags of a2a3 (ffts_cross_core_sync, wait_flag_dev).
//
// A signal belongs to a group of participants. When every participant has signalled once, the flag is incremented at
// every destination. Mode 0: all cores of a type, each to each. Mode 1: the AIVs of a cluster, each to each. Mode 2:
// the AIC to its AIVs, or both AIVs to the AIC.
//
// Flags from core to core of a cluster (a5: set_intra_block, wait_intra_block) need no group. The AIC distinguishes its
// AIVs by the number: those of AIV 1 are 16 higher.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/core/pipe.h"
#include "sim/machine/observe/observer.h"

namespace ptosim {

class CrossCoreNetwork {
 public:
    // The group that a signal has completed: one signal of each core of `group`, on its way to `to`.
    struct Match {
        std::vector<CoreId> group, to;  // both empty: the group is incomplete
    };

    // Starts a launch on `cores`, without signals.
    void begin(std::vector<CoreId> cores, unsigned aivs_per_cluster);
    // Processes a signal from `from` and returns the cores that it reaches now. `participants`: for mode 0, the number
    // of cores of the type, counted from the first; 0: all.
    Match signal(CoreId from, unsigned mode, unsigned id, unsigned participants = 0,
                 SourceLocation where = {});
    // Signals of a core that its group has not matched, and the cores that have yet to signal.
    struct Unmatched {
        CoreId from;
        unsigned mode = 0, id = 0;
        SourceLocation location;  // of the last
        std::vector<CoreId> missing;
    };
    std::vector<Unmatched> unmatched() const;
    // Target of an intra-block signal with this number, and its number there.
    struct Target {
        std::optional<CoreId> core;  // empty: no such core takes part
        unsigned id = 0;
    };
    Target intra_block(CoreId from, unsigned id) const;

 private:
    std::vector<CoreId> group(CoreId from, unsigned mode, unsigned participants) const;
    std::vector<CoreId> destinations(CoreId from, unsigned mode, unsigned participants) const;
    std::vector<CoreId> cluster_cores(unsigned cluster, CoreType type) const;
    unsigned cluster_of(CoreId core) const {
        return core.type == CoreType::kAIC ? core.index : core.index / aivs_per_cluster_;
    }

    std::vector<CoreId> cores_;
    unsigned aivs_per_cluster_ = 2;
    // Signals of a core that its group has not matched yet: by mode, id and core.
    struct Pending {
        unsigned count = 0, participants = 0;
        SourceLocation location;
    };
    using Key = std::array<unsigned, 4>;
    static Key key(unsigned mode, unsigned id, CoreId core) {
        return {mode, id, static_cast<unsigned>(core.type), core.index};
    }
    std::map<Key, Pending> pending_;
};

}  // namespace ptosim
