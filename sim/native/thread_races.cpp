#include "sim/native/thread_races.h"

#include <bit>

namespace ptosim {
namespace {

bool same_warp(uint32_t a, uint32_t b) { return (a - 1) / kWarpLanes == (b - 1) / kWarpLanes; }

}  // namespace

ThreadRaces::Cell& ThreadRaces::cell(bool local, uint64_t address) {
    std::unique_ptr<Page>& page = pages_[local ? 1 : 0][address / kPage];
    if (page == nullptr) page = std::make_unique<Page>();
    Cell& found = (*page)[address % kPage];
    if (found.epoch != epoch_) {
        found = {};
        found.epoch = epoch_;
    }
    return found;
}

// The earlier access with which this one races. Plain accesses of global memory may meet atomic ones there, as locks do.
std::optional<ThreadRace::Side> ThreadRaces::race_of(const WarpInstruction& done, const Cell& cell,
                                                     uint32_t thread) const {
    if (cell.polled) return std::nullopt;
    const auto other = [&](const Cell::Last& last) { return last.thread != 0 && !same_warp(last.thread, thread); };
    const auto side = [](const Cell::Last& last, bool writes) { return ThreadRace::Side{last.thread - 1, last.code, writes}; };
    const bool hands_over = done.kind == Kind::kStore && after_fence_[thread - 1] != 0;
    if (hands_over) return std::nullopt;
    if (done.kind != Kind::kStore && other(cell.stored) && fences_[cell.stored.thread - 1] == cell.fences)
        return side(cell.stored, true);
    const auto any = [&](const Cell::Accesses& accesses, bool writes) -> std::optional<ThreadRace::Side> {
        if (other(accesses.last)) return side(accesses.last, writes);
        if (other(accesses.elsewhere)) return side(accesses.elsewhere, writes);
        return std::nullopt;
    };
    if (done.kind != Kind::kAtomic && done.local)
        if (const auto found = any(cell.changed, true)) return found;
    if (done.kind == Kind::kStore || (done.kind == Kind::kAtomic && done.local)) return any(cell.loaded, false);
    return std::nullopt;
}

void ThreadRaces::record(const WarpInstruction& done, Cell& cell, uint32_t thread) {
    const Cell::Last now{thread, done.code};
    const auto note = [&](Cell::Accesses& accesses) {
        if (accesses.last.thread != 0 && !same_warp(accesses.last.thread, thread)) accesses.elsewhere = accesses.last;
        accesses.last = now;
    };
    if (done.kind == Kind::kAtomic) {
        note(cell.changed);
    } else if (done.kind == Kind::kLoad) {
        const Cell::Last& last = cell.loaded.last;
        cell.polled = cell.polled || (last.thread == thread && last.code == done.code);
        note(cell.loaded);
    } else {
        // A store after a fence hands other data over.
        if (after_fence_[thread - 1] != 0) cell.polled = true;
        cell.stored = now;
        cell.fences = fences_[thread - 1];
    }
}

std::optional<ThreadRace> ThreadRaces::execute(const WarpInstruction& done) {
    std::optional<ThreadRace> found;
    for (uint32_t lanes = done.active; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        const uint32_t thread = done.warp * kWarpLanes + lane + 1;
        if (done.kind <= Kind::kAtomic)
            for (uint64_t at = done.addresses[lane]; at < done.addresses[lane] + done.bytes; ++at) {
                Cell& here = cell(done.local, at);
                if (!found)
                    if (const auto earlier = race_of(done, here, thread))
                        found = {*earlier, {thread - 1, done.code, done.kind != Kind::kLoad}, at, done.local};
                record(done, here, thread);
            }
        if (done.kind == Kind::kFence) ++fences_[thread - 1];
        after_fence_[thread - 1] = done.kind == Kind::kFence ? 1 : 0;
    }
    return found;
}

}  // namespace ptosim
