#include "sim/check/checkers.h"

#include <algorithm>

namespace ptosim::check {

Checkers::Checkers(const CheckOptions& options, const GlobalMemory& global,
                   std::function<void(const Diagnostic&)> announce)
    : findings_{std::move(announce)},
      budget_{options.memory, false},
      shared_{timelines_, global, budget_, chips_, polled_} {
    const auto rows = checker_rows();
    for (const CheckerRow* row : rows) {
        const bool chosen = options.has(*row);
        const bool needed = std::any_of(rows.begin(), rows.end(), [&](const CheckerRow* other) {
            return other->needs == row && options.has(*other);
        });
        if (row->make == nullptr || !(chosen || needed)) continue;
        checkers_.push_back(row->make(shared_, chosen ? findings_ : unheard_));
        for (size_t hook = 0; hook < kHookCount; ++hook)
            if ((row->hooks >> hook & 1) != 0) by_hook_[hook].push_back(checkers_.back().get());
    }
}

void Checkers::on_launch(const LaunchEvent& event) {
    timelines_.launch(event);
    footprints_.launch(event.cores.size() * kPipeCount, event.arch);
    published_.launch(event);
    polled_.launch(event);
    chips_.launch();
    shared_.sources = event.sources;
    shared_.running = 0;
    for (const auto& checker : checkers_) checker->on_launch(event);
}

void Checkers::on_launch_end(Cycle time) {
    for (const auto& checker : checkers_) checker->on_launch_end(time);
    chips_.launch_end();
}

void Checkers::on_part(const PartEvent& event) {
    timelines_.part_begin(event);
    for (const auto& checker : checkers_) checker->on_part(event);
}

void Checkers::on_block_begin(const RunEvent& event) {
    ++shared_.running;
    timelines_.block_begin(event);
    for (const auto& checker : checkers_) checker->on_block_begin(event);
}

void Checkers::on_block_end(const RunEvent& event) {
    --shared_.running;
    timelines_.touch(event.core, true);
    for (const auto& checker : checkers_) checker->on_block_end(event);
    timelines_.block_end(event);
}

void Checkers::task_begins(CoreId core) { timelines_.task_begin(core); }

void Checkers::task_ends(CoreId core) {
    timelines_.task_end(core);
    for (const auto& checker : checkers_) checker->on_task_end(core);
}

void Checkers::on_issue(const InstructionEvent& event) {
    timelines_.issue(event);
    const Footprint& footprint = footprints_.issue(lane(event), event.core, *event.instruction);
    tell(Hook::kIssue, &Observer::on_issue, event);
    if (footprint.empty()) return;
    for (Checker* const checker : by_hook_[static_cast<size_t>(Hook::kIssueAccesses)])
        checker->on_issue_accesses(event, footprint);
}

void Checkers::on_start(const InstructionEvent& event) {
    timelines_.start(event);
    const Footprint& footprint = footprints_.start(lane(event));
    tell(Hook::kStart, &Observer::on_start, event);
    if (!footprint.empty())
        for (Checker* const checker : by_hook_[static_cast<size_t>(Hook::kStartAccesses)])
            checker->on_start_accesses(event, footprint);
    if (!footprint.empty()) polled_.start(event, footprint);
    timelines_.finish(event);
}

void Checkers::on_flag_set(const FlagEvent& event) {
    shared_.set_order = timelines_.flag_set(event);
    tell(Hook::kFlagSet, &Observer::on_flag_set, event);
}

void Checkers::on_flag_wait(const FlagEvent& event) {
    shared_.wait_orders = timelines_.flag_wait(event);
    tell(Hook::kFlagWait, &Observer::on_flag_wait, event);
}

void Checkers::on_signal(const SignalEvent& event) {
    shared_.counter_may_be_full = !timelines_.signal(event);
    tell(Hook::kSignal, &Observer::on_signal, event);
}

void Checkers::on_scalar_access(const ScalarAccessEvent& event) {
    timelines_.touch(event.core, event.access.writes);
    const bool agrees = event.past_cache && event.access.global;
    const bool remote = agrees && chips_.is_remote(event.access.begin);
    if (remote && event.access.reads) chips_.acquire(event.core, event.access.begin);
    if (agrees && event.access.reads) timelines_.acquire_at(event.core, event.access.begin);
    if (event.by_pointer && event.access.reads) published_.load(event.core, event.access);
    if (event.by_pointer && event.access.writes) published_.store(event.core, event.access);
    polled_.access(event);
    tell(Hook::kScalarAccess, &Observer::on_scalar_access, event);
    // A core that polls cannot distinguish a store that repeats the previous one.
    if (agrees && event.access.writes && (remote || !event.repeats))
        timelines_.release_at(event.core, event.access.begin, event.access.reads);
    if (remote && event.access.writes) chips_.release(event.access.begin, event.access.reads);
}

void Checkers::on_cache(const CacheEvent& event) {
    if (event.use.kind == CacheUse::Kind::kAwait) return timelines_.await_stores(event.core);
    const bool cleans = event.use.kind == CacheUse::Kind::kClean;
    if (cleans) timelines_.touch(event.core, true);
    polled_.clean(event);
    tell(Hook::kCache, &Observer::on_cache, event);
    if (cleans) published_.clean(event.core, event.use);
}

void Checkers::on_carried_state(const CarriedStateEvent& event) {
    for (const auto& checker : checkers_) checker->on_carried_state(event);
}

void Checkers::on_masked_write(const MaskedWriteEvent& event) {
    for (const auto& checker : checkers_) checker->on_masked_write(event);
}

void Checkers::on_block(const BlockEvent& event) { tell(Hook::kBlock, &Observer::on_block, event); }

void Checkers::on_unblock(const BlockEvent& event) {
    tell(Hook::kUnblock, &Observer::on_unblock, event);
}

bool Checkers::follows_data(CoreId core, uint64_t sequence) const {
    const auto& followers = by_hook_[static_cast<size_t>(Hook::kData)];
    return std::any_of(followers.begin(), followers.end(), [&](const Checker* checker) {
        return checker->follows_data(core, sequence);
    });
}

void Checkers::on_data_begin(const DataEvent& event) {
    tell(Hook::kData, &Checker::on_data_begin, event);
}

// Diagnostics of the machine and of checkers.
void Checkers::on_diagnostic(const Diagnostic& found) {
    for (const auto& checker : checkers_) checker->on_diagnostic(found);
}

void Checkers::host_allocates(uint64_t address, uint64_t size, const std::string& name,
                              std::byte fresh) {
    for (const auto& checker : checkers_) checker->on_host_allocate(address, size, name, fresh);
}

void Checkers::host_releases(uint64_t address) {
    for (const auto& checker : checkers_) checker->on_host_release(address);
}

void Checkers::host_writes(const void* address, uint64_t size) {
    for (const auto& checker : checkers_)
        checker->on_host_write(reinterpret_cast<uint64_t>(address), size);
}

void Checkers::host_reads(const void* address, uint64_t size) {
    for (const auto& checker : checkers_) checker->on_host_read(reinterpret_cast<uint64_t>(address), size);
}

void Checkers::join(Peers* peers) {
    chips_.take_accesses();
    chips_.join(peers, [this](unsigned from, const WindowAccess& access, const OtherChips& clock) {
        for (const auto& checker : checkers_) checker->on_window_access(from, access, clock);
    });
}

void Checkers::host_ends() {
    chips_.take_accesses();
    for (const auto& checker : checkers_) checker->on_host_end();
}

std::vector<std::string> Checkers::wasted() const {
    std::vector<std::string> lines;
    for (const auto& checker : checkers_)
        for (std::string& line : checker->wasteful()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace ptosim::check
