#include "sim/machine/core/box_writers.h"

#include <algorithm>

#include "isa/table/access.h"

namespace ptosim {
namespace {

bool holds_boxes(Space space) {
    return space == Space::kL0A || space == Space::kL0B || space == Space::kL0C;
}

bool is_by_columns(const Tile& tile) { return tile.outer == OuterLayout::kColMajor; }

// Bytes from one line of boxes to the next.
uint64_t line_pitch(const Tile& tile) {
    const int32_t across = is_by_columns(tile) ? tile.box_cols() : tile.box_rows();
    return bytes(tile.dtype, static_cast<size_t>(int64_t{tile.pitch} * across));
}

std::string pitch_of(const Tile& tile, PitchFrom from) {
    if (from == PitchFrom::kBoth || from == PitchFrom::kOpenRows)
        from = tile.compact == Compact::kNull ? PitchFrom::kShape : PitchFrom::kValid;
    return std::to_string(tile.pitch) + (is_by_columns(tile) ? " rows" : " columns") + " (from " +
           std::string(text(from)) + ")";
}

// Text such as "columns 16 to 63": the part beyond the first line of boxes.
std::string beyond_first_line(const Tile& tile) {
    const bool columns = is_by_columns(tile);
    const int32_t first = columns ? tile.box_cols() : tile.box_rows();
    const int32_t end = columns ? tile.valid_cols : tile.valid_rows;
    return (columns ? "columns " : "rows ") + std::to_string(first) + " to " +
           std::to_string(end - 1);
}

std::string mend(const Tile& read, PitchFrom read_from, const Tile& written,
                 PitchFrom written_from) {
    const auto extent = [](int32_t count, const Tile& tile) {
        return std::to_string(count) + (is_by_columns(tile) ? " rows" : " columns");
    };
    if (read.space != Space::kL0C) {
        const std::string size = "give its tile " + extent(read.pitch, read);
        if (written_from != PitchFrom::kBoth) return size;
        if (written.compact == Compact::kNormal)
            return "multiply with the valid region that was written";
        return "declare the factor compact (CompactMode::Normal; .pto: compact=1), or " + size;
    }
    const std::string rows = "give it " + extent(written.pitch, written) +
                             ", or multiply all of its " + std::to_string(read.pitch) + " rows";
    if (read_from == PitchFrom::kShape) return "this move requires a fixed pitch: " + rows;
    if (read_from == PitchFrom::kOpenRows && read.compact == Compact::kNull)
        return "leave the valid rows of its type open (-1; .pto: ?), " + rows;
    if (read.compact == Compact::kNormal || read_from == PitchFrom::kValid)
        return "its valid rows differ from those of the product: set them to those";
    return "declare the accumulator compact (CompactMode::Normal; .pto: compact=1), " + rows;
}

}  // namespace

void BoxWriters::forget() {
    for (auto* granules : {&left_, &right_, &accumulators_})
        std::fill(granules->begin(), granules->end(), Writer{0});
}

std::vector<BoxWriters::Writer>& BoxWriters::granules(Space space) {
    std::vector<Writer>& granules = space == Space::kL0A   ? left_
                                    : space == Space::kL0B ? right_
                                                           : accumulators_;
    const uint64_t size = core_.model.reach(space) / kGranule;
    if (granules.size() != size) granules.resize(size);
    return granules;
}

BoxWriters::Lines BoxWriters::lines_of(const Instruction& instruction, unsigned operand) {
    const Tile& declared = instruction.tile(operand);
    const TouchedTiles touched = touched_tiles(instruction, operand);
    if (touched.count == 0 || !declared.boxed()) return {};
    const Tile& tile = touched.tiles[0];
    const bool columns = is_by_columns(tile);
    const int32_t box = columns ? tile.box_cols() : tile.box_rows();
    const int32_t across = columns ? tile.valid_cols : tile.valid_rows;
    const int32_t along = columns ? tile.valid_rows : tile.valid_cols;
    if (across <= 0 || along <= 0) return {};
    Lines lines;
    lines.begin = tile.address;
    lines.pitch = line_pitch(tile);
    lines.width = bytes(tile.dtype, static_cast<size_t>(int64_t{along} * box));
    lines.count = static_cast<uint64_t>((across + box - 1) / box);
    lines.first_only = lines.count == 1 && tile.address - declared.address < lines.pitch;
    return lines;
}

BoxWriters::Use BoxWriters::use_of(const Instruction& instruction, unsigned operand) const {
    return {instruction.opcode, static_cast<uint8_t>(operand), instruction.location,
            instruction.tile(operand),
            pitch_from(instruction, operand, core_.arch).value_or(PitchFrom::kShape)};
}

BoxWriters::Writer BoxWriters::writer_of(const Use& use) {
    for (size_t i = writers_.size(); i-- > 1;) {
        Use& entry = writers_[i];
        if (entry.location == use.location && entry.opcode == use.opcode &&
            entry.tile.pitch == use.tile.pitch && entry.tile.dtype == use.tile.dtype) {
            entry = use;
            return static_cast<Writer>(i);
        }
    }
    constexpr size_t kMost = UINT16_MAX;
    if (writers_.size() == kMost) {
        forget();
        writers_.resize(1);
    }
    writers_.push_back(use);
    return static_cast<Writer>(writers_.size() - 1);
}

void BoxWriters::read(const Instruction& instruction, unsigned operand) {
    const Lines lines = lines_of(instruction, operand);
    if (lines.count == 0 || lines.first_only) return;
    const std::vector<Writer>& owners = granules(instruction.tile(operand).space);
    Writer seen = 0;
    for (uint64_t line = 0; line < lines.count; ++line) {
        const uint64_t begin = lines.begin + line * lines.pitch;
        const uint64_t end = std::min<uint64_t>((begin + lines.width - 1) / kGranule + 1,
                                                owners.size());
        for (uint64_t at = begin / kGranule; at < end; ++at) {
            if (owners[at] == seen || owners[at] == 0) continue;
            seen = owners[at];
            const Use& writer = writers_[seen];
            if (writer.tile.pitch == 0 || line_pitch(writer.tile) == lines.pitch) continue;
            return report(use_of(instruction, operand), writer);
        }
    }
}

void BoxWriters::write(const Instruction& instruction, unsigned operand) {
    const Lines lines = lines_of(instruction, operand);
    if (lines.count == 0) return;
    Use use = use_of(instruction, operand);
    // A single line is the same with any pitch. Without a rule for the operand a register may set another pitch.
    if (lines.first_only || !pitch_from(instruction, operand, core_.arch)) use.tile.pitch = 0;
    const Writer writer = writer_of(use);
    std::vector<Writer>& owners = granules(use.tile.space);
    for (uint64_t line = 0; line < lines.count; ++line) {
        const uint64_t begin = lines.begin + line * lines.pitch;
        const uint64_t end = std::min<uint64_t>((begin + lines.width - 1) / kGranule + 1,
                                                owners.size());
        if (begin / kGranule < end)
            std::fill(owners.begin() + static_cast<std::ptrdiff_t>(begin / kGranule),
                      owners.begin() + static_cast<std::ptrdiff_t>(end), writer);
    }
}

void BoxWriters::note(const Instruction& instruction) {
    const auto operands = info(instruction.opcode).operands;
    for (const bool writing : {false, true})
        for (unsigned i = 0; i < instruction.operand_count && i < operands.size(); ++i) {
            if (!instruction.operands[i].is_tile() || !holds_boxes(instruction.tile(i).space))
                continue;
            const OperandRole role = operands[i].role;
            if (writing && role != OperandRole::kIn) write(instruction, i);
            if (!writing && role != OperandRole::kOut) read(instruction, i);
        }
}

int32_t BoxWriters::depth_of(const Instruction& instruction) {
    const Tile *a = nullptr, *b = nullptr;
    unsigned left = 0;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        if (instruction.tile(i).space == Space::kL0A) a = &instruction.tile(left = i);
        if (instruction.tile(i).space == Space::kL0B) b = &instruction.tile(i);
    }
    if (a == nullptr || b == nullptr || a->valid_rows <= 0) return 0;
    const int32_t box = a->box_cols(), rest = a->valid_cols % box;
    if (rest == 0) return 0;
    const std::vector<Writer>& owners = granules(Space::kL0A);
    Tile factor = *a;
    factor.pitch = used_pitch(instruction, left, core_.arch);
    const auto offset = static_cast<size_t>(factor.index(0, a->valid_cols - rest));
    const size_t at = (a->address + bytes(a->dtype, offset)) / kGranule;
    if (at >= owners.size() || owners[at] == 0) return 0;
    const Use& writer = writers_[owners[at]];
    if (writer.tile.address != a->address || writer.tile.outer != a->outer ||
        writer.tile.dtype != a->dtype)
        return 0;
    const int32_t depth = std::min({a->valid_cols - rest + box, writer.tile.valid_cols, b->rows});
    if (depth <= a->valid_cols) return 0;
    report_depth(use_of(instruction, left), writer, depth);
    return depth;
}

