#include "sim/check/tiles.h"

#include <algorithm>

#include "isa/instruction_table.h"
#include "isa/peer.h"

namespace ptosim::check {
namespace {

bool meet(const Range& a, const Range& b) { return a.begin < b.end && b.begin < a.end; }

// Nothing but a view turns bytes into pairs of 4-bit elements.
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
    bool one = false;  // is there only one?
};

Lines lines_of(const Tile& tile) {
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    const int64_t across = row_major ? tile.box_rows() : tile.box_cols();
    const auto size = [&tile](int64_t n) { return bytes(tile.dtype, static_cast<size_t>(n)); };
    return {size(int64_t{tile.box_rows()} * tile.box_cols()),
            size((row_major ? tile.cols : tile.rows) * across), size(tile.pitch * across),
            (row_major ? tile.rows : tile.cols) <= across};
}

// Whether `inner` is one line, and a part of one line of `outer`.
bool in_one_line(const Tile& outer, const Tile& inner) {
    if (!same_boxes(outer, inner) || outer.dtype != inner.dtype) return false;
    const Lines line = lines_of(inner), of = lines_of(outer);
    const uint64_t offset = (inner.address - outer.address) % of.pitch;
    return line.one && offset % of.box == 0 && offset + line.width <= of.width;
}

// Whether the elements of `inner` are elements of `outer`, as those of a subview are.
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

// Takes the bytes of a region out of all parts, and calls taken(range) for each piece.
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

std::string range_text(uint64_t begin, uint64_t end) {
    return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

}  // namespace

void TileChecker::launch(const LaunchEvent& event) {
    sources_ = event.sources;
    memories_.clear();
    memories_.resize(event.cores.size());
}

void TileChecker::block_begin(const RunEvent& event) {
    for (Memory& memory : memories_[timelines_.index(event.core)])
        for (Place& place : memory.places) place.forget();
}

void TileChecker::Place::forget() {
    written = 0;
    held.clear();
    torn.clear();
}

uint32_t TileChecker::place_of(Memory& memory, const Tile& named, const Region& region) {
    const Tile tile = whole(named);
    const Range touched{region.begin, region.end()};
    const auto [first, last] = memory.by_address.equal_range(tile.address);
    for (auto known = first; known != last; ++known) {
        Place& place = memory.places[known->second];
        if (!(place.tile == tile)) continue;
        if (within(touched, place.used)) return known->second;
        place.used = {std::min(place.used.begin, touched.begin),
                      std::max(place.used.end, touched.end)};
        part(memory, known->second);
        relate(memory, known->second);
        return known->second;
    }
    if (memory.places.size() == kMostPlaces) memory = {};
    const auto at = static_cast<uint32_t>(memory.places.size());
    Place place;
    place.tile = tile;
    place.declared = {tile.address, tile.address + tile.touched_bytes()};
    place.used = touched;
    memory.places.push_back(std::move(place));
    memory.by_address.emplace(tile.address, at);
    relate(memory, at);
    adopt(memory, at);
    return at;
}

// Enters a place into the lists of all others, and them into its own.
void TileChecker::relate(Memory& memory, uint32_t at) {
    Place& place = memory.places[at];
    const auto is_name = [&place](const Place& other) {
        return within(place.declared, other.declared) && within(other.declared, place.declared);
    };
    for (uint32_t i = 0; i < memory.places.size(); ++i) {
        if (i == at || !is_name(memory.places[i])) continue;
        place.same.push_back(i);
        memory.places[i].same.push_back(at);
    }
    for (uint32_t i = 0; i < memory.places.size(); ++i) {
        Place& other = memory.places[i];
        if (i == at || is_name(other)) continue;
        const bool window = is_window(memory, at, i), tile = is_window(memory, i, at);
        const bool in = window || within(place.declared, other.declared);
        const bool out = tile || within(other.declared, place.declared);
        if (!in && !out && !meet(place.used, other.used)) continue;
        (out ? place.inside : place.clashes).push_back(i);
        (in ? other.inside : other.clashes).push_back(at);
        if (window) link(memory, at, i);
        if (tile) link(memory, i, at);
    }
}

// Takes a place out of the lists of all others, and them out of its own.
void TileChecker::part(Memory& memory, uint32_t at) {
    for (auto list : {&Place::clashes, &Place::inside, &Place::around, &Place::same}) {
        for (Place& place : memory.places) std::erase(place.*list, at);
        (memory.places[at].*list).clear();
    }
}

// What a place that is named for the first time holds by its other names, or by its windows.
void TileChecker::adopt(Memory& memory, uint32_t at) {
    Place& place = memory.places[at];
    if (!place.same.empty()) {
        const Place& known = memory.places[place.same.front()];
        place.written = known.written;
        place.writer = known.writer;
        place.held = known.held;
        place.torn = known.torn;
        return;
    }
    std::vector<const Place*> windows;
    for (const uint32_t i : place.inside) {
        const Place& inner = memory.places[i];
        const bool window =
            std::find(inner.around.begin(), inner.around.end(), at) != inner.around.end();
        if (window && inner.written != 0) windows.push_back(&inner);
    }
    const auto nothing = [](const Range&) {};
    for (const Place* window : windows) {
        for (const Range& range : window->held) add(place.held, region_of(range));
        place.writer = window->writer;
    }
    for (const Place* window : windows)
        for (const Torn& torn : window->torn) {
            std::vector<Torn> rest{torn};
            for (const Range& range : place.held) cut(rest, region_of(range), nothing);
            for (const Torn& known : place.torn) cut(rest, region_of(known), nothing);
            place.torn.insert(place.torn.end(), rest.begin(), rest.end());
        }
}

// Under whatever names.
bool TileChecker::is_window(const Memory& memory, uint32_t inner, uint32_t outer) {
    const auto fits = [](const Place& window, const Place& tile) {
        return (within(window.declared, tile.declared) || within(window.used, tile.declared)) &&
               has_window(tile.tile, window.tile);
    };
    const auto any_name = [&memory](uint32_t at, const auto& test) {
        const Place& place = memory.places[at];
        return test(place) || std::any_of(place.same.begin(), place.same.end(),
                                          [&](uint32_t name) { return test(memory.places[name]); });
    };
    return any_name(inner, [&](const Place& window) {
        return any_name(outer, [&](const Place& tile) { return fits(window, tile); });
    });
}

// Under whatever names: `inner` is a window of `outer`.
void TileChecker::link(Memory& memory, uint32_t inner, uint32_t outer) {
    std::vector<uint32_t> windows = memory.places[inner].same;
    std::vector<uint32_t> tiles = memory.places[outer].same;
    windows.push_back(inner);
    tiles.push_back(outer);
    for (const uint32_t window : windows) {
        Place& place = memory.places[window];
        for (const uint32_t tile : tiles) {
            std::erase(place.clashes, tile);
            if (std::find(place.around.begin(), place.around.end(), tile) == place.around.end())
                place.around.push_back(tile);
        }
    }
}

void TileChecker::write(Memory& memory, uint32_t at, const Region& region, uint64_t now,
                        const Use& writer) {
    const auto mend = [&region](Place& place) { cut(place.torn, region, [](const Range&) {}); };
    const auto hold = [&](Place& place) {
        mend(place);
        place.written = now;
        place.writer = writer;
        place.held = {place.used};
        for (const Torn& torn : place.torn) cut(place.held, region_of(torn), [](const Range&) {});
    };
    Place& place = memory.places[at];
    hold(place);
    for (const uint32_t i : place.same) hold(memory.places[i]);
    for (const uint32_t i : place.around) {
        Place& tile = memory.places[i];
        mend(tile);
        add(tile.held, region);
        if (tile.written == 0) tile.writer = writer;
    }
    for (const uint32_t i : place.inside) memory.places[i].forget();
    for (const uint32_t i : place.clashes) {
        Place& other = memory.places[i];
        cut(other.held, region, [&](const Range& range) {
            other.torn.push_back({range, now, at, writer});
        });
    }
}

bool TileChecker::holds(const Place& place, const Region& region) {
    if (place.written == 0) return false;
    std::vector<Range> missing;
    add(missing, region);
    for (const Range& range : place.held) cut(missing, region_of(range), [](const Range&) {});
    return missing.empty();
}

void TileChecker::read(const InstructionEvent& event, const Memory& memory, uint32_t at,
                       const Region& region, const Use& reader) {
    const auto latest = [&region](const Place& tile, uint64_t since, const auto& counts) {
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
    const Place& place = memory.places[at];
    const Torn own = latest(place, 0, [](const Torn&) { return true; });
    if (own.at != 0) tell(event, place, place, own, reader);
    // A window that nobody has written shows what its tile holds: any that holds all of it.
    const auto shows = [&](uint32_t i) { return holds(memory.places[i], region); };
    for (const uint32_t i : place.around) {
        const Place& tile = memory.places[i];
        if (tile.written == 0 || tile.torn.empty()) continue;
        const Torn torn = latest(tile, place.written, [&place](const Torn& bytes) {
            return std::find(place.around.begin(), place.around.end(), bytes.by) ==
                   place.around.end();
        });
        if (torn.at == 0) continue;
        if (std::any_of(place.around.begin(), place.around.end(), shows)) return;
        tell(event, place, tile, torn, reader);
    }
}

void TileChecker::tell(const InstructionEvent& event, const Place& tile, const Place& place,
                       const Torn& torn, const Use& reader) {
    std::string site = "A06";
    for (const Use* use : {&reader, &torn.tearer})
        site += "/" + std::to_string(use->location.file) + "/" +
                std::to_string(use->location.line) + "/" + std::to_string(use->location.column) +
                "/" + std::string(use->operand);
    const auto related = [&](const std::string& what, const Use& use) {
        RelatedSite other =
            sources_->related(what + " by " + std::string(use.instruction), use.location);
        other.instruction = use.instruction;
        other.operand = use.operand;
        return other;
    };
    findings_.add(site, [&] {
        const std::string space{name(place.tile.space)};
        Diagnostic d;
        d.code = "A06";
        d.category = Category::kUndefined;
        d.message = "tiles overlap while both are in use: " + std::string(reader.instruction) +
                    " '" + std::string(reader.operand) + "' reads the tile at " +
                    range_text(tile.declared.begin, tile.declared.end) + " of " + space +
                    ", which " + std::string(place.writer.instruction) + " at " +
                    ptosim::check::place(*sources_, place.writer.location) +
                    " has written, and of which " + std::string(torn.tearer.instruction) + " '" +
                    std::string(torn.tearer.operand) + "' at " +
                    ptosim::check::place(*sources_, torn.tearer.location) +
                    " has overwritten bytes " + range_text(torn.begin, torn.end);
        sources_->locate(d, reader.location);
        d.core = name(event.core);
        d.pipe = name(event.pipe);
        d.instruction = reader.instruction;
        d.operand = reader.operand;
        d.cycle = event.time;
        d.has_cycle = true;
        d.byte_begin = torn.begin;
        d.byte_end = torn.end;
        const Memory& memory =
            memories_[timelines_.index(event.core)][static_cast<size_t>(place.tile.space)];
        d.related = {related("written", place.writer), related("overwritten", torn.tearer)};
        d.notes = {"first tile: " + to_text(place.tile),
                   "second tile: " + to_text(memory.places[torn.by].tile)};
        d.hint =
            "give the second tile other bytes, or use the first for the last time before it is "
            "overwritten";
        return d;
    });
}

void TileChecker::issue(const InstructionEvent& event, const Footprint& footprint) {
    if (footprint.empty()) return;
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
            const uint32_t at = place_of(memory, operand.tile, piece.region);
            const Use use{info(instruction.opcode).name, operands[piece.operand].name,
                          instruction.location};
            if (writing)
                write(memory, at, piece.region, event.sequence + 1, use);
            else
                read(event, memory, at, piece.region, use);
        }
}

}  // namespace ptosim::check
