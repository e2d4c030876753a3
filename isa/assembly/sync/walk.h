// Data flow: which instructions may still be in flight when another one starts, given the flags
// that a function has so far. Part of flag insertion (insertion.h).
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "isa/assembly/sync/outline.h"

namespace ptosim::assembly::sync {

// A pair of set and wait, or a barrier (source == destination) before a node.
struct Flag {
    Pipe source = Pipe::kS, destination = Pipe::kS;
    size_t set_behind = kNone, wait_before = kNone;  // positions
    // Carried by a loop: the first set comes before it and the last wait after it. The innermost loop around both ends
    // is sufficient, but it may be an outer one.
    size_t loop = kNone, innermost = kNone;
    // The periodic loop whose iterations it counts: the wait is `age` iterations after the set, and iterations take
    // `ids` ids in turn.
    size_t periodic = kNone;
    unsigned age = 0, ids = 1;
    // The flag that it answers: it is set when that flag has been waited for, and waited for
    // before that flag is set again. Its positions lie inside of that flag's, not around them.
    size_t answers = kNone;
    bool answered = false;
    // Flags of one group are one flag, which is set and waited for in several loops: a
    // wait gets it from the last set, in whichever loop that was. Those loops follow each
    // other in `loop`, around which there is one first set and one last wait for all.
    size_t group = kNone;
    bool alone = false;  // must not be in a group
    bool gone = false;
    uint8_t id = 0;

    bool barrier() const { return set_behind == kNone; }
    bool turns() const { return ids > 1 || age > 1; }
    // One for each iteration that may lie between set and wait.
    size_t tokens() const { return periodic == kNone ? 1 : age + 1; }
    // Number of sets before the loop that carries it, and of waits after it.
    size_t outstanding() const { return std::max(1u, age); }
    using Key = std::tuple<Pipe, Pipe, size_t, size_t, size_t, unsigned>;
    Key key() const { return {source, destination, set_behind, wait_before, innermost, age}; }
};

// Work that may be in flight at a point of the program.
struct State {
    // By pipe: works and waits that may not be complete when it starts its next instruction.
    std::array<Bits, kPipeCount> pending;
    // By token of a flag, one for each iteration that may lie between set and
    // wait: works and waits that may not be complete when a wait has taken it.
    std::vector<Bits> token;  // empty unless it is live
    Bits live;                // tokens that are set and not waited for

    Bits& of(Pipe pipe) { return pending[static_cast<size_t>(pipe)]; }
    const Bits& of(Pipe pipe) const { return pending[static_cast<size_t>(pipe)]; }
    void join(const State& other);
    friend bool operator==(const State&, const State&) = default;
};

// Callbacks of a walk.
class Watcher {
 public:
    virtual ~Watcher() = default;
    // The work or drain at that position may start before work that it depends on is complete.
    // Returns true to continue the walk.
    virtual bool early(State& state, size_t position) = 0;
    // A position has been walked, except for the sets after it.
    virtual void done(const State&, size_t /*position*/) {}
    // Called where a flag is set. `left`: works that may be incomplete when a wait takes it. `first`: all sets before a
    // loop.
    virtual void sets(const State&, size_t /*flag*/, const Bits& /*left*/, bool /*first*/) {}
};

// Bits: the works, and after them the waits of the flags.
class Walk {
 public:
    // The flags may change between two runs.
    Walk(const Outline& outline, const std::vector<Bits>& conflicts, const std::vector<Flag>& flags)
        : outline_{outline}, conflicts_{conflicts}, flags_{flags} {}

    // Through the whole function.
    void run(Watcher& watcher);

    // Existing flags by position: waits and barriers before it, first sets before it, last waits after it, sets after
    // it; flags of answers, before it and after it.
    struct Here {
        std::vector<size_t> before, behind, first, last, answering_sets, answering_waits;
    };
    // Computes the state with which run() begins; it can be queried from then on.
    void prepare();
    const Here& here(size_t position) const { return here_[position]; }
    size_t bits() const { return bits_; }
    const Bits& of(Pipe pipe) const { return of_pipe_[static_cast<size_t>(pipe)]; }
    const Span& wait_span(size_t flag) const { return wait_spans_[flag]; }
    // The flag whose wait this bit is; kNone: it is a work's.
    size_t flag_of(size_t bit) const;
    size_t first_token(size_t flag) const { return first_token_[flag]; }
    // The flag of its group that represents them all.
    size_t lead(size_t flag) const { return lead_[flag]; }
    void barrier(State& state, Pipe pipe) const;

 private:
    using Moves = std::vector<std::pair<size_t, size_t>>;

    void collect_leads();
    void collect_pipes();
    void collect_turns();
    void collect_turns(const Span& span);
    State nothing_pending() const;

    void started(State& state, size_t bit, Pipe pipe) const;
    Bits left_for(const State& state, Pipe source) const;
    void set_flag(State& state, size_t f);
    void first_sets(State& state, size_t f);
    void take(State& state, size_t f, size_t token) const;
    void wait_flag(State& state, size_t f) const;
    void last_waits(State& state, size_t f) const;

    void run_block(State& state, size_t position, size_t block);
    void run_position(State& state, size_t position);
    void run_node(State& state, size_t position);
    void run_loop(State& state, size_t position);
    void run_while(State& state, size_t position);
    void run_branch(State& state, size_t position);
    void turn(State& state, size_t periodic) const;
    void leave(State& state, size_t periodic) const;
    void check(State& state, size_t position);
    void check_empty(State& state, size_t position);

    const Outline& outline_;
    const std::vector<Bits>& conflicts_;
    const std::vector<Flag>& flags_;
    Watcher* watcher_ = nullptr;
    bool stopped_ = false;

    std::vector<Here> here_;           // by position
    std::vector<Span> wait_spans_;     // by flag
    std::vector<size_t> lead_;         // by flag
    std::vector<size_t> first_token_;  // by flag
    std::vector<size_t> owner_;        // by bit after those of works: the flag
    size_t bits_ = 0, tokens_ = 0;
    std::array<Bits, kPipeCount> of_pipe_;
    std::vector<Moves> turns_, leaves_;  // by periodic loop: bits that become others
};

}  // namespace ptosim::assembly::sync
