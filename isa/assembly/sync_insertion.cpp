#include "isa/assembly/sync_insertion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

namespace ptosim::assembly {

namespace {

constexpr size_t kNone = SIZE_MAX;

// A set of small numbers.
class Bits {
 public:
    explicit Bits(size_t size = 0) : words_((size + 63) / 64) {}
    bool test(size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
    void set(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
    void reset(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
    void set_range(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) set(i);
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    // The other may be shorter: what it does not hold is not in it.
    Bits& operator|=(const Bits& other) {
        for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    Bits& operator&=(const Bits& other) {
        for (size_t i = 0; i < words_.size(); ++i)
            words_[i] &= i < other.words_.size() ? other.words_[i] : 0;
        return *this;
    }
    Bits& operator-=(const Bits& other) {
        for (size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
        return *this;
    }
    bool meets(const Bits& other) const {
        for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
            if ((words_[i] & other.words_[i]) != 0) return true;
        return false;
    }
    template <typename Visit>
    void each(Visit&& visit) const {
        for (size_t w = 0; w < words_.size(); ++w)
            for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(w * 64 + static_cast<size_t>(__builtin_ctzll(rest)));
    }
    friend bool operator==(const Bits&, const Bits&) = default;

 private:
    std::vector<uint64_t> words_;
};

size_t number(Pipe pipe) { return static_cast<size_t>(pipe); }

// A node of the function with its place in it. Works are numbered in the order of the text, and so
// are nodes; a node holds the works [first, last).
struct Place {
    const SyncNode* node = nullptr;
    size_t parent = kNone;  // node
    size_t block = 0;       // of the parent's blocks
    size_t first = 0, last = 0;
    std::vector<std::vector<size_t>> children;  // by block
};

// A loop whose rounds are told apart. What was started in it has an age: the rounds since, `period`
// for all that are older, and one more for those of an earlier run. Where every run has a multiple
// of `period` rounds, a run goes on where the one before it ended.
struct Wheel {
    size_t place = kNone;
    unsigned period = 2;
    bool endless = false;
    uint64_t trips = 0;  // if endless
    // Bits that become others when a round begins, and behind the loop.
    std::vector<std::pair<size_t, size_t>> turn, leave;

    unsigned ages() const { return period + 2; }
};

constexpr size_t kMostWheels = 2;  // around one instruction
using Ages = std::array<unsigned, kMostWheels>;

// The bits of a work or a wait: one for each age in each of the wheels around it, the outer first.
struct Span {
    size_t first = 0, size = 1;
    std::array<size_t, kMostWheels> wheels{kNone, kNone};
};

// A pair of set and wait, or a barrier (source == destination) before a node.
struct Flag {
    Pipe source = Pipe::kS, destination = Pipe::kS;
    size_t set_behind = kNone, wait_before = kNone;  // nodes
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
    bool gone = false;
    uint8_t id = 0;

    bool barrier() const { return set_behind == kNone; }
    bool turns() const { return ids > 1 || age > 1; }
    auto key() const {
        return std::tuple(source, destination, set_behind, wait_before, innermost, age);
    }
};

// What may be under way.
struct State {
    // By pipe: works and waits that may not be complete when it starts its next instruction.
    std::array<Bits, kPipeCount> pending;
    // By token of a flag, one for each round that may lie between set and wait: works and waits
    // that may not be complete for whoever has waited for it.
    std::vector<Bits> token;  // empty unless it is live
    Bits live;                // tokens that are set and not waited for

    void join(const State& other) {
        for (size_t p = 0; p < kPipeCount; ++p) pending[p] |= other.pending[p];
        for (size_t t = 0; t < token.size(); ++t) token[t] |= other.token[t];
        live |= other.live;
    }
    friend bool operator==(const State&, const State&) = default;
};

class Inserter {
 public:
    Inserter(const SyncBlock& body, const SyncOptions& options) : options_{options} {
        root_node_.kind = SyncNode::Kind::kBranch;
        places_.push_back({&root_node_, kNone, 0, 0, 0, {}});
        number_block(body, 0, 0);
        places_[0].last = works_.size();
    }

    std::vector<SyncInsertion> run() {
        do {
            failed_wheel_ = kNone;
            flags_.clear();
            given_up_.clear();
            answers_given_ = 0;
            find_wheels();
            find_conflicts();
            do {
                order_all();
                prune();
            } while (!give_ids() && failed_wheel_ == kNone);
            if (failed_wheel_ != kNone) no_wheels_.insert(wheels_[failed_wheel_].place);
        } while (failed_wheel_ != kNone);
        return list();
    }

 private:
    // ---- the function as numbered places ------------------------------------------------------

    void number_block(const SyncBlock& block, size_t parent, size_t at) {
        if (places_[parent].children.size() <= at) places_[parent].children.resize(at + 1);
        for (const SyncNode& node : block) {
            const size_t place = places_.size();
            places_[parent].children[at].push_back(place);
            places_.push_back({&node, parent, at, works_.size(), 0, {}});
            if (node.kind == SyncNode::Kind::kWork) works_.push_back(place);
            for (size_t b = 0; b < node.blocks.size(); ++b) number_block(node.blocks[b], place, b);
            if (places_[place].children.size() < node.blocks.size())
                places_[place].children.resize(node.blocks.size());
            places_[place].last = works_.size();
        }
    }

    const SyncNode& work(size_t w) const { return *places_[works_[w]].node; }
    bool is_loop(size_t place) const {
        const SyncNode::Kind kind = places_[place].node->kind;
        return kind == SyncNode::Kind::kLoop || kind == SyncNode::Kind::kWhile;
    }

    // Loops whose rounds differ, less those that have been tried in vain, at most kMostWheels one
    // in another.
    void find_wheels() {
        constexpr size_t kMostBits = 20'000;
        wheels_.clear();
        wheel_of_.assign(places_.size(), kNone);
        std::vector<size_t> height(places_.size(), 0);
        for (size_t place = places_.size(); place-- > 0;) {
            const SyncNode& node = *places_[place].node;
            if (node.kind == SyncNode::Kind::kLoop && node.period > 1 &&
                height[place] < kMostWheels && no_wheels_.count(place) == 0) {
                ++height[place];
                wheel_of_[place] = wheels_.size();
                Wheel& wheel = wheels_.emplace_back();
                wheel.place = place;
                wheel.period = node.period;
                wheel.trips = node.trips.value_or(0);
                wheel.endless = wheel.trips != 0 && wheel.trips % wheel.period == 0;
            }
            if (places_[place].parent != kNone)
                height[places_[place].parent] =
                    std::max(height[places_[place].parent], height[place]);
        }
        number_bits();
        if (work_bits_ <= kMostBits) return;
        wheels_.clear();
        wheel_of_.assign(places_.size(), kNone);
        number_bits();
    }

    void number_bits() {
        work_spans_.clear();
        work_bits_ = 0;
        for (const size_t place : works_) work_spans_.push_back(span_at(place, work_bits_));
    }

    Span span_at(size_t place, size_t& next) const {
        Span span;
        span.first = next;
        size_t count = 0;
        for (const size_t around : ancestors(place)) {
            if (around == place || wheel_of_[around] == kNone) continue;
            span.wheels[count++] = wheel_of_[around];
            span.size *= wheels_[wheel_of_[around]].ages();
        }
        next += span.size;
        return span;
    }

    size_t bit(const Span& span, const Ages& ages) const {
        size_t index = 0;
        for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i)
            index = index * wheels_[span.wheels[i]].ages() + ages[i];
        return span.first + index;
    }
    Ages ages_of(const Span& span, size_t bit) const {
        Ages ages{};
        size_t rest = bit - span.first;
        for (size_t i = kMostWheels; i-- > 0;) {
            if (span.wheels[i] == kNone) continue;
            const unsigned count = wheels_[span.wheels[i]].ages();
            ages[i] = static_cast<unsigned>(rest % count);
            rest /= count;
        }
        return ages;
    }
    // Which of a span's ages counts the rounds of that wheel; kMostWheels: none.
    static size_t age_in(const Span& span, size_t wheel) {
        return static_cast<size_t>(std::find(span.wheels.begin(), span.wheels.end(), wheel) -
                                   span.wheels.begin());
    }
    bool inside(size_t w, const Wheel& wheel) const {
        return places_[wheel.place].first <= w && w < places_[wheel.place].last;
    }

    // Whether work `later` must find work `earlier` complete.
    bool depends(const SyncNode& earlier, const SyncNode& later) const {
        if (earlier.pipe == later.pipe && (earlier.pipe == Pipe::kS || earlier.in_order ||
                                           later.in_order || interlocked(later.pipe)))
            return false;
        // Parts of one operation have their own order.
        if (&earlier != &later && earlier.operation == later.operation) return false;
        if (later.releases) return !earlier.reach.empty();
        if (earlier.acquires) return !later.reach.empty();
        return any_meet(earlier.reach, later.reach);
    }
    static bool any_meet(const std::vector<Reach>& earlier, const std::vector<Reach>& later) {
        for (const Reach& a : earlier)
            for (const Reach& b : later)
                if (meet(a, b)) return true;
        return false;
    }
    // On a5 the vector pipe orders its instructions itself, and has no barrier.
    bool interlocked(Pipe pipe) const { return pipe == Pipe::kV && options_.arch != Arch::kA2A3; }

    void find_conflicts() {
        const size_t n = works_.size();
        conflicts_.assign(n, Bits(work_bits_));
        for (size_t later = 0; later < n; ++later)
            for (size_t earlier = 0; earlier < n; ++earlier)
                if (depends(work(earlier), work(later))) add_conflicts(earlier, later);
    }

    void add_conflicts(size_t earlier, size_t later) {
        const Span& span = work_spans_[earlier];
        for (size_t b = span.first; b < span.first + span.size; ++b) {
            const Ages ages = ages_of(span, b);
            bool meets = true;
            for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i)
                meets = meets && meet_after(wheels_[span.wheels[i]], earlier, later, ages[i]);
            if (meets) conflicts_[later].set(b);
        }
    }

    // Whether they may meet in rounds that lie so far apart.
    bool meet_after(const Wheel& wheel, size_t earlier, size_t later, unsigned age) const {
        if (age >= wheel.period || !inside(later, wheel)) return true;
        const SyncNode &a = work(earlier), &b = work(later);
        if (b.releases || a.acquires) return true;
        const auto* const a_rounds = rounds(a, wheel);
        const auto* const b_rounds = rounds(b, wheel);
        const size_t count = a_rounds != nullptr   ? a_rounds->size()
                             : b_rounds != nullptr ? b_rounds->size()
                                                   : 0;
        if (count == 0) return true;
        for (size_t i = 0; i < count; ++i) {
            const size_t round = i % wheel.period, start = i - round;
            const size_t then = start + (round + age) % wheel.period;
            if (any_meet(a_rounds != nullptr ? (*a_rounds)[i] : a.reach,
                         b_rounds != nullptr ? (*b_rounds)[then] : b.reach))
                return true;
        }
        return false;
    }
    const std::vector<std::vector<Reach>>* rounds(const SyncNode& node, const Wheel& wheel) const {
        for (const SyncRounds& known : node.rounds)
            if (known.loop == places_[wheel.place].node->operation) return &known.reach;
        return nullptr;
    }

    // ---- what is under way -------------------------------------------------------------------

    // Bits: the works, and behind them the waits of the flags.
    size_t bits() const { return bits_; }

    void prepare() {
        before_.assign(places_.size(), {});
        behind_.assign(places_.size(), {});
        first_.assign(places_.size(), {});
        last_.assign(places_.size(), {});
        answering_sets_.assign(places_.size(), {});
        answering_waits_.assign(places_.size(), {});
        wait_spans_.assign(flags_.size(), {});
        token_of_.assign(flags_.size(), 0);
        owner_.clear();
        bits_ = work_bits_;
        tokens_ = 0;
        for (size_t f = 0; f < flags_.size(); ++f) {
            const Flag& flag = flags_[f];
            if (flag.gone) continue;
            const bool answers = flag.answers != kNone;
            (answers ? answering_waits_ : before_)[flag.wait_before].push_back(f);
            if (flag.barrier()) continue;
            wait_spans_[f] = span_at(flag.wait_before, bits_);
            owner_.resize(bits_ - work_bits_, f);
            token_of_[f] = tokens_;
            tokens_ += token_count(flag);
            (answers ? answering_sets_ : behind_)[flag.set_behind].push_back(f);
            if (flag.loop == kNone) continue;
            first_[flag.loop].push_back(f);
            last_[flag.loop].push_back(f);
        }
        // Barriers behind waits.
        for (auto& list : before_)
            std::stable_partition(list.begin(), list.end(),
                                  [&](size_t f) { return !flags_[f].barrier(); });
        at_end_.assign(places_.size(), std::nullopt);
        collect_pipes();
        collect_turns();
    }

    void collect_pipes() {
        of_pipe_.assign(kPipeCount, Bits(bits()));
        const auto take = [&](Pipe pipe, const Span& span) {
            of_pipe_[number(pipe)].set_range(span.first, span.first + span.size);
        };
        for (size_t w = 0; w < works_.size(); ++w) take(work(w).pipe, work_spans_[w]);
        for (size_t f = 0; f < flags_.size(); ++f)
            if (!flags_[f].gone && !flags_[f].barrier())
                take(flags_[f].destination, wait_spans_[f]);
    }

    void collect_turns() {
        for (Wheel& wheel : wheels_) {
            wheel.turn.clear();
            wheel.leave.clear();
        }
        for (const Span& span : work_spans_) collect_turns(span);
        for (size_t f = 0; f < flags_.size(); ++f)
            if (!flags_[f].gone && !flags_[f].barrier()) collect_turns(wait_spans_[f]);
    }
    void collect_turns(const Span& span) {
        // The older first, so that each moves once.
        for (size_t b = span.first + span.size; b-- > span.first;) {
            const Ages ages = ages_of(span, b);
            for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i) {
                Wheel& wheel = wheels_[span.wheels[i]];
                Ages next = ages;
                ++next[i];
                if (ages[i] < wheel.period) wheel.turn.emplace_back(b, bit(span, next));
                next[i] = wheel.period + 1;
                if (ages[i] <= wheel.period) wheel.leave.emplace_back(b, bit(span, next));
            }
        }
    }

    static size_t token_count(const Flag& flag) { return flag.wheel == kNone ? 1 : flag.age + 1; }
    // Which token a wait in the loop takes.
    size_t waited(size_t f) const {
        return token_of_[f] + (flags_[f].wheel == kNone ? 0 : flags_[f].age);
    }
    // How many there are before the loop that carries it, and behind.
    static size_t outstanding(const Flag& flag) { return std::max(1u, flag.age); }

    State nothing_pending() const {
        State state;
        state.pending.fill(Bits(bits()));
        state.token.assign(tokens_, Bits(bits()));
        state.live = Bits(tokens_);
        return state;
    }

    void started(State& state, size_t bit, Pipe pipe) const {
        for (size_t p = 0; p < kPipeCount; ++p) state.pending[p].set(bit);
        // S works in order, and waits for what it does.
        if (pipe == Pipe::kS) state.pending[number(Pipe::kS)].reset(bit);
        state.live.each([&](size_t t) { state.token[t].set(bit); });
    }

    Bits snapshot(const State& state, Pipe source) const {
        Bits left = state.pending[number(source)];
        left -= of_pipe_[number(source)];
        return left;
    }

    void set_flag(State& state, size_t f) {
        Bits left = snapshot(state, flags_[f].source);
        if (interference_ != nullptr) note_interference(state, f, left, false);
        state.token[token_of_[f]] = std::move(left);
        state.live.set(token_of_[f]);
    }
    void first_sets(State& state, size_t f) {
        const Bits left = snapshot(state, flags_[f].source);
        if (interference_ != nullptr) note_interference(state, f, left, true);
        for (size_t t = token_of_[f]; t < token_of_[f] + outstanding(flags_[f]); ++t) {
            state.token[t] = left;
            state.live.set(t);
        }
    }

    void take(State& state, size_t f, size_t token) const {
        state.pending[number(flags_[f].destination)] &= state.token[token];
        state.token[token].clear();
        state.live.reset(token);
    }
    void wait_flag(State& state, size_t f) const {
        take(state, f, waited(f));
        started(state, wait_spans_[f].first, flags_[f].destination);
    }
    void last_waits(State& state, size_t f) const {
        for (size_t t = token_of_[f] + outstanding(flags_[f]); t-- > token_of_[f];)
            take(state, f, t);
        Ages ages{};
        for (size_t i = 0; i < kMostWheels && wait_spans_[f].wheels[i] != kNone; ++i)
            ages[i] = wheels_[wait_spans_[f].wheels[i]].period + 1;
        started(state, bit(wait_spans_[f], ages), flags_[f].destination);
    }

    void barrier(State& state, Pipe pipe) const {
        if (pipe == Pipe::kAll) {
            for (Bits& pending : state.pending) pending.clear();
            for (Bits& token : state.token) token.clear();
            return;
        }
        state.pending[number(pipe)] -= of_pipe_[number(pipe)];
    }

    void run_block(State& state, size_t place, size_t block) {
        for (const size_t child : places_[place].children[block]) run_place(state, child);
    }

    void run_place(State& state, size_t place) {
        for (const size_t f : before_[place]) {
            if (flags_[f].barrier())
                barrier(state, flags_[f].source);
            else
                wait_flag(state, f);
        }
        for (const size_t f : answering_sets_[place]) set_flag(state, f);
        for (const size_t f : first_[place]) first_sets(state, f);
        const SyncNode& node = *places_[place].node;
        switch (node.kind) {
            case SyncNode::Kind::kWork:
                check(state, place);
                started(state, work_spans_[places_[place].first].first, node.pipe);
                break;
            case SyncNode::Kind::kBarrier:
                barrier(state, node.pipe);
                break;
            case SyncNode::Kind::kDrain:
                check_empty(state, place);
                barrier(state, Pipe::kAll);
                break;
            case SyncNode::Kind::kLoop:
                run_loop(state, place);
                break;
            case SyncNode::Kind::kWhile:
                run_while(state, place);
                break;
            case SyncNode::Kind::kBranch:
                run_branch(state, place);
                break;
        }
        for (const size_t f : last_[place]) last_waits(state, f);
        for (const size_t f : answering_waits_[place]) wait_flag(state, f);
        if (repair_) at_end_[place] = state.pending;
        for (const size_t f : behind_[place]) set_flag(state, f);
    }

    void run_loop(State& state, size_t place) {
        const size_t wheel = wheel_of_[place];
        for (;;) {
            State round = state;
            if (wheel != kNone) turn(round, wheel);
            run_block(round, place, 0);
            round.join(state);
            if (round == state) break;
            state = std::move(round);
        }
        if (wheel != kNone && !wheels_[wheel].endless) leave(state, wheel);
    }

    static void move_bits(State& state, const std::vector<std::pair<size_t, size_t>>& moves) {
        const auto in = [&](Bits& bits) {
            for (const auto& [from, to] : moves) {
                if (!bits.test(from)) continue;
                bits.reset(from);
                bits.set(to);
            }
        };
        for (Bits& pending : state.pending) in(pending);
        state.live.each([&](size_t t) { in(state.token[t]); });
    }

    void turn(State& state, size_t wheel) const {
        move_bits(state, wheels_[wheel].turn);
        for (size_t f = 0; f < flags_.size(); ++f) {
            const Flag& flag = flags_[f];
            if (flag.gone || flag.wheel != wheel) continue;
            for (size_t t = token_of_[f] + flag.age; t-- > token_of_[f];) {
                state.token[t + 1] = state.token[t];
                if (state.live.test(t)) state.live.set(t + 1);
                state.token[t].clear();
                state.live.reset(t);
            }
        }
    }

    // Which of the tokens that are left the next run takes first depends on how often this one ran.
    void leave(State& state, size_t wheel) const {
        move_bits(state, wheels_[wheel].leave);
        for (size_t f = 0; f < flags_.size(); ++f) {
            const Flag& flag = flags_[f];
            if (flag.gone || flag.wheel != wheel || flag.age < 2) continue;
            Bits any = state.token[token_of_[f]];
            for (size_t i = 1; i < flag.age; ++i) any |= state.token[token_of_[f] + i];
            for (size_t i = 0; i < flag.age; ++i) state.token[token_of_[f] + i] = any;
        }
    }

    void run_while(State& state, size_t place) {
        for (;;) {
            State round = state;
            run_block(round, place, 0);
            State after = round;
            run_block(after, place, 1);
            after.join(state);
            if (after == state) {
                state = std::move(round);
                return;
            }
            state = std::move(after);
        }
    }

    void run_branch(State& state, size_t place) {
        const State before = state;
        bool first = true;
        for (size_t b = 0; b < places_[place].children.size(); ++b) {
            State arm = before;
            run_block(arm, place, b);
            if (first)
                state = std::move(arm);
            else
                state.join(arm);
            first = false;
        }
    }

    // Through the whole function. Works that could start too early set early_, and with repair_ get
    // flags.
    void simulate() {
        prepare();
        State state = nothing_pending();
        for (size_t b = 0; b < places_[0].children.size(); ++b) run_block(state, 0, b);
    }

    bool is_ordered() {
        repair_ = false;
        early_ = false;
        simulate();
        return !early_;
    }

    void check(State& state, size_t place) {
        const size_t w = places_[place].first;
        Bits& pending = state.pending[number(work(w).pipe)];
        if (!pending.meets(conflicts_[w])) return;
        early_ = true;
        if (repair_) repair(state, w);
    }

    void check_empty(State& state, size_t place) {
        Bits works(bits());
        works.set_range(0, work_bits_);
        if (!state.pending[number(Pipe::kS)].meets(works)) return;
        early_ = true;
        if (repair_) add_barrier(Pipe::kAll, place);
    }

    // ---- flags where they are missing ---------------------------------------------------------

    void order_all() {
        for (;;) {
            added_.clear();
            added_keys_.clear();
            standing_ = given_up_;
            for (const Flag& flag : flags_)
                if (!flag.gone && flag.answers == kNone) standing_.insert(flag.key());
            early_ = false;
            repair_ = true;
            simulate();
            repair_ = false;
            if (!early_) return;
            if (added_.empty())
                throw std::logic_error("no flag orders what another flag was to order");
            flags_.insert(flags_.end(), added_.begin(), added_.end());
        }
    }

    // An instruction that another one must find complete, and in which round it was started.
    struct Missing {
        size_t work = kNone;
        size_t bit = 0;
        Ages ages{};
    };

    // The nearest before it in its own round; then what came in earlier rounds, the latest first.
    Missing nearest(const Bits& missing, size_t w) const {
        Missing found;
        std::tuple<bool, Ages, size_t> best;
        missing.each([&](size_t b) {
            const size_t e = owner_of_work(b);
            const Ages ages = ages_of(work_spans_[e], b);
            const bool same_round = shared_ages_are_zero(work_spans_[e], ages, w);
            const std::tuple rank(!(same_round && e < w), ages, works_.size() - e);
            if (found.work != kNone && best <= rank) return;
            found = {e, b, ages};
            best = rank;
        });
        return found;
    }
    size_t owner_of_work(size_t b) const {
        const auto behind =
            std::upper_bound(work_spans_.begin(), work_spans_.end(), b,
                             [](size_t at, const Span& span) { return at < span.first; });
        return static_cast<size_t>(behind - work_spans_.begin()) - 1;
    }
    bool shared_ages_are_zero(const Span& span, const Ages& ages, size_t w) const {
        for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i)
            if (inside(w, wheels_[span.wheels[i]]) && ages[i] != 0) return false;
        return true;
    }

    // Adds what makes work `w` wait for everything that it depends on, and goes on as if it had
    // been there, as far as can be said now: the next round tells.
    void repair(State& state, size_t w) {
        const Pipe pipe = work(w).pipe;
        for (;;) {
            Bits missing = state.pending[number(pipe)];
            missing &= conflicts_[w];
            const Missing earlier = nearest(missing, w);
            if (earlier.work == kNone) return;
            if (work(earlier.work).pipe == pipe) {
                add_barrier(pipe, works_[w]);
                barrier(state, pipe);
                continue;
            }
            add_pair(state, earlier, w);
        }
    }

    void add(const Flag& flag) {
        if (standing_.count(flag.key()) == 0 && added_keys_.insert(flag.key()).second)
            added_.push_back(flag);
    }

    void add_barrier(Pipe pipe, size_t before) {
        Flag flag;
        flag.source = flag.destination = pipe;
        flag.wait_before = before;
        add(flag);
    }

    std::vector<size_t> ancestors(size_t place) const {
        std::vector<size_t> list;
        for (; place != kNone; place = places_[place].parent) list.push_back(place);
        std::reverse(list.begin(), list.end());
        return list;
    }

    // The wheel whose earlier round this is, the innermost one that can say so.
    std::optional<size_t> carrier(const Missing& earlier, size_t w) const {
        const Span& span = work_spans_[earlier.work];
        for (size_t i = kMostWheels; i-- > 0;) {
            if (span.wheels[i] == kNone || !inside(w, wheels_[span.wheels[i]])) continue;
            const Wheel& wheel = wheels_[span.wheels[i]];
            if (earlier.ages[i] == 0 || earlier.ages[i] > wheel.period) continue;
            bool outer_is_now = true;
            for (size_t j = 0; j < i; ++j) outer_is_now = outer_is_now && earlier.ages[j] == 0;
            if (wheel.endless || outer_is_now) return i;
        }
        return std::nullopt;
    }
    // The outermost wheel around both that has been left since.
    size_t left_since(const Missing& earlier, size_t w) const {
        const Span& span = work_spans_[earlier.work];
        for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i) {
            const Wheel& wheel = wheels_[span.wheels[i]];
            if (inside(w, wheel) && earlier.ages[i] > wheel.period) return wheel.place;
        }
        return kNone;
    }

