// The assembler's rules of FIFOs (!pto.pipe).
#include <algorithm>

#include "isa/assembly/verify/verifier.h"
#include "isa/core/arch.h"

namespace ptosim::assembly {

void Verifier::on_import(const Attribute& peer, const FunctionInfo& function) {
    check([&] {
        if (function.module == context_.functions.at(context_.call_stack.back()).module) return;
        if (find(function.function->attributes, "sym_visibility") != nullptr)
            fail(peer.location, "K08",
                 "the function '" + std::string(peer.text) + "' is private to another module");
        if (function.definitions > 1)
            fail(peer.location, "K08",
                 "several modules have a function '" + std::string(peer.text) + "'");
    });
}

void Verifier::on_pipe(const Operation& op) {
    check([&] {
        if (traits_of(options_.arch).fifos_on_chip && op.attribute("local_slot_num") != nullptr)
            fail(op, "K09", "'local_slot_num' is only for pipes through global memory, on a2a3");
    });
}

void Verifier::on_pipe_with_flags(const Operation& op) {
    check([&] {
        if (!context_.section_core && context_.section_depth == 0)
            fail(op, "K11",
                 "'" + std::string(op.name) + "' must be in code for one core type",
                 "put it into a function with a kernel_kind, or into a section");
    });
}

void Verifier::on_low_pipe(const Operation& op, Slot slots, int flags) {
    constexpr int kHardwareFlags = 16;
    check([&] {
        const bool named = std::any_of(
            context_.reserved.begin(), context_.reserved.end(),
            [&](const auto& entry) { return entry.second.address == slots; });
        const bool global = op.name == "pto.initialize_l2g2l_pipe";
        if (!global && op.attribute("flag_base") == nullptr && !named)
            fail(op, "K09",
                 "without a flag_base, the address of the slots must come from pto.reserve_buffer "
                 "or pto.import_reserved_buffer");
        if (flags > kHardwareFlags)
            fail(op, "K09", "the pipes of this function need more than 16 hardware flags");
    });
}

void Verifier::on_split(const Operation& op, bool split, std::optional<bool> peer) {
    check([&] {
        if (peer && *peer != split)
            fail(op, "K09", "one end of this pipe splits its slots, but the other does not",
                 "give both ends a split of 0, or neither");
    });
}

// Parts that differ by one belong to a tile with an odd extent; a pop states the size of its part.
void Verifier::verify_odd_split(const Operation& op, FifoSplit split, const Type* tile) {
    const bool rows = split == FifoSplit::kUpDownOdd;
    if (!rows && split != FifoSplit::kLeftRightOdd) return;
    if (tile == nullptr)
        fail(op, "K09",
             "only tiles can be split into parts of different sizes (split = 3 or 4), not slots");
    const int32_t extent = rows ? tile->tile.valid_rows : tile->tile.valid_cols;
    if (extent >= 0 && extent % 2 == 0)
        fail(op, "F03",
             "split = " + std::to_string(static_cast<int>(split)) +
                 " is for an odd number of valid " + (rows ? "rows" : "columns") +
                 ", and the tile has " + std::to_string(extent),
             "split an even extent in two halves: split = 1 or 2");
}

void Verifier::on_push(const Operation& op, const FifoPlan& plan, const Type* tile) {
    check([&] {
        verify_odd_split(op, plan.split, tile);
        if (op.clause("aiv_subblockid") != nullptr && plan.split == FifoSplit::kNone)
            fail(op, "K09", "aiv_subblockid needs split = 1, 2, 3 or 4");
    });
}

void Verifier::on_pop(const Operation& op, const FifoPlan& plan, const Type& type, size_t given) {
    const bool open = type.tile.valid_rows < 0 || type.tile.valid_cols < 0;
    const bool odd = plan.split == FifoSplit::kUpDownOdd || plan.split == FifoSplit::kLeftRightOdd;
    check([&] {
        if (odd && given < 2)
            fail(op, "F03",
                 "a part of a slot that is split unevenly needs its valid rows and columns",
                 "%t = pto.tpop_from_aic(%rows, %columns) {split = 3} -> T");
        if (given > 1 && !open)
            fail(op, "K07",
                 "the valid region is given, but '" + std::string(type.text) +
                     "' has a constant one",
                 "write v_row=?, v_col=? in its type");
    });
}

// A slot has the shape of the view of global memory that the pipe was made with.
void Verifier::on_slot(const Operation& op, const FifoPlan& plan, const Type& slot,
                       const Type* ring) {
    check([&] {
        verify_odd_split(op, plan.split, nullptr);
        if (ring == nullptr || ring->rank != slot.rank) return;
        for (unsigned i = 0; i < slot.rank; ++i)
            if (ring->dims[i] >= 0 && ring->dims[i] != slot.dims[i])
                fail(op, "K09",
                     "the slot '" + std::string(slot.text) +
                         "' does not have the shape of the pipe's slots, '" +
                         std::string(ring->text) + "'",
                     "give both the same shape");
    });
}

void Verifier::on_scale(const Operation& op, const Item& item, const Value& scale,
                        const ScaledPipe& pipe) {
    check([&] { verify_scale(op, item, scale, pipe); });
}

void Verifier::verify_scale(const Operation& op, const Item& item, const Value& scale,
                            const ScaledPipe& pipe) {
    const bool vector = scale.kind == ValueKind::kTile;
    if (!pipe.is_open)
        fail(op, "K09", "no pipe of this function has the id " + std::to_string(pipe.id));
    if (!pipe.takes_scale)
        fail(op, "K09",
             "the pipe with id " + std::to_string(pipe.id) + " has no " +
                 std::string(vector ? "vector" : "scalar") + " quantization mode: it has quant = " +
                 std::string(*pipe.quant));
    if (!vector && scale.type->text != "f32")
        fail(item.location, "K07",
             "the scale of 'pto.set_quant_scalar' must be f32, not " +
                 std::string(scale.type->text));
    if (vector && traits_of(options_.arch).assembler_backend == AssemblerBackend::kA5) {
        const DType type = tile_of(*scale.type, op).dtype;
        if (type != DType::kF16 && type != DType::kBF16 && type != DType::kF32)
            fail(item.location, "K07",
                 "the scales of 'pto.set_quant_vector' must be f16, bf16 or f32, not " +
                     std::string(ptosim::name(type)));
    }
}

// ---- when everything is bound

void Verifier::on_unpopped(const Operation& op, int64_t id) {
    note(failure_of(op, "K08",
                    "nothing is popped from the pipe with id " + std::to_string(id) +
                        ", so the type of its tiles is unknown",
                    "pop from it with pto.tpop_from_aic")
             .diagnostic);
}

// If a pipe's buffer is reserved or imported by name, both ends exist and must agree.
void Verifier::on_buffer_uses(std::span<const BufferUse> uses) {
    for (const BufferUse& use : uses) {
        const auto same = [&](const BufferUse& other) { return other.buffer == use.buffer; };
        const auto is_peer = [&](const BufferUse& other) {
            return same(other) && other.core != use.core && other.directions == use.directions;
        };
        const auto is_rival = [&](const BufferUse& other) {
            return same(other) && other.core == use.core && other.op != use.op;
        };
        try {
            if (std::none_of(uses.begin(), uses.end(), is_peer))
                fail(*use.op, "K08",
                     "no function of this kernel initialises the other end of this pipe, with the "
                     "same buffer and direction",
                     "initialise both ends of a pipe whose buffer is reserved or imported");
            if (std::any_of(uses.begin(), uses.end(), is_rival))
                fail(*use.op, "K08", "two pipes of this core use the same buffer for their slots",
                     "reserve a buffer for each");
        } catch (Failure& failure) {
            note(std::move(failure.diagnostic));
        }
    }
}

}  // namespace ptosim::assembly
