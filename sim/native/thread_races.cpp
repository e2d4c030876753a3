#include "sim/native/thread_races.h"

#include <algorithm>
#include <bit>

namespace ptosim {
namespace {

bool same_warp(uint32_t a, uint32_t b) { return (a - 1) / kWarpLanes == (b - 1) / kWarpLanes; }

}  // namespace

ThreadRaces::Cell& ThreadRaces::Cells::at(uint64_t key) {
    if (2 * used_ >= entries_.size()) grow();
    const size_t mask = entries_.size() - 1;
    size_t i = (key * 0x9E3779B97F4A7C15u) >> 32 & mask;
    while (entries_[i].key != key && entries_[i].key != UINT64_MAX) i = (i + 1) & mask;
    if (entries_[i].key == UINT64_MAX) {
        entries_[i].key = key;
        ++used_;
    }
    return entries_[i].cell;
}

void ThreadRaces::Cells::grow() {
    constexpr size_t kLeast = 1024;
    std::vector<Entry> old(std::max(kLeast, 2 * entries_.size()));
    old.swap(entries_);
    used_ = 0;
    for (const Entry& entry : old)
        if (entry.key != UINT64_MAX) at(entry.key) = entry.cell;
}

ThreadRaces::Cell& ThreadRaces::fresh(Cells& cells, uint64_t key) {
    Cell& found = cells.at(key);
    if (found.epoch != epoch_) {
        found = {};
        found.epoch = epoch_;
    }
    return found;
}

template <class Visitor>
void ThreadRaces::visit_cells(bool local, uint64_t begin, uint64_t end, Visitor&& visit) {
    Cells& words = words_[local ? 1 : 0];
    Cells& bytes = bytes_[local ? 1 : 0];
    for (uint64_t at = begin; at < end;) {
        const uint64_t first = at / kWord * kWord, next = std::min(end, first + kWord);
        Cell& word = fresh(words, first / kWord);
        if (!word.split && at == first && next == first + kWord) {
            visit(word, at);
        } else {
            if (!word.split) {
                word.split = true;
                for (uint64_t byte = first; byte < first + kWord; ++byte) fresh(bytes, byte) = word;
            }
            for (uint64_t byte = at; byte < next; ++byte) visit(fresh(bytes, byte), byte);
        }
        at = next;
    }
}

// The earlier access with which this one races. Plain accesses of global memory may meet atomic ones there, as locks do.
std::optional<ThreadRace::Side> ThreadRaces::race_of(const WarpInstruction& done, const Cell& cell,
                                                     uint32_t thread) const {
    if (cell.polled) return std::nullopt;
    const auto other = [&](const Cell::Last& last) {
        return last.thread != 0 && !same_warp(last.thread, thread) &&
               fences_[last.thread - 1] == last.fences;
    };
    const auto side = [](const Cell::Last& last, bool writes) { return ThreadRace::Side{last.thread - 1, last.code, writes}; };
    const bool hands_over = done.kind != Kind::kLoad && after_fence_[thread - 1] != 0;
    if (hands_over) return std::nullopt;
    if (done.kind != Kind::kStore && other(cell.stored)) return side(cell.stored, true);
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
    const Cell::Last now{thread, fences_[thread - 1], done.code};
    // A change after a fence hands other data over.
    if (done.kind != Kind::kLoad && after_fence_[thread - 1] != 0) cell.polled = true;
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
        cell.stored = now;
    }
}

std::optional<ThreadRace> ThreadRaces::execute(const WarpInstruction& done) {
    std::optional<ThreadRace> found;
    for (uint32_t lanes = done.active; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        const uint32_t thread = done.warp * kWarpLanes + lane + 1;
        if (done.kind <= Kind::kAtomic)
            visit_cells(done.local, done.addresses[lane], done.addresses[lane] + done.bytes,
                        [&](Cell& here, uint64_t at) {
                            if (!found)
                                if (const auto earlier = race_of(done, here, thread))
                                    found = {*earlier,
                                             {thread - 1, done.code, done.kind != Kind::kLoad},
                                             at,
                                             done.local};
                            record(done, here, thread);
                        });
        if (done.kind == Kind::kFence) ++fences_[thread - 1];
        after_fence_[thread - 1] = done.kind == Kind::kFence ? 1 : 0;
    }
    return found;
}

}  // namespace ptosim
