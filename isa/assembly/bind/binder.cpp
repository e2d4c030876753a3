#include "isa/assembly/bind/binder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "isa/arch.h"
#include "isa/assembly/bind/binder_state.h"
#include "isa/assembly/syntax/parser.h"

namespace ptosim::assembly {

namespace {

constexpr size_t kMaxCallDepth = 64;

bool is_entry(const Operation& function) {
    for (const std::string_view mark : {"pto.entry", "pto.kernel", "pto.aicore"})
        if (find(function.attributes, mark) != nullptr) return true;
    return false;
}

void each_function(std::span<const Operation> operations, const Operation* module, auto&& visit) {
    for (const Operation& op : operations) {
        // MLIR's generic form of a function ("func.func"() ...) has no name here.
        const bool body = !op.regions.empty() && !op.regions[0].blocks.empty();
        if (op.name == "func.func" && body && !op.symbol.empty()) visit(op, module);
        if (op.name == "module" || op.name == "builtin.module")
            for (const Region& region : op.regions)
                for (const Block& block : region.blocks)
                    each_function(block.operations, &op, visit);
    }
}

bool is_call(const Operation& op) { return op.name == "func.call" || op.name == "call"; }

// Everything inside of an operation.
void each_operation(const Operation& outer, auto&& visit) {
    for (const Region& region : outer.regions)
        for (const Block& block : region.blocks)
            for (const Operation& op : block.operations) {
                visit(op);
                each_operation(op, visit);
            }
}

std::optional<CoreType> kind_of(const Operation& function, const Operation* module) {
    const Attribute* kind = find(function.attributes, "pto.kernel_kind");
    if (kind == nullptr && module != nullptr) kind = find(module->attributes, "pto.kernel_kind");
    if (kind == nullptr) return std::nullopt;
    if (kind->text == "cube") return CoreType::kAIC;
    if (kind->text == "vector") return CoreType::kAIV;
    return std::nullopt;
}

// Functions that can be launched, in the order of the text.
std::vector<const Operation*> entries_of(const Module& module) {
    std::vector<const Operation*> marked, open;
    std::vector<std::string_view> called;
    each_function(module.operations, nullptr, [&](const Operation& function, const Operation*) {
        each_operation(function, [&](const Operation& op) {
            if (is_call(op) && op.symbol != function.symbol) called.push_back(op.symbol);
        });
        if (function.is_declaration) return;
        if (is_entry(function)) marked.push_back(&function);
        if (find(function.attributes, "sym_visibility") == nullptr) open.push_back(&function);
    });
    if (!marked.empty()) return marked;
    std::erase_if(open, [&](const Operation* function) {
        return std::find(called.begin(), called.end(), function->symbol) != called.end();
    });
    return open;
}

// Parameters that PyPTO adds and the launch itself knows
// (hw-native-sys/pypto python/pypto/backend/pto_backend.py).
std::optional<IdentityField> implicit_parameter(std::string_view name) {
    if (name == "__pypto_spmd_block_idx") return IdentityField::kBlock;
    if (name == "__pypto_spmd_block_num") return IdentityField::kBlocks;
    if (name == "__pypto_spmd_subblock_idx") return IdentityField::kSubblock;
    return std::nullopt;
}

}  // namespace

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
        case ValueKind::kFifo:
            return "a pipe between cores";
    }
    return "?";
}

std::vector<std::string> entry_names(const Module& module) {
    std::vector<std::string> names;
    for (const Operation* function : entries_of(module)) names.emplace_back(function->symbol);
    return names;
}

std::vector<std::string> compile_units(const Module& module) {
    std::vector<const Operation*> functions;
    std::map<std::string_view, std::vector<std::string_view>> calls, peers;
    std::map<std::string_view, const Operation*> parents;
    each_function(module.operations, nullptr,
                  [&](const Operation& function, const Operation* parent) {
                      if (function.is_declaration) return;
                      functions.push_back(&function);
                      parents[function.symbol] = parent;
                      each_operation(function, [&](const Operation& op) {
                          if (is_call(op)) calls[function.symbol].push_back(op.symbol);
                          if (op.name != "pto.import_reserved_buffer") return;
                          if (const Attribute* peer = op.attribute("peer_func"))
                              peers[function.symbol].push_back(peer->text);
                      });
                  });
    std::set<std::string_view> seen;
    const std::function<void(std::string_view)> reach = [&](std::string_view name) {
        if (!seen.insert(name).second) return;
        for (const std::string_view callee : calls[name]) reach(callee);
    };
    std::set<std::string_view> called;
    for (const auto& [caller, callees] : calls)
        for (const std::string_view callee : callees)
            if (callee != caller) called.insert(callee);
    std::vector<const Operation*> roots;
    for (const bool cyclic : {false, true})
        for (const Operation* function : functions) {
            if (seen.contains(function->symbol) || (!cyclic && called.contains(function->symbol)))
                continue;
            roots.push_back(function);
            reach(function->symbol);
        }
    const auto halves = [&](const Operation& a, const Operation& b) {
        const auto one = kind_of(a, parents[a.symbol]), other = kind_of(b, parents[b.symbol]);
        return one && other && *one != *other;
    };
    const auto joined = [&](const Operation& a, const Operation& b) {
        const auto names = [&](std::string_view from, std::string_view to) {
            const auto& list = peers[from];
            return std::find(list.begin(), list.end(), to) != list.end();
        };
        return roots.size() == 2 || names(a.symbol, b.symbol) || names(b.symbol, a.symbol);
    };
    std::vector<std::string> units;
    std::set<const Operation*> taken;
    for (const Operation* root : roots) {
        if (!taken.insert(root).second) continue;
        std::string unit(root->symbol);
        for (const Operation* other : roots)
            if (!taken.contains(other) && halves(*root, *other) && joined(*root, *other)) {
                taken.insert(other);
                unit += "+" + std::string(other->symbol);
                break;
            }
        units.push_back(std::move(unit));
    }
    return units;
}

