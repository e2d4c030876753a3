// What may be under way when an instruction starts, followed through a function with the flags that
// it has so far. Part of the inserting of flags (insertion.h).
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
    size_t set_behind = kNone, wait_before = kNone;  // places
    // Carried by a loop: where the first set and the last wait stand around. The innermost one
    // around both ends will do, but it may be a wider one.
    size_t loop = kNone, innermost = kNone;
    // The wheel whose rounds it counts: the wait is `age` rounds behind the set, and rounds take
    // `ids` ids in turn.
    size_t wheel = kNone;
    unsigned age = 0, ids = 1;
    // The flag that it answers: set when that one has been waited for, and waited for before that
    // one is set again. It stands inside of that one's places, not around them.
    size_t answers = kNone;
    bool answered = false;
    // Flags of one group are one flag, set and waited for in several loops: whoever waits has it
    // from the one who set it last, in whichever loop. Those loops stand beside each other in
    // `loop`, around which there is one first set and one last wait for all.
    size_t group = kNone;
    bool alone = false;  // not to be in a group
    bool gone = false;
    uint8_t id = 0;

    bool barrier() const { return set_behind == kNone; }
    bool turns() const { return ids > 1 || age > 1; }
    // One for each round that may lie between set and wait.
    size_t tokens() const { return wheel == kNone ? 1 : age + 1; }
    // How many are set before the loop that carries it, and behind.
    size_t outstanding() const { return std::max(1u, age); }
    using Key = std::tuple<Pipe, Pipe, size_t, size_t, size_t, unsigned>;
    Key key() const { return {source, destination, set_behind, wait_before, innermost, age}; }
};

// What may be under way.
struct State {
    // By pipe: works and waits that may not be complete when it starts its next instruction.
    std::array<Bits, kPipeCount> pending;
    // By token of a flag, one for each round that may lie between set and wait: works and waits
    // that may not be complete for whoever has waited for it.
    std::vector<Bits> token;  // empty unless it is live
    Bits live;                // tokens that are set and not waited for

    Bits& of(Pipe pipe) { return pending[static_cast<size_t>(pipe)]; }
    const Bits& of(Pipe pipe) const { return pending[static_cast<size_t>(pipe)]; }
    void join(const State& other);
    friend bool operator==(const State&, const State&) = default;
};

// Who wants to know what a walk comes across.
class Watcher {
 public:
    virtual ~Watcher() = default;
    // The work, or the drain, at that place starts before what it must find complete. Returns
    // whether the walk shall go on.
    virtual bool early(State& state, size_t place) = 0;
    // A place is done, but for the sets behind it.
    virtual void done(const State&, size_t /*place*/) {}
    // A flag is set; `left`: what may not be complete for who waits for it. `first`: all those
    // before a loop.
    virtual void sets(const State&, size_t /*flag*/, const Bits& /*left*/, bool /*first*/) {}
};

// Bits: the works, and behind them the waits of the flags.
class Walk {
 public:
    // The flags may change between two runs.
    Walk(const Outline& outline, const std::vector<Bits>& conflicts, const std::vector<Flag>& flags)
        : outline_{outline}, conflicts_{conflicts}, flags_{flags} {}

    // Through the whole function.
    void run(Watcher& watcher);

    // Of the flags that there are, by place: waits and barriers before it, first sets before it,
    // last waits behind it, sets behind it; those of answers, before it and behind it.
    struct Here {
        std::vector<size_t> before, behind, first, last, answering_sets, answering_waits;
    };
    // What run() begins with, and what can be asked for from then on.
    void prepare();
    const Here& here(size_t place) const { return here_[place]; }
    size_t bits() const { return bits_; }
    const Bits& of(Pipe pipe) const { return of_pipe_[static_cast<size_t>(pipe)]; }
    const Span& wait_span(size_t flag) const { return wait_spans_[flag]; }
    // The flag whose wait this bit is; kNone: it is a work's.
    size_t flag_of(size_t bit) const;
    size_t first_token(size_t flag) const { return first_token_[flag]; }
    // The one of its group that stands for all.
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

    void run_block(State& state, size_t place, size_t block);
    void run_place(State& state, size_t place);
    void run_node(State& state, size_t place);
    void run_loop(State& state, size_t place);
    void run_while(State& state, size_t place);
    void run_branch(State& state, size_t place);
    void turn(State& state, size_t wheel) const;
    void leave(State& state, size_t wheel) const;
    void check(State& state, size_t place);
    void check_empty(State& state, size_t place);

    const Outline& outline_;
    const std::vector<Bits>& conflicts_;
    const std::vector<Flag>& flags_;
    Watcher* watcher_ = nullptr;
    bool stopped_ = false;

    std::vector<Here> here_;           // by place
    std::vector<Span> wait_spans_;     // by flag
    std::vector<size_t> lead_;         // by flag
    std::vector<size_t> first_token_;  // by flag
    std::vector<size_t> owner_;        // by bit behind those of works: the flag
    size_t bits_ = 0, tokens_ = 0;
    std::array<Bits, kPipeCount> of_pipe_;
    std::vector<Moves> turns_, leaves_;  // by wheel: bits that become others
};

}  // namespace ptosim::assembly::sync
