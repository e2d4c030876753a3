#include "sim/machine/memory/global_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "isa/core/diagnostic.h"
#include "isa/core/view_span.h"
#include "isa/numeric/round_up.h"
#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

constexpr uint64_t kAlignment = 512;  // as the device allocates
constexpr uint64_t kRedZone = 64 * 1024;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kLeast = 64 << 20;  // no kernel is useful with less
constexpr const char* kRaiseLimit = "raise the limit on virtual memory (ulimit -v)";
constexpr uint64_t kLarge = 4 << 20;  // bytes from which large pages are requested
// Preferred begin of the range, so that addresses are the same in every run.
constexpr uint64_t kPreferredBase = uint64_t{0x2000} << 32;

// A hint that the system may ignore. Each row of a large matrix lies in different pages.
void use_large_pages(uint64_t address, uint64_t size) {
    if (size < kLarge) return;
    const uint64_t begin = round_up(address, kPage);
    madvise(GlobalMemory::host(begin), (address + size - begin) / kPage * kPage, MADV_HUGEPAGE);
}

// Half of the address space that this process may still use, so that stacks, threads and checkers find room as well.
uint64_t half_of_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const uint64_t used = pages * kPage;
    return limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 / kPage * kPage : 0;
}

}  // namespace

GlobalMemory::GlobalMemory(uint64_t capacity, unsigned device)
    : capacity_{std::min(capacity, half_of_limit())}, device_{device} {
    void* range = MAP_FAILED;
    const uint64_t least = std::min(capacity, kLeast);
    while (capacity_ >= least) {
        range = mmap(reinterpret_cast<void*>(kPreferredBase + device * kCapacity), capacity_, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) break;
        capacity_ /= 2;
    }
    if (range == MAP_FAILED)
        fail_input("I30",
                   "cannot reserve " + std::to_string(least >> 20) +
                       " MiB of address space for global memory",
                   kRaiseLimit);
    base_ = static_cast<std::byte*>(range);
    next_ = reinterpret_cast<uint64_t>(base_) + kRedZone;
}

GlobalMemory::~GlobalMemory() {
    if (base_ != nullptr) munmap(base_, capacity_);
}

uint64_t GlobalMemory::allocate(uint64_t size, std::string name) {
    const uint64_t end = reinterpret_cast<uint64_t>(base_) + capacity_;
    const bool fits = size <= capacity_;
    const uint64_t need = fits ? round_up(size, kAlignment) + kRedZone : 0;
    Allocation range{next_, size, {}, need};
    if (fits && end - next_ >= need) {
        next_ += need;
    } else if (const auto released = fits ? take_released(need) : std::nullopt) {
        range = *released;
        range.size = size;
    } else {
        const bool limited = half_of_limit() != UINT64_MAX;
        fail_input(
            "I30",
            name + " needs " + std::to_string(size) + " bytes of global memory, more than is free" +
                (limited ? " of the " + std::to_string(capacity_ >> 20) +
                                " MiB that the limit on virtual memory allows"
                          : ""),
            limited ? kRaiseLimit
                     : "use smaller arrays, or free unused ones");
    }
    const uint64_t address = range.address;
    range.name = std::move(name);
    protect(allocations_[address] = std::move(range), open_);
    use_large_pages(address, size);
    return address;
}

uint64_t GlobalMemory::place_of(std::span<const std::byte> data, const std::string& name) {
    const auto [place, is_new] = placed_.try_emplace({data.data(), data.size()});
    if (is_new) place->second = allocate(data.size(), name);
    return place->second;
}

std::optional<GlobalMemory::Allocation> GlobalMemory::take_released(uint64_t room) {
    auto first = freed_.begin();
    uint64_t end = 0;
    for (auto last = freed_.begin(); last != freed_.end(); ++last) {
        if (last->first != end) first = last;
        end = last->first + last->second.room;
        if (end - first->first < room) continue;
        Allocation range{first->first, 0, {}, end - first->first};
        const std::string name = last->second.name;
        freed_.erase(first, std::next(last));
        if (const uint64_t rest = range.room - room; rest > kRedZone) {
            range.room = room;
            freed_[range.address + room] = {range.address + room, rest - kRedZone, name, rest};
        }
        // Clears data that others have written in the red zones.
        const uint64_t page = range.address / kPage * kPage;
        const uint64_t size = (range.address + range.room) / kPage * kPage - page;
        forget_opened(page, page + size);
        madvise(host(page), size, MADV_DONTNEED);
        mprotect(host(page), size, PROT_NONE);
        return range;
    }
    return {};
}

// Ranges that overlap these bytes are opened again on their next use.
void GlobalMemory::forget_opened(uint64_t begin, uint64_t end) {
    for (auto met = opened_from(begin); met != opened_.end() && met->first < end;)
        met = opened_.erase(met);
}