    // A set behind `earlier` and a wait before `later`, in the innermost block that holds both. If
    // `later` comes first there, or both lie in one branch, the innermost loop around them carries
    // the dependence; where rounds are told apart, the wheel in whose earlier round it was.
    void add_pair(State& state, const Missing& earlier, size_t later) {
        const std::vector<size_t> from = ancestors(works_[earlier.work]),
                                  to = ancestors(works_[later]);
        Flag flag;
        flag.source = work(earlier.work).pipe;
        flag.destination = work(later).pipe;
        if (const auto i = carrier(earlier, later)) {
            const size_t wheel = work_spans_[earlier.work].wheels[*i];
            const auto at = std::find(from.begin(), from.end(), wheels_[wheel].place);
            flag.age = earlier.ages[*i];
            return add_carried(state, flag, from, to, static_cast<size_t>(at - from.begin()),
                               earlier, later);
        }
        size_t depth = 0;
        const size_t left = left_since(earlier, later);
        while (depth + 1 < from.size() && depth + 1 < to.size() &&
               from[depth + 1] == to[depth + 1] && from[depth + 1] != left)
            ++depth;
        const bool same_block = depth + 1 < from.size() && depth + 1 < to.size() &&
                                places_[from[depth + 1]].block == places_[to[depth + 1]].block;
        if (same_block && left == kNone && earlier.work < later) {
            flag.set_behind = from[depth + 1];
            flag.wait_before = to[depth + 1];
            for (size_t i = 0; i <= depth; ++i)
                if (wheel_of_[from[i]] != kNone) flag.wheel = wheel_of_[from[i]];
            return add_and_go_on(state, flag, earlier, later);
        }
        // The loop whose next round `later` is in. The two parts of a while run unequally often.
        size_t loop = depth;
        while (loop > 0 && !is_loop(from[loop])) --loop;
        if (loop == 0 || places_[from[loop]].node->kind == SyncNode::Kind::kWhile)
            return give_up(state, later);
        flag.age = 1;
        add_carried(state, flag, from, to, loop, earlier, later);
    }

