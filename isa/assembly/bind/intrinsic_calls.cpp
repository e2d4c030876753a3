#include "isa/assembly/bind/intrinsic_calls.h"

namespace ptosim::assembly {

IntrinsicCalls::Pointer IntrinsicCalls::pointer_of(const Operation& op, const Item& item,
                                                   std::optional<Space> space) const {
    const Value& given = value_of_kind(item, ValueKind::kPointer);
    if (given.type->space != space)
        fail(item.location, "K07",
             "'" + std::string(op.name) + "' takes a pointer to " +
                 (space ? std::string(name(*space)) : "global memory") + " here, not '" +
                 std::string(given.type->text) + "'");
    return {given.slot, element_type(*given.type, item.location), space};
}

IntrinsicCalls::Pointer IntrinsicCalls::pointer(const Operation& op, size_t operand_index,
                                                std::optional<Space> space) const {
    return pointer_of(op, operand(op, operand_index), space);
}

std::vector<Slot> IntrinsicCalls::numbers(const Operation& op, std::string_view name, size_t least,
                                          size_t most) {
    const Clause& given = clause(op, name);
    if (given.items.size() < least || given.items.size() > most)
        fail(given.location, "K06",
             "'" + std::string(name) + "' of '" + std::string(op.name) + "' takes " +
                 std::to_string(least) + (most > least ? " or more" : "") + " numbers, given are " +
                 std::to_string(given.items.size()));
    std::vector<Slot> slots;
    for (const Item& item : given.items) slots.push_back(integer(item));
    return slots;
}

bool IntrinsicCalls::has_word(const Operation& op, std::string_view word) {
    for (const Clause& clause : op.clauses) {
        if (clause.name == word && clause.items.empty()) return true;
        if (!clause.name.empty()) continue;
        for (const Item& item : clause.items)
            if (item.kind == Item::Kind::kWord && item.text == word) return true;
    }
    return false;
}

std::string_view IntrinsicCalls::word_in(const Operation& op, std::string_view name) {
    const Clause* given = op.clause(name);
    if (given == nullptr || given->items.size() != 1) return {};
    const Item& item = given->items[0];
    return item.kind == Item::Kind::kValue ? std::string_view{} : item.text;
}

bool IntrinsicCalls::flag(const Operation& op, std::string_view attribute) const {
    const Attribute* given = op.attribute(attribute);
    return given != nullptr && (given->kind == AttributeKind::kUnit || given->integer != 0);
}

uint64_t IntrinsicCalls::unit_flag(const Operation& op, std::string_view last) const {
    if (op.clause("unit_flag") == nullptr) return 0;
    const std::string_view word = word_in(op, "unit_flag");
    if (word == "check_only") return 2;
    if (word == last) return 3;
    fail(op, "K09", "'" + std::string(word) + "' is not a value of 'unit_flag'",
         "values are check_only " + std::string(last));
}

Slot IntrinsicCalls::computed(const Operation& op, ScalarOp scalar_op, Slot a, Slot b) {
    return scalars_.emit_scalar(op, scalar_op, ScalarFormat{}, a, b);
}

Slot IntrinsicCalls::packed(const Operation& op, std::initializer_list<Field> fields) {
    Slot word = constant(0);
    for (const auto& [slot, low, width] : fields) {
        const Slot kept = by_constant(op, ScalarOp::kAnd, slot, (uint64_t{1} << width) - 1);
        word = computed(op, ScalarOp::kOr, word, by_constant(op, ScalarOp::kShl, kept, low));
    }
    return word;
}

void IntrinsicCalls::call(const Operation& op, IntrinsicOpcode opcode, Pipe pipe,
                          std::initializer_list<Pointer> pointers, std::vector<Slot> arguments,
                          uint64_t ctrl) {
    IntrinsicPlan plan;
    plan.opcode = opcode;
    plan.pipe = pipe;
    plan.ctrl = ctrl;
    unsigned types = 0;
    for (const Pointer& pointer : pointers) {
        plan.memory.push_back({pointer.space, pointer.slot, plan.memory.empty()});
        if (types < plan.types.size()) plan.types[types++] = pointer.type;
    }
    plan.arguments = std::move(arguments);
    context_.unsectioned_cube |= context_.section_depth == 0;
    Step& step = emit(StepCode::kIntrinsic, op);
    step.index = added(program_.intrinsics, std::move(plan));
}

}  // namespace ptosim::assembly
