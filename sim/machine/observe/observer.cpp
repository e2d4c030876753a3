#include "sim/machine/observe/observer.h"

#include "isa/table/remote_operands.h"

namespace ptosim {

std::string name(CoreId core) {
    std::string text(name(core.type));
    if (core.index < 10) text += '0';
    return text + std::to_string(core.index);
}

CoreId peer_core(CoreId core, uint8_t peer) {
    const unsigned cluster = core.type == CoreType::kAIC ? core.index : core.index / 2u;
    if (peer == kRemoteAic) return {CoreType::kAIC, static_cast<uint16_t>(cluster)};
    return {CoreType::kAIV, static_cast<uint16_t>(2 * cluster + (peer == kRemoteAiv1 ? 1u : 0u))};
}

std::string cross_flag_text(unsigned id) {
    if (id < kIntraBlockIds) return "cross-core flag #" + std::to_string(id);
    return "intra-block flag #" + std::to_string(id - kIntraBlockIds);
}

std::string_view name(BlockReason reason) {
    switch (reason) {
        case BlockReason::kFlag:
            return "flag";
        case BlockReason::kBarrier:
            return "barrier";
        case BlockReason::kQueueFull:
            return "queue full";
        case BlockReason::kData:
            return "data";
        case BlockReason::kCrossCore:
            return "cross-core";
        case BlockReason::kInFlight:
            return "in flight";
        case BlockReason::kDrain:
            return "drain";
    }
    return "unknown";
}

}  // namespace ptosim