    void add_carried(State& state, Flag flag, const std::vector<size_t>& from,
                     const std::vector<size_t>& to, size_t loop, const Missing& earlier,
                     size_t later) {
        flag.innermost = from[loop];
        flag.wheel = wheel_of_[from[loop]];
        flag.ids = std::max(1u, flag.age);
        if (flag.wheel != kNone && wheels_[flag.wheel].endless)
            while (wheels_[flag.wheel].trips % flag.ids != 0) ++flag.ids;
        flag.set_behind = from[loop + 1];
        flag.wait_before = to[loop + 1];
        // The flag may stay set between two runs of the loop: one first set, one last wait.
        for (size_t outer = loop; outer > 0; --outer)
            if (is_loop(from[outer])) flag.loop = from[outer];
        add_and_go_on(state, flag, earlier, later);
    }

    void give_up(State& state, size_t later) {
        add_barrier(Pipe::kAll, works_[later]);
        barrier(state, Pipe::kAll);
    }

    void add_and_go_on(State& state, const Flag& flag, const Missing& earlier, size_t later) {
        if (standing_.count(flag.key()) != 0) return give_up(state, later);
        add(flag);
        const size_t behind = places_[flag.set_behind].last;
        // What is not complete for whoever has waited: what was pending for the source, and what
        // came behind the set.
        Bits left = all_bits();
        left -= of_pipe_[number(flag.source)];
        if (at_end_[flag.set_behind]) {
            left = (*at_end_[flag.set_behind])[number(flag.source)];
            left -= of_pipe_[number(flag.source)];
        }
        if (flag.loop == kNone) {
            set_works(left, behind, std::max(behind, later), flag);
        } else {
            set_works(left, behind, places_[flag.loop].last, flag);
            set_works(left, places_[flag.loop].first, later, flag);
            // Before the first round.
            Bits first = all_bits();
            first -= of_pipe_[number(flag.source)];
            left |= first;
        }
        left.reset(earlier.bit);
        state.pending[number(flag.destination)] &= left;
    }

