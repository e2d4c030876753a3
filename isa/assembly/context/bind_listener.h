// Sees each operation as it is bound. The default ignores all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/context/value.h"
#include "isa/core/diagnostic.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

// A reserved buffer as the slots of a pipe's end.
struct BufferUse {
    const Operation* op = nullptr;
    CoreType core = CoreType::kAIC;
    Slot buffer = kNoSlot;
    int64_t directions = 0;
    std::optional<int64_t> name;  // of the pipe, if it has an id
};

// The pipe that an operation sets a scale for.
struct ScaledPipe {
    int64_t id = 0;
    bool is_open = false;
    // Its mode of quantisation, and the operand's kind if the mode takes it: a scalar or a vector.
    std::optional<std::string_view> quant;
    bool takes_scale = true;
};

class BindListener {
 public:
    virtual ~BindListener() = default;

    // A function that is launched, before its body.
    virtual void on_function(const Operation&) {}
    // `operands`: for each operand of the row its value in the text, or null.
    virtual void on_instruction(const Operation&, const InstructionInfo& /*row*/, const IssuePlan&,
                                std::span<const Item* const> /*operands*/) {}
    virtual void on_region(const Operation&, std::span<const Type* const> /*written*/,
                           std::span<const Value> /*results*/) {}

    // Tiles.
    virtual void on_tile(const Operation&, const Type&, const Tile&) {}
    virtual void on_window(const Operation&, const Type&, const WindowPlan&) {}
    virtual void on_retype(const Operation&, size_t /*wanted*/, size_t /*held*/) {}  // bytes

    // Global memory.
    virtual void on_pointer(const Operation&, const Value&) {}  // of a view or an addition
    virtual void on_cast(const Operation&, const Value& /*from*/) {}
    virtual void on_cache_line(const Operation&, const Item&, const Value&) {}
    virtual void on_prefetch(const Item&, const Value& /*view*/) {}
    virtual void on_transfer(const Operation&, const Type& /*to*/, const Type& /*from*/) {}
    virtual void on_signal(const Operation&, const Item&, const Type&) {}
    // A part beyond a view whose type leaves its extents open.
    virtual void on_part_outside(Diagnostic) {}

    // FIFOs.
    virtual void on_import(const Attribute& /*peer*/, const FunctionInfo&) {}
    virtual void on_pipe(const Operation&) {}
    virtual void on_pipe_with_flags(const Operation&) {}
    virtual void on_low_pipe(const Operation&, Slot /*slots*/, int /*flags*/) {}
    // `peer`: whether the other end splits its slots, if there is one.
    virtual void on_split(const Operation&, bool /*split*/, std::optional<bool> /*peer*/) {}
    virtual void on_push(const Operation&, const FifoPlan&, const Type* /*tile*/) {}
    virtual void on_pop(const Operation&, const FifoPlan&, const Type&, size_t /*given*/) {}
    virtual void on_slot(const Operation&, const FifoPlan&, const Type&, const Type* /*ring*/) {}
    virtual void on_scale(const Operation&, const Item&, const Value&, const ScaledPipe&) {}
    // The operation needs something that an operation which the listener refused makes.
    virtual void on_missing(Diagnostic) {}

    // When everything is bound.
    virtual void on_unpopped(const Operation&, int64_t /*id*/) {}
    virtual void on_buffer_uses(std::span<const BufferUse>) {}
    virtual void on_addresses() {}  // all tiles have theirs
};

}  // namespace ptosim::assembly
