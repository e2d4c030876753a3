// The assembler's rules of global memory: pointers, views, transfers; and of planned addresses.
#include "isa/assembly/program/tile_slots.h"
#include "isa/assembly/verify/verifier.h"

namespace ptosim::assembly {

// A pointer made of a number is for scalar accesses only.
void Verifier::on_pointer(const Operation& op, const Value& pointer) {
    check([&] {
        if (pointer.temporary)
            fail(op, "K07",
                 "the result of 'pto.inttoptr' can only be the pointer of pto.load_scalar or "
                 "pto.store_scalar, not that of '" +
                     std::string(op.name) + "'");
    });
}

void Verifier::on_cast(const Operation& op, const Value& from) {
    check([&] {
        if (op.name == "pto.inttoptr" && (from.type == nullptr || from.type->text != "i64"))
            fail(op, "K07", "the address of 'pto.inttoptr' must be an i64");
    });
}

void Verifier::on_cache_line(const Operation& op, const Item& item, const Value& named) {
    const bool pointer = named.kind == ValueKind::kPointer;
    const bool global = named.kind == ValueKind::kView || (pointer && !named.type->space);
    check([&] {
        if (!global)
            fail(item.location, "K07",
                 "a cache line of '" + std::string(op.name) +
                     "' is named by a pointer or view of global memory (GM)");
    });
}

void Verifier::on_prefetch(const Item& item, const Value& view) {
    check([&] {
        if (!is_fixed(*view.type) || !is_flat(*view.type))
            fail(item.location, "S01",
                 "'pto.tprefetch_async' takes flat contiguous memory of one dimension; '%" +
                     std::string(item.text) + "' is " + std::string(view.type->text));
    });
}

// Views of two devices have the same shape, and the same open extents.
void Verifier::on_transfer(const Operation& op, const Type& to, const Type& from) {
    check([&] { verify_transfer(op, to, from); });
}

void Verifier::verify_transfer(const Operation& op, const Type& to, const Type& from) {
    const auto named = [&](const char* what) { return "'" + std::string(op.name) + "' " + what; };
    for (const Type* type : {&to, &from})
        for (unsigned i = 0; i < type->rank; ++i) {
            if (type->dims[i] == 0)
                fail(op, "S01", named("needs positive dimensions: ") + std::string(type->text));
            if (type->dims[i] < 0 && type->kind != TypeKind::kPartitionView)
                fail(
                    op, "S01",
                    named("has dynamic dimensions in partitions only: ") + std::string(type->text));
        }
    if (to.rank != from.rank || to.dims != from.dims)
        fail(op, "S01",
             named("takes views of the same shape, not ") + std::string(to.text) + " and " +
                 std::string(from.text));
}

void Verifier::on_signal(const Operation& op, const Item& item, const Type& type) {
    check([&] {
        for (unsigned i = 0; i < type.rank; ++i)
            if (type.dims[i] < 0)
                fail(item.location, "S01",
                     "'" + std::string(op.name) +
                         "' does not support dynamic dimensions: " + std::string(type.text));
    });
}

void Verifier::on_part_outside(Diagnostic found) { refuse(std::move(found)); }

// Quantisation to mx formats, and moves of exponents to boxes, read and write in special orders, so none of their tiles
// may share bytes (hw-native-sys/PTOAS v0.60 lib/PTO/Transforms/Utils.cpp).
void Verifier::on_addresses() {
    Unions unions = aliases(program_);
    std::unordered_map<Slot, std::vector<const Tile*>> places;  // by root
    for (const Step& step : program_.steps)
        if (step.code == StepCode::kTile && step.a == kNoSlot)
            places[unions.root(step.r)].push_back(&program_.tiles[step.index]);
    const auto meet = [&](Slot a, Slot b) {
        if (unions.root(a) == unions.root(b)) return true;
        const auto &one = places[unions.root(a)], &other = places[unions.root(b)];
        if (one.size() != 1 || other.size() != 1 || one[0]->space != other[0]->space) return false;
        return one[0]->address < other[0]->address + other[0]->byte_size() &&
               other[0]->address < one[0]->address + one[0]->byte_size();
    };
    for (size_t at = 0; at < program_.steps.size(); ++at) {
        const Step& step = program_.steps[at];
        if (step.code != StepCode::kIssue) continue;
        const IssuePlan& plan = program_.issues[step.index];
        const Opcode opcode = plan.prototype.opcode;
        std::vector<Slot> tiles;
        bool scratch = false;
        for (size_t i = 0; i < plan.operands.size(); ++i) {
            if (plan.operands[i].kind != Operand::Kind::kTile) continue;
            tiles.push_back(plan.operands[i].slot);
            scratch |= info(opcode).operands[i].role == OperandRole::kTmp;
        }
        if (opcode != Opcode::kTQUANT_MX && !(opcode == Opcode::kTMOV && scratch)) continue;
        for (size_t i = 0; i < tiles.size(); ++i)
            for (size_t j = i + 1; j < tiles.size(); ++j)
                if (meet(tiles[i], tiles[j])) {
                    Diagnostic found = diagnostic_at(
                        context_.origins[at]->location, "A07",
                        std::string(info(opcode).name) + " has operands that share bytes",
                        "give each of its tiles a separate address");
                    found.instruction = info(opcode).name;
                    note(std::move(found));
                    i = j = tiles.size();
                }
    }
}

}  // namespace ptosim::assembly