    // Of the works [begin, end), those that may be younger than the set.
    void set_works(Bits& bits, size_t begin, size_t end, const Flag& flag) const {
        for (size_t w = begin; w < end; ++w) {
            const Span& span = work_spans_[w];
            const size_t i = flag.wheel == kNone ? kMostWheels : age_in(span, flag.wheel);
            for (size_t b = span.first; b < span.first + span.size; ++b)
                if (i == kMostWheels || ages_of(span, b)[i] < std::max(1u, flag.age)) bits.set(b);
        }
    }

    Bits all_bits() const {
        Bits all(bits());
        all.set_range(0, bits());
        return all;
    }

    // ---- flags that are not needed -----------------------------------------------------------

    void prune() {
        // Each try is a walk through the function.
        constexpr size_t kMostWork = 400'000'000;
        const size_t cost = places_.size() * kPipeCount * (bits() / 64 + 1) * 8;
        size_t spent = 0;
        for (size_t f = flags_.size(); f-- > 0;) {
            if (flags_[f].gone || flags_[f].answers != kNone) continue;
            if ((spent += cost) > kMostWork) break;
            set_gone(f, true);
            if (!is_ordered()) set_gone(f, false);
        }
    }

    // With what answers it.
    void set_gone(size_t f, bool gone) {
        flags_[f].gone = gone;
        for (Flag& flag : flags_)
            if (flag.answers == f) flag.gone = gone;
    }

