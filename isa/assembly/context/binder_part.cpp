#include "isa/assembly/context/binder_part.h"

#include <algorithm>
#include <utility>

#include "isa/assembly/syntax/parser.h"
#include "isa/core/view_span.h"

namespace ptosim::assembly {

namespace {

// The numbering of slots for a kind of values.
enum class Bank : uint8_t { kScalars, kTiles, kViews };
Bank bank(ValueKind kind) {
    if (kind == ValueKind::kTile || kind == ValueKind::kMultiTile) return Bank::kTiles;
    return kind == ValueKind::kView ? Bank::kViews : Bank::kScalars;
}

std::string without_digits(std::string_view text) {
    std::string result(text);
    std::erase_if(result, [](char c) { return c >= '0' && c <= '9'; });
    return result;
}

}  // namespace

size_t result_count(const Operation& op) {
    size_t count = 0;
    for (const ResultName& result : op.results) count += result.count;
    return count;
}

// ---- slots

Slot BinderPart::new_scalar(uint64_t initial) {
    context_.is_constant.push_back(false);
    return added(program_.scalars, initial);
}

Slot BinderPart::constant(uint64_t value) {
    const auto [entry, added] = context_.constants.try_emplace(value, kNoSlot);
    if (added) {
        entry->second = new_scalar(value);
        context_.is_constant[entry->second] = true;
    }
    return entry->second;
}

// ---- values

Value BinderPart::make_value(const Type& type, const Operation& op) {
    Value value;
    value.kind = make_kind(type);
    value.type = &type;
    switch (value.kind) {
        case ValueKind::kPoison:
            fail(op, "K07", "values of type '" + std::string(type.text) + "' are not supported");
        case ValueKind::kScalar:
        case ValueKind::kPointer:
        case ValueKind::kRegister:
        case ValueKind::kPredicate:
        case ValueKind::kStoreState:
            value.slot = new_scalar();
            break;
        case ValueKind::kTile:
        case ValueKind::kMultiTile:
            value.slot = new_tile();
            break;
        case ValueKind::kView:
            value.slot = new_view();
            break;
        case ValueKind::kLocalArray:
        case ValueKind::kEventArray:
        case ValueKind::kFifo:
            fail(op, "K07", "arrays and pipes cannot be passed between regions");
        case ValueKind::kStruct:
            fail(op, "K07",
                 "a stack-local struct must not leave the scope that declares it: it cannot be a function argument, a "
                 "result, or a value of a region");
        case ValueKind::kHandle:
            if (options_.launch)
                fail(op, "K03",
                     "a run cannot give a kernel a value of type '" + std::string(type.text) + "'");
            break;
    }
    return value;
}

void BinderPart::define_name(std::string_view name, SourceLocation where,
                             std::vector<Value> values) {
    if (options_.keep_names) keep_name(name, where, values);
    if (!context_.names.define(name, std::move(values)))
        fail(where, "K05", "the value '%" + std::string(name) + "' is defined twice");
}

// Several values of one name are called NAME#0, NAME#1, ...
void BinderPart::keep_name(std::string_view name, SourceLocation where, std::span<const Value> values) {
    for (size_t i = 0; i < values.size(); ++i) {
        const Value& value = values[i];
        NamedSlot named;
        named.name = std::string(name) + (values.size() > 1 ? "#" + std::to_string(i) : "");
        named.slot = value.slot;
        named.first = here();
        named.where = where;
        switch (value.kind) {
            case ValueKind::kScalar:
                if (value.type != nullptr && value.type->kind == TypeKind::kFloat) {
                    named.kind = NamedSlot::Kind::kFloat;
                    named.dtype = value.type->dtype.value_or(DType::kF32);
                }
                break;
            case ValueKind::kPointer:
                named.kind = NamedSlot::Kind::kPointer;
                break;
            case ValueKind::kTile:
                named.kind = NamedSlot::Kind::kTile;
                break;
            case ValueKind::kView:
                named.kind = NamedSlot::Kind::kView;
                break;
            default:
                continue;
        }
        if (named.slot == kNoSlot) continue;
        context_.open_names.push_back({context_.call_stack.size(), context_.names.mark(), program_.names.size()});
        program_.names.push_back(std::move(named));
    }
}

// Gives the operation's only result, or result `result` of several names, its value.
void BinderPart::define(const Operation& op, size_t result, const Value& value) {
    if (result >= op.results.size())
        fail(op, "K06", "the result of '" + std::string(op.name) + "' needs a name",
             "write '%x = " + std::string(op.name) + " ...'");
    define_name(op.results[result].name, op.results[result].location, {value});
}

void BinderPart::define_results(const Operation& op, std::span<const Value> values) {
    size_t at = 0;
    for (const ResultName& result : op.results) {
        if (at + result.count > values.size())
            fail(op, "K06",
                 "'" + std::string(op.name) + "' has only " + std::to_string(values.size()) +
                     " results");
        define_name(result.name, result.location,
                    {values.begin() + at, values.begin() + at + result.count});
        at += result.count;
    }
}

const Value& BinderPart::value(const Item& item) const {
    if (item.kind != Item::Kind::kValue)
        fail(item.location, "K07", "expected a value, not '" + std::string(item.text) + "'");
    const std::vector<Value>* const found = context_.names.find(item.text);
    if (found == nullptr) {
        // %c16 is not a misspelt %c1: names with different digits mean different things.
        std::vector<std::string_view> names = context_.names.all();
        const std::string letters = without_digits(item.text);
        std::erase_if(names, [&](std::string_view name) {
            return letters.size() < item.text.size() && without_digits(name) == letters;
        });
        const std::string near = closest(item.text, names);
        fail(item.location, "K05", "undefined value '%" + std::string(item.text) + "'",
             near.empty() ? "" : "did you mean '%" + near + "'?");
    }
    if (item.result >= found->size())
        fail(item.location, "K05",
             "'%" + std::string(item.text) + "' has " + std::to_string(found->size()) +
                 " results, no number " + std::to_string(item.result));
    const Value& value = (*found)[item.result];
    if (value.kind == ValueKind::kPoison) throw AlreadyReported{};
    if (value.refused) context_.refused = true;
    return value;
}

const Value& BinderPart::value_of_kind(const Item& item, ValueKind kind) const {
    const Value& found = value(item);
    if (found.kind != kind)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(name(found.kind)) + ", not " +
                 std::string(name(kind)));
    return found;
}

