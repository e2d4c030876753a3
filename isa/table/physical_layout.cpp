#include "isa/table/physical_layout.h"

#include <algorithm>

#include "isa/numeric/round_up.h"

namespace ptosim {
namespace {

constexpr int32_t kBoxLines = 16;

// True if a move turns boxes: the inner layouts of its two sides differ.
bool turns(const Instruction& instruction) {
    return instruction.operand_count > 1 && instruction.operands[1].is_tile() &&
           instruction.tile(0).inner != instruction.tile(1).inner;
}

bool is_met(PitchCase when, const Instruction& instruction) {
    switch (when) {
        case PitchCase::kAlways:
            return true;
        case PitchCase::kTransposedBytes:
            return turns(instruction) && bits(instruction.tile(0).dtype) <= 8;
        case PitchCase::kIntoBoxes:
            return instruction.tile(0).boxed();
        case PitchCase::kUnrepeated: {
            const Image& image = instruction.attributes.convolution().image;
            return image.repeat_time <= 1 && !image.transpose && image.dst_position == 0 &&
                   image.dst_stride == 0;
        }
    }
    return false;
}

// The memory of the tile at the other end of a move.
Space other_space(const Instruction& instruction, unsigned operand) {
    const unsigned other = operand == 0 ? 1 : 0;
    return other < instruction.operand_count && instruction.operands[other].is_tile()
               ? instruction.tile(other).space
               : Space::kCount;
}

bool is_left_by_rows(const Tile& tile) {
    return tile.outer == OuterLayout::kRowMajor && tile.inner == InnerLayout::kRowMajor;
}

// True if its whole valid region is in one column of boxes (NZ) or one row of them (ZN, ZZ), or if its boxes are single
// lines, as for vectors.
bool has_one_line_of_boxes(const Tile& tile) {
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    if (!tile.boxed() || tile.pitch < kBoxLines || (is_left_by_rows(tile) && tile.rows == 1))
        return true;
    return row_major ? tile.valid_rows <= tile.box_rows() : tile.valid_cols <= tile.box_cols();
}

const Tile* left_factor(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile() && instruction.tile(i).space == Space::kL0A)
            return &instruction.tile(i);
    return nullptr;
}

// Memories for whose tiles an opcode has pitch rules, one bit each; most opcodes have none.
using RuleSpaces = std::array<PerArch<uint16_t>, static_cast<size_t>(Opcode::kCount)>;
static_assert(kSpaceCount <= 16);

uint16_t spaces_of(std::span<const PitchRule> rules) {
    unsigned spaces = 0;
    for (const PitchRule& rule : rules) spaces |= 1U << static_cast<unsigned>(rule.of);
    return static_cast<uint16_t>(spaces);
}

bool may_concern(Opcode opcode, Space space, Arch arch) {
    static const RuleSpaces kTable = [] {
        RuleSpaces table;
        for (size_t i = 0; i < table.size(); ++i) {
            const auto& pitches = traits(static_cast<Opcode>(i)).pitches;
            table[i] = {spaces_of(pitches.a2a3), spaces_of(pitches.a5)};
        }
        return table;
    }();
    return (kTable[static_cast<size_t>(opcode)][arch] >> static_cast<unsigned>(space) & 1) != 0;
}

bool has_open_rows(std::span<const PitchRule> rules) {
    return std::any_of(rules.begin(), rules.end(),
                       [](const PitchRule& rule) { return rule.from == PitchFrom::kOpenRows; });
}

std::string_view text(PitchCase when) {
    switch (when) {
        case PitchCase::kAlways:
            return "";
        case PitchCase::kTransposedBytes:
            return ", where it turns elements of 8 bits";
        case PitchCase::kIntoBoxes:
            return ", into boxes";
        case PitchCase::kUnrepeated:
            return ", without repetition";
    }
    return "";
}

}  // namespace

int32_t packed_pitch(const Tile& tile) {
    if (tile.outer == OuterLayout::kColMajor) return round_up(tile.valid_rows, kBoxLines);
    // A left factor of f32 may have its lines aligned to 16 elements (a2a3, Tile::SetKAligned).
    const bool aligned = tile.compact == Compact::kRowAlignedPadding;
    const int32_t unit = is_left_by_rows(tile) && !aligned ? tile.box_cols() : kBoxLines;
    return round_up(tile.valid_cols, unit);
}

std::optional<PitchFrom> pitch_from(const Instruction& instruction, unsigned operand, Arch arch) {
    if (operand >= instruction.operand_count || !instruction.operands[operand].is_tile())
        return std::nullopt;
    const Space space = instruction.tile(operand).space;
    if (!may_concern(instruction.opcode, space, arch)) return std::nullopt;
    for (const PitchRule& rule : traits(instruction.opcode).pitches[arch])
        if (rule.of == space &&
            (rule.other == Space::kCount || rule.other == other_space(instruction, operand)) &&
            is_met(rule.when, instruction))
            return rule.from;
    return std::nullopt;
}

bool may_have_open_rows(Opcode opcode) {
    using Opcodes = std::array<bool, static_cast<size_t>(Opcode::kCount)>;
    static const Opcodes kTable = [] {
        Opcodes table{};
        for (size_t i = 0; i < table.size(); ++i) {
            const auto& pitches = traits(static_cast<Opcode>(i)).pitches;
            table[i] = has_open_rows(pitches.a2a3) || has_open_rows(pitches.a5);
        }
        return table;
    }();
    return kTable[static_cast<size_t>(opcode)];
}

int32_t used_pitch(const Instruction& instruction, unsigned operand, Arch arch) {
    const std::optional<PitchFrom> from = pitch_from(instruction, operand, arch);
    if (!from || *from == PitchFrom::kShape) return instruction.tile(operand).pitch;
    Tile tile = instruction.tile(operand);
    const bool either = *from == PitchFrom::kBoth || *from == PitchFrom::kOpenRows;
    if (either && tile.compact != Compact::kNormal &&
        tile.compact != Compact::kRowAlignedPadding)
        return tile.pitch;
    if (*from == PitchFrom::kLeftRows)
        if (const Tile* const left = left_factor(instruction)) tile.valid_rows = left->valid_rows;
    return has_one_line_of_boxes(tile) ? tile.pitch : packed_pitch(tile);
}

PitchList used_pitches(const Instruction& instruction, Arch arch) {
    PitchList list;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.tile(i);
        list.pitches[i] = may_concern(instruction.opcode, tile.space, arch)
                              ? used_pitch(instruction, i, arch)
                              : tile.pitch;
        list.as_declared = list.as_declared && list.pitches[i] == tile.pitch;
    }
    return list;
}

std::string_view text(PitchFrom from) {
    switch (from) {
        case PitchFrom::kShape:
            return "its shape";
        case PitchFrom::kValid:
            return "its valid region";
        case PitchFrom::kLeftRows:
            return "the valid rows of the left factor";
        case PitchFrom::kBoth:
            return "its valid region if it is compact, otherwise its shape";
        case PitchFrom::kOpenRows:
            return "its shape if its type says that fewer rows are valid, otherwise its valid region";
    }
    return "";
}

std::string pitch_text(const InstructionInfo& row, Arch arch) {
    std::string result;
    for (const PitchRule& rule : row.traits->pitches[arch]) {
        result += (result.empty() ? "" : "; ") + std::string(name(rule.of));
        if (rule.other != Space::kCount)
            result += (rule.of == Space::kL0C ? " to " : " from ") + std::string(name(rule.other));
        result += std::string(text(rule.when)) + ": " + std::string(text(rule.from));
    }
    return result;
}

}  // namespace ptosim
