#include "isa/assembly/bind/functions.h"

#include <algorithm>
#include <utility>

#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/core/checked.h"
#include "isa/core/view_span.h"

namespace ptosim::assembly {

namespace {

constexpr size_t kMaxCallDepth = 64;

}  // namespace

std::vector<const Operation*> FunctionBinder::entry_functions() {
    const auto list = [](std::span<const Operation* const> functions) {
        std::string text;
        for (const Operation* function : functions)
            text += (text.empty() ? "" : ", ") + std::string(function->symbol);
        return text;
    };
    std::vector<const Operation*> chosen;
    if (!options_.entry.empty()) {
        for (std::string_view rest = options_.entry; !rest.empty();) {
            const size_t end = std::min(rest.find('+'), rest.size());
            const auto found = context_.functions.find(rest.substr(0, end));
            if (found == context_.functions.end() || found->second.function->is_declaration)
                fail(SourceLocation{}, "K08",
                     "unknown function '" + std::string(rest.substr(0, end)) + "' with a body",
                     "functions that can be launched: " + list(entries_of(module_)));
            chosen.push_back(found->second.function);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    } else {
        chosen = entries_of(module_);
    }
    // One function, or one per core type: the two halves of a kernel for a cluster.
    const bool pair = chosen.size() == 2 && kernel_kind(*chosen[0]) && kernel_kind(*chosen[1]) &&
                      *kernel_kind(*chosen[0]) != *kernel_kind(*chosen[1]);
    if (chosen.empty()) fail(SourceLocation{}, "K08", "the file has no function to launch");
    if (chosen.size() > 1 && !pair)
        fail(SourceLocation{}, "K08",
             "the file has " + std::to_string(chosen.size()) +
                 " functions to launch, and none was chosen",
             "choose one with --entry NAME: " + list(chosen));
    return chosen;
}

std::optional<CoreType> FunctionBinder::kernel_kind(const Operation& function) const {
    const auto info = context_.functions.find(function.symbol);
    return kind_of(function, info == context_.functions.end() ? nullptr : info->second.module);
}

void FunctionBinder::check_kind(const Operation& function) {
    const Attribute* kind = find(function.attributes, "pto.kernel_kind");
    if (kind != nullptr && kind->text != "cube" && kind->text != "vector")
        fail(kind->location, "K09", "'" + std::string(kind->text) + "' is not a kernel kind",
             "kinds are cube and vector");
}

// Both halves of a kernel for a cluster have the same parameters, apart from parameters that the launch fills in. A
// view among them is passed as a pointer to its first element.
void FunctionBinder::bind_parameters(std::span<const Operation* const> entries) {
    const auto explicit_types = [](const Operation& function) {
        std::vector<std::string_view> types;
        for (const BlockArgument& argument : function.regions[0].blocks[0].arguments)
            if (!implicit_parameter(argument.name)) types.push_back(argument.type->text);
        return types;
    };
    for (const Operation* entry : entries)
        if (explicit_types(*entry) != explicit_types(*entries[0]))
            fail(*entry, "K08",
                 "'" + std::string(entries[0]->symbol) + "' and '" + std::string(entry->symbol) +
                     "' do not have the same parameters",
                 "choose one with --entry NAME");
    for (const BlockArgument& argument : entries[0]->regions[0].blocks[0].arguments) {
        if (implicit_parameter(argument.name)) continue;
        const Type& type = *argument.type;
        check_parameter(argument);
        Value value;
        value.kind = type.is_scalar() ? ValueKind::kScalar : ValueKind::kPointer;
        value.type = &type;
        value.slot = new_scalar();
        arguments_.push_back(value);
        Parameter parameter;
        parameter.name = argument.name;
        parameter.location = argument.location;
        parameter.kind = type.is_scalar() ? Parameter::Kind::kScalar : Parameter::Kind::kPointer;
        if (type.dtype)
            parameter.dtype = *type.dtype;
        else
            parameter.dtype = type.kind == TypeKind::kIndex ? DType::kI64 : DType::kU8;
        if (type.is_view())
            for (int64_t i = parameter.elements = 1; i <= type.rank; ++i)
                parameter.elements = saturating_product(parameter.elements, type.dims[i - 1]);
        if (type.kind == TypeKind::kPointer)
            arguments_.back().parameter = static_cast<int>(context_.parameters.size());
        const bool integer = type.kind == TypeKind::kInteger || type.kind == TypeKind::kIndex;
        program_.arguments.push_back({value.slot, integer ? type.width : uint8_t{0}});
        context_.parameters.push_back(std::move(parameter));
        context_.dynamic_parameter.push_back(false);
    }
}

void FunctionBinder::check_parameter(const BlockArgument& argument) {
    const Type& type = *argument.type;
    const bool registers = type.text.starts_with("!pto.v") || type.text.starts_with("!pto.mask") ||
                           type.text.starts_with("!pto.align");
    if (registers)
        fail(argument.location, "K04",
             "the type '" + std::string(type.text) + "' is register-level, which is out of scope",
             "ptosim runs tile-level kernels: give it the file before it is lowered");
    const auto dims = std::span(type.dims).first(type.rank);
    const bool whole = type.is_view() && type.rank > 0 && type.rank <= GlobalView::kRank &&
                       std::all_of(dims.begin(), dims.end(),
                                   [](int64_t dim) { return dim > 0 && dim <= INT32_MAX; });
    int64_t elements = 1;
    for (const int64_t dim : dims) elements = saturating_product(elements, dim);
    if (type.is_view() && elements > kMaxStride)
        fail(argument.location, "K07",
             "'" + std::string(type.text) + "' has more elements than any memory");
    if (!type.is_scalar() && type.kind != TypeKind::kPointer && !whole)
        fail(argument.location, "K07",
             "a launched function cannot take '" + std::string(type.text) + "'",
             "its parameters are pointers (!pto.ptr<...>), views of static shape and scalars");
}

// A view that is a parameter: dense, from the pointer that was passed.
Value FunctionBinder::parameter_view(const Operation& function, const Type& type, Slot pointer) {
    ViewPlan plan;
    plan.rank = type.rank;
    plan.shape.fill(kNoSlot);
    plan.stride.fill(kNoSlot);
    plan.view.dtype = element_type(type, function.location);
    int64_t stride = 1;
    for (int i = GlobalView::kRank - 1; i >= 0; --i) {
        const int dim = i - (GlobalView::kRank - type.rank);
        plan.view.stride[i] = stride;
        if (dim >= 0) plan.view.shape[i] = static_cast<int32_t>(type.dims[dim]);
        stride = saturating_product(stride, plan.view.shape[i]);
    }
    const InferredLayout inferred = infer_layout(plan.view);
    plan.view.layout = inferred.layout;
    Value view = Value::of(ValueKind::kView, type, new_view());
    view.layout = inferred.layout;
    view.ambiguous_layout = inferred.ambiguous;
    view.of_parameter = true;
    Step& step = emit(StepCode::kMakeView, function);
    step.r = view.slot;
    step.a = pointer;
    step.index = added(program_.views, plan);
    return view;
}

// Defines names for the parameters of an entry. An entry that is only verified gets no values.
void FunctionBinder::define_parameters(const Operation& function) {
    size_t given = 0;
    for (const BlockArgument& argument : function.regions[0].blocks[0].arguments) {
        const Type& type = *argument.type;
        Value value;
        if (const auto field = implicit_parameter(argument.name)) {
            value = make_value(type, function);
            program_.implicit_arguments.emplace_back(value.slot, *field);
        } else if (!options_.launch) {
            value = make_value(type, function);
            value.ambiguous_layout = value.of_parameter = type.is_view();
        } else {
            value = arguments_[given++];
            if (type.is_view()) value = parameter_view(function, type, value.slot);
        }
        define_name(argument.name, argument.location, {value});
    }
}

void FunctionBinder::bind_entry(const Operation& function) {
    context_.names = {};
    context_.close_names(0);
    define_parameters(function);
    context_.call_stack = {function.symbol};
    bind_for_core(function, function, kernel_kind(function));
}

void FunctionBinder::bind_for_core(const Operation& function, const Operation& caller,
                                   std::optional<CoreType> kind) {
    if (!kind) return bind_function_body(function);
    const uint32_t jump = here();
    emit(StepCode::kJumpUnlessCore, caller).index = static_cast<uint32_t>(*kind);
    {
        const CoreSection section(context_, *kind);
        bind_function_body(function);
    }
    program_.steps[jump].target = here();
}

void FunctionBinder::bind_function_body(const Operation& function) {
    returned_.clear();
    if (function.regions[0].blocks.size() > 1) return bind_blocks(function);
    blocks_.bind_block(function.regions[0].blocks[0]);
}

// Calls are inlined: arguments are the values themselves.
void FunctionBinder::call(const Operation& op) {
    const auto found = context_.functions.find(op.symbol);
    if (found == context_.functions.end()) {
        std::vector<std::string_view> accepted;
        for (const auto& [name, info] : context_.functions) accepted.push_back(name);
        std::sort(accepted.begin(), accepted.end());
        const std::string near = closest(op.symbol, accepted);
        fail(op, "K08", "unknown function '" + std::string(op.symbol) + "'",
             near.empty() ? "" : "did you mean '" + near + "'?");
    }
    const Operation& callee = *found->second.function;
    if (callee.is_declaration && !options_.launch) {
        std::vector<Value> results;  // of code that is elsewhere
        for (const Type* type : op.result_types) results.push_back(make_value(*type, op));
        define_results(op, results);
        return;
    }
    if (callee.is_declaration && !options_.external_functions)
        fail(op, "K08", "function '" + std::string(op.symbol) + "' has no body in this file",
             "a function with a body in C++ can be called if ptoas writes the kernel as C++, compiled together with "
             "that body");
    if (std::find(context_.call_stack.begin(), context_.call_stack.end(), op.symbol) !=
        context_.call_stack.end())
        fail(op, "K08", "function '" + std::string(op.symbol) + "' calls itself",
             "kernels have no stack to recurse on");
    if (context_.call_stack.size() >= kMaxCallDepth) fail(op, "K08", "calls are nested too deeply");
    const Clause* list = op.clause("(");
    const std::vector<Value> given =
        list == nullptr ? std::vector<Value>() : values_of(list->items);
    const auto parameters = callee.regions[0].blocks[0].arguments;
    if (given.size() != parameters.size())
        fail(op, "K06",
             "'" + std::string(op.symbol) + "' takes " + std::to_string(parameters.size()) +
                 " arguments, given are " + std::to_string(given.size()));

    if (callee.is_declaration) return call_external(op, callee, given);

    ValueNames outer_names = std::exchange(context_.names, {});
    context_.call_stack.push_back(callee.symbol);
    const auto leave = [&] {
        context_.names = std::move(outer_names);
        context_.call_stack.pop_back();
        context_.close_names(SIZE_MAX);
    };
    try {
        check_arguments(op, callee, given);
        for (size_t i = 0; i < given.size(); ++i)
            define_name(parameters[i].name, parameters[i].location, {given[i]});
        // A function for one core type, called from code for both, is a section.
        const bool sectioned = context_.section_depth > 0;
        bind_for_core(callee, op, sectioned ? std::nullopt : kernel_kind(callee));
    } catch (...) {
        leave();
        throw;
    }
    leave();
    const size_t results = result_count(op);
    if (results != returned_.size())
        fail(op, "K06",
             "'" + std::string(op.symbol) + "' returns " + std::to_string(returned_.size()) +
                 " values, not " + std::to_string(results));
    define_results(op, returned_);
}

void FunctionBinder::check_arguments(const Operation& op, const Operation& callee,
                                     std::span<const Value> given) const {
    const auto parameters = callee.regions[0].blocks[0].arguments;
    for (size_t i = 0; i < given.size(); ++i) {
        const ValueKind wanted = make_kind(*parameters[i].type);
        if (given[i].kind != wanted && given[i].kind != ValueKind::kPoison)
            fail(op, "K07",
                 "argument " + std::to_string(i + 1) + " of '" + std::string(op.symbol) + "' is " +
                     std::string(name(given[i].kind)) + ", not " + std::string(name(wanted)));
    }
}

void FunctionBinder::call_external(const Operation& op, const Operation& callee,
                                   std::span<const Value> given) {
    check_arguments(op, callee, given);
    CallPlan plan;
    plan.function = op.symbol;
    for (const Value& value : given) {
        if (value.kind == ValueKind::kPoison) throw AlreadyReported{};
        const bool is_pointer = value.kind == ValueKind::kPointer;
        if (!is_pointer && value.kind != ValueKind::kScalar)
            fail(op, "K07",
                 "a function without a body takes scalars and pointers, not " +
                     std::string(name(value.kind)));
        plan.arguments.push_back({value.slot, is_pointer});
    }
    if (op.result_types.size() > 1)
        fail(op, "K06", "a function without a body has one result at most");
    Step& step = emit(StepCode::kCall, op);
    if (!op.result_types.empty()) {
        const Type& type = *op.result_types[0];
        if (make_kind(type) != ValueKind::kScalar)
            fail(op, "K07", "a function without a body returns a scalar or nothing");
        if (type.kind == TypeKind::kInteger) plan.width = static_cast<uint8_t>(type.width);
        step.r = new_scalar();
        define_results(op, std::vector{Value::of(ValueKind::kScalar, type, step.r)});
    }
    step.index = added(program_.calls, std::move(plan));
}

void FunctionBinder::function_return(const Operation& op) {
    const Clause* list = op.clause("");
    returned_ = list == nullptr ? std::vector<Value>() : values_of(list->items);
    for (const Value& value : returned_)
        if (value.kind == ValueKind::kStruct)
            fail(op, "K07", "a stack-local struct must not escape the scope that declares it");
    if (branches_ == nullptr || branches_->depth != context_.call_stack.size()) return;
    if (returned_.size() != branches_->results.size())
        fail(op, "K06",
             "the function returns " + std::to_string(branches_->results.size()) + " values, not " +
                 std::to_string(returned_.size()));
    check_kinds(branches_->results, returned_, op);
    move_all(branches_->results, returned_, op);
    emit(StepCode::kJump, op);
    branches_->exits.push_back(here() - 1);
}

}  // namespace ptosim::assembly