void BoxWriters::report(const Use& reader, const Use& writer) {
    const InstructionInfo& row = info(reader.opcode);
    Diagnostic d = core_.diagnostic(
        "A08", Category::kUndefined,
        std::string(row.name) + " reads '" + std::string(row.operands[reader.operand].name) +
            "' in " + std::string(name(reader.tile.space)) + " with a pitch of " +
            pitch_of(reader.tile, reader.from) + ", and " + std::string(info(writer.opcode).name) +
            " wrote it with a pitch of " + pitch_of(writer.tile, writer.from) + ": " +
            beyond_first_line(reader.tile) + " are other elements",
        reader.location);
    d.hint = mend(reader.tile, reader.from, writer.tile, writer.from);
    warn(reader, writer, std::move(d));
}

void BoxWriters::report_depth(const Use& reader, const Use& writer, int32_t depth) {
    const InstructionInfo& row = info(reader.opcode);
    const std::string operand = "'" + std::string(row.operands[reader.operand].name) + "'";
    Diagnostic d = core_.diagnostic(
        "A11", Category::kUndefined,
        std::string(row.name) + " multiplies whole boxes of " +
            std::to_string(reader.tile.box_cols()) + " columns of " + operand + ", of which " +
            std::to_string(reader.tile.valid_cols) + " are valid: columns " +
            std::to_string(reader.tile.valid_cols) + " to " + std::to_string(depth - 1) + ", which " +
            std::string(info(writer.opcode).name) + " has written, count as well",
        reader.location);
    d.hint = "load and move no more columns than are multiplied: the rest of a box is 0 then";
    warn(reader, writer, std::move(d));
}

// Reports each pair of locations once.
void BoxWriters::warn(const Use& reader, const Use& writer, Diagnostic d) {
    const auto site_key = [](const Use& use) {
        return uint64_t{use.location.file} << 28 ^ uint64_t{use.location.line} << 8 ^ use.operand;
    };
    const uint64_t pair = site_key(reader) << 32 ^ site_key(writer) ^ (d.code == "A11" ? 1U : 0U) << 31;
    if (!reported_.insert(pair).second) return;
    const InstructionInfo& row = info(reader.opcode);
    const InstructionInfo& other = info(writer.opcode);
    RelatedSite other_site = core_.environment.sources().related(
        "written by " + std::string(other.name), writer.location);
    d.instruction = row.name;
    d.operand = row.operands[reader.operand].name;
    Tile written = writer.tile;
    if (written.pitch == 0) set_dense_pitch(written);
    d.notes = {"read: " + to_text(reader.tile), "written: " + to_text(written)};
    other_site.instruction = other.name;
    other_site.operand = other.operands[writer.operand].name;
    d.related = {std::move(other_site)};
    core_.environment.warn(std::move(d));
}

}  // namespace ptosim
