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

// A pair of set and wait, or a barrier (source == destination) before a node.
struct Flag {
    Pipe source = Pipe::kS, destination = Pipe::kS;
    size_t set_behind = kNone, wait_before = kNone;  // nodes
    // Carried by a loop: where the first set and the last wait stand around. The innermost one
    // around both ends will do, but it may be a wider one.
    size_t loop = kNone, innermost = kNone;
    bool gone = false;
    uint8_t id = 0;

    bool barrier() const { return set_behind == kNone; }
    auto key() const { return std::tuple(source, destination, set_behind, wait_before, innermost); }
};

// What may be under way.
struct State {
    // By pipe: works and waits that may not be complete when it starts its next instruction.
    std::array<Bits, kPipeCount> pending;
    // By flag: works and waits that may not be complete for whoever has waited for it.
    std::vector<Bits> token;  // empty unless it is live
    Bits live;                // flags that are set and not waited for

    void join(const State& other) {
        for (size_t p = 0; p < kPipeCount; ++p) pending[p] |= other.pending[p];
        for (size_t f = 0; f < token.size(); ++f) token[f] |= other.token[f];
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
        find_conflicts();
    }

    std::vector<SyncInsertion> run() {
        do {
            order_all();
            prune();
        } while (!give_ids());
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

    // Whether work `later` must find work `earlier` complete.
    bool depends(const SyncNode& earlier, const SyncNode& later) const {
        if (earlier.pipe == later.pipe && (earlier.pipe == Pipe::kS || earlier.in_order ||
                                           later.in_order || interlocked(later.pipe)))
            return false;
        // Parts of one operation have their own order.
        if (&earlier != &later && earlier.operation == later.operation) return false;
        if (later.releases) return !earlier.reach.empty();
        if (earlier.acquires) return !later.reach.empty();
        for (const Reach& a : earlier.reach)
            for (const Reach& b : later.reach)
                if (meet(a, b)) return true;
        return false;
    }
    // On a5 the vector pipe orders its instructions itself, and has no barrier.
    bool interlocked(Pipe pipe) const { return pipe == Pipe::kV && options_.arch != Arch::kA2A3; }

    void find_conflicts() {
        const size_t n = works_.size();
        conflicts_.assign(n, Bits(n));
        for (size_t later = 0; later < n; ++later) {
            for (size_t earlier = 0; earlier < n; ++earlier)
                if (depends(work(earlier), work(later))) conflicts_[later].set(earlier);
        }
    }

    // ---- what is under way -------------------------------------------------------------------

    // Bits: the works, and behind them the waits of the flags.
    size_t bits() const { return works_.size() + flags_.size(); }
    size_t wait_bit(size_t flag) const { return works_.size() + flag; }

    void prepare() {
        before_.assign(places_.size(), {});
        behind_.assign(places_.size(), {});
        first_.assign(places_.size(), {});
        last_.assign(places_.size(), {});
        of_pipe_.assign(kPipeCount, Bits(bits()));
        for (size_t w = 0; w < works_.size(); ++w) of_pipe_[number(work(w).pipe)].set(w);
        for (size_t f = 0; f < flags_.size(); ++f) {
            const Flag& flag = flags_[f];
            if (flag.gone) continue;
            before_[flag.wait_before].push_back(f);
            if (flag.barrier()) continue;
            of_pipe_[number(flag.destination)].set(wait_bit(f));
            behind_[flag.set_behind].push_back(f);
            if (flag.loop == kNone) continue;
            first_[flag.loop].push_back(f);
            last_[flag.loop].push_back(f);
        }
        // Barriers behind waits.
        for (auto& list : before_)
            std::stable_partition(list.begin(), list.end(),
                                  [&](size_t f) { return !flags_[f].barrier(); });
        at_end_.assign(places_.size(), std::nullopt);
    }

    State nothing_pending() const {
        State state;
        state.pending.fill(Bits(bits()));
        state.token.assign(flags_.size(), Bits(bits()));
        state.live = Bits(flags_.size());
        return state;
    }

    void started(State& state, size_t bit, Pipe pipe) const {
        for (size_t p = 0; p < kPipeCount; ++p) state.pending[p].set(bit);
        // S works in order, and waits for what it does.
        if (pipe == Pipe::kS) state.pending[number(Pipe::kS)].reset(bit);
        state.live.each([&](size_t f) { state.token[f].set(bit); });
    }

    void set_flag(State& state, size_t f) {
        const Flag& flag = flags_[f];
        Bits snapshot = state.pending[number(flag.source)];
        snapshot -= of_pipe_[number(flag.source)];
        if (interference_ != nullptr) note_interference(state, f, snapshot);
        state.token[f] = std::move(snapshot);
        state.live.set(f);
    }

    void wait_flag(State& state, size_t f) const {
        const Flag& flag = flags_[f];
        state.pending[number(flag.destination)] &= state.token[f];
        state.token[f].clear();
        state.live.reset(f);
        started(state, wait_bit(f), flag.destination);
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
        for (const size_t f : first_[place]) set_flag(state, f);
        const SyncNode& node = *places_[place].node;
        switch (node.kind) {
            case SyncNode::Kind::kWork:
                check(state, place);
                started(state, places_[place].first, node.pipe);
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
        for (const size_t f : last_[place]) wait_flag(state, f);
        if (repair_) at_end_[place] = state.pending;
        for (const size_t f : behind_[place]) set_flag(state, f);
    }

    void run_loop(State& state, size_t place) {
        for (;;) {
            State round = state;
            run_block(round, place, 0);
            round.join(state);
            if (round == state) return;
            state = std::move(round);
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
        works.set_range(0, works_.size());
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
                if (!flag.gone) standing_.insert(flag.key());
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

    // Adds what makes work `w` wait for everything that it depends on, and goes on as if it had
    // been there, as far as can be said now: the next round tells.
    void repair(State& state, size_t w) {
        const Pipe pipe = work(w).pipe;
        Bits& pending = state.pending[number(pipe)];
        for (;;) {
            Bits missing = pending;
            missing &= conflicts_[w];
            // The nearest before it; what only an earlier round of a loop can have left, last.
            size_t nearest = kNone, carried = kNone;
            missing.each([&](size_t e) { (e < w ? nearest : carried) = e; });
            const size_t earlier = nearest != kNone ? nearest : carried;
            if (earlier == kNone) return;
            if (work(earlier).pipe == pipe) {
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

    // A set behind `earlier` and a wait before `later`, in the innermost block that holds both. If
    // `later` comes first there, or both lie in one branch, the innermost loop around them carries
    // the dependence.
    void add_pair(State& state, size_t earlier, size_t later) {
        const std::vector<size_t> from = ancestors(works_[earlier]), to = ancestors(works_[later]);
        size_t depth = 0;
        while (depth + 1 < from.size() && depth + 1 < to.size() && from[depth + 1] == to[depth + 1])
            ++depth;
        const bool same_block = depth + 1 < from.size() && depth + 1 < to.size() &&
                                places_[from[depth + 1]].block == places_[to[depth + 1]].block;
        Flag flag;
        flag.source = work(earlier).pipe;
        flag.destination = work(later).pipe;
        if (same_block && earlier < later) {
            flag.set_behind = from[depth + 1];
            flag.wait_before = to[depth + 1];
            return add_and_go_on(state, flag, earlier, later);
        }
        // The loop whose next round `later` is in. The two parts of a while run unequally often.
        size_t loop = depth;
        while (loop > 0 && places_[from[loop]].node->kind != SyncNode::Kind::kLoop &&
               places_[from[loop]].node->kind != SyncNode::Kind::kWhile)
            --loop;
        if (loop == 0 || places_[from[loop]].node->kind == SyncNode::Kind::kWhile)
            return give_up(state, later);
        flag.innermost = from[loop];
        flag.set_behind = from[loop + 1];
        flag.wait_before = to[loop + 1];
        // The flag may stay set between two runs of the loop: one first set, one last wait.
        for (size_t outer = loop; outer > 0; --outer)
            if (places_[from[outer]].node->kind == SyncNode::Kind::kLoop ||
                places_[from[outer]].node->kind == SyncNode::Kind::kWhile)
                flag.loop = from[outer];
        add_and_go_on(state, flag, earlier, later);
    }

    void give_up(State& state, size_t later) {
        add_barrier(Pipe::kAll, works_[later]);
        barrier(state, Pipe::kAll);
    }

    void add_and_go_on(State& state, const Flag& flag, size_t earlier, size_t later) {
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
            left.set_range(behind, std::max(behind, later));
        } else {
            left.set_range(behind, places_[flag.loop].last);
            left.set_range(places_[flag.loop].first, later);
            // Before the first round.
            Bits first = all_bits();
            first -= of_pipe_[number(flag.source)];
            left |= first;
        }
        left.reset(earlier);
        state.pending[number(flag.destination)] &= left;
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
            if (flags_[f].gone) continue;
            if ((spent += cost) > kMostWork) return;
            flags_[f].gone = true;
            if (!is_ordered()) flags_[f].gone = false;
        }
    }

    // ---- ids ---------------------------------------------------------------------------------

    // While `f` is set: who else may be, or may not have been waited for yet.
    void note_interference(const State& state, size_t f, const Bits& snapshot) {
        std::vector<Bits>& interference = *interference_;
        state.live.each([&](size_t other) {
            interference[f].set(other);
            interference[other].set(f);
        });
        snapshot.each([&](size_t bit) {
            if (bit < works_.size()) return;
            const size_t other = bit - works_.size();
            interference[f].set(other);
            interference[other].set(f);
        });
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

    // Flags that find no id are given up: barriers take their place. False: then everything has to
    // be looked at again.
    bool give_ids() {
        std::vector<Bits> interference(flags_.size(), Bits(flags_.size()));
        interference_ = &interference;
        is_ordered();
        interference_ = nullptr;
        bool all = true;
        std::vector<size_t> given;
        for (size_t f = 0; f < flags_.size(); ++f) {
            Flag& flag = flags_[f];
            if (flag.gone || flag.barrier()) continue;
            bool found = false;
            // With itself: nothing orders a set behind the wait for the set before.
            for (unsigned id = 0; id < options_.ids && !interference[f].test(f); ++id) {
                if (!free_for(flag, id)) continue;
                const bool taken = std::any_of(given.begin(), given.end(), [&](size_t other) {
                    return flags_[other].id == id && flags_[other].source == flag.source &&
                           flags_[other].destination == flag.destination &&
                           interference[f].test(other);
                });
                if (taken) continue;
                flag.id = static_cast<uint8_t>(id);
                given.push_back(f);
                found = true;
                break;
            }
            if (found) continue;
            all = false;
            if (flag.loop != flag.innermost) {  // pending for a shorter time
                flag.loop = flag.innermost;
                continue;
            }
            flag.gone = true;
            given_up_.insert(flag.key());
        }
        return all;
    }

    // ---- the result --------------------------------------------------------------------------

    void put(std::vector<SyncInsertion>& list, SyncInsertion::Kind kind, size_t f, size_t place,
             bool behind) const {
        list.push_back({kind, places_[place].node->operation, behind, flags_[f].source,
                        flags_[f].destination, flags_[f].id});
    }

    std::vector<SyncInsertion> list() {
        using Kind = SyncInsertion::Kind;
        prepare();
        std::vector<SyncInsertion> list;
        for (size_t place = 0; place < places_.size(); ++place) {
            for (const size_t f : before_[place])
                put(list, flags_[f].barrier() ? Kind::kBarrier : Kind::kWait, f, place, false);
            for (const size_t f : first_[place]) put(list, Kind::kSet, f, place, false);
            for (const size_t f : last_[place]) put(list, Kind::kWait, f, place, true);
            for (const size_t f : behind_[place]) put(list, Kind::kSet, f, place, true);
        }
        return list;
    }

    const SyncOptions options_;
    SyncNode root_node_;
    std::vector<Place> places_;
    std::vector<size_t> works_;    // places
    std::vector<Bits> conflicts_;  // by work: the works that it must find complete

    std::vector<Flag> flags_;
    std::vector<Flag> added_;
    // Those that there are or must not be, those that a round adds.
    using Keys = std::set<std::tuple<Pipe, Pipe, size_t, size_t, size_t>>;
    Keys standing_, added_keys_, given_up_;

    // Of the flags that there are, by place: waits and barriers before it, first sets before it,
    // last waits behind it, sets behind it.
    std::vector<std::vector<size_t>> before_, behind_, first_, last_;
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