std::optional<Arch> declared_arch(const Module& module) {
    for (const Operation& op : module.operations)
        if (const Attribute* arch = find(op.attributes, "pto.target_arch"))
            return parse_arch(arch->text);
    return std::nullopt;
}

std::unique_ptr<AssemblyKernel> bind(const Module& module, const BindOptions& options,
                                     BindRecord* record) {
    return Binder(module, options).run(record);
}

Binder::Binder(const Module& module, const BindOptions& options)
    : module_{module}, options_{options} {
    each_function(module.operations, nullptr,
                  [&](const Operation& function, const Operation* parent) {
                      FunctionInfo& known = functions_[function.symbol];
                      known.definitions += !function.is_declaration;
                      // A definition counts before a declaration of the same name.
                      if (known.function == nullptr || known.function->is_declaration)
                          known = {&function, parent, known.definitions};
                  });
}

std::unique_ptr<AssemblyKernel> Binder::run(BindRecord* record) {
    AssemblyKernel::Traits traits;
    try {
        const std::vector<const Operation*> entries = entry_functions();
        if (!options_.verify) bind_parameters(entries);
        for (const Operation* entry : entries) {
            traits.name += (traits.name.empty() ? "" : "+") + std::string(entry->symbol);
            check_kind(*entry);
            if (options_.verify) verify_function(*entry);
            bind_entry(*entry);
        }
        program_.steps.push_back({});
        if (problems_.empty()) check_epilogues();
        if (problems_.empty() && options_.verify) check_buffer_uses();
        if (problems_.empty()) {
            place_cores();
            plan_addresses();
            if (options_.verify) check_apart();
            program_.one_vector_core = fifo_used_ && !fifo_split_ &&
                                       traits_of(options_.arch).flags_between_cores && aic_section_;
        }
    } catch (Failure& failure) {  // of the entry itself; operations are caught one by one
        problems_.push_back(std::move(failure.diagnostic));
    } catch (TooMany) {
        problems_.back().notes.push_back("further problems of this file are not shown");
    }
    if (!problems_.empty()) throw DiagnosticError(std::move(problems_));

    if (record != nullptr) fill(*record);
    traits.on_aic = aic_section_;
    traits.on_aiv = aiv_section_;
    traits.explicit_sync = explicit_sync_;
    SourceMap sources;
    // Files of loc(...) are named, not read: the text decides nothing about which files are opened.
    for (size_t i = 0; i < module_.files.size(); ++i)
        sources.add(module_.files[i], i == 0 ? module_.text : std::string());
    for (size_t i = 0; i < parameters_.size(); ++i)
        if (dynamic_parameter_[i]) parameters_[i].elements = 0;
    return std::make_unique<AssemblyKernel>(std::move(traits), std::move(sources),
                                            std::move(parameters_), std::move(program_));
}

// ---- errors

Diagnostic Binder::diagnostic_at(SourceLocation where, std::string code, std::string message,
                                 std::string hint) {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.category = diagnostic.code == "K03" || diagnostic.code == "K04"
                              ? Category::kUnsupported
                              : Category::kInput;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.file = module_.files[0];
    diagnostic.location = where;
    diagnostic.source_line = text_line(module_.text, where.line);
    return diagnostic;
}

void Binder::fail(SourceLocation where, std::string code, std::string message, std::string hint) {
    throw Failure{diagnostic_at(where, std::move(code), std::move(message), std::move(hint))};
}

