#include "isa/assembly/sync/walk.h"

#include <algorithm>
#include <map>

namespace ptosim::assembly::sync {

void State::join(const State& other) {
    for (size_t p = 0; p < kPipeCount; ++p) pending[p] |= other.pending[p];
    for (size_t t = 0; t < token.size(); ++t) token[t] |= other.token[t];
    live |= other.live;
}

// ---- before a walk ----------------------------------------------------------------------------

void Walk::prepare() {
    here_.assign(outline_.positions().size(), {});
    wait_spans_.assign(flags_.size(), {});
    first_token_.assign(flags_.size(), 0);
    owner_.clear();
    bits_ = outline_.work_bits();
    tokens_ = 0;
    collect_leads();
    for (size_t f = 0; f < flags_.size(); ++f) {
        const Flag& flag = flags_[f];
        if (flag.gone) continue;
        const bool answers = flag.answers != kNone;
        Here& wait = here_[flag.wait_before];
        (answers ? wait.answering_waits : wait.before).push_back(f);
        if (flag.barrier()) continue;
        wait_spans_[f] = outline_.span_at(flag.wait_before, bits_);
        owner_.resize(bits_ - outline_.work_bits(), f);
        Here& set = here_[flag.set_behind];
        (answers ? set.answering_sets : set.behind).push_back(f);
        first_token_[f] = lead_[f] == f ? tokens_ : first_token_[lead_[f]];
        if (lead_[f] != f) continue;
        tokens_ += flag.tokens();
        if (flag.loop == kNone) continue;
        here_[flag.loop].first.push_back(f);
        here_[flag.loop].last.push_back(f);
    }
    // Barriers after waits.
    for (Here& here : here_)
        std::stable_partition(here.before.begin(), here.before.end(),
                              [&](size_t f) { return !flags_[f].barrier(); });
    collect_pipes();
    collect_turns();
}

// The first of each group that is not gone.
void Walk::collect_leads() {
    lead_.resize(flags_.size());
    std::map<size_t, size_t> first_of_group;
    for (size_t f = 0; f < flags_.size(); ++f) {
        const bool grouped = flags_[f].group != kNone && !flags_[f].gone;
        lead_[f] = grouped ? first_of_group.emplace(flags_[f].group, f).first->second : f;
    }
}

void Walk::collect_pipes() {
    of_pipe_.fill(Bits(bits()));
    const auto take = [&](Pipe pipe, const Span& span) {
        of_pipe_[static_cast<size_t>(pipe)].set_range(span.first, span.first + span.size);
    };
    for (size_t w = 0; w < outline_.works(); ++w) take(outline_.work(w).pipe, outline_.span_of(w));
    for (size_t f = 0; f < flags_.size(); ++f)
        if (!flags_[f].gone && !flags_[f].barrier()) take(flags_[f].destination, wait_spans_[f]);
}

void Walk::collect_turns() {
    turns_.assign(outline_.periodic_loops().size(), {});
    leaves_.assign(outline_.periodic_loops().size(), {});
    for (const Span& span : outline_.work_spans()) collect_turns(span);
    for (size_t f = 0; f < flags_.size(); ++f)
        if (!flags_[f].gone && !flags_[f].barrier()) collect_turns(wait_spans_[f]);
}

void Walk::collect_turns(const Span& span) {
    // The older first, so that each moves once.
    for (size_t b = span.first + span.size; b-- > span.first;) {
        const Ages ages = outline_.ages_of(span, b);
        for (size_t i = 0; i < kMostPeriodicLoops && span.periodic_loops[i] != kNone; ++i) {
            const unsigned period = outline_.periodic_loops()[span.periodic_loops[i]].period;
            Ages next = ages;
            ++next[i];
            if (ages[i] < period)
                turns_[span.periodic_loops[i]].emplace_back(b, outline_.bit(span, next));
            next[i] = period + 1;
            if (ages[i] <= period)
                leaves_[span.periodic_loops[i]].emplace_back(b, outline_.bit(span, next));
        }
    }
}

size_t Walk::flag_of(size_t bit) const {
    return bit < outline_.work_bits() ? kNone : owner_[bit - outline_.work_bits()];
}

State Walk::nothing_pending() const {
    State state;
    state.pending.fill(Bits(bits()));
    state.token.assign(tokens_, Bits(bits()));
    state.live = Bits(tokens_);
    return state;
}

// ---- instructions and flags -------------------------------------------------------------------

void Walk::started(State& state, size_t bit, Pipe pipe) const {
    for (Bits& pending : state.pending) pending.set(bit);
    // S works in order, and waits for its own work.
    if (pipe == Pipe::kS) state.of(Pipe::kS).reset(bit);
    state.live.each([&](size_t t) { state.token[t].set(bit); });
}

Bits Walk::left_for(const State& state, Pipe source) const {
    Bits left = state.of(source);
    left -= of(source);
    return left;
}

void Walk::set_flag(State& state, size_t f) {
    Bits left = left_for(state, flags_[f].source);
    watcher_->sets(state, f, left, false);
    state.token[first_token_[f]] = std::move(left);
    state.live.set(first_token_[f]);
}

void Walk::first_sets(State& state, size_t f) {
    const Bits left = left_for(state, flags_[f].source);
    watcher_->sets(state, f, left, true);
    for (size_t t = first_token_[f]; t < first_token_[f] + flags_[f].outstanding(); ++t) {
        state.token[t] = left;
        state.live.set(t);
    }
}

void Walk::take(State& state, size_t f, size_t token) const {
    state.of(flags_[f].destination) &= state.token[token];
    state.token[token].clear();
    state.live.reset(token);
}

void Walk::wait_flag(State& state, size_t f) const {
    take(state, f, first_token_[f] + flags_[f].tokens() - 1);
    started(state, wait_spans_[f].first, flags_[f].destination);
}

void Walk::last_waits(State& state, size_t f) const {
    for (size_t t = first_token_[f] + flags_[f].outstanding(); t-- > first_token_[f];)
        take(state, f, t);
    Ages ages{};
    for (size_t i = 0; i < kMostPeriodicLoops && wait_spans_[f].periodic_loops[i] != kNone; ++i)
        ages[i] = outline_.periodic_loops()[wait_spans_[f].periodic_loops[i]].period + 1;
    started(state, outline_.bit(wait_spans_[f], ages), flags_[f].destination);
}

void Walk::barrier(State& state, Pipe pipe) const {
    if (pipe != Pipe::kAll) {
        state.of(pipe) -= of(pipe);
        return;
    }
    for (Bits& pending : state.pending) pending.clear();
    for (Bits& token : state.token) token.clear();
}

// ---- the walk ---------------------------------------------------------------------------------

void Walk::run(Watcher& watcher) {
    watcher_ = &watcher;
    stopped_ = false;
    prepare();
    State state = nothing_pending();
    for (size_t b = 0; b < outline_.positions()[0].children.size(); ++b) run_block(state, 0, b);
    watcher_ = nullptr;
}

void Walk::run_block(State& state, size_t position, size_t block) {
    for (const size_t child : outline_.positions()[position].children[block]) {
        run_position(state, child);
        if (stopped_) return;
    }
}

void Walk::run_position(State& state, size_t position) {
    const Here& here = here_[position];
    for (const size_t f : here.before) {
        if (flags_[f].barrier())
            barrier(state, flags_[f].source);
        else
            wait_flag(state, f);
    }
    for (const size_t f : here.answering_sets) set_flag(state, f);
    for (const size_t f : here.first) first_sets(state, f);
    run_node(state, position);
    if (stopped_) return;
    for (const size_t f : here.last) last_waits(state, f);
    for (const size_t f : here.answering_waits) wait_flag(state, f);
    watcher_->done(state, position);
    for (const size_t f : here.behind) set_flag(state, f);
}

void Walk::run_node(State& state, size_t position) {
    const SyncNode& node = *outline_.positions()[position].node;
    switch (node.kind) {
        case SyncNode::Kind::kWork:
            check(state, position);
            return started(state, outline_.span_of(outline_.positions()[position].first).first,
                           node.pipe);
        case SyncNode::Kind::kBarrier:
            return barrier(state, node.pipe);
        case SyncNode::Kind::kDrain:
            check_empty(state, position);
            return barrier(state, Pipe::kAll);
        case SyncNode::Kind::kLoop:
            return run_loop(state, position);
        case SyncNode::Kind::kWhile:
            return run_while(state, position);
        case SyncNode::Kind::kBranch:
            return run_branch(state, position);
    }
}

void Walk::run_loop(State& state, size_t position) {
    const size_t periodic = outline_.periodic_loop_of(position);
    for (;;) {
        State iteration = state;
        if (periodic != kNone) turn(iteration, periodic);
        run_block(iteration, position, 0);
        if (stopped_) return;
        iteration.join(state);
        if (iteration == state) break;
        state = std::move(iteration);
    }
    if (periodic != kNone && !outline_.periodic_loops()[periodic].continues) leave(state, periodic);
}

void Walk::run_while(State& state, size_t position) {
    for (;;) {
        State iteration = state;
        run_block(iteration, position, 0);
        if (stopped_) return;
        State after = iteration;
        run_block(after, position, 1);
        if (stopped_) return;
        after.join(state);
        if (after == state) {
            state = std::move(iteration);
            return;
        }
        state = std::move(after);
    }
}

void Walk::run_branch(State& state, size_t position) {
    const State before = state;
    bool first = true;
    for (size_t b = 0; b < outline_.positions()[position].children.size(); ++b) {
        State arm = before;
        run_block(arm, position, b);
        if (stopped_) return;
        if (first)
            state = std::move(arm);
        else
            state.join(arm);
        first = false;
    }
}

namespace {

void move_bits(State& state, const std::vector<std::pair<size_t, size_t>>& moves) {
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

}  // namespace

void Walk::turn(State& state, size_t periodic) const {
    move_bits(state, turns_[periodic]);
    for (size_t f = 0; f < flags_.size(); ++f) {
        const Flag& flag = flags_[f];
        if (flag.gone || flag.periodic != periodic) continue;
        for (size_t t = first_token_[f] + flag.age; t-- > first_token_[f];) {
            state.token[t + 1] = state.token[t];
            if (state.live.test(t)) state.live.set(t + 1);
            state.token[t].clear();
            state.live.reset(t);
        }
    }
}

// The next run's first token among the remaining ones depends on the number of iterations of this run.
void Walk::leave(State& state, size_t periodic) const {
    move_bits(state, leaves_[periodic]);
    for (size_t f = 0; f < flags_.size(); ++f) {
        const Flag& flag = flags_[f];
        if (flag.gone || flag.periodic != periodic || flag.age < 2) continue;
        Bits any = state.token[first_token_[f]];
        for (size_t i = 1; i < flag.age; ++i) any |= state.token[first_token_[f] + i];
        for (size_t i = 0; i < flag.age; ++i) state.token[first_token_[f] + i] = any;
    }
}

void Walk::check(State& state, size_t position) {
    const size_t work = outline_.positions()[position].first;
    if (!state.of(outline_.work(work).pipe).meets(conflicts_[work])) return;
    stopped_ = !watcher_->early(state, position);
}

void Walk::check_empty(State& state, size_t position) {
    Bits works(bits());
    works.set_range(0, outline_.work_bits());
    if (!state.of(Pipe::kS).meets(works)) return;
    stopped_ = !watcher_->early(state, position);
}

}  // namespace ptosim::assembly::sync
