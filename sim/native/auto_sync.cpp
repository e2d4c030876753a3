#include "sim/native/auto_sync.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"

namespace ptosim {
namespace {

Instruction flag(Opcode opcode, Pipe from, Pipe to, unsigned id, SourceLocation where) {
    Instruction instruction(opcode, where);
    instruction.attributes.source_pipe = from;
    instruction.attributes.destination_pipe = to;
    instruction.attributes.event_id = static_cast<uint8_t>(id);
    return instruction;
}

}  // namespace

bool AutoSync::conflicts(const Edge& edge, const Access& access) {
    return std::any_of(edge.open.begin(), edge.open.end(),
                       [&](const Access& before) { return conflict(before, access); });
}

// If there are too many, ranges of one memory are replaced by their hull.
void AutoSync::add(Edge& edge, const Access& access) {
    Access kept = access;
    kept.view = nullptr;
    if (edge.open.size() < kMostOpen) {
        edge.open.push_back(kept);
        return;
    }
    for (Access& before : edge.open)
        if (before.global == kept.global && before.space == kept.space) {
            before.begin = std::min(before.begin, kept.begin);
            before.end = std::max(before.end, kept.end);
            before.reads = before.reads || kept.reads;
            before.writes = before.writes || kept.writes;
            return;
        }
    edge.open.back() = kept;
}

void AutoSync::order(Edge& edge, SourceLocation where, const Emit& emit) {
    if (edge.from == edge.to) {
        Instruction barrier(Opcode::kPIPE_BARRIER, where);
        barrier.attributes.destination_pipe = edge.to;
        emit(barrier);
    } else {
        // Finds an id that the kernel does not currently use.
        unsigned id = static_cast<unsigned>(edge.set.size());
        while (id > 0 && edge.set[id - 1]) --id;
        if (id == 0) return;  // all are set, so only the kernel's own flags order the pipes
        emit(flag(Opcode::kSET_FLAG, edge.from, edge.to, id - 1, where));
        emit(flag(Opcode::kWAIT_FLAG, edge.from, edge.to, id - 1, where));
    }
    edge.open.clear();
    edge.flagged.fill(0);
}

// Records the kernel's own barriers and flags.
void AutoSync::note_sync(const Instruction& instruction) {
    const Attributes& attributes = instruction.attributes;
    if (instruction.opcode == Opcode::kPIPE_BARRIER) {
        for (Edge& edge : edges_)
            if (attributes.destination_pipe == Pipe::kAll ||
                (edge.from == edge.to && attributes.destination_pipe == edge.to))
                edge.open.clear();
        return;
    }
    for (Edge& edge : edges_) {
        if (edge.from != attributes.source_pipe || edge.to != attributes.destination_pipe) continue;
        const unsigned id = attributes.event_id;
        if (id >= edge.set.size()) return;
        edge.set[id] = instruction.opcode == Opcode::kSET_FLAG;
        if (edge.set[id]) {
            edge.flagged[id] = edge.open.size();
            return;
        }
        const size_t ordered = std::min(edge.flagged[id], edge.open.size());
        edge.open.erase(edge.open.begin(), edge.open.begin() + static_cast<ptrdiff_t>(ordered));
        for (size_t& count : edge.flagged) count -= std::min(count, ordered);
    }
}

void AutoSync::before(const Instruction& instruction, Arch arch, const Emit& emit) {
    if (instruction.opcode == Opcode::kPIPE_BARRIER || instruction.opcode == Opcode::kSET_FLAG ||
        instruction.opcode == Opcode::kWAIT_FLAG)
        return note_sync(instruction);
    const Pipe pipe = pipe_of(instruction, arch);
    if (pipe != Pipe::kV && pipe != Pipe::kMTE2 && pipe != Pipe::kMTE3) return;
    const AccessList list = accesses(instruction);
    const auto orders_itself = [&](const Edge& edge) { return edge.from == edge.to && traits_of(arch).vector_in_order; };
    for (Edge& edge : edges_)
        if (edge.to == pipe && !orders_itself(edge) && std::any_of(list.begin(), list.end(), [&](const Access& access) {
                return conflicts(edge, access);
            }))
            order(edge, instruction.location, emit);
    for (Edge& edge : edges_)
        if (edge.from == pipe && !orders_itself(edge))
            for (const Access& access : list) add(edge, access);
}

void AutoSync::before_scalar(const Access& access, SourceLocation where, const Emit& emit) {
    for (Edge& edge : edges_)
        if (edge.to == Pipe::kS && conflicts(edge, access)) order(edge, where, emit);
    for (Edge& edge : edges_)
        if (edge.from == Pipe::kS) add(edge, access);
}

void AutoSync::before_result(SourceLocation where, const Emit& emit) {
    for (Edge& edge : edges_)
        if (edge.from == Pipe::kV && edge.to == Pipe::kS && !edge.open.empty())
            order(edge, where, emit);
}

}  // namespace ptosim