    // ---- ids ---------------------------------------------------------------------------------

    // While `f` is set: who else may be, or may not have been waited for yet.
    void note_interference(const State& state, size_t f, const Bits& snapshot, bool first) {
        std::vector<Bits>& interference = *interference_;
        const auto note = [&](size_t other) {
            interference[f].set(other);
            interference[other].set(f);
        };
        for (size_t other = 0; other < flags_.size(); ++other) {
            if (flags_[other].gone || flags_[other].barrier()) continue;
            for (size_t i = 0; i < token_count(flags_[other]); ++i)
                if (state.live.test(token_of_[other] + i) &&
                    (other != f || first || same_id(flags_[f], i)))
                    note(other);
        }
        snapshot.each([&](size_t b) {
            if (b < work_bits_) return;
            const size_t other = owner_[b - work_bits_];
            if (other != f || first || waits_for_same_id(f, b)) note(other);
        });
    }
    // The id of a round, and that of the round that has set one so many rounds ago.
    static bool same_id(const Flag& flag, size_t ago) {
        return flag.wheel == kNone || ago % flag.ids == 0;
    }
    bool waits_for_same_id(size_t f, size_t b) const {
        const Flag& flag = flags_[f];
        if (flag.wheel == kNone) return true;
        const size_t i = age_in(wait_spans_[f], flag.wheel);
        if (i == kMostWheels) return true;
        const unsigned ago = ages_of(wait_spans_[f], b)[i];
        return ago >= wheels_[flag.wheel].period || (ago + flag.age) % flag.ids == 0;
    }

