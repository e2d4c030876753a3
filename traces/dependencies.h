// What had to happen before what: the events of a recording as a graph.
//
// Every instruction has three events (issue, start, completion) and one more (the pipe is free
// again); every block has its begin and its end. An edge says: not before that one, plus a lag.
// The graph is made so that the recorded times satisfy it exactly: of the edges into an event the
// latest one binds, and its lag is the difference of the recorded times. From it follow the
// critical path, and how long the run would have taken if something had taken no time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/recording.h"

namespace ptosim {

// What the time of an edge is spent on.
enum class Spent : uint8_t {
    kWork,     // an instruction occupies its pipe
    kLatency,  // the pipe is free again, the result is not there yet
    kScalar,   // the scalar unit issues, computes addresses, controls loops
    kQueue,    // from issue to start, with nothing else in the way
    kSignal,   // from a set to the wait that takes it, or from a release to what it released
    kBlock,    // between blocks, launches and the ends of the run, and until a block's first issue
    kNever,    // up to the end of the run, for something that did not come
    kCount,
};
std::string_view name(Spent spent);

class Dependencies {
 public:
    explicit Dependencies(const Recording& recording);

    struct Step {
        Cycle begin = 0;
        Cycle end = 0;
        Spent spent = Spent::kBlock;
        int64_t instruction = -1;  // index into Recording::instructions; -1: none
        int64_t wait = -1;         // index into Recording::waits that this ended; -1: none
        // Whether an instruction's step is the scalar unit's, not its pipe's.
        bool on_scalar() const { return spent == Spent::kScalar || spent == Spent::kBlock; }
    };
    // The chain of binding edges from the begin of the run to its end, in order of time. Its steps
    // tile the run exactly; steps that took no time are left out.
    std::vector<Step> critical_path() const;

    // A changed machine.
    struct Change {
        std::function<bool(const InstructionRecord&)> without;  // these take no time
        bool no_scalar = false;                                 // issuing takes no time
        bool no_queue_limit = false;                            // queues never fill
        bool no_block_gaps = false;  // blocks follow each other, and issue, at once
    };
    // The duration of the run under each change, all orders kept. What did not bind in the
    // recording and took part of its time unseen can only make the true one longer: lower bounds.
    std::vector<Cycle> replay_all(std::span<const Change> changes) const;
    Cycle replay(const Change& change) const { return replay_all({&change, 1}).front(); }

 private:
    enum class Event : uint8_t { kIssue, kStart, kFree, kDone };
    using Node = uint32_t;
    struct Edge {
        Cycle lag = 0;
        Node from = 0;
        int32_t wait = -1;
        Spent spent = Spent::kSignal;
        bool queue_limit = false;
    };

    Node node(uint32_t instruction, Event event) const {
        return 2 + 4 * instruction + static_cast<Node>(event);
    }
    Node begin_of(uint32_t run) const { return runs_at_ + 2 * run; }
    Node end_of(uint32_t run) const { return runs_at_ + 2 * run + 1; }
    static constexpr Node kBegin = 0, kEnd = 1;

    struct Index;
    void make_instruction_edges(const Index& index);
    void make_wait_edges(const Index& index);
    void make_flag_edges(const Index& index);
    void make_run_edges(const Index& index);
    std::vector<Cycle> scalar_waits(const Index& index) const;
    void finish(const std::vector<Cycle>& scalar_waits);
    void find_order();
    template <class Time>
    struct Batch;
    template <class Time>
    std::vector<Cycle> replay_in_batches(std::span<const Change> changes) const;
    template <class Time>
    void replay(Batch<Time>& batch, std::span<const Change> changes) const;
    void add(Node to, Node from, Spent spent, int32_t wait = -1, bool queue_limit = false);

    const Recording& recording_;
    Node runs_at_ = 0;
    std::vector<Cycle> time_;  // of a node, recorded
    struct Pending {
        Node to;
        Node from;
        int32_t wait;
        Spent spent;
        bool queue_limit;
    };
    std::vector<Pending> pending_;
    std::vector<uint32_t> first_;  // edges into node n: [first_[n], first_[n + 1])
    std::vector<Edge> edges_;
    std::vector<uint32_t> binding_;  // by node: index into edges_; UINT32_MAX: none
    std::vector<Node> order_;        // what the end depends on: every node after those before it
    std::vector<uint32_t> rank_;     // by node: its place in order_; UINT32_MAX: not in it
};

}  // namespace ptosim
