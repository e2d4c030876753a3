#include "isa/assembly/bind/arrays.h"

#include <algorithm>

namespace ptosim::assembly {

namespace {

constexpr uint32_t kMaxArray = 1u << 20;  // elements of a stack-local array

// The types between the brackets of "!pto.struct<...>".
std::vector<std::string_view> fields_of(std::string_view text) {
    std::vector<std::string_view> fields;
    const size_t open = text.find('<');
    int depth = 0;
    size_t begin = open + 1;
    for (size_t i = begin; i < text.size(); ++i) {
        const bool last = text[i] == '>' && depth == 0;
        if (last || (text[i] == ',' && depth == 0)) {
            std::string_view field = text.substr(begin, i - begin);
            while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
            while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
            fields.push_back(field);
            begin = i + 1;
            if (last) break;
        }
        depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    }
    return fields;
}

bool is_struct(std::string_view text) { return text.starts_with("!pto.struct<"); }

// Numbers of 8 to 64 bits that C++ has a name for.
bool is_storable(std::string_view text) {
    TypeProblem unused;
    const auto type = parse_type(text, unused);
    if (!type || (type->kind != TypeKind::kInteger && type->kind != TypeKind::kFloat)) return false;
    const bool named =
        type->width == 8 || type->width == 16 || type->width == 32 || type->width == 64;
    return named && (type->kind == TypeKind::kInteger || type->width >= 16);
}

// Number of numeric fields of a struct; an invalid field is returned in `wrong`.
uint32_t leaves(std::string_view text, std::string_view& wrong) {
    if (!is_struct(text)) {
        if (!is_storable(text)) wrong = text;
        return 1;
    }
    uint32_t count = 0;
    for (const std::string_view field : fields_of(text)) count += leaves(field, wrong);
    return count;
}

constexpr uint32_t kMostLeaves = 1u << 12;

}  // namespace

// declare_local_array, declare_eventid_array: consecutive scalar slots.
void ArrayBinder::declare_array(const Operation& op) {
    const Type& type = result_type(op);
    Value array;
    array.kind = make_kind(type);
    array.type = &type;
    uint64_t count = type.count;
    if (array.kind == ValueKind::kLocalArray) {
        count = 1;
        for (unsigned i = 0; i < type.rank; ++i)
            count = std::min<uint64_t>(
                count * static_cast<uint64_t>(std::max<int64_t>(type.dims[i], 0)),
                uint64_t{kMaxArray} + 1);
    } else if (array.kind != ValueKind::kEventArray) {
        fail(op, "K07", "'" + std::string(type.text) + "' is not an array");
    }
    if (count == 0 || count > kMaxArray)
        fail(op, "K07", "an array has 1 to " + std::to_string(kMaxArray) + " elements");
    array.count = static_cast<uint32_t>(count);
    array.slot = new_scalar();
    for (uint32_t i = 1; i < array.count; ++i) new_scalar();
    define(op, 0, array);
}

uint32_t ArrayBinder::array_access(const Operation& op, const Value& array) {
    const Clause& index = clause(op, "[");
    const size_t rank = array.kind == ValueKind::kEventArray ? 1 : array.type->rank;
    if (index.items.size() != rank)
        fail(op, "K06",
             "the array has " + std::to_string(rank) + " dimensions, given are " +
                 std::to_string(index.items.size()) + " indices");
    ArrayAccess access;
    access.first = array.slot;
    access.count = array.count;
    uint32_t stride = 1;
    for (size_t i = rank; i-- > 0;) {
        access.indices.emplace_back(integer(index.items[i]), stride);
        if (array.kind == ValueKind::kLocalArray)
            stride *= static_cast<uint32_t>(array.type->dims[i]);
    }
    return added(program_.arrays, std::move(access));
}

void ArrayBinder::array_get(const Operation& op) {
    const Value array = value(operand(op, 0));
    const bool events = array.kind == ValueKind::kEventArray;
    if (!events && array.kind != ValueKind::kLocalArray)
        fail(op, "K07",
             "'" + std::string(op.name) + "' reads an array, not " + std::string(name(array.kind)));
    Value result;
    result.kind = ValueKind::kScalar;
    result.type = events ? &builtin_type("index") : &result_type(op);
    if (!events && result.type->width != array.type->width)
        fail(op, "K07",
             "the elements of '" + std::string(array.type->text) + "' are not '" +
                 std::string(result.type->text) + "'");
    result.slot = new_scalar();
    const uint32_t access = array_access(op, array);
    Step& step = emit(StepCode::kArrayGet, op);
    step.r = result.slot;
    step.index = access;
    step.work = 1;
    define(op, 0, result);
}

void ArrayBinder::array_set(const Operation& op) {
    const Value array = value(operand(op, 0));
    if (array.kind != ValueKind::kEventArray && array.kind != ValueKind::kLocalArray)
        fail(
            op, "K07",
            "'" + std::string(op.name) + "' writes an array, not " + std::string(name(array.kind)));
    const Value stored = value_of_kind(operand(op, 1), ValueKind::kScalar);
    if (array.kind == ValueKind::kLocalArray && stored.type->width != array.type->width)
        fail(op, "K07",
             "the elements of '" + std::string(array.type->text) + "' are not '" +
                 std::string(stored.type->text) + "'");
    const uint32_t access = array_access(op, array);
    Step& step = emit(StepCode::kArraySet, op);
    step.a = stored.slot;
    step.index = access;
    step.work = 1;
}

// %s = declare_struct -> !pto.struct<f32, !pto.struct<i8, i16>>
void ArrayBinder::declare_struct(const Operation& op) {
    const Type& type = result_type(op);
    if (!is_struct(type.text)) fail(op, "K07", "'" + std::string(type.text) + "' is not a struct");
    std::string_view wrong;
    Value made;
    made.kind = ValueKind::kStruct;
    made.type = &type;
    made.count = leaves(type.text, wrong);
    if (!wrong.empty() || made.count == 0)
        fail(op, "K07", "a field of type '" + std::string(wrong) + "' is not scalar-storable",
             "fields are integers of 8 to 64 bits, f16, bf16, f32, f64 and structs of them");
    if (made.count > kMostLeaves)
        fail(op, "K07", "a struct has at most " + std::to_string(kMostLeaves) + " numbers");
    made.slot = new_scalar();
    for (uint32_t i = 1; i < made.count; ++i) new_scalar();
    define(op, 0, made);
}

// struct_get %s[1, 0] : S -> T; struct_set %s[1, 0], %x : S, T
void ArrayBinder::struct_access(const Operation& op) {
    const Value made = value_of_kind(operand(op, 0), ValueKind::kStruct);
    std::string_view text = made.type->text;
    Slot slot = made.slot;
    for (const Item& item : clause(op, "[").items) {
        const std::vector<std::string_view> fields =
            is_struct(text) ? fields_of(text) : std::vector<std::string_view>();
        const bool number =
            item.kind == Item::Kind::kAttribute && item.attribute->kind == AttributeKind::kInteger;
        const int64_t at = number ? item.attribute->integer : -1;
        if (!number || at < 0 || at >= static_cast<int64_t>(fields.size()))
            fail(item.location, "K09",
                 "field " + std::string(item.text) + " is out of range: '" + std::string(text) +
                     "' has " + std::to_string(fields.size()) + " fields");
        std::string_view unused;
        for (int64_t i = 0; i < at; ++i) slot += leaves(fields[static_cast<size_t>(i)], unused);
        text = fields[static_cast<size_t>(at)];
    }
    if (is_struct(text))
        fail(op, "K07", "the path ends at the struct '" + std::string(text) + "', not at a number",
             "a struct path must end at a scalar field");
    const bool get = op.name == "pto.struct_get";
    const Type& given =
        get ? result_type(op) : *value_of_kind(operand(op, 1), ValueKind::kScalar).type;
    if (given.text != text)
        fail(op, "K07",
             "the field is '" + std::string(text) + "', not '" + std::string(given.text) + "'");
    const Slot other = get ? new_scalar() : value(operand(op, 1)).slot;
    Step& step = emit(StepCode::kMove, op);
    step.r = get ? other : slot;
    step.a = get ? slot : other;
    step.work = 1;
    if (!get) return;
    define(op, 0, Value::of(ValueKind::kScalar, given, other));
}

}  // namespace ptosim::assembly
