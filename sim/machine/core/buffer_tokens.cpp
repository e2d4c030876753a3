#include "sim/machine/core/buffer_tokens.h"

#include <utility>

namespace ptosim {
namespace {

std::string pipe_text(Pipe pipe) { return std::string(name(pipe)); }
std::string id_text(size_t id) { return "buffer id " + std::to_string(id); }

}  // namespace

void BufferTokens::pass(const Instruction& instruction, uint64_t count, PipeCounts& after) {
    const Attributes& a = instruction.attributes;
    const auto own = static_cast<size_t>(a.source_pipe);
    const bool gets = instruction.opcode == Opcode::kGET_BUF;
    Id& id = ids_[a.event_id];
    after.fill(0);
    if (gets == (a.buffer_mode == 0)) after = id.released;
    // The pipe's own releases have been made when it comes to a get. A release in mode 1 waits for the pipe's work.
    after[own] = gets || a.buffer_mode == 0 || count == 0 ? 0 : count - 1;
    if (gets) return get(id, instruction);
    id.released[own] = count;
    release(id, instruction);
}

void BufferTokens::get(Id& id, const Instruction& instruction) {
    const Attributes& a = instruction.attributes;
    const auto own = static_cast<size_t>(a.source_pipe);
    // In mode 1 another pipe may hold the id, because the release waits.
    size_t holder = kPipeCount;
    for (size_t p = 0; p < kPipeCount; ++p)
        if (id.holders[p].holds && (p == own || a.buffer_mode == 0)) holder = p;
    if (holder < kPipeCount)
        report("E14", a.source_pipe,
               pipe_text(a.source_pipe) + " acquires " + id_text(a.event_id) + ", which " +
                   (holder == own ? "it holds already"
                                  : pipe_text(static_cast<Pipe>(holder)) + " holds"),
               "GET_BUF", instruction.location, &id.holders[holder].since);
    id.holders[own] = {true, instruction.location};
}

void BufferTokens::release(Id& id, const Instruction& instruction) {
    const Attributes& a = instruction.attributes;
    if (std::exchange(id.holders[static_cast<size_t>(a.source_pipe)].holds, false)) return;
    report(
        "E15", a.source_pipe,
        pipe_text(a.source_pipe) + " releases " + id_text(a.event_id) + ", which it does not hold",
        "RLS_BUF", instruction.location);
}

void BufferTokens::end_block() {
    for (size_t i = 0; i < kIds; ++i)
        for (size_t p = 0; p < kPipeCount; ++p) {
            Holder& holder = ids_[i].holders[p];
            if (!std::exchange(holder.holds, false)) continue;
            const auto pipe = static_cast<Pipe>(p);
            report("E16", pipe,
                   pipe_text(pipe) + " still holds " + id_text(i) + " when the block ends",
                   "GET_BUF", holder.since);
        }
}

void BufferTokens::report(const char* code, Pipe pipe, std::string message, const char* instruction,
                          SourceLocation where, const SourceLocation* acquired) {
    Diagnostic d = core_.diagnostic(code, Category::kSync, std::move(message), where);
    d.pipe = pipe_text(pipe);
    d.instruction = instruction;
    if (acquired != nullptr)
        d.related = {core_.environment.sources().related("acquired", *acquired)};
    d.hint = "follow each get_buf of a pipe with one rls_buf before the next get_buf of the same id";
    core_.environment.report(std::move(d));
}

}  // namespace ptosim