void Binder::fail(const Operation& op, std::string code, std::string message, std::string hint) {
    Failure failure{
        diagnostic_at(op.location, std::move(code), std::move(message), std::move(hint))};
    if (op.source.file != 0)
        failure.diagnostic.notes.push_back("written for " + module_.files[op.source.file] + ":" +
                                           std::to_string(op.source.line));
    throw failure;
}

void Binder::report(Diagnostic diagnostic) {
    problems_.push_back(std::move(diagnostic));
    if (problems_.size() >= kMaxSyntaxErrors) throw TooMany{};
}

// ---- functions

std::vector<const Operation*> Binder::entry_functions() {
    const std::vector<const Operation*> entries = entries_of(module_);
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
            const auto found = functions_.find(rest.substr(0, end));
            if (found == functions_.end() || found->second.function->is_declaration)
                fail(SourceLocation{}, "K08",
                     "there is no function '" + std::string(rest.substr(0, end)) + "' with a body",
                     "functions that can be launched: " + list(entries));
            chosen.push_back(found->second.function);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    } else {
        chosen = entries;
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

std::optional<CoreType> Binder::kernel_kind(const Operation& function) const {
    const auto info = functions_.find(function.symbol);
    return kind_of(function, info == functions_.end() ? nullptr : info->second.module);
}

void Binder::check_kind(const Operation& function) {
    const Attribute* kind = find(function.attributes, "pto.kernel_kind");
    if (kind != nullptr && kind->text != "cube" && kind->text != "vector")
        fail(kind->location, "K09", "'" + std::string(kind->text) + "' is no kernel kind",
             "kinds are cube and vector");
}

// Both halves of a kernel for a cluster have one list of parameters, beside those that the launch
// fills in. A view among them is passed as a pointer to its first element.
void Binder::bind_parameters(std::span<const Operation* const> entries) {
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
                parameter.elements *= type.dims[i - 1];
        if (type.kind == TypeKind::kPointer)
            arguments_.back().parameter = static_cast<int>(parameters_.size());
        const bool integer = type.kind == TypeKind::kInteger || type.kind == TypeKind::kIndex;
        program_.arguments.push_back({value.slot, integer ? type.width : uint8_t{0}});
        parameters_.push_back(std::move(parameter));
        dynamic_parameter_.push_back(false);
    }
}

void Binder::check_parameter(const BlockArgument& argument) {
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
    if (!type.is_scalar() && type.kind != TypeKind::kPointer && !whole)
        fail(argument.location, "K07",
             "a launched function cannot take '" + std::string(type.text) + "'",
             "its parameters are pointers (!pto.ptr<...>), views of static shape and scalars");
}

// A view that is a parameter: dense, from the pointer that was passed.
Value Binder::parameter_view(const Operation& function, const Type& type, Slot pointer) {
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
        stride *= plan.view.shape[i];
    }
    const InferredLayout inferred = infer_layout(plan.view);
    plan.view.layout = inferred.layout;
    Value view = Value::of(ValueKind::kView, type, new_view());
    view.layout = inferred.layout;
    view.ambiguous_layout = inferred.ambiguous;
    Step& step = emit(StepCode::kMakeView, function);
    step.r = view.slot;
    step.a = pointer;
    step.index = added(program_.views, plan);
    return view;
}

// Names for what an entry is given. Nothing is given to one that is only verified.
void Binder::define_parameters(const Operation& function) {
    size_t given = 0;
    for (const BlockArgument& argument : function.regions[0].blocks[0].arguments) {
        const Type& type = *argument.type;
        Value value;
        if (const auto field = implicit_parameter(argument.name)) {
            value = make_value(type, function);
            program_.implicit_arguments.emplace_back(value.slot, *field);
        } else if (options_.verify) {
            value = make_value(type, function);
            value.ambiguous_layout = type.is_view();
        } else {
            value = arguments_[given++];
            if (type.is_view()) value = parameter_view(function, type, value.slot);
        }
        define_name(argument.name, argument.location, {value});
    }
}

void Binder::bind_entry(const Operation& function) {
    const std::optional<CoreType> kind = kernel_kind(function);
    names_.clear();
    scope_.clear();
    define_parameters(function);
    size_t jump = 0;
    if (kind) {
        (*kind == CoreType::kAIC ? aic_section_ : aiv_section_) = true;
        Step& step = emit(StepCode::kJumpUnlessCore, function);
        step.index = static_cast<uint32_t>(*kind);
        jump = here() - 1;
        ++in_section_;
        section_core_ = kind;
    }
    call_stack_ = {function.symbol};
    bind_function_body(function);
    if (kind) {
        --in_section_;
        section_core_.reset();
        program_.steps[jump].target = here();
    }
}

void Binder::bind_function_body(const Operation& function) {
    returned_.clear();
    if (function.regions[0].blocks.size() > 1) return bind_blocks(function);
    bind_block(function.regions[0].blocks[0]);
}

