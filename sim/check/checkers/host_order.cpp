#include "sim/check/checkers/host_order.h"

#include <algorithm>

namespace ptosim::check {

void HostOrder::on_host_allocate(uint64_t address, uint64_t size, const std::string& name,
                                 std::byte /*fresh*/) {
    allocations_[address] = {size, name};
}

void HostOrder::on_host_release(uint64_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    const uint64_t end = address + found->second.size;
    access("aclrtFree", address, found->second.size, true);
    for (Work& work : works_)
        for (Ranges* ranges : {&work.read, &work.written})
            ranges->erase(ranges->lower_bound(address), ranges->lower_bound(end));
    allocations_.erase(found);
}

void HostOrder::access(const char* what, uint64_t address, uint64_t size, bool writes) {
    if (size == 0 || allocations_.empty()) return;
    for (const Work& work : works_)
        if (!completed(host_, work)) check(work, what, address, address + size, writes, {});
}

void HostOrder::begin(Handle handle, std::string what, const Site& site) {
    Stream& where = stream(handle);
    join(where.clock, host_);
    where.clock[handle] = where.works;  // a stream works in order
    open_.push_back({handle, ++where.works, std::move(what), site, {}, {}, 0, where.clock});
}

void HostOrder::on_part(const PartEvent& event) {
    for (const CoreId core : event.cores) parts_[{core.type, core.index}] = event.number;
}

size_t HostOrder::part_of(CoreId core) const {
    const auto found = parts_.find({core.type, core.index});
    return found == parts_.end() ? 0 : found->second;
}

void HostOrder::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    if (open_.empty()) return;
    const size_t part = part_of(event.core);
    for (const Piece& piece : footprint) {
        if (!piece.global) continue;
        if (piece.reads) touch(part, piece.region, false);
        if (piece.writes) touch(part, piece.region, true);
    }
}

void HostOrder::on_scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global) touch(part_of(event.core), range_of(event.access), event.access.writes);
}

void HostOrder::touch(size_t part, const Region& region, bool writes) {
    if (part >= open_.size()) return;
    auto next = allocations_.upper_bound(region.begin);
    if (next == allocations_.begin()) return;
    const auto& [address, allocation] = *std::prev(next);
    if (region.begin - address >= allocation.size) return;
    Work& work = open_[part];
    Ranges& ranges = writes ? work.written : work.read;
    if (ranges.size() >= kMostRanges) return add(ranges, region.begin, region.end());
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        add(ranges, begin, begin + region.width);
    }
}

void HostOrder::end() {
    parts_.clear();
    std::vector<Work> done;
    done.swap(open_);
    for (const Work& work : done)
        for (const Work& earlier : works_) {
            if (earlier.stream == work.stream || completed(work.clock, earlier)) continue;
            for (const bool writes : {false, true})
                for (const auto& [begin, end] : writes ? work.written : work.read)
                    check(earlier, work.what, begin, end, writes, work.site);
        }
    for (Work& work : done) {
        work.charged = work.read.size() + work.written.size();
        const uint64_t bytes = work.charged * kBytesPerRange;
        if (budget_.left < bytes) {
            budget_.exceeded = true;
            return;
        }
        budget_.left -= bytes;
        works_.push_back(std::move(work));
    }
}

void HostOrder::record(Handle event, Handle handle) {
    Stream& where = stream(handle);
    Clock clock = where.clock;
    join(clock, host_);
    clock[handle] = where.works;
    events_[event] = std::move(clock);
}

void HostOrder::await(Handle handle, Handle event) { join(stream(handle).clock, events_[event]); }

void HostOrder::await_event(Handle event) {
    join(host_, events_[event]);
    forget();
}

void HostOrder::await_stream(Handle handle) {
    Stream& where = stream(handle);
    join(host_, where.clock);
    host_[handle] = where.works;
    forget();
}

void HostOrder::await_all() {
    for (auto& entry : streams_) host_[entry.first] = entry.second.works;
    forget();
}

// Work that is complete for the host precedes everything that it submits from now on. It need not precede work that
// streams already have; that was checked when it was submitted.
void HostOrder::forget() {
    std::erase_if(works_, [this](const Work& work) {
        if (!completed(host_, work)) return false;
        budget_.left += work.charged * kBytesPerRange;
        return true;
    });
}

void HostOrder::join(Clock& clock, const Clock& other) {
    for (const auto& [handle, works] : other) {
        uint64_t& mine = clock[handle];
        mine = std::max(mine, works);
    }
}

bool HostOrder::completed(const Clock& clock, const Work& work) {
    const auto found = clock.find(work.stream);
    return found != clock.end() && found->second >= work.number;
}

void HostOrder::add(Ranges& ranges, uint64_t begin, uint64_t end) {
    auto at = ranges.upper_bound(begin);
    if (at != ranges.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges.end() && at->first <= end) {
        begin = std::min(begin, at->first);
        end = std::max(end, at->second);
        at = ranges.erase(at);
    }
    ranges.emplace_hint(at, begin, end);
}

Range HostOrder::overlap(const Ranges& ranges, uint64_t begin, uint64_t end) {
    auto at = ranges.upper_bound(begin);
    if (at != ranges.begin() && std::prev(at)->second > begin) --at;
    if (at == ranges.end() || at->first >= end) return {};
    return {std::max(begin, at->first), std::min(end, at->second)};
}

void HostOrder::check(const Work& earlier, const std::string& who, uint64_t begin, uint64_t end,
                      bool writes, const Site& site) {
    Range range = overlap(earlier.written, begin, end);
    const bool written = range.begin < range.end;
    if (!written && writes) range = overlap(earlier.read, begin, end);
    if (range.begin >= range.end) return;
    const auto& [address, allocation] = *std::prev(allocations_.upper_bound(range.begin));
    const char* kind = !written ? "WAR" : writes ? "WAW" : "RAW";
    const std::string key = "H26/" + std::string(kind) + who + "/" + earlier.what + "/" +
                            allocation.name + "/" + std::to_string(earlier.site.location.line) +
                            "/" + std::to_string(site.location.line);
    findings_.add(key, [&, address = address, &memory = allocation] {
        const bool host = site.file.empty();
        Diagnostic d;
        static_cast<Site&>(d) = host ? earlier.site : site;
        d.code = "H26";
        d.category = Category::kRace;
        d.message = std::string(kind) + " race in " + memory.name +
                    (host ? " between the host and a stream: " : " between two streams: ") + who +
                    (writes ? " writes" : " reads") + " what " + earlier.what +
                    (written ? " writes" : " reads") + ", and the host has not waited for it";
        d.byte_begin = range.begin - address;
        d.byte_end = range.end - address;
        d.hint = host ? "call aclrtSynchronizeStream, or aclrtSynchronizeEvent for an event after the work, before " +
                            who
                      : "call aclrtRecordEvent after the first and aclrtStreamWaitEvent before the second, or use one "
                        "stream for both";
        if (!host && !earlier.site.file.empty()) {
            RelatedSite first;
            static_cast<Site&>(first) = earlier.site;
            first.text = "first: " + earlier.what + " at " + earlier.site.file + ":" +
                         std::to_string(earlier.site.location.line);
            d.related = {std::move(first)};
        }
        return d;
    });
}

PTOSIM_CHECKER(host_order) = row_of<HostOrder>(
    {.name = "race",
     .chosen = Chosen::kInAll,
     .codes = "H26",
     .about = "accesses by the host, or in another stream, that have not waited for a kernel",
     .order = 80});

}  // namespace ptosim::check
