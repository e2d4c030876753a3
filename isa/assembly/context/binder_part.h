// Base of every part of the binder: the values of names, and the steps of the program.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "isa/assembly/context/operation_reader.h"

namespace ptosim::assembly {

// The index of a new element of one of the program's tables.
template <typename Item>
uint32_t added(std::vector<Item>& table, Item item) {
    table.push_back(std::move(item));
    return static_cast<uint32_t>(table.size() - 1);
}

// Binds the operations of a block one after the other, and reports the problems of each.
class BlockBinder {
 public:
    virtual void bind_block(const Block& block) = 0;

 protected:
    ~BlockBinder() = default;
};

class BinderPart : protected OperationReader {
 public:
    explicit BinderPart(BindContext& context)
        : OperationReader{context}, program_{context.program} {}

 protected:
    // --- slots
    Slot new_scalar(uint64_t initial = 0);
    Slot new_tile() { return program_.tile_slots++; }
    Slot new_view() { return program_.view_slots++; }
    Slot constant(uint64_t value);
    bool is_constant(Slot slot) const { return slot != kNoSlot && context_.is_constant[slot]; }
    uint64_t constant_value(Slot slot) const { return program_.scalars[slot]; }

    // --- values
    Value make_value(const Type& type, const Operation& op);  // fresh slots for a type
    void define(const Operation& op, size_t result, const Value& value);
    void define_name(std::string_view name, SourceLocation where, std::vector<Value> values);
    void keep_name(std::string_view name, SourceLocation where, std::span<const Value> values);
    void define_results(const Operation& op, std::span<const Value> values);
    const Value& value(const Item& item) const;
    const Value& value_of_kind(const Item& item, ValueKind kind) const;
    std::vector<Value> values_of(std::span<const Item> items);
    Slot integer(const Item& item);  // index or iN; literals too
    // Returns a number of elements (an offset or a stride) in the same way: a constant that is beyond every memory is
    // an error.
    Slot element_count(const Item& item);
    OperandPlan operand_plan(const Item& item);
    const Type* keep(const Type& type);  // a type that the text does not have
    void check_kinds(std::span<const Value> to, std::span<const Value> from,
                     const Operation& op) const;

    // --- steps
    Step& emit(StepCode code, const Operation& op);
    uint32_t here() const { return static_cast<uint32_t>(program_.steps.size()); }
    void move(const Value& to, const Value& from, const Operation& op);
    // All at once: no target is read after it was written.
    void move_all(std::span<const Value> to, std::span<const Value> from, const Operation& op);
    void issue(const Operation& op, IssuePlan plan);

    // A04: a constant address that no tile can have.
    void check_alignment(const Operation& op, Slot address) const;
    BindListener& listener() const { return *context_.listener; }

    Program& program_;
};

// The number of names that an operation gives its results.
size_t result_count(const Operation& op);

}  // namespace ptosim::assembly
