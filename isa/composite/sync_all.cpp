#include "isa/composite/sync_all.h"

#include "isa/core/arch.h"

namespace ptosim {
namespace {

class SyncAll {
 public:
    SyncAll(KernelPort& port, const Instruction& instruction)
        : port_{port},
          instruction_{instruction},
          intra_block_{traits_of(port.arch()).flags_between_cores} {}

    void barrier() {
        Instruction barrier(Opcode::kPIPE_BARRIER, instruction_.location);
        port_.issue(barrier);
    }
    void signal_all(Pipe pipe, uint8_t id) {
        Instruction set = flag(Opcode::kCROSS_SET, pipe, id);
        set.attributes.cross_mode = 0;
        set.attributes.participants = instruction_.attributes.participants;
        port_.issue(set);
        port_.issue(flag(Opcode::kCROSS_WAIT, Pipe::kS, id));
    }
    // To the other core type of the cluster, and from it; an AIC has two of the other.
    void signal_cluster(Pipe pipe, uint8_t id) {
        port_.issue(flag(intra_block_ ? Opcode::kINTRA_SET : Opcode::kCROSS_SET, pipe, id));
        if (both_aivs())
            port_.issue(flag(Opcode::kINTRA_SET, pipe, static_cast<uint8_t>(id + kSecondAiv)));
    }
    void wait_cluster(uint8_t id) {
        port_.issue(flag(intra_block_ ? Opcode::kINTRA_WAIT : Opcode::kCROSS_WAIT, Pipe::kS, id));
        if (both_aivs())
            port_.issue(flag(Opcode::kINTRA_WAIT, Pipe::kS, static_cast<uint8_t>(id + kSecondAiv)));
    }

 private:
    static constexpr unsigned kSecondAiv = 16;
    bool both_aivs() const { return intra_block_ && port_.identity().core == CoreType::kAIC; }
    Instruction flag(Opcode opcode, Pipe pipe, unsigned id) const {
        Instruction result(opcode, instruction_.location);
        result.attributes.source_pipe = result.attributes.destination_pipe = pipe;
        result.attributes.event_id = static_cast<uint8_t>(id);
        return result;
    }

    KernelPort& port_;
    const Instruction& instruction_;
    bool intra_block_;  // a5: flags from core to core instead of signals of mode 2
};

}  // namespace

void sync_all(KernelPort& port, const Instruction& instruction) {
    SyncAll sync(port, instruction);
    const bool aic = port.identity().core == CoreType::kAIC;
    sync.barrier();
    switch (instruction.attributes.sync_cores) {
        case SyncCores::kAIV:
            if (!aic) sync.signal_all(Pipe::kMTE3, kSyncAivOnlyFlag);
            return;
        case SyncCores::kAIC:
            if (aic) sync.signal_all(Pipe::kFIX, kSyncAicFlag);
            return;
        case SyncCores::kMix:
            break;
    }
    if (aic) {
        sync.wait_cluster(kSyncAivFlag);
        sync.signal_all(Pipe::kFIX, kSyncAicFlag);
        sync.signal_cluster(Pipe::kS, kSyncAicAivFlag);
    } else {
        sync.signal_cluster(Pipe::kMTE3, kSyncAivFlag);
        sync.wait_cluster(kSyncAicAivFlag);
    }
}

}  // namespace ptosim
