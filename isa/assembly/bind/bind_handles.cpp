// Stack-local structs, and operations that are read and verified but not run.
#include <algorithm>

#include "isa/assembly/bind/binder_state.h"

namespace ptosim::assembly {

namespace {

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

// How many numbers a struct has; the field that is none in `wrong`.
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

// %s = declare_struct -> !pto.struct<f32, !pto.struct<i8, i16>>
void Binder::declare_struct(const Operation& op) {
    const Type& type = result_type(op);
    if (!is_struct(type.text)) fail(op, "K07", "'" + std::string(type.text) + "' is no struct");
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
void Binder::struct_access(const Operation& op) {
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

void Binder::require_verify(const Operation& op, const char* why) {
    if (!options_.verify)
        fail(op, "K03",
             "the operation '" + std::string(op.name) + "' is not supported in a run: " + why,
             "--dry-run takes it");
}

namespace {

// Views of global memory by the dimensions of their types.
bool is_fixed(const Type& type) {
    return std::none_of(type.dims.begin(), type.dims.begin() + type.rank,
                        [](int64_t extent) { return extent == kDynamic; });
}

bool is_flat(const Type& type) {
    int wide = 0;
    for (unsigned i = 0; i < type.rank; ++i) wide += type.dims[i] != 1;
    return wide <= 1;
}

}  // namespace

// Collectives and asynchronous transfers between devices:
// comm.tbroadcast(%src, recv(%ping[, %pong]), group(%a, %b) : types) {root = 0}
// comm.tput_async(%dst, %src, %session : types) -> !pto.async_event
void Binder::of_several_devices(const Operation& op) {
    require_verify(op, "it needs several devices, of which ptosim has one");
    const bool async = op.name.ends_with("_async");
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items) {
            if (item.kind != Item::Kind::kValue) continue;
            const Value& found = value(item);
            if (found.kind != ValueKind::kView) continue;
            if (!is_fixed(*found.type))
                fail(item.location, "S01",
                     "'" + std::string(op.name) + "' does not support dynamic dimensions: '%" +
                         std::string(item.text) + "' is " + std::string(found.type->text));
            if (async && !is_flat(*found.type))
                fail(item.location, "S01",
                     "'" + std::string(op.name) +
                         "' takes flat contiguous memory of one dimension; '%" +
                         std::string(item.text) + "' is " + std::string(found.type->text));
        }
    if (const Clause* group = op.clause("group")) {
        if (group->items.empty())
            fail(group->location, "K06", "the group of '" + std::string(op.name) + "' is empty");
        const Attribute* root = op.attribute("root");
        if (root != nullptr &&
            (root->integer < 0 || root->integer >= static_cast<int64_t>(group->items.size())))
            fail(root->location, "K09",
                 "root " + std::to_string(root->integer) + " is not in the group of " +
                     std::to_string(group->items.size()));
    } else if (op.name == "pto.comm.tbroadcast" || op.name == "pto.comm.tgather" ||
               op.name == "pto.comm.tscatter" || op.name == "pto.comm.treduce") {
        fail(op, "K06", "'" + std::string(op.name) + "' needs group(...)");
    }
    verified_only(op);
}

// %ctx = make_prefetch_async_context(%workspace : T) -> !pto.prefetch_async_context
// What it names needs no state here: a prefetch is done when it is issued.
void Binder::handle(const Operation& op) { define_handle(op); }

// %event = tprefetch_async(%src, %ctx : T, !pto.prefetch_async_context) -> !pto.async_event
void Binder::prefetch(const Operation& op) {
    const Clause* list = op.clause("(");
    if (list == nullptr) list = &clause(op, "");
    if (list->items.size() != 2)
        fail(op, "K06", "'pto.tprefetch_async' takes a view and a context");
    const Value& view = value_of_kind(list->items[0], ValueKind::kView);
    value_of_kind(list->items[1], ValueKind::kHandle);
    if (options_.verify && (!is_fixed(*view.type) || !is_flat(*view.type)))
        fail(list->items[0].location, "S01",
             "'pto.tprefetch_async' takes flat contiguous memory of one dimension; '%" +
                 std::string(list->items[0].text) + "' is " + std::string(view.type->text));
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kTPREFETCH_ASYNC;
    plan.prototype.operand_count = 1;
    plan.operands[0] = operand_plan(list->items[0]);
    issue(op, plan);
    define_handle(op);
}

// comm.wait_async_event(%event, %session : ...) -> i1: what a prefetch started is over.
void Binder::async_event(const Operation& op) {
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items)
            if (item.kind == Item::Kind::kValue) value_of_kind(item, ValueKind::kHandle);
    if (op.results.empty()) return;
    define(op, 0, Value::of(ValueKind::kScalar, result_type(op), constant(1)));
}

// Operands are defined values, results are what their types say.
void Binder::verified_only(const Operation& op) {
    require_verify(op, "ptosim does not model it");
    define_handle(op);
}

void Binder::define_handle(const Operation& op) {
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items)
            if (item.kind == Item::Kind::kValue) value(item);
    if (op.results.empty()) return;
    const Type& type = result_type(op);
    Value result;
    result.kind = ValueKind::kHandle;
    result.type = &type;
    define(op, 0, make_kind(type) == ValueKind::kHandle ? result : make_value(type, op));
}

}  // namespace ptosim::assembly
