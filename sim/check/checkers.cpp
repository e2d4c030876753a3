#include "sim/check/checkers.h"

namespace ptosim::check {

Checkers::Checkers(const CheckOptions& options, const GlobalMemory& global,
                   std::function<void(const Diagnostic&)> announce)
    : options_{options}, findings_{std::move(announce)} {
    budget_.left = options.memory;
    if (options.wasted) wasted_.emplace();
    if (options.race || options.wasted)
        race_.emplace(timelines_, global, options.race ? findings_ : unheard_, budget_,
                      wasted_ ? &*wasted_ : nullptr);
    if (options.init) init_.emplace(timelines_, findings_);
    if (options.sync) sync_.emplace(timelines_, findings_);
}

void Checkers::on_launch(const LaunchEvent& event) {
    sources_ = event.sources;
    running_ = 0;
    timelines_.launch(event);
    footprints_.launch(event.cores.size() * kPipeCount);
    arch_ = event.arch;
    if (wasted_) wasted_->launch(event);
    if (race_) race_->launch(event);
    if (init_) init_->launch(event);
    if (sync_) sync_->launch(event);
}

void Checkers::on_launch_end(Cycle) {
    // After a deadlock, what is left over only repeats it.
    if (sync_ && running_ == 0) sync_->launch_end();
}

void Checkers::on_block_begin(const RunEvent& event) {
    ++running_;
    timelines_.block_begin(event);
    if (init_) init_->block_begin(event);
    if (sync_) sync_->block_begin(event);
}

void Checkers::on_block_end(const RunEvent& event) {
    --running_;
    timelines_.block_end(event);
    if (sync_) sync_->block_end(event);
}

void Checkers::on_issue(const InstructionEvent& event) {
    timelines_.issue(event);
    const Footprint& footprint = footprints_.issue(lane(event), event.core, *event.instruction);
    if (init_) init_->issue(event, footprint);
    if (sync_) sync_->issue(event, arch_);
}

void Checkers::on_start(const InstructionEvent& event) {
    timelines_.start(event);
    const Footprint& footprint = footprints_.start(lane(event));
    if (wasted_ && event.pipe == Pipe::kV && event.instruction->opcode == Opcode::kPIPE_BARRIER) {
        const Stamp now = timelines_.now(event.core, event.pipe);
        wasted_->barrier(now.core, now.tick, event.instruction->location);
    }
    if (race_) race_->start(event, footprint);
    if (init_) init_->start(event, footprint);
}

void Checkers::on_flag_set(const FlagEvent& event) {
    const bool in_turn = timelines_.flag_set(event);
    if (in_turn || !sync_ || event.cross_core) return;
    const auto& flags = timelines_.core(timelines_.index(event.core)).flags;
    sync_->early_set(event, flags.at({event.source, event.destination, event.id}).wait);
}

void Checkers::on_flag_wait(const FlagEvent& event) {
    const bool useful = timelines_.flag_wait(event);
    if (wasted_ && !event.cross_core) wasted_->flag_wait(event, useful);
}

void Checkers::on_signal(const SignalEvent& event) {
    if (!timelines_.signal(event) && sync_) sync_->crowded(event);
}

void Checkers::on_scalar_access(const ScalarAccessEvent& event) {
    timelines_.touch(event.core);
    if (race_) race_->scalar_access(event);
    if (init_) init_->scalar_access(event);
}

void Checkers::on_block(const BlockEvent& event) {
    if (wasted_) wasted_->block(event);
}

void Checkers::on_unblock(const BlockEvent& event) {
    if (wasted_) wasted_->unblock(event);
}

std::vector<std::string> Checkers::wasted() const {
    std::vector<std::string> lines;
    if (!wasted_) return lines;
    for (const Wasted::Entry& entry : wasted_->list()) {
        std::string line = place(*sources_, entry.location) + ": ";
        line += entry.barrier ? "barrier: other barriers order all that it orders"
                              : "wait_flag: all that it orders is ordered already";
        line += " (passed " + std::to_string(entry.count) + " times, held up " +
                std::to_string(entry.cycles) + " cycles)";
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace ptosim::check
