#include "sim/check/checkers/init.h"

#include <algorithm>

#include "isa/table/instruction_table.h"

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
        (cores_[piece.memory].*buffers)[static_cast<size_t>(piece.space)].set(piece.region, site);
    }
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
    if (!core.suspects.empty() && std::erase(core.suspects, event.sequence) != 0)
        for (const Piece& piece : footprint)
            if (!piece.global && piece.reads && !is_padded(piece))
                check(core, {event.core, event.pipe, row.name, row.operands[piece.operand].name,
                             instruction.location, event.time, piece.space, piece.region, used_together(row.name)});
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

void InitChecker::on_scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global) return;
    Core& core = state(event.core);
    const Region region = range_of(event.access);
    if (event.access.reads &&
        core.issued[static_cast<size_t>(event.access.space)].first_unwritten(region) != UINT64_MAX)
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
    const auto partial =
        std::find_if(core.partial.rbegin(), core.partial.rend(), [&](const Partial& candidate) {
            return candidate.space == read.space && candidate.begin <= byte && byte < candidate.end;
        });
    const bool outside = partial != core.partial.rend();
    const std::string site = (outside ? "D02/" : "D01/") + std::to_string(read.location.file) +
                             "/" + std::to_string(read.location.line) + "/" +
                             std::to_string(read.location.column) + "/" + std::string(read.operand);
    findings_.add(site, [&] {
        Diagnostic d;
        d.code = outside ? "D02" : "D01";
        d.category = Category::kUndefined;
        const std::string space{name(read.space)};
        d.message = std::string(read.instruction) +
                    (read.operand.empty() ? "" : " '" + std::string(read.operand) + "'") +
                    " reads byte " + std::to_string(byte) + " of " + space;
        d.message += outside ? ", which lies outside the valid region that " +
                                   std::string(partial->instruction) + " at " +
                                   location_text(*shared_.sources, partial->location) +
                                   " has written"
                             : ", which this block has not written";
        d.hint = !outside ? "load or compute the tile first, or read only its valid region"
                 : read.space == Space::kL0C
                     ? "give the reader the valid region of the product; where the rest is padding "
                       "that is not used, suppress this"
                     : "pad the tile (TFILLPAD), or give the reader the same valid region";
        shared_.sources->locate(d, read.location);
        if (!outside) explain_by_mask(core, read, byte, d);
        if (outside) {
            const std::string writer{partial->instruction};
            d.related = {shared_.sources->related("written by " + writer, partial->location)};
            d.related[0].instruction = writer;
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
    });
}

PTOSIM_CHECKER(init) = row_of<InitChecker>(
    {.name = "init",
     .chosen = Chosen::kInAll,
     .codes = "D01 D02",
     .about = "reads of on-chip bytes that no instruction of the block has written",
     .order = 50});

}  // namespace ptosim::check
