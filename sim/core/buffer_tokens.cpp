#include "sim/core/buffer_tokens.h"

namespace ptosim {

std::optional<BufferTokens::Misuse> BufferTokens::pass(const Instruction& instruction,
                                                       uint64_t place, After& after) {
    const Attributes& a = instruction.attributes;
    const auto own = static_cast<size_t>(a.source_pipe);
    const bool get = instruction.opcode == Opcode::kGET_BUF;
    Id& id = ids_[a.event_id];
    after.fill(0);
    if (get == (a.buffer_mode == 0)) after = id.released;
    after[own] = 0;
    if (!get) {
        id.released[own] = place;
        Holder& holder = id.holders[own];
        const bool held = holder.holds;
        holder.holds = false;
        if (held) return std::nullopt;
        return Misuse{Fault::kNotHeld, a.event_id, a.source_pipe, Pipe::kS, {}};
    }
    std::optional<Misuse> misuse;
    for (size_t p = 0; p < kPipeCount; ++p) {
        const Holder& holder = id.holders[p];
        // In mode 1 another pipe may hold it: who releases it waits.
        if (!holder.holds || (p != own && a.buffer_mode != 0)) continue;
        misuse =
            Misuse{Fault::kHeld, a.event_id, a.source_pipe, static_cast<Pipe>(p), holder.since};
    }
    id.holders[own] = {true, instruction.location};
    return misuse;
}

std::vector<BufferTokens::Misuse> BufferTokens::end_block() {
    std::vector<Misuse> left;
    for (size_t i = 0; i < kIds; ++i)
        for (size_t p = 0; p < kPipeCount; ++p) {
            Holder& holder = ids_[i].holders[p];
            if (holder.holds)
                left.push_back({Fault::kLeft, static_cast<uint8_t>(i), static_cast<Pipe>(p),
                                Pipe::kS, holder.since});
            holder.holds = false;
        }
    return left;
}

}  // namespace ptosim
