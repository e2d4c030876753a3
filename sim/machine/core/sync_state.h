// All state by which the pipes of a core wait for each other and for other cores.
#pragma once

#include "sim/machine/core/buffer_tokens.h"
#include "sim/machine/core/cross_core_flags.h"
#include "sim/machine/core/flags.h"
#include "sim/machine/core/unit_flags.h"

namespace ptosim {

struct SyncState {
    explicit SyncState(CoreContext& core)
        : flags{core}, cross_core{core}, units{core.lane}, buffers{core} {}

    FlagFile flags;
    CrossCoreFlags cross_core;
    UnitFlags units;
    BufferTokens buffers;

    // A launch begins: clears the state of the last launch, except flags that the chip keeps and unit flags. Returns the
    // number of sets that flags still hold.
    unsigned begin_launch() {
        cross_core.clear();
        units.begin_launch();
        buffers.clear();
        return flags.begin_launch();
    }
};

}  // namespace ptosim
