// A log of a launch's memory accesses in the order in which they took effect. Two runs of one launch can be compared by
// their logs.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <vector>

#include "sim/check/footprint.h"

namespace ptosim::check {

// Identifies an access of a launch, independent of core and time: by the block, the core of the block's cluster, and
// the access's number in the program order of that core.
struct AccessKey {
    uint32_t block = 0;
    uint16_t core = 0;    // 0: the AIC; from 1 on its AIVs
    bool scalar = false;  // an access of the scalar unit itself; these are numbered separately
    uint64_t number = 0;
    friend auto operator<=>(const AccessKey&, const AccessKey&) = default;
};

struct LoggedAccess {
    AccessKey key;
    uint16_t memory = 0;  // of the core, as in Piece
    Pipe pipe = Pipe::kS;
    Opcode opcode{};
    SourceLocation location;
    Cycle time = 0;
    // Hash of the bytes that it wrote and their addresses; of a scalar load, of the bytes that it read.
    uint64_t hash = 0;
    size_t first = 0, count = 0;  // its pieces
};

struct AccessRecord {
    std::vector<LoggedAccess> accesses;
    std::vector<Piece> pieces;
    std::vector<CoreId> cores;  // by Piece::memory

    // Serialised for another process on this machine.
    std::string pack() const;
    static AccessRecord unpack(std::string_view bytes);
};

class AccessLog : public Observer {
 public:
    // Address of a byte of an on-chip memory.
    using LocalByte = std::function<const std::byte*(CoreId, Space, uint64_t address)>;
    // Logs at most `most` accesses.
    AccessLog(LocalByte local, size_t most) : local_{std::move(local)}, most_{most} {}

    const AccessRecord& record() const { return record_; }
    bool complete() const { return complete_; }

    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;

 private:
    struct Running {
        uint32_t block = 0;
        uint16_t core = 0;
        bool begun = false;  // an instruction has been issued since the block began
        uint64_t first = 0;  // number of the first one
        uint64_t scalar_accesses = 0;
    };

    bool room();
    void add(LoggedAccess access, const Footprint& footprint, bool hash_reads);
    uint64_t hash_of(const Piece& piece, uint64_t hash) const;

    LocalByte local_;
    size_t most_;
    bool complete_ = true;
    Timelines timelines_;
    Footprints footprints_{timelines_};
    std::vector<Running> running_;  // by core
    AccessRecord record_;
};

}  // namespace ptosim::check
