#include "sim/check/checkers.h"

#include <algorithm>
#include <array>

namespace ptosim::check {

std::string CheckOptions::choose(std::string_view list) {
    while (!list.empty()) {
        const std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), word.size() + 1));
        const bool all = word == "all";
        bounds = bounds || all || word == "bounds";
        init = init || all || word == "init";
        race = race || all || word == "race";
        sync = sync || all || word == "sync";
        cache = cache || all || word == "cache";
        drain = drain || word == "drain";
        unused = unused || word == "unused";
        ids = ids || word == "ids";
        choices = choices || word == "choices";
        static constexpr std::array<std::string_view, 11> kNames{
            "all",   "none",  "bounds", "init",   "race",   "sync",
            "cache", "drain", "ids",    "unused", "choices"};
        if (std::find(kNames.begin(), kNames.end(), word) == kNames.end()) return std::string(word);
    }
    return {};
}

Checkers::Checkers(const CheckOptions& options, const GlobalMemory& global,
                   std::function<void(const Diagnostic&)> announce)
    : options_{options}, findings_{std::move(announce)} {
    budget_.left = options.memory;
    if (options.wasted) wasted_.emplace();
    if (options.race || options.wasted)
        race_.emplace(timelines_, global, options.race ? findings_ : unheard_, budget_,
                      wasted_ ? &*wasted_ : nullptr);
    if (options.init) init_.emplace(timelines_, findings_);
    if (options.sync || options.ids)
        sync_.emplace(timelines_, findings_, options.sync, options.ids);
    if (options.bounds) tiles_.emplace(timelines_, findings_);
    if (options.cache) caches_.emplace(timelines_, global, findings_, budget_);
    if (options.drain) drain_.emplace(timelines_, findings_);
    if (options.init || options.unused) global_init_.emplace(findings_, budget_);
    if (options.race) host_order_.emplace(findings_, budget_);
}

void Checkers::on_launch(const LaunchEvent& event) {
    sources_ = event.sources;
    running_ = 0;
    timelines_.launch(event);
    footprints_.launch(event.cores.size() * kPipeCount, event.arch);
    published_.launch(event);
    arch_ = event.arch;
    if (wasted_) wasted_->launch(event);
    if (race_) race_->launch(event);
    if (init_) init_->launch(event);
    if (sync_) sync_->launch(event);
    if (tiles_) tiles_->launch(event);
    if (caches_) caches_->launch(event);
    if (drain_) drain_->launch(event);
    if (global_init_) global_init_->launch(event);
}

void Checkers::on_launch_end(Cycle) {
    // After a deadlock, what is left over only repeats it.
    if (balance() && running_ == 0) sync_->launch_end();
}

void Checkers::on_block_begin(const RunEvent& event) {
    ++running_;
    timelines_.block_begin(event);
    if (init_) init_->block_begin(event);
    if (sync_) sync_->block_begin(event);
    if (tiles_) tiles_->block_begin(event);
    if (drain_) drain_->block_begin(event);
}

void Checkers::on_block_end(const RunEvent& event) {
    --running_;
    if (drain_) drain_->block_end(event);
    if (caches_) {
        timelines_.touch(event.core, true);
        caches_->block_end(event);
    }
    timelines_.block_end(event);
    if (balance()) sync_->block_end(event);
}

void Checkers::task_begins(CoreId core) { timelines_.task_begin(core); }

void Checkers::task_ends(CoreId core) {
    timelines_.task_end(core);
    // Not when the next one begins: another core of its cluster may have written there by then.
    if (init_) init_->forget(core);
}

void Checkers::on_issue(const InstructionEvent& event) {
    timelines_.issue(event);
    const Footprint& footprint = footprints_.issue(lane(event), event.core, *event.instruction);
    if (init_) init_->issue(event, footprint);
    if (sync_) sync_->issue(event, arch_);
    if (tiles_) tiles_->issue(event, footprint);
}

