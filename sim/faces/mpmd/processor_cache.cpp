#include "sim/faces/mpmd/processor_cache.h"

#include <algorithm>
#include <cstring>

#include "sim/faces/mpmd/processor_load.h"

namespace ptosim::mpmd {
namespace {

template <typename Bytes>
Bytes bytes_at(uint64_t line) {
    Bytes bytes;
    std::memcpy(bytes.data(), GlobalMemory::host(line), bytes.size());
    return bytes;
}

}  // namespace

void ProcessorCache::begin_run() {
    stale_.clear();
    for (const auto& [line, held] : held_)
        if (const Bytes now = bytes_at<Bytes>(line); now != held) stale_.emplace(line, now);
}

// A stale line keeps its old bytes while the host's bytes are unchanged.
void ProcessorCache::end_run() {
    for (auto& [line, held] : held_) {
        const Bytes now = bytes_at<Bytes>(line);
        const auto stale = stale_.find(line);
        if (stale == stale_.end() || stale->second != now) held = now;
    }
}

void ProcessorCache::hold(uint64_t line) {
    if (held_.size() < kMostLines) held_.try_emplace(line);
}

// Bytes that differ from the begin of the run were written by a processor or core: the cache sees these, and has
// fetched the line again.
void ProcessorCache::load(unsigned processor, uint64_t address, uint64_t size, const void* code) {
    if (!memory_.contains(address, size)) return;
    for (uint64_t line = cache_line_of(address); line < address + size; line += kLineBytes) {
        hold(line);
        const auto stale = stale_.find(line);
        if (stale == stale_.end()) continue;
        const uint64_t begin = std::max(line, address),
                       bytes = std::min(line + kLineBytes, address + size) - begin;
        const Bytes& held = held_.at(line);
        const bool written_since = stale->second != bytes_at<Bytes>(line);
        const bool same = std::memcmp(held.data() + (begin - line),
                                      stale->second.data() + (begin - line), bytes) == 0;
        if (!written_since && !same) report(processor, begin, bytes, code);
        if (written_since || !same) stale_.erase(stale);
    }
}

void ProcessorCache::store(uint64_t address, uint64_t size) {
    if (!memory_.contains(address, size)) return;
    for (uint64_t line = cache_line_of(address); line < address + size; line += kLineBytes) hold(line);
}

void ProcessorCache::invalidate(uint64_t address, uint64_t size) {
    for (uint64_t line = cache_line_of(address); line < address + size; line += kLineBytes) {
        held_.erase(line);
        stale_.erase(line);
    }
}

void ProcessorCache::release(uint64_t address) {
    const GlobalMemory::Allocation* const allocation = memory_.find(address);
    if (allocation == nullptr) return;
    const auto inside = [allocation](const auto& entry) {
        return entry.first + kLineBytes > allocation->address &&
               entry.first < allocation->address + allocation->size;
    };
    std::erase_if(held_, inside);
    std::erase_if(stale_, inside);
}

void ProcessorCache::report(unsigned processor, uint64_t address, uint64_t size, const void* code) {
    if (!told_.insert(code).second) return;
    Diagnostic d = load_finding("E22", processor, size, memory_.describe(address), code, *sources_);
    d.message += ", which the host has overwritten since an earlier run, but its cache may still hold the old data";
    d.hint =
        "call cache_invalidate_range() for these bytes before the run's first load of them: on a2a3, a processor does "
        "not see host copies to lines that it has cached";
    findings_.push_back(std::move(d));
}

}  // namespace ptosim::mpmd