bool GlobalMemory::release(uint64_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return false;
    protect(found->second, false);
    const uint64_t begin = address / kPage * kPage;
    const uint64_t end = round_up(address + found->second.size, kPage);
    madvise(host(begin), end - begin, MADV_DONTNEED);
    forget_opened(begin, end);
    freed_.insert(allocations_.extract(found));
    return true;
}

namespace {

// The bytes of a view; empty if its extents are invalid or it is empty.
std::optional<std::pair<uint64_t, uint64_t>> range_of(const GlobalView& view) {
    const std::optional<ViewSpan> span = span_of(view);
    if (!span) return {};
    // Negative strides extend below the address.
    const auto below = static_cast<uint64_t>(-span->begin),
               above = static_cast<uint64_t>(span->end);
    if (below > view.address) return {};
    return std::pair{view.address - below, below + above};
}

}  // namespace

bool GlobalMemory::in_pages(uint64_t address, uint64_t size) const {
    const uint64_t base = reinterpret_cast<uint64_t>(base_);
    if (!reserves(address) || size > capacity_ - (address - base)) return false;
    const uint64_t last = (address - base + std::max<uint64_t>(size, 1) - 1) / page_bytes_;
    for (uint64_t page = (address - base) / page_bytes_; page <= last; ++page) {
        const Allocation* const held = find(base + (page + 1) * page_bytes_ - 1);
        if (held == nullptr || held->address + held->size <= base + page * page_bytes_)
            return false;
    }
    return true;
}

bool GlobalMemory::open_pages(uint64_t address, uint64_t size) {
    if (page_bytes_ == 0 || freed(address) != nullptr || !in_pages(address, size)) return false;
    uint64_t begin = address / kPage * kPage;
    uint64_t end = round_up(address + size, kPage);
    const auto first = opened_from(begin);
    if (first != opened_.end() && first->first <= begin && first->second >= end) return true;
    if (mprotect(host(begin), end - begin, PROT_READ | PROT_WRITE) != 0) return false;
    // Merges all ranges that it meets into one, because kernels repeatedly access beyond an array.
    for (auto met = first; met != opened_.end() && met->first <= end; met = opened_.erase(met)) {
        begin = std::min(begin, met->first);
        end = std::max(end, met->second);
    }
    opened_[begin] = end;
    return true;
}

// The first range that ends at or after `address`.
std::map<uint64_t, uint64_t>::iterator GlobalMemory::opened_from(uint64_t address) {
    auto range = opened_.upper_bound(address);
    if (range != opened_.begin() && std::prev(range)->second >= address) --range;
    return range;
}

bool GlobalMemory::open_pages(const GlobalView& view) {
    const auto range = range_of(view);
    return range && open_pages(range->first, range->second);
}