std::vector<Value> BinderPart::values_of(std::span<const Item> items) {
    std::vector<Value> values;
    for (const Item& item : items) {
        if (item.kind == Item::Kind::kAttribute &&
            item.attribute->kind == AttributeKind::kInteger) {
            Value literal;
            literal.kind = ValueKind::kScalar;
            literal.slot = integer(item);
            values.push_back(literal);
            continue;
        }
        values.push_back(value(item));
    }
    return values;
}

Slot BinderPart::integer(const Item& item) {
    if (item.kind == Item::Kind::kAttribute && item.attribute->kind == AttributeKind::kInteger)
        return constant(static_cast<uint64_t>(item.attribute->integer));
    const Value& found = value_of_kind(item, ValueKind::kScalar);
    if (found.type->kind == TypeKind::kFloat)
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(found.type->text) +
                 ", not an integer");
    return found.slot;
}

Slot BinderPart::element_count(const Item& item) {
    const Slot slot = integer(item);
    if (!is_constant(slot)) return slot;
    const auto count = static_cast<int64_t>(constant_value(slot));
    if (count > kMaxStride || count < -kMaxStride)
        fail(item.location, "K07", std::to_string(count) + " elements are more than any memory has",
             "offsets and strides must be in -2^48..2^48");
    return slot;
}

