#include "sim/check/polled_stores.h"

#include <algorithm>

namespace ptosim::check {

void PolledStores::launch(const LaunchEvent& event) {
    cores_.clear();
    cores_.resize(event.cores.size());
    seen_.clear();
}

bool PolledStores::polls(uint16_t loader, uint16_t storer, const Range& bytes) const {
    const auto seen = seen_.find({loader, storer});
    if (seen == seen_.end()) return false;
    const uint64_t first = bytes.begin - std::min(bytes.begin, kMostBytes);
    for (auto at = seen->second.lower_bound(first); at != seen->second.end() && at->first < bytes.end; ++at)
        if (at->second > bytes.begin) return true;
    return false;
}

void PolledStores::note_seen(uint16_t loader, uint16_t storer, const Range& bytes) {
    uint64_t& end = seen_[{loader, storer}][bytes.begin];
    end = std::max(end, bytes.end);
}

void PolledStores::acquire(CoreId id, const Region& words, bool sees) {
    const uint16_t reader = timelines_.index(id);
    for (size_t other = 0; other < cores_.size(); ++other) {
        if (other == reader) continue;
        for (const Store& store : cores_[other].stores) {
            if (!overlap(store.region, words)) continue;
            timelines_.acquire(id, *store.ticks);
            if (sees) note_seen(reader, static_cast<uint16_t>(other), common(store.region, words));
        }
    }
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
            for (const Region& words :
                 loaded.words)  // each once: results are sources of the next instruction
                if (std::find(passed.words.begin(), passed.words.end(), words) ==
                    passed.words.end())
                    passed.words.push_back(words);
        }
    }
    if (passed.words.size() > kMostWords)
        passed.words.erase(passed.words.begin(), passed.words.end() - kMostWords);
    for (const Piece& piece : footprint) {
        if (piece.global || !piece.writes) continue;
        forget(core, piece.region);
        if (passed.words.empty()) continue;
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
            const bool copied = piece.region.lines == 1 && to.region.lines == 1 && piece.region.width == to.region.width;
            core.loaded.push_back({to.region, {piece.region}, copied});
            if (core.loaded.size() > kMostLoaded) core.loaded.pop_front();
        }
    }
}

void PolledStores::read(const Core& core, CoreId id, const Region& local) {
    for (const Loaded& loaded : core.loaded) {
        if (!overlap(loaded.local, local)) continue;
        if (loaded.copied) {
            const Range bytes = common(loaded.local, local);
            acquire(id, {loaded.words[0].begin + (bytes.begin - loaded.local.begin), bytes.end - bytes.begin, 0, 1});
        } else {
            for (const Region& words : loaded.words) acquire(id, words);
        }
    }
}

// A poll by the scalar unit needs a clean of the line, without which it would see old data.
void PolledStores::access(const ScalarAccessEvent& event) {
    Core& core = cores_[timelines_.index(event.core)];
    const Region region = range_of(event.access);
    if (!event.access.global) {
        if (event.access.reads && !core.loaded.empty()) read(core, event.core, region);
        if (event.access.writes) forget(core, region);
        return;
    }
    if (event.access.writes && !event.repeats) note_store(core, event.core, Pipe::kS, region);
    const uint64_t line = region.begin / CacheUse::kLineBytes;
    if (!event.access.reads || !(event.past_cache || core.all_cleaned || core.cleaned.contains(line))) return;
    acquire(event.core, region, !event.access.writes);
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
