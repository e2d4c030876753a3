#include "sim/check/checkers/init.h"

#include <algorithm>

#include "isa/table/instruction_table.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::check {
namespace {

constexpr size_t kMostPartial = 64;

// The first byte of a region in a block of `size` bytes of which nothing has been written; UINT64_MAX: there is none.
uint64_t first_unwritten_block(WrittenBytes& written, const Region& region, uint64_t size) {
    for (uint64_t line = 0; line < region.lines; ++line) {
        const uint64_t begin = region.begin + line * region.pitch, end = begin + region.width;
        for (uint64_t at = begin; at < end;) {
            const uint64_t byte = written.first_unwritten({at, end - at, 0, 1});
            if (byte == UINT64_MAX) break;
            const uint64_t block = byte / size * size;
            if (!written.any_written({block, size, 0, 1})) return byte;
            at = block + size;
        }
    }
    return UINT64_MAX;
}

// Bytes that an instruction takes together, whatever part of them is used: blocks of a copy, lanes of a bitwise operation,
// which may also be pairs of smaller elements.
uint64_t used_together(std::string_view name) {
    constexpr uint64_t kBlock = 32, kLane = 2;
    if (name == "copy_ubuf_to_gm") return kBlock;
    return name == "vand" || name == "vor" || name == "vnot" ? kLane : 1;
}

bool is_partial(const Tile& tile) {
    return tile.valid_rows < tile.rows || tile.valid_cols < tile.cols;
}

}  // namespace

void InitChecker::on_launch(const LaunchEvent& event) {
    cores_.clear();
    cores_.resize(event.cores.size());
    other_pitch_.clear();
    computes_data_ = event.computes_data;
}

void InitChecker::forget(CoreId id) {
    Core& core = state(id);
    for (WrittenBytes& written : core.written) written.clear();
    for (WrittenBytes& written : core.issued) written.clear();
    core.suspects.clear();
    core.partial.clear();
    core.next = 0;
    core.masked.clear();
    core.next_masked = 0;
    core.pending.clear();
    core.derived.clear();
    core.next_derived = 0;
    core.unset_bits.clear();
}

void InitChecker::mark(const Instruction& instruction, const Footprint& footprint,
                       Buffers Core::*buffers) {
    uint64_t part = 0;  // of its operand
    for (const Piece& piece : footprint) {
        part = &piece != &footprint.front() && (&piece)[-1].operand == piece.operand ? part + 1 : 0;
        if (piece.global || !piece.writes) continue;
        // A library's call has the location of the user's line for all of its instructions.
        const SourceLocation& at = instruction.location;
        WrittenBytes::Site site = (uint64_t{at.line} << 16 | at.column) ^ uint64_t { at.file }
                                                                              << 52;
        site = site * 0x9E3779B97F4A7C15u + (static_cast<uint64_t>(instruction.opcode) << 48) +
               (uint64_t{piece.operand} << 32) + (part << 40) +
               instruction.operands[piece.operand].tile.address;
        Core& core = cores_[piece.memory];
        (core.*buffers)[static_cast<size_t>(piece.space)].set(piece.region, site);
        if (piece.space == Space::kUB && buffers == &Core::written) forget_bits(core, piece.region);
    }
}

void InitChecker::forget_bits(Core& core, const Region& region) {
    if (core.unset_bits.empty()) return;
    core.unset_bits.erase(core.unset_bits.lower_bound(region.begin),
                          core.unset_bits.lower_bound(region.end()));
}

// The bytes of a range, apart by the bits that have no value.
void InitChecker::add_unset(const Core& core, uint64_t begin, uint64_t end,
                            std::vector<UnsetBytes>& to) {
    for (auto at = core.unset_bits.lower_bound(begin);
         at != core.unset_bits.end() && at->first < end; ++at) {
        const auto byte = static_cast<uint32_t>(at->first);
        if (begin < byte) to.push_back({static_cast<uint32_t>(begin), byte});
        to.push_back({byte, byte + 1, at->second});
        begin = byte + 1;
    }
    if (begin < end) to.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
}

