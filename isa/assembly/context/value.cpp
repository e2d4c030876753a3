#include "isa/assembly/context/value.h"

#include <algorithm>
#include <utility>

namespace ptosim::assembly {

std::string_view name(ValueKind kind) {
    switch (kind) {
        case ValueKind::kPoison:
            return "nothing";
        case ValueKind::kScalar:
            return "a scalar";
        case ValueKind::kPointer:
            return "a pointer";
        case ValueKind::kTile:
            return "a tile";
        case ValueKind::kMultiTile:
            return "a multi-buffer tile";
        case ValueKind::kView:
            return "a tensor view";
        case ValueKind::kLocalArray:
            return "a local array";
        case ValueKind::kEventArray:
            return "an array of event ids";
        case ValueKind::kStruct:
            return "a struct";
        case ValueKind::kHandle:
            return "a handle";
        case ValueKind::kRegister:
            return "a vector register";
        case ValueKind::kPredicate:
            return "a predicate";
        case ValueKind::kStoreState:
            return "the state of unaligned stores";
        case ValueKind::kFifo:
            return "a pipe between cores";
    }
    return "?";
}

ValueKind make_kind(const Type& type) {
    switch (type.kind) {
        case TypeKind::kIndex:
        case TypeKind::kInteger:
        case TypeKind::kFloat:
            return ValueKind::kScalar;
        case TypeKind::kPointer:
            return ValueKind::kPointer;
        case TypeKind::kTensorView:
        case TypeKind::kPartitionView:
            return ValueKind::kView;
        case TypeKind::kTile:
            return ValueKind::kTile;
        case TypeKind::kMultiTile:
            return ValueKind::kMultiTile;
        case TypeKind::kLocalArray:
            return ValueKind::kLocalArray;
        case TypeKind::kEventArray:
            return ValueKind::kEventArray;
        case TypeKind::kRegister:
            return ValueKind::kRegister;
        case TypeKind::kPredicate:
            return ValueKind::kPredicate;
        case TypeKind::kStoreState:
            return ValueKind::kStoreState;
        case TypeKind::kOpaque:
            break;
    }
    if (type.text.starts_with("!pto.struct<")) return ValueKind::kStruct;
    static constexpr std::string_view kHandles[] = {
        "!pto.async_session", "!pto.async_event", "!pto.prefetch_async_context",
        "vector<4xi16>",      "!pto.hif8x2",      "!pto.bf16x2"};
    const bool handle =
        std::find(std::begin(kHandles), std::end(kHandles), type.text) != std::end(kHandles);
    return handle ? ValueKind::kHandle : ValueKind::kPoison;
}

const Type& builtin_type(std::string_view name) {
    static const auto kTypes = [] {
        std::vector<Type> types;
        TypeProblem unused;
        for (const char* word : {"i1", "i32", "i64", "index"})
            types.push_back(*parse_type(word, unused));
        return types;
    }();
    return *std::find_if(kTypes.begin(), kTypes.end(),
                         [&](const Type& type) { return type.text == name; });
}

bool ValueNames::define(std::string_view name, std::vector<Value> values) {
    if (!values_.try_emplace(name, std::move(values)).second) return false;
    order_.push_back(name);
    return true;
}

const std::vector<Value>* ValueNames::find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> ValueNames::all() const {
    std::vector<std::string_view> names = order_;
    std::sort(names.begin(), names.end());
    return names;
}

void ValueNames::mark_refused(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return;
    for (Value& value : found->second) value.refused = true;
}

void ValueNames::leave(size_t mark) {
    while (order_.size() > mark) {
        values_.erase(order_.back());
        order_.pop_back();
    }
}

}  // namespace ptosim::assembly