// Whole pages, because the red zones separate the pages of two allocations.
void GlobalMemory::protect(const Allocation& allocation, bool usable) const {
    static_assert(kRedZone >= 2 * kPage);
    const uint64_t begin = allocation.address / kPage * kPage;
    const uint64_t end =
        round_up(allocation.address + std::max<uint64_t>(allocation.size, 1), kPage);
    if (mprotect(host(begin), end - begin, usable ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
        fail_input("I30", "the system refuses to give access to " + allocation.name,
                   "free some allocations, or raise vm.max_map_count");
}

void GlobalMemory::open(uint64_t address) const {
    if (const Allocation* const held = find(address); held != nullptr) protect(*held, true);
}

void GlobalMemory::close(uint64_t address) const {
    if (const Allocation* const held = find(address); held != nullptr && !open_)
        protect(*held, held->shared);
}

void GlobalMemory::share(uint64_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    found->second.shared = true;
    protect(found->second, true);
}

void GlobalMemory::open() {
    open_ = true;
    for (const auto& [address, allocation] : allocations_) protect(allocation, true);
    for (const auto& [begin, end] : opened_)
        mprotect(host(begin), end - begin, PROT_READ | PROT_WRITE);
}

void GlobalMemory::close() {
    open_ = false;
    for (const auto& [begin, end] : opened_) mprotect(host(begin), end - begin, PROT_NONE);
    for (const auto& [address, allocation] : allocations_) protect(allocation, allocation.shared);
}

bool GlobalMemory::reserves(uint64_t address) const {
    const uint64_t begin = reinterpret_cast<uint64_t>(base_);
    return address >= begin && address - begin < capacity_;
}

void GlobalMemory::set_peer(const GlobalMemory& memory, bool usable) { peers_[&memory] = usable; }

const GlobalMemory& GlobalMemory::memory_of(uint64_t address) const {
    if (peers_.empty() || reserves(address)) return *this;
    const auto found = std::ranges::find_if(peers_, [&](const auto& peer) { return peer.first->reserves(address); });
    return found == peers_.end() ? *this : *found->first;
}

bool GlobalMemory::is_usable(const GlobalMemory& memory) const { return &memory == this || peers_.at(&memory); }

const GlobalMemory::Allocation* GlobalMemory::find(uint64_t address) const {
    if (const GlobalMemory& other = memory_of(address); &other != this)
        return is_usable(other) ? other.find(address) : nullptr;
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return nullptr;
    return &std::prev(next)->second;
}

const GlobalMemory::Allocation* GlobalMemory::freed(uint64_t address) const {
    if (const GlobalMemory& other = memory_of(address); &other != this)
        return is_usable(other) ? other.freed(address) : nullptr;
    const auto next = freed_.upper_bound(address);
    if (next == freed_.begin()) return nullptr;
    const Allocation& last = std::prev(next)->second;
    return address - last.address < std::max<uint64_t>(last.size, 1) ? &last : nullptr;
}

bool GlobalMemory::contains(uint64_t address, uint64_t size) const {
    const Allocation* allocation = find(address);
    return allocation != nullptr && address - allocation->address <= allocation->size &&
           size <= allocation->size - (address - allocation->address);
}

bool GlobalMemory::holds(const GlobalView& view) const {
    const std::optional<ViewSpan> span = span_of(view);
    if (span && span->end == 0) return true;
    const auto range = range_of(view);
    return range && contains(range->first, range->second);
}

namespace {

// For an address outside of all allocations the nearest ones are a guess, because a large offset leads near another
// one.
std::string other_origins(const std::map<uint64_t, GlobalMemory::Allocation>& allocations,
                          uint64_t address) {
    constexpr int kMost = 2;
    auto next = allocations.upper_bound(address);
    std::string text;
    if (next == allocations.begin()) return text;
    --next;  // already named
    for (int i = 0; i < kMost && next != allocations.begin(); ++i) {
        --next;
        text += (text.empty() ? "; if it belongs to another one, it starts at " : ", or at ") +
                next->second.name + " + " + std::to_string(address - next->second.address);
    }
    return text;
}

}  // namespace

Problem GlobalMemory::explain(const GlobalView& view) const {
    const GlobalMemory& other = memory_of(view.address);
    if (&other != this && is_usable(other)) return other.explain(view);
    Problem problem;
    problem.code = "G01";
    if (&other != this) {
        problem.message = "view " + to_text(view) + " starts at " + describe(view.address);
        problem.hint = "call aclrtDeviceEnablePeerAccess(" + std::to_string(other.device_) + ", 0) with this device set";
        return problem;
    }
    // An array that begins shortly after the address is more likely to be meant than the one before it.
    const auto next = allocations_.upper_bound(view.address);
    const Allocation* const before = find(view.address);
    const bool in_front =
        next != allocations_.end() &&
        (before == nullptr ||
         (view.address - before->address >= before->size &&
          next->first - view.address < view.address - before->address - before->size));
    const std::string starts = "view " + to_text(view) + " starts " +
                               (in_front ? std::to_string(next->first - view.address) +
                                               " bytes before " + next->second.name
                                         : "at " + describe(view.address));
    if (const Allocation* was = freed(view.address); was != nullptr) {
        problem.message = "use after free: " + starts + ", and " + was->name + " of " +
                          std::to_string(was->size) + " bytes has been freed before this launch";
        problem.hint = "free memory after the last kernel that uses it";
        return problem;
    }
    problem.message =
        starts + " and spans " +
        (span_of(view) ? std::to_string(view.span_bytes()) + " bytes" : "more than any memory holds");
    if (const Allocation* allocation = in_front ? &next->second : before; allocation != nullptr)
        problem.message += ", " + allocation->name + " has " + std::to_string(allocation->size);
    problem.hint = "check the shape, strides and offsets of the view against the argument" +
                   (contains(view.address, 0) ? "" : other_origins(allocations_, view.address));
    return problem;
}

std::string GlobalMemory::describe(uint64_t address) const {
    if (const GlobalMemory& other = memory_of(address); &other != this)
        return other.describe(address) +
               (is_usable(other) ? "" : ", on device " + std::to_string(other.device_) +
                                            ", to whose memory this device has no access");
    const Allocation* was = freed(address);
    if (was != nullptr)
        return was->name + " + " + std::to_string(address - was->address) + " (freed)";
    const Allocation* allocation = find(address);
    if (allocation == nullptr) return "an address outside all arguments";
    return allocation->name + " + " + std::to_string(address - allocation->address);
}

}  // namespace ptosim