    static bool both_core_types(Pipe pipe) {
        return has_pipe(CoreType::kAIC, pipe) && has_pipe(CoreType::kAIV, pipe);
    }

    bool free_for(const Flag& flag, unsigned id) const {
        if (both_core_types(flag.source) && both_core_types(flag.destination) &&
            (id < options_.shared_first ||
             id >= unsigned{options_.shared_first} + options_.shared_ids))
            return false;
        for (const size_t place : works_)
            for (const InternalFlag& used : places_[place].node->internal)
                if (used.source == flag.source && used.destination == flag.destination &&
                    used.id == id)
                    return false;
        return true;
    }

    // Ids [id, id + flag.ids) that nobody has who could be in the way.
    std::optional<unsigned> ids_for(size_t f, const std::vector<size_t>& given,
                                    const Bits& interference) const {
        const Flag& flag = flags_[f];
        for (unsigned id = 0; id + flag.ids <= options_.ids; ++id) {
            bool good = true;
            for (unsigned i = 0; i < flag.ids; ++i) good = good && free_for(flag, id + i);
            const bool taken = std::any_of(given.begin(), given.end(), [&](size_t other) {
                const Flag& known = flags_[other];
                return known.id < id + flag.ids && id < known.id + known.ids &&
                       known.source == flag.source && known.destination == flag.destination &&
                       interference.test(other);
            });
            if (good && !taken) return id;
        }
        return std::nullopt;
    }

