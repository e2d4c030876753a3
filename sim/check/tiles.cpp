#include "sim/check/tiles.h"

#include <algorithm>

#include "isa/instruction_table.h"
#include "isa/peer.h"

namespace ptosim::check {
namespace {

bool meet(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) { return a < b_end && b < a_end; }

// Nothing but a view turns bytes into pairs of 4-bit elements.
bool same_elements(const Tile& a, const Tile& b) {
    return a.dtype == b.dtype ||
           (bits(a.dtype) != bits(b.dtype) && bits(a.dtype) <= 8 && bits(b.dtype) <= 8);
}

// Whether the elements of `inner` are elements of `outer`, as those of a subview are.
bool is_window(const Tile& outer, const Tile& inner) {
    return same_elements(outer, inner) && outer.outer == inner.outer &&
           outer.inner == inner.inner && outer.fractal == inner.fractal &&
           outer.pitch == inner.pitch;
}

Tile whole(Tile tile) {
    tile.valid_rows = tile.rows;
    tile.valid_cols = tile.cols;
    tile.pad = Pad::kNull;
    return tile;
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
        for (Place& place : memory.places) place.written = place.torn_end = 0;
}

uint32_t TileChecker::place_of(Memory& memory, const Tile& named) {
    const Tile tile = whole(named);
    const auto [first, last] = memory.by_address.equal_range(tile.address);
    for (auto known = first; known != last; ++known)
        if (memory.places[known->second].tile == tile) return known->second;
    if (memory.places.size() == kMostPlaces) memory = {};
    const auto at = static_cast<uint32_t>(memory.places.size());
    Place place;
    place.tile = tile;
    place.begin = tile.address;
    place.end = tile.address + tile.touched_bytes();
    for (uint32_t i = 0; i < at; ++i) {
        Place& other = memory.places[i];
        if (!meet(place.begin, place.end, other.begin, other.end)) continue;
        const bool in = other.begin <= place.begin && place.end <= other.end;
        const bool out = place.begin <= other.begin && other.end <= place.end;
        if (in && out) {
            place.same.push_back(i);
            other.same.push_back(at);
            if (other.written > place.written) {
                place.written = other.written;
                place.writer = other.writer;
            }
            continue;
        }
        const bool window = is_window(tile, other.tile);
        if (out) place.inside.push_back(i);
        if (in) other.inside.push_back(at);
        if (in && window) place.around.push_back(i);
        if (out && window) other.around.push_back(at);
        if (!out && !(in && window)) place.clashes.push_back(i);
        if (!in && !(out && window)) other.clashes.push_back(at);
    }
    memory.places.push_back(std::move(place));
    memory.by_address.emplace(tile.address, at);
    return at;
}

void TileChecker::write(Memory& memory, uint32_t at, const Region& region, uint64_t now,
                        const Use& writer) {
    const auto mend = [&region](Place& place) {
        if (region.begin <= place.torn_begin && place.torn_end <= region.end()) place.torn_end = 0;
    };
    Place& place = memory.places[at];
    place.written = now;
    place.writer = writer;
    mend(place);
    for (const uint32_t i : place.around) mend(memory.places[i]);
    for (const uint32_t i : place.same) {
        Place& same = memory.places[i];
        same.written = now;
        same.writer = writer;
        mend(same);
    }
    for (const uint32_t i : place.inside) memory.places[i].written = 0;
    for (const uint32_t i : place.clashes) {
        Place& other = memory.places[i];
        if (other.written == 0 || !overlap(region, {other.begin, other.end - other.begin, 0, 1}))
            continue;
        const uint64_t begin = std::max(other.begin, region.begin);
        const uint64_t end = std::min(other.end, region.end());
        other.torn_begin = begin;
        other.torn_end = end;
        other.torn_at = now;
        other.torn_by = at;
        other.tearer = writer;
    }
}

void TileChecker::read(const InstructionEvent& event, Memory& memory, uint32_t at,
                       const Region& region, const Use& reader) {
    const Place& place = memory.places[at];
    read(event, place, region, place, reader);
    // A window that nobody has written shows what its tile holds.
    for (const uint32_t i : place.around)
        if (memory.places[i].torn_by != at && place.written < memory.places[i].torn_at)
            read(event, memory.places[i], region, place, reader);
}

void TileChecker::read(const InstructionEvent& event, const Place& place, const Region& region,
                       const Place& tile, const Use& reader) {
    if (place.written == 0 || place.torn_end == 0) return;
    if (!overlap(region, {place.torn_begin, place.torn_end - place.torn_begin, 0, 1})) return;
    std::string site = "A06";
    for (const Use* use : {&reader, &place.tearer})
        site += "/" + std::to_string(use->location.file) + "/" +
                std::to_string(use->location.line) + "/" + std::to_string(use->location.column) +
                "/" + std::string(use->operand);
    findings_.add(site, [&] {
        const std::string space{name(place.tile.space)};
        Diagnostic d;
        d.code = "A06";
        d.category = Category::kUndefined;
        d.message = "tiles overlap while both are in use: " + std::string(reader.instruction) +
                    " '" + std::string(reader.operand) + "' reads the tile at " +
                    range_text(tile.begin, tile.end) + " of " + space + ", which " +
                    std::string(place.writer.instruction) + " at " +
                    ptosim::check::place(*sources_, place.writer.location) +
                    " has written, and of which " + std::string(place.tearer.instruction) + " '" +
                    std::string(place.tearer.operand) + "' at " +
                    ptosim::check::place(*sources_, place.tearer.location) +
                    " has overwritten bytes " + range_text(place.torn_begin, place.torn_end);
        sources_->locate(d, reader.location);
        d.core = name(event.core);
        d.pipe = name(event.pipe);
        d.instruction = reader.instruction;
        d.operand = reader.operand;
        d.cycle = event.time;
        d.has_cycle = true;
        d.byte_begin = place.torn_begin;
        d.byte_end = place.torn_end;
        const Memory& memory =
            memories_[timelines_.index(event.core)][static_cast<size_t>(place.tile.space)];
        d.notes = {"first tile: " + to_text(place.tile),
                   "second tile: " + to_text(memory.places[place.torn_by].tile)};
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
            const uint32_t at = place_of(memory, operand.tile);
            const Use use{info(instruction.opcode).name, operands[piece.operand].name,
                          instruction.location};
            if (writing)
                write(memory, at, piece.region, event.sequence + 1, use);
            else
                read(event, memory, at, piece.region, use);
        }
}

}  // namespace ptosim::check
