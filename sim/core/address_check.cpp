#include "sim/core/address_check.h"

#include <algorithm>

#include "isa/peer.h"
#include "isa/view_span.h"
#include "sim/model/parameters.h"

namespace ptosim {
namespace {

// How large a memory is, and what says so.
std::string has_bytes(Space space, const ChipModel& model) {
    const std::string path = buffer_path(space);
    const auto found = model.provenance.find(path);
    const bool set = found != model.provenance.end() && found->second.overridden;
    return std::string(name(space)) + " has " +
           std::to_string(model.buffer_bytes[static_cast<size_t>(space)]) + " (" + path +
           (set ? " of --set)" : " of chip " + model.name + ")");
}

bool check_tile(const Tile& tile, bool peer, CoreType core, const ChipModel& model,
                Problem& problem) {
    const std::string space(name(tile.space));
    const uint64_t capacity = model.reach(tile.space);
    const bool here = peer || (tile.space == Space::kUB) == (core == CoreType::kAIV);
    if (!here || capacity == 0) {
        problem.code = "A01";
        problem.message = std::string(name(core)) + " of " + model.name + " has no " + space;
        problem.hint = here ? "use another memory or another chip"
                            : "put the instruction into a section of the other core type";
        return false;
    }
    // A window of a larger tile reaches as far as it is used, and so do the operands of products:
    // their boxes are packed by what is valid of them. Any other tile has all its bytes.
    Tile dense = tile;
    set_dense_pitch(dense);
    const bool by_use = dense.pitch != tile.pitch || tile.space == Space::kL0A ||
                        tile.space == Space::kL0B || tile.space == Space::kL0C;
    const uint64_t size = by_use ? tile.touched_bytes() : tile.byte_size();
    if (size > capacity) {
        problem.code = "A02";
        problem.message = to_text(tile) + " needs " + std::to_string(size) + " bytes, " +
                          has_bytes(tile.space, model);
        problem.hint = "use a smaller tile, or a chip with more";
        return false;
    }
    if (tile.address + size > capacity) {
        problem.code = "A03";
        problem.message = to_text(tile) + " ends at byte " + std::to_string(tile.address + size) +
                          ", " + has_bytes(tile.space, model);
        problem.hint = "the last address at which it fits is " +
                       std::to_string((capacity - size) / kTileAlignment * kTileAlignment);
        return false;
    }
    return true;
}

bool holds(const GlobalView& view, const GlobalMemory& global) {
    const std::optional<ViewSpan> span = span_of(view);
    if (!span) return false;
    if (span->end == 0) return true;
    // Negative strides reach below the address.
    const auto below = static_cast<uint64_t>(-span->begin),
               above = static_cast<uint64_t>(span->end);
    return below <= view.address && global.contains(view.address - below, below + above);
}

bool check_view(const GlobalView& view, const GlobalMemory& global, Problem& problem) {
    if (holds(view, global)) return true;
    problem.code = "G01";
    if (const GlobalMemory::Allocation* was = global.freed(view.address); was != nullptr) {
        problem.message = "use after free: view " + to_text(view) + " starts at " +
                          global.describe(view.address) + ", and " + was->name + " of " +
                          std::to_string(was->size) + " bytes has been freed before this launch";
        problem.hint = "free memory after the last kernel that uses it";
        return false;
    }
    const GlobalMemory::Allocation* allocation = global.find(view.address);
    problem.message = "view " + to_text(view) + " starts at " + global.describe(view.address) +
                      " and spans " +
                      (span_of(view) ? std::to_string(view.span_bytes()) + " bytes"
                                     : std::string("more than any memory has"));
    if (allocation != nullptr)
        problem.message += ", " + allocation->name + " has " + std::to_string(allocation->size);
    problem.hint = "check the shape, strides and offsets of the view against the argument";
    return false;
}

}  // namespace

bool check_addresses(const Instruction& instruction, CoreType core, const ChipModel& model,
                     const GlobalMemory& global, Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        problem.operand = static_cast<int>(i);
        if (operand.is_tile() &&
            !check_tile(operand.tile, peers_of(instruction, i) != kOwnCore, core, model, problem))
            return false;
        if (operand.is_global() && !check_view(operand.global, global, problem)) return false;
    }
    return true;
}

bool views_hold(const Instruction& instruction, const GlobalMemory& global) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_global() && !holds(instruction.operands[i].global, global))
            return false;
    return true;
}

bool check_views(const Instruction& instruction, const GlobalMemory& global, Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        problem.operand = static_cast<int>(i);
        if (operand.is_global() && !check_view(operand.global, global, problem)) return false;
    }
    return true;
}

}  // namespace ptosim
