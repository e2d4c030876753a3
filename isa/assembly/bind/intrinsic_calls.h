// Shared base of the operations below the tile level. They are intrinsics (isa/intrinsics), whose argument words are
// built from the operations' operands.
#pragma once

#include <initializer_list>

#include "isa/assembly/bind/scalars.h"

namespace ptosim::assembly {

class IntrinsicCalls : public BinderPart {
 protected:
    IntrinsicCalls(BindContext& context, ScalarBinder& scalars)
        : BinderPart{context}, scalars_{scalars} {}

    // A pointer of the text to its element type and space; global memory without a space.
    struct Pointer {
        Slot slot = kNoSlot;
        DType type{};
        std::optional<Space> space;
    };
    Pointer pointer(const Operation& op, size_t operand_index, std::optional<Space> space) const;
    Pointer pointer_of(const Operation& op, const Item& item, std::optional<Space> space) const;
    // Operand `index`, an integer.
    Slot number(const Operation& op, size_t index) { return integer(operand(op, index)); }
    // The integers of a clause.
    std::vector<Slot> numbers(const Operation& op, std::string_view clause, size_t least,
                              size_t most);
    // A word among the operands, or a clause without contents.
    static bool has_word(const Operation& op, std::string_view word);
    // The word in a clause of one: "check_only" of unit_flag(check_only); empty without the clause.
    static std::string_view word_in(const Operation& op, std::string_view clause);
    bool flag(const Operation& op, std::string_view attribute) const;
    // 0, 2 or 3, as in the instructions' word; `last` is the word for 3.
    uint64_t unit_flag(const Operation& op, std::string_view last) const;

    // --- arithmetic of slots
    Slot computed(const Operation& op, ScalarOp scalar_op, Slot a, Slot b);
    Slot by_constant(const Operation& op, ScalarOp scalar_op, Slot a, uint64_t b) {
        return computed(op, scalar_op, a, constant(b));
    }
    // Number of units that hold `count` elements.
    Slot units(const Operation& op, Slot count, uint64_t per_unit) {
        return by_constant(op, ScalarOp::kCeilDivU, count, per_unit);
    }
    struct Field {
        Slot slot;
        unsigned low, width;
    };
    // A word of bit fields.
    Slot packed(const Operation& op, std::initializer_list<Field> fields);

    // The first argument is written, the others that `pointers` has are read.
    void call(const Operation& op, IntrinsicOpcode opcode, Pipe pipe,
              std::initializer_list<Pointer> pointers, std::vector<Slot> arguments,
              uint64_t ctrl = 0);

    ScalarBinder& scalars_;
};

}  // namespace ptosim::assembly