OperandPlan BinderPart::operand_plan(const Item& item) {
    OperandPlan plan;
    if (item.kind == Item::Kind::kAttribute) {
        plan.kind = Operand::Kind::kScalar;
        plan.slot = integer(item);
        return plan;
    }
    const Value& found = value(item);
    plan.slot = found.slot;
    switch (found.kind) {
        case ValueKind::kTile:
            plan.kind = Operand::Kind::kTile;
            plan.open_rows = found.type->tile.valid_rows < 0;
            break;
        case ValueKind::kView:
            plan.kind = Operand::Kind::kGlobal;
            plan.layout_from_tile = found.ambiguous_layout;
            break;
        default:
            plan.kind = Operand::Kind::kScalar;
            if (found.type->dtype)
                plan.dtype = *found.type->dtype;
            else
                plan.dtype = found.type->kind == TypeKind::kIndex ? DType::kI64 : DType::kU8;
    }
    return plan;
}

const Type* BinderPart::keep(const Type& type) {
    return context_.made_types.emplace_back(std::make_unique<Type>(type)).get();
}

void BinderPart::check_kinds(std::span<const Value> to, std::span<const Value> from,
                             const Operation& op) const {
    if (to.size() != from.size())
        fail(op, "K06",
             "'" + std::string(op.name) + "' passes " + std::to_string(from.size()) +
                 " values where " + std::to_string(to.size()) + " are expected");
    for (size_t i = 0; i < to.size(); ++i) {
        const bool same_width = to[i].kind != ValueKind::kScalar || to[i].type == nullptr ||
                                from[i].type == nullptr || to[i].type->width == from[i].type->width;
        if (to[i].kind != from[i].kind || !same_width)
            fail(
                op, "K07",
                "value " + std::to_string(i + 1) + " of '" + std::string(op.name) + "' is " +
                    std::string(from[i].type != nullptr ? from[i].type->text : name(from[i].kind)) +
                    ", not " +
                    std::string(to[i].type != nullptr ? to[i].type->text : name(to[i].kind)));
    }
}

// ---- steps

Step& BinderPart::emit(StepCode code, const Operation& op) {
    Step& step = program_.steps.emplace_back();
    context_.origins.push_back(&op);
    step.code = code;
    step.where = op.source;
    return step;
}

void BinderPart::move(const Value& to, const Value& from, const Operation& op) {
    if (to.slot == from.slot) return;
    static constexpr StepCode kCodes[] = {StepCode::kMove, StepCode::kMoveTile,
                                          StepCode::kMoveView};
    Step& step = emit(kCodes[static_cast<size_t>(bank(to.kind))], op);
    step.r = to.slot;
    step.a = from.slot;
}

void BinderPart::move_all(std::span<const Value> to, std::span<const Value> from,
                          const Operation& op) {
    check_kinds(to, from, op);
    // A source that an earlier move overwrites is copied through another slot.
    std::vector<Value> safe(from.begin(), from.end());
    for (size_t i = 0; i < safe.size(); ++i) {
        for (size_t earlier = 0; earlier < i; ++earlier) {
            if (bank(safe[i].kind) != bank(to[earlier].kind)) continue;
            if (safe[i].slot != to[earlier].slot || from[earlier].slot == to[earlier].slot)
                continue;
            Value copy = safe[i];
            switch (bank(copy.kind)) {
                case Bank::kTiles:
                    copy.slot = new_tile();
                    break;
                case Bank::kViews:
                    copy.slot = new_view();
                    break;
                case Bank::kScalars:
                    copy.slot = new_scalar();
                    break;
            }
            move(copy, safe[i], op);
            safe[i] = copy;
            break;
        }
    }
    for (size_t i = 0; i < safe.size(); ++i) move(to[i], safe[i], op);
}

void BinderPart::issue(const Operation& op, IssuePlan plan) {
    plan.prototype.location = op.location;
    const uint32_t index = added(program_.issues, plan);
    emit(StepCode::kIssue, op).index = index;
    if (context_.section_depth == 0) context_.unsectioned_issues.push_back(index);
}

void BinderPart::check_alignment(const Operation& op, Slot address) const {
    if (!is_constant(address) || constant_value(address) % kTileAlignment == 0) return;
    fail(op, "A04",
         "the address " + std::to_string(constant_value(address)) + " is not a multiple of " +
             std::to_string(kTileAlignment),
         "tiles begin at whole blocks of " + std::to_string(kTileAlignment) + " bytes");
}

}  // namespace ptosim::assembly
