#include "sim/machine/core/scalar_unit.h"

#include <algorithm>

#include "sim/machine/core/endless_loop.h"

namespace ptosim {
namespace {

constexpr unsigned kStack = 512 * 1024;

}  // namespace

ScalarUnit::ScalarUnit(CoreContext& core, Pipes& pipes, std::function<void()> work)
    : core_{core},
      pipes_{pipes},
      watch_{&core.environment.watch()},
      process_{kStack, std::move(work)},
      timer_{core.lane},
      called_{core.lane} {
    core.lane.begin_with(actor_);
}

void ScalarUnit::begin_block(bool runs_ahead) {
    state_ = {};
    state_.issuing = true;
    charged_ = 0;
    recent_count_ = 0;
    most_ahead_ = runs_ahead ? kMostAhead : 1;
}

// ---- the process and the actor ------------------------------------------------------------

void ScalarUnit::wait_for_block() {
    await_block();
    process_.yield();
}

void ScalarUnit::await_block() {
    awaits_block_ = true;
    assigned_ = core_.environment.assigned(core_.id);
    if (assigned_ != nullptr) assigned_->await(actor_);
    core_.environment.launched(core_.id).await(actor_);
}

// Called when one of the events for which await_block() waits has fired.
bool ScalarUnit::has_block() {
    if (assigned_ != nullptr) assigned_->forget(actor_);
    core_.environment.launched(core_.id).forget(actor_);
    if (core_.environment.has_block(core_.id)) return true;
    await_block();
    return false;
}

// Lets the process continue, or issues instructions that it has left in the run-ahead queue.
void ScalarUnit::act() {
    if (awaits_block_ && !has_block()) return;
    awaits_block_ = false;
    for (;;) {
        if (!catching_up_) process_.resume();
        if (!catching_up_) return;  // the process waits for an event
        if (!issue_run_ahead()) return;
        catching_up_ = false;
    }
}

// Returns false if the scalar unit has to wait: for the time to issue the next, or for room in its queue.
bool ScalarUnit::issue_run_ahead() {
    for (; next_ < run_ahead_count_; ++next_) {
        const RunAhead& next = run_ahead_[next_];
        if (!delay_passed_ && next.delay > 0) {
            delay_passed_ = true;
            timer_.notify(next.delay);
            timer_.await(actor_);
            return false;
        }
        if (next.entry != nullptr) {
            if (next.unit->full()) {
                if (!state_.blocked)
                    block(BlockReason::kQueueFull, next.entry->instruction, next_sequence_);
                delay_passed_ = true;
                next.unit->left_queue().await(actor_);
                return false;
            }
            if (state_.blocked) unblock();
            next.entry->sequence = take_sequence();
            pipes_.issue(*next.unit, *next.entry);
        }
        delay_passed_ = false;
    }
    run_ahead_count_ = next_ = 0;
    return true;
}

void ScalarUnit::catch_up() {
    if (run_ahead_count_ == 0) return;
    catching_up_ = true;
    process_.yield();
}

void ScalarUnit::issue_serialized(std::span<const Pipe> awaited, Cycle delay, PipeUnit& unit,
                                  PipeUnit::Entry& entry) {
    const Instruction& instruction = *entry.instruction;
    const Pipe own = unit.pipe();
    catch_up();
    wait_for_pipes(pipes_.pushed(awaited), BlockReason::kBarrier, &instruction, next_sequence_);
    run_ahead(delay, unit, entry);
    catch_up();
    wait_for_pipes(pipes_.pushed({&own, 1}), BlockReason::kBarrier, &instruction, entry.sequence);
}

void ScalarUnit::reach_issue(Cycle delay) {
    catch_up();
    if (delay > 0) wait_for(delay);
}

// ---- time ---------------------------------------------------------------------------------

void ScalarUnit::charge_operations(unsigned operations, SourceLocation where) {
    if (where.line != 0) note(where);
    charge(operations * core_.read(core_.model.scalar.operation));
    if (watch_->count_operations(operations)) look();
    if (charged_ > kMostCharged) spend();
}

Cycle ScalarUnit::take_charged() {
    const Cycle whole = charged_ / 1000;
    charged_ %= 1000;
    return whole;
}

// Ends a launch that exceeds its limits or is interrupted.
void ScalarUnit::look() {
    core_.environment.drop_observers_with_enough();
    const LaunchWatch::Verdict verdict = watch_->verdict(core_.now());
    if (verdict == LaunchWatch::Verdict::kGoesOn) return;
    if (verdict == LaunchWatch::Verdict::kInterrupted) core_.environment.interrupt(core_.id);
    const size_t count = std::min(recent_count_, recent_.size());
    const SourceLocation here =
        count == 0 ? SourceLocation{} : recent_[(recent_count_ - 1) % recent_.size()];
    core_.environment.fail(
        {explain_endless_loop(core_, verdict, std::span(recent_).first(count), here)});
}

void ScalarUnit::spend() {
    if (watch_->count_operations(1)) look();
    catch_up();
    const Cycle whole = take_charged();
    if (whole > 0) wait_for(whole);
}

// ---- waiting ------------------------------------------------------------------------------

void ScalarUnit::wait_for(Event& event) {
    event.await(actor_);
    process_.yield();
}

void ScalarUnit::wait_for(Cycle cycles) {
    timer_.notify(cycles);
    wait_for(timer_);
}

void ScalarUnit::call_alone(std::function<void()> work) {
    if (core_.environment.call_alone(core_.id, std::move(work), called_)) wait_for(called_);
}

void ScalarUnit::block(BlockReason reason, const Instruction* instruction, uint64_t sequence) {
    state_.blocked = true;
    state_.reason = reason;
    state_.instruction = instruction;
    state_.sequence = sequence;
    core_.tell_block(Pipe::kS, reason, instruction, sequence);
}

void ScalarUnit::unblock(const BlockEvent& released) {
    BlockEvent event = released;
    event.reason = state_.reason;
    core_.tell_unblock(Pipe::kS, event, state_.instruction, state_.sequence);
    state_.blocked = false;
    state_.instruction = nullptr;
}

void ScalarUnit::wait_for_pipes(const PipeCounts& completed, BlockReason reason,
                                const Instruction* instruction, uint64_t sequence,
                                bool tells_releaser) {
    BlockEvent released;
    bool blocked = false;
    for (unsigned p = 0; p < kPipeCount; ++p) {
        PipeUnit* const unit = pipes_[p];
        if (unit == nullptr || unit->completed() >= completed[p]) continue;
        if (tells_releaser)
            released = released_by(core_.id, unit->pipe(), unit->entry(completed[p] - 1).sequence);
        if (!blocked) block(reason, instruction, sequence);
        blocked = true;
        while (unit->completed() < completed[p]) wait_for(unit->retired());
    }
    if (blocked) unblock(released);
}

}  // namespace ptosim
