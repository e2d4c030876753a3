// Destination of finished records: memory (RecordingBuilder) or disk (RecordingWriter).
#pragma once

#include <map>

#include "traces/record/recording.h"

namespace ptosim {

// Records arrive when they are finished. The cores, files and operand sets that they refer to
// arrive before them, and are numbered from 0 in the order of the calls.
class RecordSink {
 public:
    virtual ~RecordSink() = default;
    virtual void facts(const ChipFacts& facts) = 0;
    virtual void core(CoreId core) = 0;
    virtual void source(const Sources::File& file) = 0;
    virtual void call(const CallRecord& record) = 0;
    virtual void operands(const OperandSet& set) = 0;
    virtual void cost(const CostRecord& record) = 0;
    virtual void launch_begin(const LaunchRecord& launch) = 0;
    virtual void launch_end(Cycle time) = 0;
    virtual void instruction(const InstructionRecord& record) = 0;
    virtual void wait(const WaitRecord& record) = 0;
    virtual void flag(const FlagRecord& record) = 0;
    // A block begins on a core; `end` of the record is not valid yet. A truncated recording has the
    // runs that have begun and not ended from here.
    virtual void run_begin(const RunRecord& record) = 0;
    virtual void run(const RunRecord& record) = 0;
    virtual void diagnostic(const Diagnostic& diagnostic) = 0;
    virtual void output(const OutputRecord& output) = 0;
    // Tiles with different values, numbered like operand sets, and the operands that had them.
    virtual void tile(const TileValues& values) = 0;
    virtual void values(const ValuesRecord& record) = 0;
    virtual void mismatch(const MismatchRecord& record) = 0;
    virtual void warp(const WarpRecord& record) = 0;
    virtual void threads(const ThreadRecord& record) = 0;
    virtual void program(const ProgramRecord& record) = 0;
    virtual void rerun(const RerunRecord& record) = 0;
    // A parameter of the chip that the times rest on and that is only assumed.
    virtual void assumption(const std::string& path) = 0;
    // The last call.
    virtual void end(Cycle time, bool early) = 0;
};

// Builds a Recording.
class RecordingBuilder : public RecordSink {
 public:
    void facts(const ChipFacts& facts) override { recording_.facts = facts; }
    void core(CoreId core) override { recording_.cores.push_back(core); }
    void source(const Sources::File& file) override { recording_.sources.restore(file); }
    void call(const CallRecord& record) override { recording_.sources.note_call(record); }
    void operands(const OperandSet& set) override { recording_.operands.push_back(set); }
    void cost(const CostRecord& record) override { recording_.costs.push_back(record); }
    void launch_begin(const LaunchRecord& launch) override;
    void launch_end(Cycle time) override;
    void instruction(const InstructionRecord& record) override;
    void wait(const WaitRecord& record) override;
    void flag(const FlagRecord& record) override;
    void run_begin(const RunRecord& record) override;
    void run(const RunRecord& record) override;
    void diagnostic(const Diagnostic& d) override { recording_.diagnostics.push_back(d); }
    void output(const OutputRecord& output) override { recording_.outputs.push_back(output); }
    void tile(const TileValues& values) override { recording_.tiles.push_back(values); }
    void values(const ValuesRecord& record) override { recording_.values.push_back(record); }
    void mismatch(const MismatchRecord& m) override { recording_.mismatches.push_back(m); }
    void warp(const WarpRecord& record) override { recording_.warps.push_back(record); }
    void threads(const ThreadRecord& record) override { recording_.threads.push_back(record); }
    void program(const ProgramRecord& record) override { recording_.program = record; }
    void rerun(const RerunRecord& record) override { recording_.rerun = record; }
    void assumption(const std::string& path) override { recording_.assumed.push_back(path); }
    void end(Cycle time, bool early) override;

    // Reserves room for `records` records of each kind. Unused address space takes no memory.
    void expect(size_t records);
    void gap(std::string sentence) { recording_.gaps.push_back(std::move(sentence)); }
    bool ended() const { return ended_; }
    const Recording& peek() const { return recording_; }
    // Sorts the records. Without an end() the run ends at the time of its last record.
    Recording take();

 private:
    void saw(Cycle time) { latest_ = std::max(latest_, time); }

    Recording recording_;
    std::map<uint16_t, RunRecord> begun_;  // by core, and not ended
    Cycle latest_ = 0;
    bool ended_ = false;
};

}  // namespace ptosim