    // Flags that find no id are given up: barriers take their place. False: then everything has to
    // be looked at again.
    bool give_ids() {
        std::vector<Bits> interference(flags_.size(), Bits(flags_.size()));
        interference_ = &interference;
        is_ordered();
        interference_ = nullptr;
        bool all = true;
        std::vector<size_t> given;
        std::vector<Flag> answers;
        for (size_t f = 0; f < flags_.size(); ++f) {
            Flag& flag = flags_[f];
            if (flag.gone || flag.barrier()) continue;
            // With itself: nothing orders a set behind the wait for the set before.
            const bool itself = interference[f].test(f);
            if (!itself) {
                if (const auto id = ids_for(f, given, interference[f])) {
                    flag.id = static_cast<uint8_t>(*id);
                    given.push_back(f);
                    continue;
                }
            }
            all = false;
            if (itself && take_turns(flag)) continue;
            if (flag.answers != kNone) {
                flag.gone = true;  // for good
                flag.answers = kNone;
                continue;
            }
            if (itself && answer(f, answers)) continue;
            if (flag.loop != flag.innermost) {  // pending for a shorter time
                flag.loop = flag.innermost;
                continue;
            }
            failed_wheel_ = wheel_in_the_way(flag);
            if (failed_wheel_ != kNone) return false;
            set_gone(f, true);
            given_up_.insert(flag.key());
        }
        flags_.insert(flags_.end(), answers.begin(), answers.end());
        return all;
    }

    // A flag back to who has set this one too early.
    bool answer(size_t f, std::vector<Flag>& answers) {
        Flag& flag = flags_[f];
        // A flag that is taken away as superfluous, and comes back, would be answered for ever.
        constexpr size_t kMostAnswers = 64;
        if (flag.answered || answers_given_ == kMostAnswers) return false;
        const bool set_first = flag.set_behind < flag.wait_before;
        const unsigned ids = std::max(1u, set_first ? flag.age + 1 : flag.age);
        if (ids > 1 && (flag.wheel == kNone || wheels_[flag.wheel].endless)) return false;
        if (ids > std::max(1u, flag.age) && flag.loop != flag.innermost) return false;
        Flag back;
        back.source = flag.destination;
        back.destination = flag.source;
        back.set_behind = flag.wait_before;
        back.wait_before = flag.set_behind;
        back.answers = f;
        if (set_first) {
            back.age = 1;
            for (const size_t around : ancestors(flag.set_behind)) {
                if (around == flag.set_behind || !is_loop(around)) continue;
                if (back.loop == kNone) back.loop = around;
                back.innermost = around;
            }
            if (back.loop == kNone) return false;
        }
        flag.ids = ids;
        flag.answered = true;
        ++answers_given_;
        answers.push_back(back);
        return true;
    }

