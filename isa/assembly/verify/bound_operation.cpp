#include "isa/assembly/verify/bound_operation.h"

namespace ptosim::assembly {

const Item* BoundOperation::item(std::string_view operand) const {
    const std::optional<unsigned> at = index(operand);
    return at && *at < chosen_.size() ? chosen_[*at] : nullptr;
}

WrittenType BoundOperation::type(std::string_view operand) const {
    const Type& type = *value(*item(operand)).type;
    return {type.text, type.dtype, {type.dims.data(), type.rank}, type.tile};
}

bool BoundOperation::same_value(std::string_view a, std::string_view b) const {
    return given(a) && given(b) && item(a)->text == item(b)->text;
}

std::optional<int64_t> BoundOperation::constant(std::string_view operand) const {
    if (!given(operand) || !instruction.operands[*index(operand)].is_scalar()) return {};
    const Slot slot = plan_.operands[*index(operand)].slot;
    if (!is_constant(slot)) return {};
    return static_cast<int64_t>(constant_value(slot));
}

void BoundOperation::refuse(std::string_view code, const std::string& what, bool newer_rule) const {
    Failure failure = failure_of(op_, std::string(code), "'" + std::string(op_.name) + "' " + what);
    if (newer_rule) failure.diagnostic.notes.emplace_back(kNewerRule);
    throw failure;
}

}  // namespace ptosim::assembly
