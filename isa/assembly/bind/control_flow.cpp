#include "isa/assembly/bind/control_flow.h"

#include <algorithm>

#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

bool is_vector(TimingClass timing) {
    switch (timing) {
        case TimingClass::kVector:
        case TimingClass::kVectorRow:
        case TimingClass::kVectorCol:
        case TimingClass::kVectorSort:
        case TimingClass::kVectorGather:
        case TimingClass::kVectorFunction:
        case TimingClass::kThreads:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::vector<Value> ControlFlowBinder::make_results(const Operation& op) {
    std::vector<Value> values;
    for (size_t i = 0; i < op.result_types.size(); ++i)
        values.push_back(make_value(*op.result_types[i], op));
    const size_t named = result_count(op);
    if (named != values.size() && named != 0)
        fail(op, "K06",
             "'" + std::string(op.name) + "' has " + std::to_string(values.size()) +
                 " results, but " + std::to_string(named) + " are named");
    return values;
}

std::vector<Value> ControlFlowBinder::bind_region(const Operation& op, const Region& region,
                                                  std::string_view terminator, size_t expected) {
    if (region.blocks.size() > 1)
        fail(region.blocks[1].location, "K03",
             "regions with several blocks (cf.br) are not supported");
    const size_t outside = context_.names.mark();
    std::vector<Value> yielded;
    const Operation* last = nullptr;
    if (!region.blocks.empty()) {
        const Block& block = region.blocks[0];
        Block body = block;
        if (!block.operations.empty() && block.operations.back().name == terminator) {
            last = &block.operations.back();
            body.operations = block.operations.first(block.operations.size() - 1);
        }
        blocks_.bind_block(body);
        if (last != nullptr) {
            for (const Clause& clause : last->clauses) {
                if (clause.name == "(" && terminator == "scf.condition") continue;
                const std::vector<Value> some = values_of(clause.items);
                yielded.insert(yielded.end(), some.begin(), some.end());
            }
        }
    }
    if (yielded.size() != expected)
        fail(last != nullptr ? *last : op, "K11",
             "the region of '" + std::string(op.name) + "' must end with '" +
                 std::string(terminator) + "' of " + std::to_string(expected) + " values, not " +
                 std::to_string(yielded.size()));
    context_.leave_names(outside);
    return yielded;
}

// Errors in a bound or a condition are reported, and the body is checked all the same.
Slot ControlFlowBinder::integer_or_one(const Item& item) {
    const bool refused = context_.refused;
    try {
        const Slot slot = integer(item);
        context_.refused = refused;
        return slot;
    } catch (Failure& failure) {
        report(std::move(failure.diagnostic));
    } catch (AlreadyReported) {
    }
    return constant(1);
}

void ControlFlowBinder::scf_for(const Operation& op) {
    const Slot from = integer_or_one(only_item(op, clause(op, "from")));
    const Slot to = integer_or_one(only_item(op, clause(op, "to")));
    const Slot step = integer_or_one(only_item(op, clause(op, "step")));
    const Clause* initial = op.clause("iter_args");
    const std::vector<Value> initials =
        initial == nullptr ? std::vector<Value>() : values_of(initial->items);
    const std::vector<Value> carried = make_results(op);
    check_kinds(carried, initials, op);

    if (is_constant(step) && static_cast<int64_t>(constant_value(step)) <= 0)
        fail(only_item(op, clause(op, "step")).location, "K11",
             "the step of this loop is " +
                 std::to_string(static_cast<int64_t>(constant_value(step))),
             "scf.for needs a positive step");
    if (!is_constant(step)) emit(StepCode::kCheckStep, op).a = step;
    Value variable;
    variable.kind = ValueKind::kScalar;
    variable.slot = new_scalar();
    const Block& body = op.regions[0].blocks[0];
    variable.type =
        body.arguments[0].type != nullptr ? body.arguments[0].type : &builtin_type("index");

    Step& start = emit(StepCode::kMove, op);
    start.r = variable.slot;
    start.a = from;
    start.work = 1;
    move_all(carried, initials, op);
    const size_t head = here();
    Step& test = emit(StepCode::kJumpUnlessLess, op);
    test.a = variable.slot;
    test.b = to;
    const size_t outside = context_.names.mark();
    define_name(body.arguments[0].name, body.arguments[0].location, {variable});
    for (size_t i = 0; i < carried.size(); ++i)
        define_name(body.arguments[i + 1].name, body.arguments[i + 1].location, {carried[i]});
    const std::vector<Value> next = bind_region(op, op.regions[0], "scf.yield", carried.size());
    move_all(carried, next, op);
    Step& again = emit(StepCode::kLoop, op);
    again.a = variable.slot;
    again.b = to;
    again.c = step;
    again.target = static_cast<uint32_t>(head + 1);
    again.work = 2;
    context_.loops.push_back({static_cast<uint32_t>(head), here() - 1});
    program_.steps[head].target = here();
    context_.leave_names(outside);
    define_results(op, carried);
}

void ControlFlowBinder::check_condition(const Operation& op, const Item& item) {
    const std::vector<Value>* const found =
        item.kind == Item::Kind::kValue ? context_.names.find(item.text) : nullptr;
    if (found == nullptr || item.result >= found->size()) return;
    const Type* type = (*found)[item.result].type;
    if (type == nullptr || type->text.empty() || type->text == "i1") return;
    try {
        fail(item.location, "K07",
             "'%" + std::string(item.text) + "' is " + std::string(type->text) + "; '" +
                 std::string(op.name) + "' needs an i1",
             "compare it first: arith.cmpi ne, ...");
    } catch (Failure& failure) {
        report(std::move(failure.diagnostic));
    }
}

void ControlFlowBinder::scf_if(const Operation& op) {
    const Slot condition = integer_or_one(operand(op, 0));
    check_condition(op, operand(op, 0));
    const std::vector<Value> results = make_results(op);
    if (op.regions.empty()) fail(op, "K11", "'scf.if' needs a body");
    const size_t branch = here();
    Step& test = emit(StepCode::kJumpIfZero, op);
    test.a = condition;
    test.work = 1;
    move_all(results, bind_region(op, op.regions[0], "scf.yield", results.size()), op);
    if (op.regions.size() == 1) {
        if (!results.empty()) fail(op, "K11", "an 'scf.if' with results needs an 'else'");
        program_.steps[branch].target = here();
        return;
    }
    const size_t leave = here();
    emit(StepCode::kJump, op);
    program_.steps[branch].target = here();
    move_all(results, bind_region(op, op.regions[1], "scf.yield", results.size()), op);
    program_.steps[leave].target = here();
    context_.arms.push_back({static_cast<uint32_t>(branch), static_cast<uint32_t>(leave), here()});
    for (const Value& result : results)
        if (result.kind == ValueKind::kTile) context_.chosen_tiles.insert(result.slot);
    define_results(op, results);
}

// The first region computes the condition from the carried values and passes values on: to the
// second region while the condition holds, to the results when it does not.
void ControlFlowBinder::scf_while(const Operation& op) {
    if (op.regions.size() != 2) fail(op, "K11", "'scf.while' needs two regions");
    const Clause* initial = op.clause("iter_args");
    const std::vector<Value> initials =
        initial == nullptr ? std::vector<Value>() : values_of(initial->items);
    std::vector<Value> carried;
    for (const Type* type : op.types) carried.push_back(make_value(*type, op));
    const std::vector<Value> passed = make_results(op);
    move_all(carried, initials, op);
    const uint32_t head = here();

    const size_t outside = context_.names.mark();
    const auto define_arguments = [&](const Region& region, std::span<const Value> values) {
        if (region.blocks.empty() || region.blocks[0].arguments.size() != values.size())
            fail(op, "K11",
                 "a region of 'scf.while' must take " + std::to_string(values.size()) + " values");
        for (size_t i = 0; i < values.size(); ++i) {
            const BlockArgument& argument = region.blocks[0].arguments[i];
            define_name(argument.name, argument.location, {values[i]});
        }
    };
    define_arguments(op.regions[0], carried);
    const auto& before = op.regions[0].blocks.empty() ? Block{} : op.regions[0].blocks[0];
    if (before.operations.empty() || before.operations.back().name != "scf.condition")
        fail(op, "K11", "the first region of 'scf.while' must end with 'scf.condition'");
    const Operation& terminator = before.operations.back();
    // bind_region forgets the names of the region, so that its condition is looked up inside.
    Block body = before;
    body.operations = before.operations.first(before.operations.size() - 1);
    blocks_.bind_block(body);
    const Slot condition = integer(only_item(terminator, clause(terminator, "(")));
    const Clause* list = terminator.clause("");
    move_all(passed, list == nullptr ? std::vector<Value>() : values_of(list->items), op);
    context_.leave_names(outside);
    const size_t exit = here();
    Step& test = emit(StepCode::kJumpIfZero, op);
    test.a = condition;
    test.work = 1;
    define_arguments(op.regions[1], passed);
    move_all(carried, bind_region(op, op.regions[1], "scf.yield", carried.size()), op);
    context_.leave_names(outside);
    Step& again = emit(StepCode::kJump, op);
    again.target = head;
    again.work = 1;
    context_.loops.push_back({head, here() - 1});
    program_.steps[exit].target = here();
    define_results(op, passed);
}

void ControlFlowBinder::scf_index_switch(const Operation& op) {
    const Slot selector = integer(operand(op, 0));
    const std::vector<Value> results = make_results(op);
    const auto cases = clause(op, "case").items;
    std::vector<size_t> leaves;
    for (size_t i = 0; i < op.regions.size(); ++i) {
        size_t branch = 0;
        if (i < cases.size()) {
            const Slot matches = scalars_.emit_scalar(op, ScalarOp::kEq, ScalarFormat{}, selector,
                                                      integer(cases[i]));
            branch = here();
            Step& test = emit(StepCode::kJumpIfZero, op);
            test.a = matches;
            test.work = 1;
        }
        move_all(results, bind_region(op, op.regions[i], "scf.yield", results.size()), op);
        if (i < cases.size()) {
            leaves.push_back(here());
            emit(StepCode::kJump, op);
            program_.steps[branch].target = here();
        }
    }
    for (const size_t leave : leaves) program_.steps[leave].target = here();
    define_results(op, results);
}

// The vector instructions from plan `first` on are one vector function. Tiles that it makes for
// itself, from `first_tile` on, stay in registers unless they are among its results.
void ControlFlowBinder::fuse(size_t first, Slot first_tile, const std::vector<Value>& results) {
    InFunction position = InFunction::kFirst;
    for (size_t i = first; i < program_.issues.size(); ++i) {
        IssuePlan& plan = program_.issues[i];
        if (!is_vector(info(plan.prototype.opcode).timing)) continue;
        plan.prototype.attributes.function = position;
        position = InFunction::kFurther;
        const Slot slot = plan.operands[0].slot;
        const bool leaves = std::any_of(results.begin(), results.end(), [&](const Value& value) {
            return value.kind == ValueKind::kTile && value.slot == slot;
        });
        plan.prototype.attributes.in_register = slot >= first_tile && !leaves;
    }
}

// Regions that run once, in place.
void ControlFlowBinder::inline_region(const Operation& op) {
    const std::string_view terminator = op.name == "pto.fusion_region" ? "pto.yield" : "scf.yield";
    if (op.regions.empty()) fail(op, "K11", "'" + std::string(op.name) + "' needs a body");
    const size_t first = program_.issues.size();
    const Slot first_tile = program_.tile_slots;
    const std::vector<Value> results = bind_region(op, op.regions[0], terminator, result_count(op));
    if (op.name == "pto.fusion_region") fuse(first, first_tile, results);
    const auto types = op.result_types.empty() ? op.types : op.result_types;
    listener().on_region(op, types, results);
    define_results(op, results);
}

void ControlFlowBinder::section(const Operation& op) {
    if (op.regions.empty()) fail(op, "K11", "'" + std::string(op.name) + "' needs a body");
    const CoreType core = op.name == "pto.section.cube" ? CoreType::kAIC : CoreType::kAIV;
    const uint32_t jump = here();
    emit(StepCode::kJumpUnlessCore, op).index = static_cast<uint32_t>(core);
    {
        const CoreSection section(context_, core);
        bind_region(op, op.regions[0], "pto.yield", 0);
    }
    program_.steps[jump].target = here();
}

}  // namespace ptosim::assembly