    // One more id, for the rounds to take in turn. Without a first set in each run, rounds must
    // find the ids as the run before has left them.
    bool take_turns(Flag& flag) const {
        if (flag.wheel == kNone) return false;
        const Wheel& wheel = wheels_[flag.wheel];
        if (flag.loop != flag.innermost && !wheel.endless) return false;
        const unsigned most = std::min<unsigned>(options_.ids, flag.age + wheel.period);
        unsigned ids = flag.ids + 1;
        while (ids <= most && wheel.endless && wheel.trips % ids != 0) ++ids;
        if (ids > most) return false;
        flag.ids = ids;
        return true;
    }

    // Whose rounds are no longer told apart if this flag finds no id: its own wheel's, or that of
    // one that has several.
    size_t wheel_in_the_way(const Flag& flag) const {
        if (flag.turns()) return flag.wheel;
        for (const Flag& other : flags_)
            if (!other.gone && !other.barrier() && other.turns() && other.source == flag.source &&
                other.destination == flag.destination)
                return other.wheel;
        return flag.wheel;
    }

    // ---- the result --------------------------------------------------------------------------

    // The id is that of the round `round`, which is counted from the first one (`fixed`), or from
    // the one that the wheel is in.
    void put(std::vector<SyncInsertion>& list, SyncInsertion::Kind kind, size_t f, size_t place,
             bool behind, size_t round, bool fixed) const {
        const Flag& flag = flags_[f];
        SyncInsertion insertion{
            kind, places_[place].node->operation, behind, flag.source, flag.destination, flag.id};
        if (flag.ids > 1 && fixed) insertion.id = static_cast<uint8_t>(flag.id + round % flag.ids);
        if (flag.ids > 1 && !fixed) {
            insertion.ids = static_cast<uint8_t>(flag.ids);
            insertion.offset = static_cast<uint8_t>(round % flag.ids);
            insertion.loop = places_[wheels_[flag.wheel].place].node->operation;
        }
        list.push_back(insertion);
    }

    std::vector<SyncInsertion> list() {
        using Kind = SyncInsertion::Kind;
        prepare();
        std::vector<SyncInsertion> list;
        for (size_t place = 0; place < places_.size(); ++place) {
            for (const size_t f : before_[place])
                put(list, flags_[f].barrier() ? Kind::kBarrier : Kind::kWait, f, place, false,
                    rounds_before(f), false);
            for (const size_t f : answering_sets_[place])
                put(list, Kind::kSet, f, place, false, 0, false);
            for (const size_t f : first_[place])
                for (size_t i = 0; i < outstanding(flags_[f]); ++i)
                    put(list, Kind::kSet, f, place, false, rounds_before(f) + i, true);
            for (const size_t f : last_[place])
                for (size_t i = 0; i < outstanding(flags_[f]); ++i)
                    put(list, Kind::kWait, f, place, true, rounds_before(f) + i,
                        flags_[f].ids == flags_[f].age ||
                            (flags_[f].wheel != kNone && wheels_[flags_[f].wheel].endless));
            for (const size_t f : answering_waits_[place])
                put(list, Kind::kWait, f, place, true, 0, false);
            for (const size_t f : behind_[place]) put(list, Kind::kSet, f, place, true, 0, false);
        }
        return list;
    }
    // The round that is `age` rounds before, as one that is not negative.
    size_t rounds_before(size_t f) const {
        const Flag& flag = flags_[f];
        return (flag.ids - flag.age % flag.ids) % flag.ids;
    }

    const SyncOptions options_;
    SyncNode root_node_;
    std::vector<Place> places_;
    std::vector<size_t> works_;  // places
    std::vector<Wheel> wheels_;
    std::vector<size_t> wheel_of_;  // by place
    std::set<size_t> no_wheels_;    // places
    size_t failed_wheel_ = kNone;
    size_t answers_given_ = 0;
    std::vector<Span> work_spans_;
    size_t work_bits_ = 0;
    std::vector<Bits> conflicts_;  // by work: the bits of works that it must find complete

    std::vector<Flag> flags_;
    std::vector<Flag> added_;
    // Those that there are or must not be, those that a round adds.
    using Keys = std::set<std::tuple<Pipe, Pipe, size_t, size_t, size_t, unsigned>>;
    Keys standing_, added_keys_, given_up_;

    // Of the flags that there are, by place: waits and barriers before it, first sets before it,
    // last waits behind it, sets behind it.
    std::vector<std::vector<size_t>> before_, behind_, first_, last_;
    std::vector<std::vector<size_t>> answering_sets_, answering_waits_;  // before, and behind
    std::vector<Span> wait_spans_;                                       // by flag
    std::vector<size_t> token_of_;                                       // by flag: its first
    std::vector<size_t> owner_;  // by bit behind those of works: the flag
    size_t bits_ = 0, tokens_ = 0;
    std::vector<Bits> of_pipe_;
    std::vector<std::optional<std::array<Bits, kPipeCount>>> at_end_;
    std::vector<Bits>* interference_ = nullptr;
    bool repair_ = false, early_ = false;
};

}  // namespace

bool has_pipe_work(const SyncBlock& body) {
    for (const SyncNode& node : body) {
        if (node.kind == SyncNode::Kind::kWork && node.pipe != Pipe::kS) return true;
        for (const SyncBlock& block : node.blocks)
            if (has_pipe_work(block)) return true;
    }
    return false;
}

std::vector<SyncInsertion> insert_sync(const SyncBlock& body, const SyncOptions& options) {
    return Inserter(body, options).run();
}

}  // namespace ptosim::assembly
