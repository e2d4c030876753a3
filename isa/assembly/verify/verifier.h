// Finds code that the assembler refuses, without running the kernel: checks the rules of instructions, tiles and
// functions as far as types and constants decide them.
#pragma once

#include "isa/assembly/context/bind_listener.h"
#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

// A refusal is a problem of the kernel if nothing is launched. Otherwise BindContext::refusals gets
// it, as if binding had ended at that operation: uses of its results are not looked at.
class Verifier final : public BindListener, private BinderPart {
 public:
    explicit Verifier(BindContext& context) : BinderPart{context} {
        if (!options_.launch) verify_arch();
    }

    void on_function(const Operation& function) override;
    void on_instruction(const Operation& op, const InstructionInfo& row, const IssuePlan& plan,
                        std::span<const Item* const> operands) override;
    void on_region(const Operation& op, std::span<const Type* const> written,
                   std::span<const Value> results) override;

    void on_tile(const Operation& op, const Type& type, const Tile& tile) override;
    void on_window(const Operation& op, const Type& type, const WindowPlan& plan) override;
    void on_retype(const Operation& op, size_t wanted, size_t held) override;

    void on_pointer(const Operation& op, const Value& pointer) override;
    void on_cast(const Operation& op, const Value& from) override;
    void on_cache_line(const Operation& op, const Item& item, const Value& named) override;
    void on_prefetch(const Item& item, const Value& view) override;
    void on_transfer(const Operation& op, const Type& to, const Type& from) override;
    void on_signal(const Operation& op, const Item& item, const Type& type) override;
    void on_part_outside(Diagnostic found) override;

    void on_import(const Attribute& peer, const FunctionInfo& function) override;
    void on_pipe(const Operation& op) override;
    void on_pipe_with_flags(const Operation& op) override;
    void on_low_pipe(const Operation& op, Slot slots, int flags) override;
    void on_split(const Operation& op, bool split, std::optional<bool> peer) override;
    void on_push(const Operation& op, const FifoPlan& plan, const Type* tile) override;
    void on_pop(const Operation& op, const FifoPlan& plan, const Type& type, size_t given) override;
    void on_slot(const Operation& op, const FifoPlan& plan, const Type& slot,
                 const Type* ring) override;
    void on_scale(const Operation& op, const Item& item, const Value& scale,
                  const ScaledPipe& pipe) override;
    void on_missing(Diagnostic problem) override;

    void on_unpopped(const Operation& op, int64_t id) override;
    void on_buffer_uses(std::span<const BufferUse> uses) override;
    void on_addresses() override;

 private:
    // Runs rules, which throw a Failure.
    template <typename Rules>
    void check(Rules&& rules) {
        if (!options_.launch) return rules();
        if (context_.refused || is_full_) return;
        try {
            rules();
        } catch (Failure& failure) {
            refuse(std::move(failure.diagnostic));
            context_.refused = true;
        }
    }
    void refuse(Diagnostic refusal);
    // Reports a problem that is found when everything is bound.
    void note(Diagnostic problem);

    void verify_arch();
    void verify_function(const Operation& function);
    void verify_helper(const Block& block);
    void verify_tile(const Operation& op, const Type& type, const Tile& tile);
    void verify_window(const Operation& op, const Type& type, const WindowPlan& plan);
    void verify_transfer(const Operation& op, const Type& to, const Type& from);
    void verify_odd_split(const Operation& op, FifoSplit split, const Type* tile);
    void verify_scale(const Operation& op, const Item& item, const Value& scale,
                      const ScaledPipe& pipe);

    void verify_instruction(const Operation& op, const InstructionInfo& row, const IssuePlan& plan,
                            std::span<const Item* const> chosen);
    void warn_of_first_element(const Operation& op, const InstructionInfo& row);
    void check_rules(const Operation& op, const InstructionInfo& row, Instruction instruction,
                     bool complete);
    void note_problem(const Operation& op, const InstructionInfo& row, const Problem& problem);
    // Element types that the instruction has, and the assembler refuses.
    void verify_types(const Operation& op, const InstructionInfo& row,
                      const Instruction& instruction);
    void verify_scratch(const Operation& op, const InstructionInfo& row,
                        const Instruction& instruction);

    bool is_full_ = false;  // there are as many refusals as are shown
};

}  // namespace ptosim::assembly