void InitChecker::on_issue_accesses(const InstructionEvent& event, const Footprint& footprint) {
    Core& core = state(event.core);
    bool suspect = false;
    for (const Piece& piece : footprint)
        suspect = suspect || (!piece.global && piece.reads &&
                              core.issued[static_cast<size_t>(piece.space)].first_unwritten(
                                  piece.region) != UINT64_MAX);
    if (suspect) core.suspects.push_back(event.sequence);
    mark(*event.instruction, footprint, &Core::issued);
}

void InitChecker::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    const Instruction& instruction = *event.instruction;
    const InstructionInfo& row = info(instruction.opcode);
    Core& core = state(event.core);
    // An intrinsic move takes whole fractals, including the bytes that pad a matrix, and a store of several matrices of
    // L0C counts as one range; vbrcb takes groups of eight elements, comparisons whole repeats, and set_cmpmask 16 bytes,
    // which need not all be used (a selection by a scalar uses the first element). These are reported only if none of
    // their bytes has been written.
    const bool moves = is_intrinsic(instruction.opcode) && row.pipe == PipeRule::kMove;
    const bool stores = is_intrinsic(instruction.opcode) && row.pipe == PipeRule::kStore;
    const auto is_padded = [&](const Piece& piece) {
        return (moves || (stores && piece.space == Space::kL0C) || row.name == "vbrcb" ||
                row.name == "set_cmpmask" || row.name.starts_with("vcmp")) && core.written[static_cast<size_t>(piece.space)].any_written(piece.region);
    };
    const bool suspect = !core.suspects.empty() && std::erase(core.suspects, event.sequence) != 0;
    const bool waits = computes_data_ && row.traits->depending != nullptr;
    if (waits && (suspect || !core.pending.empty() || !core.derived.empty()))
        core.pending.push_back({event.sequence, {}, {}, {}, {}});
    if (suspect || !core.derived.empty() || !core.pending.empty())
        for (const Piece& piece : footprint) {
            if (piece.global) continue;
            const Read read{event.core,
                            event.pipe,
                            row.name,
                            row.operands[piece.operand].name,
                            instruction.location,
                            event.time,
                            piece.space,
                            piece.region,
                            used_together(row.name)};
            if (waits && piece.reads) core.pending.back().reads.push_back(read);
            if (waits && piece.writes) core.pending.back().writes.push_back(piece.region);
            if (waits) continue;
            const bool later = !core.pending.empty() && piece.space == Space::kUB &&
                               piece.memory == timelines_.index(event.core);
            if (later && piece.writes) core.pending.back().later_writes.push_back(piece.region);
            if (!piece.reads || is_padded(piece)) continue;
            if (later)
                core.pending.back().later_reads.push_back(read);
            else if (suspect || !core.derived.empty())
                check(core, read);
        }
    mark(instruction, footprint, &Core::written);
    for (unsigned i = 0; i < instruction.operand_count && i < row.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || row.operands[i].role == OperandRole::kIn) continue;
        const Tile& tile = operand.tile;
        if (!is_partial(tile)) continue;
        const Partial partial{tile.space, tile.address, tile.address + tile.byte_size(), row.name,
                              instruction.location};
        if (core.partial.size() < kMostPartial)
            core.partial.push_back(partial);
        else
            core.partial[core.next++ % kMostPartial] = partial;
    }
}

bool InitChecker::follows_data(CoreId id, uint64_t sequence) const {
    const Core& core = cores_[timelines_.index(id)];
    return std::any_of(core.pending.begin(), core.pending.end(),
                       [sequence](const Pending& pending) { return pending.sequence == sequence; });
}

void InitChecker::on_data_begin(const DataEvent& event) {
    Core& core = state(event.core);
    const auto found = std::find_if(
        core.pending.begin(), core.pending.end(),
        [&event](const Pending& pending) { return pending.sequence == event.sequence; });
    if (found == core.pending.end()) return;
    const Pending pending = std::move(*found);
    core.pending.erase(found);
    derive(core, pending, event.execution);
    for (const Read& read : pending.later_reads) check(core, read);
    for (const Region& region : pending.later_writes) {
        core.written[static_cast<size_t>(Space::kUB)].set(region);
        forget_bits(core, region);
    }
}

