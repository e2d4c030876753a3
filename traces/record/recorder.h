// Records a run. Attach it to the machine, run, finish.
//
// Only unfinished instructions, waits, flags and runs are kept here; finished records go to a
// RecordSink at once. With a RecordingWriter the memory for a run does not grow with its length.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "traces/record/record_sink.h"
#include "traces/record/recording.h"

namespace ptosim {

class Recorder : public Observer {
 public:
    // Into memory; recording() gives it.
    Recorder() : sink_{memory_}, causes_{sources_} {}
    // Into `sink`, which must live until finish() has returned. A run of more than
    // `most_instructions` is not worth its recording to the caller: the recorder gives up there.
    explicit Recorder(RecordSink& sink, uint64_t most_instructions = UINT64_MAX)
        : sink_{sink}, most_instructions_{most_instructions}, causes_{sources_} {}
    // Sets the function that returns the basis of an instruction's cost. Call it before the first
    // launch.
    void basis_from(std::function<CostBasis(const Instruction&)> basis) {
        basis_ = std::move(basis);
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Recording so far, of a recorder into memory. Everything that is still open ends at the end of
    // the launch, or at the last event if the machine did not report that end, and is marked.
    const Recording& recording();
    // False: the recorder has given up, and its records are of no use.
    bool complete() const { return instructions_ <= most_instructions_; }
    bool has_enough() const override { return !complete(); }
    unsigned needs() const override { return kEachInstruction | 1u << kThreadReports; }
    // Sends the records that are still open, and the end. The last call.
    void finish() { send_end(sink_); }

    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle time) override;
    void on_block_begin(const RunEvent& event) override {
        if (complete()) record_block_begin(event);
    }
    void on_block_end(const RunEvent& event) override {
        if (complete()) record_block_end(event);
    }
    void on_issue(const InstructionEvent& event) override {
        if (++instructions_ <= most_instructions_) record_issue(event);
    }
    void on_start(const InstructionEvent& event) override {
        if (complete()) record_start(event);
    }
    void on_complete(const InstructionEvent& event) override {
        if (complete()) record_complete(event);
    }
    void on_flag_set(const FlagEvent& event) override {
        if (complete()) record_flag_set(event);
    }
    void on_flag_wait(const FlagEvent& event) override {
        if (complete()) record_flag_wait(event);
    }
    void on_block(const BlockEvent& event) override {
        if (complete()) record_block(event);
    }
    void on_unblock(const BlockEvent& event) override {
        if (complete()) record_unblock(event);
    }
    void on_diagnostic(const Diagnostic& diagnostic) override;

 private:
    // Apart, so that a recorder that has given up costs next to nothing.
    void record_issue(const InstructionEvent& event);
    void record_block_begin(const RunEvent& event);
    void record_block_end(const RunEvent& event);
    void record_start(const InstructionEvent& event);
    void record_complete(const InstructionEvent& event);
    void record_flag_set(const FlagEvent& event);
    void record_flag_wait(const FlagEvent& event);
    void record_block(const BlockEvent& event);
    void record_unblock(const BlockEvent& event);

    // Instructions from issue to completion, in order of issue: a ring buffer. An instruction that
    // completes out of order stays in it until all earlier ones have completed.
    class Window {
     public:
        bool empty() const { return count_ == 0; }
        // Null if there is none of this number.
        InstructionRecord* find(uint32_t sequence);
        InstructionRecord& add(const InstructionRecord& record);
        // Lets go of completed ones at the front.
        void shrink();
        template <class F>
        void for_open(F&& f) const {
            for (size_t i = 0; i < count_; ++i)
                if (!at(i).has(InstructionRecord::kCompleted)) f(at(i));
        }

     private:
        void make_room();
        const InstructionRecord& at(size_t i) const {
            return ring_[(first_ + i) & (ring_.size() - 1)];
        }
        std::vector<InstructionRecord> ring_;  // a power of two
        size_t first_ = 0, count_ = 0;
    };
    // Unfinished records of a core.
    struct Open {
        Window instructions;
        std::vector<WaitRecord> waits;
        std::vector<RunRecord> runs;
        std::vector<FlagRecord> flags;  // set and not consumed, oldest first; no signals
    };
    // Signals: one may be taken by several cores, and each wait takes the next one of its id.
    struct Signals {
        std::map<std::tuple<uint16_t, uint16_t, uint8_t>, std::vector<FlagRecord>> sent;
        std::map<std::tuple<uint16_t, uint8_t>, size_t> taken;  // by core and id
    };
    struct SetHash {
        size_t operator()(const OperandSet& set) const;
    };
    uint16_t core(const CoreId& id) {
        const size_t at = id.index * 2u + static_cast<size_t>(id.type);
        return at < numbers_.size() && numbers_[at] >= 0 ? static_cast<uint16_t>(numbers_[at])
                                                         : add_core(id);
    }
    uint16_t add_core(const CoreId& id);
    InstructionRecord& instruction(const InstructionEvent& event);
    InstructionRecord& add_instruction(const InstructionEvent& event, uint16_t core);
    uint32_t operand_set(const InstructionEvent& event);
    uint32_t add_operand_set(const Instruction& instruction);
    void add_cost(const Instruction& instruction, uint32_t set);
    void take_signal(const FlagEvent& event);
    void add_threads(const Instruction& instruction, const InstructionRecord& record);
    bool anything_open() const;
    void send_open(RecordSink& to, Cycle time) const;
    void send_end(RecordSink& to) const;
    void saw(Cycle time) { now_ = std::max(now_, time); }

    RecordingBuilder memory_;
    RecordSink& sink_;
    const uint64_t most_instructions_ = UINT64_MAX;
    uint64_t instructions_ = 0;  // issued so far
    Recording snapshot_;
    Sources sources_;
    size_t sources_sent_ = 0;
    WaitCauses causes_;
    std::vector<int32_t> numbers_;  // of cores as they were met, by index and type; -1: not yet
    std::vector<Open> open_;        // by core
    Signals signals_;
    std::unordered_map<OperandSet, uint32_t, SetHash> sets_;
    std::vector<std::vector<uint32_t>> flag_sets_;  // of flags, by pipes and id
    std::function<CostBasis(const Instruction&)> basis_;
    std::unordered_set<uint64_t> costs_;  // opcodes and operand sets whose cost was sent
    struct ValidatedSet {  // of instructions with one InstructionEvent::validation_id
        uint64_t validation_id = 0;
        uint32_t set = 0;
    };
    std::vector<ValidatedSet> validated_sets_;  // by the last bits of the id
    std::vector<ThreadRecord> threads_;         // of all blocks so far
    Cycle now_ = 0;
    Cycle end_ = 0;  // of the last launch that ended
    bool launched_ = false;
    bool cut_ = false;  // a launch has ended with something open
};

}  // namespace ptosim
