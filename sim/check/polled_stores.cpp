#include "sim/check/polled_stores.h"

#include <algorithm>

namespace ptosim::check {

void PolledStores::launch(const LaunchEvent& event) {
    cores_.clear();
    cores_.resize(event.cores.size());
    last_reads_.clear();
}

// The stores of other cores that the region meets.
std::vector<PolledStores::Ticks> PolledStores::stores_at(const Region& region, uint16_t core) const {
    std::vector<Ticks> found;
    for (size_t other = 0; other < cores_.size(); ++other) {
        if (other == core) continue;
        for (const Store& store : cores_[other].stores)
            if (overlap(store.region, region)) found.push_back(store.ticks);
    }
    return found;
}

void PolledStores::forget(Core& core, const Region& written) {
    std::erase_if(core.loaded, [&](const Loaded& loaded) { return covers(written, loaded.local); });
}

// A vector instruction that reads loaded words passes them on to its result.
void PolledStores::pass_on(Core& core, const Footprint& footprint) {
    Loaded passed;
    for (const Piece& piece : footprint) {
        if (piece.global || !piece.reads) continue;
        for (const Loaded& loaded : core.loaded) {
            if (!overlap(loaded.local, piece.region)) continue;
            passed.loads.insert(passed.loads.end(), loaded.loads.begin(), loaded.loads.end());
        }
    }
    for (const Piece& piece : footprint) {
        if (piece.global || !piece.writes) continue;
        forget(core, piece.region);
        if (passed.loads.empty()) continue;
        passed.local = piece.region;
        core.loaded.push_back(passed);
    }
    while (core.loaded.size() > kMostLoaded) core.loaded.pop_front();
}

void PolledStores::note_store(Core& core, CoreId id, Pipe pipe, const Region& region) {
    std::erase_if(core.stores, [&](const Store& store) { return covers(region, store.region); });
    core.stores.push_back({region, std::make_shared<const RemoteTicks>(timelines_.released_by(id, pipe))});
    if (core.stores.size() > kMostStores) core.stores.pop_front();
}

void PolledStores::start(const InstructionEvent& event, const Footprint& footprint) {
    const uint16_t index = timelines_.index(event.core);
    Core& core = cores_[index];
    if (event.pipe == Pipe::kV) {
        if (!core.loaded.empty()) pass_on(core, footprint);
        return;
    }
    for (const Piece& piece : footprint) {
        if (!piece.global || !is_small(piece.region)) continue;
        if (piece.writes && (event.pipe == Pipe::kMTE3 || event.pipe == Pipe::kFIX)) {
            note_store(core, event.core, event.pipe, piece.region);
        }
        if (!piece.reads || event.pipe != Pipe::kMTE2) continue;
        for (const Piece& to : footprint) {
            if (to.global || !to.writes) continue;
            forget(core, to.region);
            core.loaded.push_back({to.region, {{piece.region, event.instruction->location}}});
            if (core.loaded.size() > kMostLoaded) core.loaded.pop_front();
        }
    }
}

void PolledStores::read(Core& core, CoreId id, const Region& local, Cycle time) {
    for (const Loaded& loaded : core.loaded) {
        if (!overlap(loaded.local, local)) continue;
        for (const Load& load : loaded.loads) {
            for (const Ticks& ticks : stores_at(load.words, timelines_.index(id))) timelines_.acquire(id, *ticks);
            last_reads_[key_of(load.location)] = time;
        }
    }
}

// A poll by the scalar unit needs a clean of the line, without which it would see old data.
void PolledStores::access(const ScalarAccessEvent& event) {
    const uint16_t index = timelines_.index(event.core);
    Core& core = cores_[index];
    const Region region = range_of(event.access);
    if (!event.access.global) {
        if (event.access.reads && !core.loaded.empty()) read(core, event.core, region, event.time);
        if (event.access.writes) forget(core, region);
        return;
    }
    if (event.access.writes && !event.past_cache) note_store(core, event.core, Pipe::kS, region);
    const uint64_t line = region.begin / CacheUse::kLineBytes;
    if (!event.access.reads || !(event.past_cache || core.all_cleaned || core.cleaned.contains(line))) return;
    last_reads_[key_of(event.location)] = event.time;
    for (const Ticks& ticks : stores_at(region, index)) timelines_.acquire(event.core, *ticks);
}

void PolledStores::clean(const CacheEvent& event) {
    if (event.use.kind != CacheUse::Kind::kClean) return;
    Core& core = cores_[timelines_.index(event.core)];
    if (event.use.size == 0)
        core.all_cleaned = true;
    else
        core.cleaned.insert(event.use.address / CacheUse::kLineBytes);
}

}  // namespace ptosim::check