void Binder::bind_block(const Block& block) {
    const uint32_t outer = block_number_;
    block_number_ = ++blocks_bound_;
    for (const Operation& op : block.operations) {
        const size_t outside = scope_.size();
        try {
            bind_operation(op);
            continue;
        } catch (Failure& failure) {
            report(std::move(failure.diagnostic));
        } catch (Silent) {
        }
        // What a broken operation has defined inside of itself is out of sight now.
        while (scope_.size() > outside) {
            names_.erase(scope_.back());
            scope_.pop_back();
        }
        // Later uses of what this operation should have made say nothing new.
        for (const ResultName& result : op.results)
            if (!names_.contains(result.name) && !result.name.empty()) {
                names_[result.name] = std::vector<Value>(result.count);
                scope_.push_back(result.name);
            }
    }
    block_number_ = outer;
}

// Calls are inlined: arguments are the values themselves.
void Binder::call(const Operation& op) {
    const auto found = functions_.find(op.symbol);
    if (found == functions_.end()) {
        std::vector<std::string_view> known;
        for (const auto& [name, info] : functions_) known.push_back(name);
        std::sort(known.begin(), known.end());
        const std::string near = closest(op.symbol, known);
        fail(op, "K08", "there is no function '" + std::string(op.symbol) + "'",
             near.empty() ? "" : "did you mean '" + near + "'?");
    }
    const Operation& callee = *found->second.function;
    if (callee.is_declaration && options_.verify) {
        std::vector<Value> results;  // of code that is elsewhere
        for (const Type* type : op.result_types) results.push_back(make_value(*type, op));
        define_results(op, results);
        return;
    }
    if (callee.is_declaration)
        fail(op, "K08", "function '" + std::string(op.symbol) + "' has no body in this file");
    if (std::find(call_stack_.begin(), call_stack_.end(), op.symbol) != call_stack_.end())
        fail(op, "K08", "function '" + std::string(op.symbol) + "' calls itself",
             "kernels have no stack to recurse on");
    if (call_stack_.size() >= kMaxCallDepth) fail(op, "K08", "calls are nested too deeply");
    const Clause* list = op.clause("(");
    const std::vector<Value> given =
        list == nullptr ? std::vector<Value>() : values_of(op, list->items);
    const auto parameters = callee.regions[0].blocks[0].arguments;
    if (given.size() != parameters.size())
        fail(op, "K06",
             "'" + std::string(op.symbol) + "' takes " + std::to_string(parameters.size()) +
                 " arguments, given are " + std::to_string(given.size()));

    Names outer_names;
    std::vector<std::string_view> outer_scope;
    outer_names.swap(names_);
    outer_scope.swap(scope_);
    call_stack_.push_back(callee.symbol);
    const auto leave = [&] {
        names_.swap(outer_names);
        scope_.swap(outer_scope);
        call_stack_.pop_back();
    };
    try {
        for (size_t i = 0; i < given.size(); ++i) {
            const ValueKind wanted = make_kind(*parameters[i].type);
            if (given[i].kind != wanted && given[i].kind != ValueKind::kPoison)
                fail(op, "K07",
                     "argument " + std::to_string(i + 1) + " of '" + std::string(op.symbol) +
                         "' is " + std::string(name(given[i].kind)) + ", not " +
                         std::string(name(wanted)));
            define_name(parameters[i].name, parameters[i].location, {given[i]});
        }
        // A function for one core type, called from code for both, is a section.
        const std::optional<CoreType> kind = in_section_ > 0 ? std::nullopt : kernel_kind(callee);
        size_t jump = 0;
        if (kind) {
            (*kind == CoreType::kAIC ? aic_section_ : aiv_section_) = true;
            emit(StepCode::kJumpUnlessCore, op).index = static_cast<uint32_t>(*kind);
            jump = here() - 1;
            ++in_section_;
            section_core_ = kind;
        }
        bind_function_body(callee);
        if (kind) {
            --in_section_;
            section_core_.reset();
            program_.steps[jump].target = here();
        }
    } catch (...) {
        leave();
        throw;
    }
    leave();
    size_t results = 0;
    for (const ResultName& result : op.results) results += result.count;
    if (results != returned_.size())
        fail(op, "K06",
             "'" + std::string(op.symbol) + "' returns " + std::to_string(returned_.size()) +
                 " values, not " + std::to_string(results));
    define_results(op, returned_);
}

void Binder::function_return(const Operation& op) {
    const Clause* list = op.clause("");
    returned_ = list == nullptr ? std::vector<Value>() : values_of(op, list->items);
    for (const Value& value : returned_)
        if (value.kind == ValueKind::kStruct)
            fail(op, "K07", "a stack-local struct must not escape the scope that declares it");
    if (branches_ == nullptr || branches_->depth != call_stack_.size()) return;
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