void InitChecker::derive(Core& core, const Pending& pending, const Execution& execution) {
    WrittenBytes& written = core.written[static_cast<size_t>(Space::kUB)];
    const auto depending = traits(execution.instruction.opcode).depending;
    std::vector<UnsetBytes> unset;
    for (const Read& read : pending.reads)
        for (const auto& [begin, end] : written.unwritten(read.region))
            add_unset(core, begin, end, unset);
    for (const Region& region : pending.writes) {
        written.set(region);
        forget_bits(core, region);
    }
    if (unset.empty()) return;
    const std::vector<UnsetBytes> made = depending(execution, unset);
    if (made.empty()) return;
    const Derived* earlier =
        nullptr;  // the bytes may themselves have been made from unwritten ones
    const Read* origin = nullptr;
    uint64_t first = 0;
    for (const UnsetBytes& bytes : unset) {
        if (unset.size() > 1 && depending(execution, {&bytes, 1}).empty()) continue;
        first = bytes.begin;
        break;
    }
    for (const Derived& derived : core.derived)
        if (derived.begin <= first && first < derived.end) earlier = &derived;
    for (const Read& read : pending.reads)
        if (origin == nullptr || overlap(read.region, {first, 1, 0, 1})) origin = &read;
    Derived derived{made.front().begin, made.back().end,
                    earlier ? earlier->site : site_of(core, *origin, first),
                    earlier ? earlier->finding : finding_of(core, *origin, first)};
    for (const UnsetBytes& bytes : made) {
        written.unset({bytes.begin, bytes.end - bytes.begin, 0, 1});
        for (uint64_t at = bytes.begin; bytes.bits != 0xFF && at < bytes.end; ++at)
            core.unset_bits[at] = bytes.bits;
    }
    if (core.derived.size() < kMostPartial)
        core.derived.push_back(std::move(derived));
    else
        core.derived[core.next_derived++ % kMostPartial] = std::move(derived);
}

void InitChecker::on_scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global) return;
    Core& core = state(event.core);
    const Region region = range_of(event.access);
    if (event.access.reads && (!core.derived.empty() ||
                               core.issued[static_cast<size_t>(event.access.space)].first_unwritten(
                                   region) != UINT64_MAX))
        check(core, {event.core,
                     Pipe::kS,
                     "scalar load",
                     {},
                     event.location,
                     event.time,
                     event.access.space,
                     region});
    if (!event.access.writes) return;
    core.written[static_cast<size_t>(event.access.space)].set(region);
    if (event.access.space == Space::kUB) forget_bits(core, region);
    core.issued[static_cast<size_t>(event.access.space)].set(region);
}

void InitChecker::on_masked_write(const MaskedWriteEvent& event) {
    Core& core = state(event.core);
    if (core.masked.size() < kMostPartial)
        core.masked.push_back(event.write);
    else
        core.masked[core.next_masked++ % kMostPartial] = event.write;
}

void InitChecker::explain_by_mask(const Core& core, const Read& read, uint64_t byte, Diagnostic& d) const {
    if (read.space != Space::kUB) return;
    const auto masked = std::find_if(core.masked.rbegin(), core.masked.rend(), [byte](const MaskedWrite& write) {
        return write.begin <= byte && byte < write.end;
    });
    if (masked == core.masked.rend()) return;
    const std::string writer{masked->instruction};
    const std::string where = location_text(*shared_.sources, masked->where);
    d.message += ": " + writer + " at " + where + " leaves it out, because the vector mask that " +
                 location_text(*shared_.sources, masked->mask) + " has set has " + std::to_string(masked->lanes) +
                 " active lanes";
    d.hint = "set the mask before " + where + " (SetVectorMask), or let the call set it";
    d.related = {shared_.sources->related("the mask", masked->mask), shared_.sources->related(writer, masked->where)};
}

