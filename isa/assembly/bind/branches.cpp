// Functions of several blocks: cf.br and cf.cond_br become jumps, blocks' arguments are slots.
#include "isa/assembly/bind/functions.h"

#include <algorithm>
#include <utility>

namespace ptosim::assembly {

// Blocks are bound in the order of the text. Names of a block are in sight in all later ones: that
// those are dominated by it is the compiler's promise.
void FunctionBinder::bind_blocks(const Operation& function) {
    Branches branches;
    branches.depth = context_.call_stack.size();
    for (const Block& block : function.regions[0].blocks) {
        if (&block == &function.regions[0].blocks[0]) continue;
        std::vector<Value> arguments;
        for (const BlockArgument& argument : block.arguments)
            arguments.push_back(make_value(*argument.type, function));
        if (!branches.blocks.try_emplace(block.label, BlockTarget{std::move(arguments), 0}).second)
            fail(block.location, "K05",
                 "the block '^" + std::string(block.label) + "' is defined twice");
    }
    for (const Type* type : function.result_types)
        branches.results.push_back(make_value(*type, function));
    Branches* const outer = std::exchange(branches_, &branches);
    try {
        for (const Block& block : function.regions[0].blocks)
            bind_one_of(block, function, branches);
    } catch (...) {
        branches_ = outer;
        throw;
    }
    branches_ = outer;
    for (const auto& [step, label] : branches.jumps) {
        const uint32_t target = branches.blocks.at(label).start;
        program_.steps[step].target = target;
        if (target <= step) context_.loops.push_back({target, step});
    }
    for (const uint32_t step : branches.exits) program_.steps[step].target = here();
    returned_ = branches.results;
}

void FunctionBinder::bind_one_of(const Block& block, const Operation& function,
                                 Branches& branches) {
    if (const auto found = branches.blocks.find(block.label); found != branches.blocks.end()) {
        found->second.start = here();
        for (size_t i = 0; i < block.arguments.size(); ++i)
            define_name(block.arguments[i].name, block.arguments[i].location,
                        {found->second.arguments[i]});
    }
    blocks_.bind_block(block);
    static constexpr std::string_view kEnds[] = {"cf.br", "cf.cond_br", "return", "func.return"};
    const bool ended =
        !block.operations.empty() && std::find(std::begin(kEnds), std::end(kEnds),
                                               block.operations.back().name) != std::end(kEnds);
    if (!ended)
        report(diagnostic_at(
            block.operations.empty() ? block.location : block.operations.back().location, "K11",
            "a block of '" + std::string(function.symbol) + "' has no end",
            "end it with cf.br, cf.cond_br or return"));
}

// Moves the passed values, and jumps. The values are in the parentheses after the label.
void FunctionBinder::jump_to(const Operation& op, const Item& label, std::span<const Item> handed) {
    const auto found = branches_->blocks.find(label.text);
    if (label.kind != Item::Kind::kBlock || found == branches_->blocks.end())
        fail(label.location, "K11",
             "unknown block '^" + std::string(label.text) + "' to go to");
    const std::vector<Value> values = values_of(handed);
    const std::vector<Value>& arguments = found->second.arguments;
    if (values.size() != arguments.size())
        fail(op, "K06",
             "block '^" + std::string(label.text) + "' takes " + std::to_string(arguments.size()) +
                 " values, given are " + std::to_string(values.size()));
    check_kinds(arguments, values, op);
    move_all(arguments, values, op);
    emit(StepCode::kJump, op);
    branches_->jumps.emplace_back(here() - 1, label.text);
}

// cf.br ^next(%x : i32); cf.cond_br %c, ^one(%x : i32), ^other
void FunctionBinder::branch(const Operation& op) {
    if (branches_ == nullptr || branches_->depth != context_.call_stack.size() ||
        op.results.size() != 0)
        fail(op, "K11",
             "'" + std::string(op.name) + "' is only allowed in a function of several blocks");
    std::vector<const Item*> labels;
    std::vector<std::span<const Item>> handed;
    const Item* condition = nullptr;
    for (const Clause& clause : op.clauses) {
        if (clause.name == "(" && !labels.empty()) {
            handed.back() = clause.items;
            continue;
        }
        for (const Item& item : clause.items) {
            if (item.kind == Item::Kind::kBlock) {
                labels.push_back(&item);
                handed.emplace_back();
            } else if (labels.empty() && condition == nullptr) {
                condition = &item;
            }
        }
    }
    const bool two = op.name == "cf.cond_br";
    if (labels.size() != (two ? 2u : 1u) || (condition != nullptr) != two)
        fail(op, "K06",
             two ? "'cf.cond_br' takes a condition and two blocks" : "'cf.br' takes one block");
    if (!two) return jump_to(op, *labels[0], handed[0]);
    Step& test = emit(StepCode::kJumpIfZero, op);
    test.a = value_of_kind(*condition, ValueKind::kScalar).slot;
    const uint32_t at = here() - 1;
    jump_to(op, *labels[0], handed[0]);
    program_.steps[at].target = here();
    jump_to(op, *labels[1], handed[1]);
}

}  // namespace ptosim::assembly
