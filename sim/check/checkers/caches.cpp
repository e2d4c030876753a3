#include "sim/check/checkers/caches.h"

#include <algorithm>
#include <array>
#include <bit>

#include "isa/table/instruction_table.h"

namespace ptosim::check {
namespace {

constexpr uint64_t kBytesPerCopy = 512;
constexpr std::array kCodes{"E17", "E18", "E19"};

// The bytes of a region in the line at `line`.
uint64_t bytes_in(const Region& region, uint64_t line) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < 64; ++i) {
        const uint64_t at = line + i;
        if (at < region.begin || at >= region.end()) continue;
        const uint64_t offset =
            region.lines == 1 ? at - region.begin : (at - region.begin) % region.pitch;
        if (offset < region.width) bytes |= uint64_t{1} << i;
    }
    return bytes;
}

}  // namespace

void CacheChecker::on_launch(const LaunchEvent& event) {
    lines_.clear();
    held_.assign(event.cores.size(), {});
}

CacheChecker::Copy& CacheChecker::copy_of(uint64_t line, const Stamp& stamp) {
    std::vector<Copy>& copies = lines_[line];
    const auto found = std::find_if(copies.begin(), copies.end(), [&stamp](const Copy& copy) {
        return copy.core == stamp.core && copy.block == stamp.block;
    });
    if (found != copies.end()) return *found;
    if (budget_.left < kBytesPerCopy)
        budget_.exceeded = true;
    else
        budget_.left -= kBytesPerCopy;
    copies.emplace_back();
    copies.back().core = stamp.core;
    copies.back().block = stamp.block;
    return copies.back();
}

void CacheChecker::clean(Copy& copy, const Stamp& stamp) {
    if (copy.dirty.bytes != 0) {
        copy.cleaned = copy.dirty;
        copy.clean = stamp;
    }
    copy.dirty = {};
    copy.held = false;
    copy.others.clear();
}

void CacheChecker::clean_all(uint16_t core) {
    const Stamp now = timelines_.now(timelines_.core(core).id, Pipe::kS, true);
    for (const uint64_t line : held_[core])
        for (Copy& copy : lines_[line])
            if (copy.core == core && copy.held) clean(copy, now);
    held_[core].clear();
}

void CacheChecker::on_block_end(const RunEvent& event) { clean_all(timelines_.index(event.core)); }

void CacheChecker::on_cache(const CacheEvent& event) {
    const CacheUse& use = event.use;
    const Stamp now = timelines_.now(event.core, Pipe::kS, use.kind != CacheUse::Kind::kLoad);
    const uint64_t line = use.address / kLineBytes * kLineBytes;
    if (use.kind == CacheUse::Kind::kClean) {
        if (use.size == 0) return clean_all(now.core);
        const auto found = lines_.find(line);
        if (found == lines_.end()) return;
        for (Copy& copy : found->second)
            if (copy.core == now.core && copy.held) clean(copy, now);
        std::erase(held_[now.core], line);
        return;
    }
    const bool writes = use.kind == CacheUse::Kind::kStore;
    const Region region{use.address, use.size, 0, 1};
    Touch access{now, writes,    true,       writes ? "scalar store" : "scalar load",
                 {},  use.where, event.time, 0};
    touch(region, access);
    // Compiled code may access any number of lines at once.
    for (uint64_t at = line; at < region.end() && !budget_.exceeded; at += kLineBytes) {
        access.bytes = bytes_in(region, at);
        own(at, access);
    }
}

// Processes an access in the cache of its own core.
void CacheChecker::own(uint64_t line, Touch touch) {
    Copy& copy = copy_of(line, touch.stamp);
    if (!copy.held) {
        copy.held = true;
        held_[touch.stamp.core].push_back(line);
    }
    for (const Touch& other : copy.others) {
        if (touch.writes && (other.bytes & ~touch.bytes) != 0)
            report(Kind::kShared, line, other.bytes & ~touch.bytes, copy.core, other, touch);
        else if (!touch.writes && (other.bytes & touch.bytes) != 0 &&
                 timelines_.ordered(other.stamp, touch.stamp, true))
            report(Kind::kStale, line, other.bytes & touch.bytes, copy.core, other, touch);
    }
    if (!touch.writes) return;
    copy.dirty.bytes |= touch.bytes;
    copy.dirty.last = touch;
}

void CacheChecker::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    if (lines_.empty()) return;
    const InstructionInfo& row = info(event.instruction->opcode);
    for (const Piece& piece : footprint) {
        if (!piece.global) continue;
        const bool writes = piece.writes;
        const std::string_view operand = piece.operand < row.operands.size()
                                             ? row.operands[piece.operand].name
                                             : std::string_view{};
        touch(piece.region, {timelines_.now(event.core, event.pipe, writes), writes, false,
                             row.name, operand, event.instruction->location, event.time, 0});
    }
}

