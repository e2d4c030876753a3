#include "sim/faces/mpmd/core_stores.h"

#include <algorithm>
#include <cstring>

#include "sim/faces/mpmd/processor_load.h"

namespace ptosim::mpmd {
namespace {

constexpr uint64_t kLine = CacheUse::kLineBytes;

bool overlap(const check::Region& region, uint64_t begin, uint64_t end) {
    for (uint64_t line = 0; line < region.lines; ++line) {
        const uint64_t first = region.begin + line * region.pitch;
        if (first < end && begin < first + region.width) return true;
    }
    return false;
}

// A bit for each byte of the line in [begin, end).
uint64_t bits_of(uint64_t line, uint64_t begin, uint64_t end) {
    uint64_t bits = 0;
    for (uint64_t byte = std::max(line, begin); byte < std::min(line + kLine, end); ++byte)
        bits |= uint64_t{1} << (byte - line);
    return bits;
}

void copy_bytes(std::byte* to, const std::byte* from, uint64_t bits) {
    for (uint64_t i = 0; i < kLine; ++i)
        if ((bits >> i & 1) != 0) to[i] = from[i];
}

}  // namespace

void CoreStores::on_launch(const LaunchEvent&) {
    under_way_.clear();
    dirty_.clear();
}

void CoreStores::on_launch_end(Cycle) {
    for (auto& [core, lines] : dirty_) clean(lines, 0, 0);
}

void CoreStores::on_issue(const InstructionEvent& event) {
    UnderWay store;
    for (const Access& access : accesses(*event.instruction))
        if (access.global && access.writes) check::regions_of(access, *event.instruction, store.regions);
    if (store.regions.empty()) return;
    store.where = event.instruction->location;
    under_way_.insert_or_assign({event.core.type, event.core.index, event.sequence}, std::move(store));
}

void CoreStores::on_complete(const InstructionEvent& event) {
    under_way_.erase({event.core.type, event.core.index, event.sequence});
}

void CoreStores::on_cache(const CacheEvent& event) {
    const CacheUse& use = event.use;
    if (use.kind == CacheUse::Kind::kAwait) return;
    Lines& lines = dirty_[{event.core.type, event.core.index}];
    if (use.kind == CacheUse::Kind::kClean) return clean(lines, use.address, use.size);
    const uint64_t end = use.address + use.size;
    if (use.kind != CacheUse::Kind::kStore || !memory_.contains(use.address, use.size)) return;
    for (uint64_t line = cache_line_of(use.address); line < end; line += kLine) {
        const auto [entry, is_new] = lines.try_emplace(line);
        Dirty& dirty = entry->second;
        if (dirty.hidden) show(line, dirty);
        if (is_new) std::memcpy(dirty.old.data(), GlobalMemory::host(line), kLine);
        dirty.stored |= bits_of(line, use.address, end);
        dirty.where = use.where;
    }
}

void CoreStores::clean(Lines& lines, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    const auto first = size == 0 ? lines.begin() : lines.lower_bound(cache_line_of(address));
    const auto last = size == 0 ? lines.end() : lines.lower_bound(end);
    for (auto line = first; line != last; ++line)
        if (line->second.hidden) show(line->first, line->second);
    lines.erase(first, last);
}

void CoreStores::show(uint64_t line, Dirty& dirty) {
    copy_bytes(GlobalMemory::host(line), dirty.fresh.data(), dirty.stored);
    dirty.hidden = false;
}

void CoreStores::end_task(CoreId core, bool cleans) {
    Lines& lines = dirty_[{core.type, core.index}];
    if (cleans) return clean(lines, 0, 0);
    for (auto& [line, dirty] : lines) {
        if (dirty.hidden) continue;
        std::memcpy(dirty.fresh.data(), GlobalMemory::host(line), kLine);
        copy_bytes(GlobalMemory::host(line), dirty.old.data(), dirty.stored);
        dirty.hidden = true;
    }
}

bool CoreStores::load(unsigned processor, uint64_t address, uint64_t size, const void* code) {
    const uint64_t end = address + size;
    for (const auto& [key, store] : under_way_)
        for (const check::Region& region : store.regions)
            if (overlap(region, address, end))
                return report(processor, address, size, code, "a store is still on its way to", store.where);
    for (const auto& [core, lines] : dirty_)
        for (auto line = lines.lower_bound(cache_line_of(address)); line != lines.end() && line->first < end; ++line)
            if (line->second.hidden && (line->second.stored & bits_of(line->first, address, end)) != 0)
                return report(processor, address, size, code, "a scalar store has not been cleaned to",
                              line->second.where);
    return true;
}

bool CoreStores::report(unsigned processor, uint64_t address, uint64_t size, const void* code, const char* why,
                        SourceLocation where) {
    if (!reported_.insert(code).second) return false;
    Diagnostic d = load_finding("E23", processor, size, memory_.describe(address), code, *sources_);
    d.message += std::string(", where ") + why + " memory: it gets the old value";
    d.related.push_back(sources_->related("the store", where));
    d.hint =
        "end the producing kernel with pipe_barrier(PIPE_ALL) after transfers, and with dcci of the line and dsb after "
        "scalar stores: that its task has completed does not make them visible";
    findings_.push_back(std::move(d));
    return false;
}

}  // namespace ptosim::mpmd
