#include "sim/native/thread_fences.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptosim {
namespace {

constexpr size_t kSlots = size_t{1} << 18;
constexpr size_t kMostChanges = size_t{1} << 18;

}  // namespace

ThreadFences::Running ThreadFences::begin_block(uint32_t block, size_t threads) {
    if (blocks_.contains(block)) *this = {};
    blocks_[block];
    return {block, threads};
}

void ThreadFences::release_barrier(const Running& running) {
    blocks_[running.block_].barriers.push_back(++now_);
}

ThreadFences::Stored& ThreadFences::slot(uint64_t word) {
    if (stored_.empty()) stored_.resize(kSlots);
    return stored_[(word * 0x9E3779B97F4A7C15u) >> 40 & (kSlots - 1)];
}

const ThreadFences::Change* ThreadFences::last_store(uint64_t word) {
    const Stored& here = slot(word);
    return here.word == word ? &here.change : nullptr;
}

void ThreadFences::see(Block& block, uint64_t word, uint16_t warp) {
    block.seen[block.sights++ % block.seen.size()] = {word, warp, now_};
}

// True if this code polls: a thread has repeated its load there.
bool ThreadFences::polls(Running& running, uint32_t thread, uint64_t address, const void* code) {
    Running::Load& last = running.loads_[thread];
    if (last.address == address && last.code == code) polling_.insert(code);
    last = {address, code};
    return polling_.contains(code);
}

void ThreadFences::change(uint64_t word, const Change& by) {
    auto found = atomics_.find(word);
    if (found == atomics_.end()) {
        if (changes_ >= kMostChanges) return;
        found = atomics_.try_emplace(word).first;
    }
    std::vector<Change>& of_block = found->second[by.warp.block];
    const auto same = std::ranges::find(of_block, by.warp, &Change::warp);
    if (same != of_block.end()) {
        *same = by;
        return;
    }
    of_block.push_back(by);
    ++changes_;
}

bool ThreadFences::barrier_between(const Block& block, Moment begin, Moment end) {
    const auto first = std::ranges::upper_bound(block.barriers, begin);
    return first != block.barriers.end() && *first < end;
}

bool ThreadFences::precedes(const Change& store, const Change& flag) const {
    if (store.warp.block != flag.warp.block || store.when >= flag.when) return false;
    return store.warp == flag.warp || barrier_between(blocks_.at(store.warp.block), store.when, flag.when);
}

// A fence of another warp counts if a barrier lies between the store and it.
bool ThreadFences::is_fenced(const Change& store, const Change& flag, uint32_t reader) const {
    const Block& block = blocks_.at(store.warp.block);
    const auto counts = [&](const Fence& fence) {
        return (!fence.of_block || store.warp.block == reader) &&
               (fence.warp == store.warp.number || barrier_between(block, store.when, fence.when));
    };
    for (auto fence = std::ranges::upper_bound(block.fences, store.when, {}, &Fence::when);
         fence != block.fences.end() && fence->when < flag.when; ++fence)
        if (counts(*fence)) return true;
    return false;
}

// The change by which the reader may know of the data, if no such change follows a fence; else null.
const ThreadFences::Change* ThreadFences::handed_over(const Block& block, Warp reader, const Stored& data) {
    const Change* found = nullptr;
    bool fenced = false;
    const auto consider = [&](const Change& flag, const Seen& seen) {
        if (flag.when >= seen.when || !precedes(data.change, flag)) return;
        if (is_fenced(data.change, flag, reader.block))
            fenced = true;
        else
            found = &flag;
    };
    for (const Seen& seen : block.seen) {
        if (seen.when == 0 || seen.word == data.word) continue;
        if (seen.warp != reader.number && !barrier_between(block, seen.when, now_)) continue;
        if (const Change* const store = last_store(seen.word)) consider(*store, seen);
        const auto word = atomics_.find(seen.word);
        if (word == atomics_.end()) continue;
        if (const auto changes = word->second.find(data.change.warp.block); changes != word->second.end())
            for (const Change& change : changes->second) consider(change, seen);
    }
    return fenced ? nullptr : found;
}

std::optional<MissingFence> ThreadFences::execute(Running& running, const WarpInstruction& done) {
    const uint32_t number = running.block_;
    ++now_;
    Block& block = blocks_[number];
    if (done.kind == Kind::kFence) block.fences.push_back({done.warp, done.of_block, now_});
    const bool after_fence = std::exchange(block.after_fence.at(done.warp), done.kind == Kind::kFence);
    if (done.kind > Kind::kAtomic || done.local) return std::nullopt;
    std::optional<MissingFence> found;
    const Warp warp{number, done.warp};
    for (uint32_t lanes = done.active; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        const uint32_t thread = done.warp * kWarpLanes + lane;
        const uint64_t begin = done.addresses[lane], end = begin + done.bytes;
        const bool polled = done.kind == Kind::kLoad && polls(running, thread, begin, done.code);
        for (uint64_t word = begin / kWord; word * kWord < end; ++word) {
            const uint64_t first = std::max(begin, word * kWord) % kWord, size = std::min(end - word * kWord, kWord);
            const auto bytes = static_cast<uint8_t>((1u << size) - (1u << first));
            const Change now{warp, now_, done.code};
            if (done.kind == Kind::kAtomic) {
                if (done.used) see(block, word, done.warp);
                if (done.changes) change(word, now);
                continue;
            }
            Stored& last = slot(word);
            const bool known = last.word == word;
            if (known && polled && last.change.warp != warp) see(block, word, done.warp);
            if (known && !found && !polled && block.sights != 0 && last.change.warp != warp &&
                (last.bytes & bytes) != 0 && !last.flag && !atomics_.contains(word) &&
                !(last.change.warp.block == number && barrier_between(block, last.change.when, now_)))
                if (const Change* const flag = handed_over(block, warp, last))
                    found = {.block = last.change.warp.block,
                             .thread = last.change.warp.number * kWarpLanes + last.lane,
                             .stored = last.change.code,
                             .handed_over = flag->code,
                             .accessed = done.code,
                             .accessing_thread = thread,
                             .writes = done.kind == Kind::kStore,
                             .address = std::max(begin, word * kWord)};
            if (done.kind != Kind::kStore) continue;
            if (const auto flag = atomics_.find(word); flag != atomics_.end()) {
                for (const auto& [block_number, changes] : flag->second) changes_ -= changes.size();
                flag->second.clear();
            }
            last = {word, now, static_cast<uint8_t>(lane), bytes, after_fence};
        }
    }
    return found;
}

}  // namespace ptosim