// Compares an access with the copies of its lines in other caches.
void CacheChecker::touch(const Region& region, Touch touch) {
    auto line = lines_.lower_bound(region.begin / kLineBytes * kLineBytes);
    for (; line != lines_.end() && line->first < region.end(); ++line) {
        touch.bytes = bytes_in(region, line->first);
        if (touch.bytes == 0) continue;
        for (Copy& copy : line->second) {
            const bool same = copy.core == touch.stamp.core && copy.block == touch.stamp.block;
            if (touch.cached && same) continue;
            check_stores(line->first, copy, copy.dirty, nullptr, touch);
            check_stores(line->first, copy, copy.cleaned, &copy.clean, touch);
            if (!touch.writes || !copy.held) continue;
            const auto found =
                std::find_if(copy.others.begin(), copy.others.end(), [&touch](const Touch& other) {
                    return other.stamp.core == touch.stamp.core &&
                           other.stamp.pipe == touch.stamp.pipe && other.bytes == touch.bytes;
                });
            if (found != copy.others.end())
                *found = touch;
            else
                copy.others.push_back(touch);
        }
    }
}

// `clean`: the time at which the stores were written back; null: not yet.
void CacheChecker::check_stores(uint64_t line, const Copy& copy, const Stores& stores,
                                const Stamp* clean, const Touch& touch) {
    if (stores.bytes == 0) return;
    if (clean != nullptr && timelines_.ordered(*clean, touch.stamp, true)) return;
    const Bytes common = stores.bytes & touch.bytes;
    const bool ordered = timelines_.ordered(stores.last.stamp, touch.stamp, true);
    if (common != 0 && !ordered) return;  // a race
    if (common != 0 && !touch.writes)
        report(Kind::kLeft, line, common, copy.core, stores.last, touch);
    if (touch.writes) report(Kind::kShared, line, touch.bytes, copy.core, stores.last, touch);
}

void CacheChecker::report(Kind kind, uint64_t line, Bytes bytes, uint16_t cache, const Touch& first,
                          const Touch& second) {
    std::string site = kCodes[static_cast<size_t>(kind)];
    for (const SourceLocation& at : {first.location, second.location})
        site += "/" + std::to_string(at.file) + "/" + std::to_string(at.line) + "/" +
                std::to_string(at.column);
    findings_.add(site, [&] { return describe(kind, line, bytes, cache, first, second); });
}

Diagnostic CacheChecker::describe(Kind kind, uint64_t line, Bytes bytes, uint16_t cache,
                                  const Touch& first, const Touch& second) const {
    const auto what = [](const Touch& touch) {
        std::string text{touch.instruction};
        if (!touch.operand.empty()) text += " '" + std::string(touch.operand) + "'";
        return text;
    };
    const GlobalMemory::Allocation* argument = memory_.find(line);
    const uint64_t base = argument != nullptr ? argument->address : 0;
    const auto fill = [&](Site& at, const Touch& touch) {
        shared_.sources->locate(at, touch.location);
        at.core = name(timelines_.core(touch.stamp.core).id);
        at.pipe = name(touch.stamp.pipe);
        at.instruction = touch.instruction;
        at.operand = touch.operand;
        at.cycle = touch.time;
        at.has_cycle = true;
        at.byte_begin = line - base + static_cast<uint64_t>(std::countr_zero(bytes));
        at.byte_end = line - base + kLineBytes - static_cast<uint64_t>(std::countl_zero(bytes));
    };
    const std::string here = location_text(*shared_.sources, second.location);
    const std::string there = location_text(*shared_.sources, first.location);
    const std::string earlier = what(first) + " at " + there;
    const std::string owner = "the data cache of " + name(timelines_.core(cache).id);

    Diagnostic d;
    fill(d, second);
    d.code = kCodes[static_cast<size_t>(kind)];
    d.category = Category::kRace;
    RelatedSite other;
    fill(other, first);
    other.text = "first: " + earlier + ", " + other.core + "/" + other.pipe;
    d.related = {other};
    const std::string read = what(second) + " reads bytes " + range_text(d.byte_begin, d.byte_end) +
                             " of " + (argument != nullptr ? argument->name : "global memory");
    switch (kind) {
        case Kind::kLeft:
            d.message = read + ", which " + earlier + " has left in " + owner +
                        ": their line is not written back in between";
            d.hint =
                "clean the line (cmo.cacheinvalid, then fence.barrier_all; in C++ dcci, then dsb) after " +
                there + ", before what orders the two";
            break;
        case Kind::kShared:
            d.message = "a line of 64 bytes is written by " + what(second) + " and by " + earlier +
                        ", and is in " + owner +
                        ", which writes back the whole line, so the other write is lost";
            d.hint =
                "let only one core and one unit access each 64 bytes; or clean the line (cmo.cacheinvalid, in C++ "
                "dcci) between the two, and order both with flags or signals around it";
            break;
        case Kind::kStale:
            d.message = read + " from " + owner + " as they were before " + earlier +
                        " wrote them: the line has been cached since an earlier access";
            d.hint = "clean the line (cmo.cacheinvalid, in C++ dcci) before " + here +
                     ", after the operation that orders the two";
            break;
    }
    return d;
}

PTOSIM_CHECKER(caches) = row_of<CacheChecker>(
    {.name = "cache",
     .chosen = Chosen::kInAll,
     .codes = "E17 E18 E19",
     .about = "loads, stores and transfers that do not see each other's data, because data caches are not coherent",
     .order = 70,
     .by_pointers = true});

}  // namespace ptosim::check