void InitChecker::on_diagnostic(const Diagnostic& found) {
    if (found.code == "A08") other_pitch_.push_back(found);
}

void InitChecker::check(Core& core, const Read& read) {
    const auto is_here = [&read](const Site& site) {
        return site.location == read.location && site.operand == read.operand;
    };
    if (std::any_of(other_pitch_.begin(), other_pitch_.end(), is_here)) return;
    WrittenBytes& written = core.written[static_cast<size_t>(read.space)];
    const uint64_t byte = read.together > 1 ? first_unwritten_block(written, read.region, read.together)
                                            : written.first_unwritten(read.region);
    if (byte == UINT64_MAX) return;
    const auto derived =
        std::find_if(core.derived.rbegin(), core.derived.rend(), [&](const Derived& candidate) {
            return read.space == Space::kUB && candidate.begin <= byte && byte < candidate.end;
        });
    if (derived == core.derived.rend())
        return findings_.add(site_of(core, read, byte),
                             [&] { return finding_of(core, read, byte); });
    findings_.add(derived->site, [&] {
        Diagnostic d = derived->finding;
        const std::string reader{read.instruction};
        d.message += "; " + reader + " at " + location_text(*shared_.sources, read.location) +
                     " reads byte " + std::to_string(byte) + ", which depends on it";
        d.related.push_back(shared_.sources->related("read by " + reader, read.location));
        return d;
    });
}

const InitChecker::Partial* InitChecker::partial_at(const Core& core, Space space,
                                                    uint64_t byte) const {
    const auto partial =
        std::find_if(core.partial.rbegin(), core.partial.rend(), [&](const Partial& candidate) {
            return candidate.space == space && candidate.begin <= byte && byte < candidate.end;
        });
    return partial == core.partial.rend() ? nullptr : &*partial;
}

std::string InitChecker::site_of(const Core& core, const Read& read, uint64_t byte) const {
    return (partial_at(core, read.space, byte) != nullptr ? "D02/" : "D01/") +
           std::to_string(read.location.file) + "/" + std::to_string(read.location.line) + "/" +
           std::to_string(read.location.column) + "/" + std::string(read.operand);
}

Diagnostic InitChecker::finding_of(const Core& core, const Read& read, uint64_t byte) const {
    const Partial* const partial = partial_at(core, read.space, byte);
    Diagnostic d;
    d.code = partial != nullptr ? "D02" : "D01";
    d.category = Category::kUndefined;
    const std::string space{name(read.space)};
    d.message = std::string(read.instruction) +
                (read.operand.empty() ? "" : " '" + std::string(read.operand) + "'") +
                " reads byte " + std::to_string(byte) + " of " + space;
    d.message += partial != nullptr
                     ? ", which lies outside the valid region that " +
                           std::string(partial->instruction) + " at " +
                           location_text(*shared_.sources, partial->location) + " has written"
                     : ", which this block has not written";
    d.hint = partial == nullptr ? "load or compute the tile first, or read only its valid region"
             : read.space == Space::kL0C
                 ? "give the reader the valid region of the product; where the rest is padding "
                   "that is not used, suppress this"
                 : "pad the tile (TFILLPAD), or give the reader the same valid region";
    shared_.sources->locate(d, read.location);
    if (partial != nullptr) {
        const std::string writer{partial->instruction};
        d.related = {shared_.sources->related("written by " + writer, partial->location)};
        d.related[0].instruction = writer;
    } else {
        explain_by_mask(core, read, byte, d);
    }
    d.core = name(read.core);
    d.pipe = name(read.pipe);
    d.instruction = read.instruction;
    d.operand = read.operand;
    d.cycle = read.time;
    d.has_cycle = true;
    d.byte_begin = read.region.begin;
    d.byte_end = read.region.end();
    return d;
}

PTOSIM_CHECKER(init) = row_of<InitChecker>(
    {.name = "init",
     .chosen = Chosen::kInAll,
     .codes = "D01 D02",
     .about = "reads of on-chip bytes that no instruction of the block has written",
     .order = 50});

}  // namespace ptosim::check