void Checkers::on_start(const InstructionEvent& event) {
    timelines_.start(event);
    const Footprint& footprint = footprints_.start(lane(event));
    if (wasted_ && event.pipe == Pipe::kV && event.instruction->opcode == Opcode::kPIPE_BARRIER) {
        const Stamp now = timelines_.now(event.core, event.pipe);
        wasted_->barrier(now.core, now.tick, event.instruction->location);
    }
    if (balance()) sync_->start(event);
    if (race_) race_->start(event, footprint);
    if (init_) init_->start(event, footprint);
    if (caches_) caches_->start(event, footprint);
    if (drain_) drain_->start(event, footprint);
    if (global_init_) global_init_->start(event, footprint, options_.init);
    if (host_order_)
        for (const Piece& piece : footprint)
            if (piece.global)
                for (const bool writes : {false, true})
                    if (writes ? piece.writes : piece.reads)
                        host_order_->touch(piece.region, writes);
    timelines_.finish(event);
}

void Checkers::on_flag_set(const FlagEvent& event) {
    const Timelines::SetOrder order = timelines_.flag_set(event);
    if (order == Timelines::SetOrder::kInTurn || !balance()) return;
    const auto& flags = timelines_.core(timelines_.index(event.core)).flags;
    sync_->early_set(event, order, flags.at({event.source, event.destination, event.id}));
}

void Checkers::on_flag_wait(const FlagEvent& event) {
    const bool useful = timelines_.flag_wait(event);
    if (event.carried && balance()) sync_->carried_wait(event);
    if (event.carried) return;
    if (!wasted_ || event.cross_core) return;
    const auto& flags = timelines_.core(timelines_.index(event.core)).flags;
    wasted_->flag_wait(event, flags.at({event.source, event.destination, event.id}).set, useful);
}

void Checkers::on_signal(const SignalEvent& event) {
    if (!timelines_.signal(event) && balance()) sync_->counter_overflow(event);
}

void Checkers::on_scalar_access(const ScalarAccessEvent& event) {
    timelines_.touch(event.core, event.access.writes);
    const bool agrees = event.past_cache && event.access.global;
    if (agrees && event.access.reads) timelines_.acquire_at(event.core, event.access.begin);
    if (event.by_pointer && event.access.reads) published_.load(event.core, event.access);
    if (event.by_pointer && event.access.writes) published_.store(event.core, event.access);
    if (global_init_) global_init_->scalar_access(event, options_.init);
    if (race_) race_->scalar_access(event);
    if (host_order_ && event.access.global)
        host_order_->touch(range_of(event.access), event.access.writes);
    if (init_) init_->scalar_access(event);
    if (agrees && event.access.writes)
        timelines_.release_at(event.core, event.access.begin, event.access.reads);
}

void Checkers::on_cache(const CacheEvent& event) {
    const bool cleans = event.use.kind == CacheUse::Kind::kClean;
    if (cleans) timelines_.touch(event.core, true);
    if (caches_) caches_->use(event);
    if (cleans) published_.clean(event.core, event.use);
}

void Checkers::host_allocates(uint64_t address, uint64_t size, std::string name, std::byte fresh) {
    if (host_order_) host_order_->allocate(address, size, name);
    if (global_init_) global_init_->allocate(address, size, std::move(name), fresh);
}

void Checkers::host_releases(uint64_t address) {
    if (host_order_) host_order_->release(address);
    if (global_init_) global_init_->release(address, options_.unused);
}

void Checkers::host_writes(const void* address, uint64_t size) {
    if (global_init_) global_init_->write(reinterpret_cast<uint64_t>(address), size);
}

void Checkers::host_reads(const void* address) {
    if (global_init_) global_init_->read(reinterpret_cast<uint64_t>(address));
}

void Checkers::host_ends() {
    if (global_init_) global_init_->end(options_.unused);
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
    const auto lines_of = [this](const std::vector<SourceLocation>& locations, size_t first) {
        std::string text;
        for (size_t i = first; i < locations.size(); ++i)
            text += (text.empty() ? "" : ", ") + location_text(*sources_, locations[i]);
        return text;
    };
    for (const RedundantSync::Entry& entry : wasted_->list()) {
        std::string line = location_text(*sources_, entry.locations.front()) + ": ";
        if (entry.barrier) {
            line += "barrier: other barriers order all that it orders";
        } else {
            line += "wait_flag: all that it orders is ordered already; it can be removed with ";
            line += lines_of(entry.sets, 0) +
                    (entry.locations.size() > 1 ? ", " + lines_of(entry.locations, 1) : "");
        }
        line += " (passed " + std::to_string(entry.count) + " times, held up " +
                std::to_string(entry.cycles) + " cycles)";
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace ptosim::check
