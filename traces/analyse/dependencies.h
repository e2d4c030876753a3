// The dependency graph of the events of a recording.
//
// Every instruction has four events: issue, start, completion, and the time at which its pipe is
// free again. Every block has its begin and its end. An edge delays an event until an earlier event
// plus a lag. The recorded times satisfy the graph exactly: of the edges into an event the latest
// one binds, and its lag is the difference of the recorded times. The graph yields the critical
// path, and the duration of the run if something had taken no time.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// Use of the time of an edge.
enum class Spent : uint8_t {
    kWork,     // an instruction occupies its pipe
    kLatency,  // the pipe is free again, the result is not there yet
    kScalar,   // the scalar unit issues, computes addresses, controls loops
    kQueue,    // from issue to start, with nothing else in the way
    kSignal,   // from a set to the wait that takes it, or from a release to what it released
    kBlock,    // between blocks, launches and the ends of the run, and until a block's first issue
    kNever,    // up to the end of the run, for an event that did not happen
    kCount,
};
std::string_view name(Spent spent);

class Dependencies {
 public:
    // `what_if`: replays Change::unordered and Change::deeper, too; what conflicts takes memory.
    explicit Dependencies(const Recording& recording, bool what_if = false);
    ~Dependencies();

    struct Step {
        Cycle begin = 0;
        Cycle end = 0;
        Spent spent = Spent::kBlock;
        int64_t instruction = -1;  // index into Recording::instructions; -1: none
        int64_t wait = -1;         // index into Recording::waits that this ended; -1: none
        // True if an instruction's step belongs to the scalar unit, not to its pipe.
        bool on_scalar() const { return spent == Spent::kScalar || spent == Spent::kBlock; }
    };
    // The chain of binding edges from the begin of the run to its end, in order of time. Its steps
    // tile the run exactly; steps that took no time are left out.
    // Of a program of many kernels: through the tasks of its critical path, each from its last
    // event on its core back to its begin; what passes between them is their hand-over (kSignal).
    std::vector<Step> critical_path() const;

    // A changed machine.
    struct Change {
        // Instructions that take no time. Asked once for all instructions of
        // one opcode at one source location, on one pipe of one kind of core.
        std::function<bool(const InstructionRecord&)> without;
        // Time that an instruction keeps, in 256ths of its recorded time, at most 4096. Called as
        // often as `without`.
        std::function<unsigned(const InstructionRecord&)> keeps;
        // Waits (for a flag, a barrier) that hold nothing any more. Every instruction
        // then starts when the bytes that it reads and writes on chip are free and there.
        std::function<bool(const InstructionRecord&)> unordered;
        // Waits for the release before the one that they took: there is one more slot.
        std::function<bool(const InstructionRecord&)> deeper;
        bool no_scalar = false;       // issuing takes no time
        bool half_scalar = false;     // or half of it
        bool no_queue_limit = false;  // queues never fill
        bool no_block_gaps = false;   // blocks follow each other, and issue, at once
    };
    // The duration of the run under each change, all orders kept. What did not bind in the
    // recording and took part of its time unseen can only make the true one longer: lower bounds.
    std::vector<Cycle> replay_all(std::span<const Change> changes) const;
    Cycle replay(const Change& change) const { return replay_all({&change, 1}).front(); }

 private:
    enum class Event : uint8_t { kIssue, kStart, kFree, kDone };
    using Node = uint32_t;
    static constexpr Node kBegin = 0, kEnd = 1, kNoNode = UINT32_MAX;

    Node node(uint32_t instruction, Event event) const {
        return 2 + 4 * instruction + static_cast<Node>(event);
    }
    bool of_instruction(Node n) const { return n >= 2 && n < runs_at_; }
    static uint32_t instruction_of(Node n) { return (n - 2) / 4; }
    static Event event_of(Node n) { return static_cast<Event>((n - 2) % 4); }
    Node begin_of(uint32_t run) const { return runs_at_ + 2 * run; }
    Node end_of(uint32_t run) const { return runs_at_ + 2 * run + 1; }
    Cycle time(Node n) const;  // recorded

    // The edges that instructions have of themselves are not kept: they follow from the record.
    struct Links {
        Node issue = kNoNode;  // what its issue came after: the one before it, or a block's begin
        Node start = kNoNode;  // the pipe was free
        Node done = kNoNode;   // of a sync instruction: all before it on its pipe
    };
    // Condition under which an edge holds.
    enum class Holds : uint8_t {
        kAlways,
        kUnlessNoQueueLimit,
        kUnlessUnordered,  // or deeper: the release of a wait
        kIfUnordered,      // bytes that conflict
        kIfDeeper,         // the release before
    };
    static constexpr bool recorded(Holds holds) { return holds < Holds::kIfUnordered; }
    struct Edge {
        Node from = 0;
        int32_t wait = -1;
        Spent spent = Spent::kSignal;
        Holds holds = Holds::kAlways;
    };
    struct EdgeTo {
        Node to;
        Edge edge;
    };
    // Edges grouped by their end node i: [first[i], first[i + 1]) of `edges`.
    struct EdgesTo {
        std::vector<uint32_t> first;
        std::vector<EdgeTo> edges;
    };

    // Edges that are not grouped yet.
    class Edges;

    // The chain of binding edges from `at` back to `until`, the last first. Returns where it ends.
    Cycle walk_back(Node at, Cycle until, std::vector<Step>& steps) const;
    std::vector<Step> path_through(std::span<const ProgramRecord::Task> tasks) const;

    struct Index;
    void link();
    void make_wait_edges(Edges& to) const;
    void make_flag_edges(Edges& to) const;
    void make_run_edges(Edges& to) const;
    void make_conflict_edges(Edges& to) const;
    void make_deeper_edges(Edges& to) const;
    // Edges that only these changes need, by instruction.
    EdgesTo changed_edges(std::span<const Change> changes) const;
    void find_scalar_waits();
    EdgesTo by_instruction(const Edges& edges) const;
    template <class IndexOf>
    static EdgesTo grouped(const Edges& edges, size_t ends, IndexOf&& index_of);
    // Calls f(edge, time_of(its begin)) for the edges into n, always in the same order.
    template <class TimeOf, class F>
    void for_edges(Node n, TimeOf&& time_of, F&& f) const;
    // Finds the edge that comes latest, the first of several; false if there is none.
    bool find_binding(Node n, Edge& binding) const;

    template <class Time>
    class Program;

    const Recording& recording_;
    const bool what_if_;
    std::unique_ptr<const Index> index_;
    Node runs_at_ = 0;
    std::vector<Links> links_;            // by instruction
    EdgesTo to_instructions_;             // other edges, by instruction
    EdgesTo to_others_;                   // by other_index()
    std::vector<uint32_t> scalar_waits_;  // by instruction; empty if there are none
    size_t other_index(Node n) const { return n < 2 ? n : 2 + n - runs_at_; }
};

}  // namespace ptosim
