#include "sim/check/checkers/tiles.h"

#include <algorithm>

#include "isa/table/instruction_table.h"
#include "isa/table/remote_operands.h"

namespace ptosim::check {
namespace {

bool meet(const Range& a, const Range& b) { return a.begin < b.end && b.begin < a.end; }

// Only a view turns bytes into pairs of 4-bit elements.
bool same_elements(const Tile& a, const Tile& b) {
    return a.dtype == b.dtype ||
           (bits(a.dtype) != bits(b.dtype) && bits(a.dtype) <= 8 && bits(b.dtype) <= 8);
}

bool same_boxes(const Tile& a, const Tile& b) {
    return a.outer == b.outer && a.inner == b.inner && a.fractal == b.fractal;
}

// A tile as lines of memory: rows or columns, of elements or of boxes. In bytes.
struct Lines {
    uint64_t box = 0;    // an element or box
    uint64_t width = 0;  // of a line
    uint64_t pitch = 0;
    bool one = false;  // true if the tile is a single line
};

Lines lines_of(const Tile& tile) {
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    const int64_t across = row_major ? tile.box_rows() : tile.box_cols();
    const auto size = [&tile](int64_t n) { return bytes(tile.dtype, static_cast<size_t>(n)); };
    return {size(int64_t{tile.box_rows()} * tile.box_cols()),
            size((row_major ? tile.cols : tile.rows) * across), size(tile.pitch * across),
            (row_major ? tile.rows : tile.cols) <= across};
}

// True if `inner` is one line, and a part of one line of `outer`.
bool in_one_line(const Tile& outer, const Tile& inner) {
    if (!same_boxes(outer, inner) || outer.dtype != inner.dtype) return false;
    const Lines line = lines_of(inner), of = lines_of(outer);
    const uint64_t offset = (inner.address - outer.address) % of.pitch;
    return line.one && offset % of.box == 0 && offset + line.width <= of.width;
}

// True if the elements of `inner` are elements of `outer`, as for a subview.
bool has_window(const Tile& outer, const Tile& inner) {
    return in_one_line(outer, inner) ||
           (same_elements(outer, inner) && same_boxes(outer, inner) && outer.pitch == inner.pitch);
}

bool within(const Range& inner, const Range& outer) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

Tile whole(Tile tile) {
    tile.valid_rows = tile.rows;
    tile.valid_cols = tile.cols;
    tile.pad = Pad::kNull;
    return tile;
}

Region region_of(const Range& range) { return {range.begin, range.end - range.begin, 0, 1}; }

// Removes the bytes of a region from all parts, and calls taken(range) for each removed piece.
template <class Part, class Taken>
void cut(std::vector<Part>& parts, const Region& region, const Taken& taken) {
    const auto met = [&region](const Part& part) { return overlap(region, region_of(part)); };
    if (std::none_of(parts.begin(), parts.end(), met)) return;
    std::vector<Part> left;
    for (const Part& part : parts) {
        Part rest = part;
        uint64_t line = 0;
        if (region.lines > 1 && part.begin > region.begin)
            line = (part.begin - region.begin) / region.pitch;
        for (; line < region.lines && rest.begin < rest.end; ++line) {
            const uint64_t start = region.begin + line * region.pitch;
            const uint64_t begin = std::max(rest.begin, start);
            const uint64_t end = std::min(rest.end, start + region.width);
            if (start >= rest.end) break;
            if (begin >= end) continue;
            if (rest.begin < begin) {
                left.push_back(rest);
                left.back().end = begin;
            }
            taken(Range{begin, end});
            rest.begin = end;
        }
        if (rest.begin < rest.end) left.push_back(rest);
    }
    parts = std::move(left);
}

void add(std::vector<Range>& ranges, const Region& region) {
    for (uint64_t line = 0; line < region.lines; ++line) {
        const uint64_t begin = region.begin + line * region.pitch;
        std::vector<Range> missing{{begin, begin + region.width}};
        for (const Range& range : ranges) cut(missing, region_of(range), [](const Range&) {});
        for (const Range& range : missing)
            if (!ranges.empty() && ranges.back().end == range.begin)
                ranges.back().end = range.end;
            else
                ranges.push_back(range);
    }
}

}  // namespace

void TileChecker::on_launch(const LaunchEvent& event) {
    memories_.clear();
    memories_.resize(event.cores.size());
}

void TileChecker::on_block_begin(const RunEvent& event) {
    for (Memory& memory : memories_[timelines_.index(event.core)])
        for (TileEntry& entry : memory.entries) entry.forget();
}

void TileChecker::TileEntry::forget() {
    written = 0;
    held.clear();
    torn.clear();
}

uint32_t TileChecker::entry_of(Memory& memory, const Tile& named, const Region& region) {
    const Tile tile = whole(named);
    const Range touched{region.begin, region.end()};
    const auto [first, last] = memory.by_address.equal_range(tile.address);
    for (auto it = first; it != last; ++it) {
        TileEntry& entry = memory.entries[it->second];
        if (!(entry.tile == tile)) continue;
        if (within(touched, entry.used)) return it->second;
        entry.used = {std::min(entry.used.begin, touched.begin),
                      std::max(entry.used.end, touched.end)};
        part(memory, it->second);
        relate(memory, it->second);
        return it->second;
    }
    if (memory.entries.size() == kMaxEntries) memory = {};
    const auto at = static_cast<uint32_t>(memory.entries.size());
    TileEntry entry;
    entry.tile = tile;
    entry.declared = {tile.address, tile.address + tile.touched_bytes()};
    entry.used = touched;
    memory.entries.push_back(std::move(entry));
    memory.by_address.emplace(tile.address, at);
    relate(memory, at);
    adopt(memory, at);
    return at;
}

// Adds an entry to the lists of all others, and them to its own.
void TileChecker::relate(Memory& memory, uint32_t at) {
    TileEntry& entry = memory.entries[at];
    const auto is_name = [&entry](const TileEntry& other) {
        return within(entry.declared, other.declared) && within(other.declared, entry.declared);
    };
    for (uint32_t i = 0; i < memory.entries.size(); ++i) {
        if (i == at || !is_name(memory.entries[i])) continue;
        entry.same.push_back(i);
        memory.entries[i].same.push_back(at);
    }
    for (uint32_t i = 0; i < memory.entries.size(); ++i) {
        TileEntry& other = memory.entries[i];
        if (i == at || is_name(other)) continue;
        const bool window = is_window(memory, at, i), tile = is_window(memory, i, at);
        const bool in = window || within(entry.declared, other.declared);
        const bool out = tile || within(other.declared, entry.declared);
        if (!in && !out && !meet(entry.used, other.used)) continue;
        (out ? entry.inside : entry.clashes).push_back(i);
        (in ? other.inside : other.clashes).push_back(at);
        if (window) link(memory, at, i);
        if (tile) link(memory, i, at);
    }
}

// Removes an entry from the lists of all others, and them from its own.
void TileChecker::part(Memory& memory, uint32_t at) {
    for (auto list :
         {&TileEntry::clashes, &TileEntry::inside, &TileEntry::around, &TileEntry::same}) {
        for (TileEntry& entry : memory.entries) std::erase(entry.*list, at);
        (memory.entries[at].*list).clear();
    }
}

// Initialises a new entry from its other names, or from its windows.
void TileChecker::adopt(Memory& memory, uint32_t at) {
    TileEntry& entry = memory.entries[at];
    if (!entry.same.empty()) {
        const TileEntry& same = memory.entries[entry.same.front()];
        entry.written = same.written;
        entry.writer = same.writer;
        entry.held = same.held;
        entry.torn = same.torn;
        return;
    }
    std::vector<const TileEntry*> windows;
    for (const uint32_t i : entry.inside) {
        const TileEntry& inner = memory.entries[i];
        const bool window =
            std::find(inner.around.begin(), inner.around.end(), at) != inner.around.end();
        if (window && inner.written != 0) windows.push_back(&inner);
    }
    const auto nothing = [](const Range&) {};
    for (const TileEntry* window : windows) {
        for (const Range& range : window->held) add(entry.held, region_of(range));
        entry.writer = window->writer;
    }
    for (const TileEntry* window : windows)
        for (const Torn& torn : window->torn) {
            std::vector<Torn> rest{torn};
            for (const Range& range : entry.held) cut(rest, region_of(range), nothing);
            for (const Torn& other : entry.torn) cut(rest, region_of(other), nothing);
            entry.torn.insert(entry.torn.end(), rest.begin(), rest.end());
        }
}

// Considers all names of both entries.
bool TileChecker::is_window(const Memory& memory, uint32_t inner, uint32_t outer) {
    const auto fits = [](const TileEntry& window, const TileEntry& tile) {
        return (within(window.declared, tile.declared) || within(window.used, tile.declared)) &&
               has_window(tile.tile, window.tile);
    };
    const auto any_name = [&memory](uint32_t at, const auto& test) {
        const TileEntry& entry = memory.entries[at];
        return test(entry) || std::any_of(entry.same.begin(), entry.same.end(), [&](uint32_t name) {
                   return test(memory.entries[name]);
               });
    };
    return any_name(inner, [&](const TileEntry& window) {
        return any_name(outer, [&](const TileEntry& tile) { return fits(window, tile); });
    });
}

// Makes `inner` a window of `outer`, for all names of both.
void TileChecker::link(Memory& memory, uint32_t inner, uint32_t outer) {
    std::vector<uint32_t> windows = memory.entries[inner].same;
    std::vector<uint32_t> tiles = memory.entries[outer].same;
    windows.push_back(inner);
    tiles.push_back(outer);
    for (const uint32_t window : windows) {
        TileEntry& entry = memory.entries[window];
        for (const uint32_t tile : tiles) {
            std::erase(entry.clashes, tile);
            if (std::find(entry.around.begin(), entry.around.end(), tile) == entry.around.end())
                entry.around.push_back(tile);
        }
    }
}

void TileChecker::write(Memory& memory, uint32_t at, const Region& region, uint64_t now,
                        const Use& writer) {
    const auto mend = [&region](TileEntry& entry) { cut(entry.torn, region, [](const Range&) {}); };
    const auto hold = [&](TileEntry& entry) {
        mend(entry);
        entry.written = now;
        entry.writer = writer;
        entry.held = {entry.used};
        for (const Torn& torn : entry.torn) cut(entry.held, region_of(torn), [](const Range&) {});
    };
    TileEntry& entry = memory.entries[at];
    hold(entry);
    for (const uint32_t i : entry.same) hold(memory.entries[i]);
    for (const uint32_t i : entry.around) {
        TileEntry& tile = memory.entries[i];
        mend(tile);
        add(tile.held, region);
        if (tile.written == 0) tile.writer = writer;
    }
    for (const uint32_t i : entry.inside) memory.entries[i].forget();
    for (const uint32_t i : entry.clashes) {
        TileEntry& other = memory.entries[i];
        cut(other.held, region, [&](const Range& range) {
            other.torn.push_back({range, now, at, writer});
        });
    }
}

bool TileChecker::holds(const TileEntry& entry, const Region& region) {
    if (entry.written == 0) return false;
    std::vector<Range> missing;
    add(missing, region);
    for (const Range& range : entry.held) cut(missing, region_of(range), [](const Range&) {});
    return missing.empty();
}

void TileChecker::read(const InstructionEvent& event, const Memory& memory, uint32_t at,
                       const Region& region, const Use& reader) {
    const auto latest = [&region](const TileEntry& tile, uint64_t since, const auto& counts) {
        Torn found;
        for (const Torn& torn : tile.torn) {
            if (torn.at <= since || torn.at < found.at || !counts(torn)) continue;
            if (!overlap(region, region_of(torn))) continue;
            const bool more = torn.at == found.at;
            const Range range{more ? std::min(found.begin, torn.begin) : torn.begin,
                              more ? std::max(found.end, torn.end) : torn.end};
            found = torn;
            found.begin = range.begin;
            found.end = range.end;
        }
        return found;
    };
    const TileEntry& entry = memory.entries[at];
    const Torn own = latest(entry, 0, [](const Torn&) { return true; });
    if (own.at != 0) report(event, entry, entry, own, reader);
    // A window that has not been written shows the contents of its tile, if any tile holds all of it.
    const auto shows = [&](uint32_t i) { return holds(memory.entries[i], region); };
    // It may also be the first bytes of another tile of another shape.
    const auto begins = [&](const TileEntry& other, uint64_t since) {
        return other.written >= since && other.declared.begin == entry.declared.begin &&
               within(entry.declared, other.declared) && holds(other, region);
    };
    for (const uint32_t i : entry.around) {
        const TileEntry& tile = memory.entries[i];
        if (tile.written == 0 || tile.torn.empty()) continue;
        const Torn torn = latest(tile, entry.written, [&entry](const Torn& bytes) {
            return std::find(entry.around.begin(), entry.around.end(), bytes.by) ==
                   entry.around.end();
        });
        if (torn.at == 0) continue;
        if (std::any_of(entry.around.begin(), entry.around.end(), shows)) return;
        if (std::any_of(memory.entries.begin(), memory.entries.end(),
                        [&](const TileEntry& other) { return begins(other, torn.at); }))
            return;
        report(event, entry, tile, torn, reader);
    }
}

void TileChecker::report(const InstructionEvent& event, const TileEntry& tile,
                         const TileEntry& entry, const Torn& torn, const Use& reader) {
    std::string site = "A06";
    for (const Use* use : {&reader, &torn.tearer})
        site += "/" + std::to_string(use->location.file) + "/" +
                std::to_string(use->location.line) + "/" + std::to_string(use->location.column) +
                "/" + std::string(use->operand);
    const auto related = [&](const std::string& what, const Use& use) {
        RelatedSite other =
            shared_.sources->related(what + " by " + std::string(use.instruction), use.location);
        other.instruction = use.instruction;
        other.operand = use.operand;
        return other;
    };
    findings_.add(site, [&] {
        const std::string space{name(entry.tile.space)};
        Diagnostic d;
        d.code = "A06";
        d.category = Category::kUndefined;
        d.message = "tiles overlap while both are in use: " + std::string(reader.instruction) +
                    " '" + std::string(reader.operand) + "' reads the tile at " +
                    range_text(tile.declared.begin, tile.declared.end) + " of " + space +
                    ", which " + std::string(entry.writer.instruction) + " at " +
                    location_text(*shared_.sources, entry.writer.location) +
                    " has written, and of which " + std::string(torn.tearer.instruction) + " '" +
                    std::string(torn.tearer.operand) + "' at " +
                    location_text(*shared_.sources, torn.tearer.location) +
                    " has overwritten bytes " + range_text(torn.begin, torn.end);
        shared_.sources->locate(d, reader.location);
        d.core = name(event.core);
        d.pipe = name(event.pipe);
        d.instruction = reader.instruction;
        d.operand = reader.operand;
        d.cycle = event.time;
        d.has_cycle = true;
        d.byte_begin = torn.begin;
        d.byte_end = torn.end;
        const Memory& memory =
            memories_[timelines_.index(event.core)][static_cast<size_t>(entry.tile.space)];
        d.related = {related("written", entry.writer), related("overwritten", torn.tearer)};
        d.notes = {"first tile: " + to_text(entry.tile),
                   "second tile: " + to_text(memory.entries[torn.by].tile)};
        d.hint =
            "give the second tile other bytes, or use the first for the last time before it is "
            "overwritten";
        return d;
    });
}

void TileChecker::on_issue_accesses(const InstructionEvent& event, const Footprint& footprint) {
    const Instruction& instruction = *event.instruction;
    const auto operands = info(instruction.opcode).operands;
    const uint16_t own = timelines_.index(event.core);
    for (const bool writing : {false, true})
        for (const Piece& piece : footprint) {
            if (piece.global || piece.memory != own || piece.region.width == 0) continue;
            const Operand& operand = instruction.operands[piece.operand];
            if (!operand.is_tile()) continue;
            if (writing ? !piece.writes : !piece.reads) continue;
            Memory& memory = memories_[own][static_cast<size_t>(piece.space)];
            const uint32_t at = entry_of(memory, operand.tile, piece.region);
            const Use use{info(instruction.opcode).name, operands[piece.operand].name,
                          instruction.location};
            // Intrinsics and vector functions read bytes, possibly of several tiles.
            if (writing)
                write(memory, at, piece.region, event.sequence + 1, use);
            else if (!is_intrinsic(instruction.opcode) &&
                     !info(instruction.opcode).traits->any_bytes)
                read(event, memory, at, piece.region, use);
        }
}

PTOSIM_CHECKER(tiles) = row_of<TileChecker>(
    {.name = "bounds",
     .chosen = Chosen::kInAll,
     .codes = "A06",
     .about = "tiles that overlap while both are in use; accesses beyond an array, which are "
              "warnings otherwise",
     .order = 60});

}  // namespace ptosim::check
