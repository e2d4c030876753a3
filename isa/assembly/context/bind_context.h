// State that the parts of the binder share: the program that is being built, the values in scope, the problems found,
// and the binder's position in the text.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isa/assembly/context/bind_listener.h"
#include "isa/assembly/context/bind_options.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/context/value.h"
#include "isa/assembly/plan/planner.h"
#include "isa/core/kernel.h"

namespace ptosim::assembly {

// Thrown by a part that cannot bind an operation. The block around it reports the diagnostic and continues with the
// next operation.
struct Failure {
    Diagnostic diagnostic;
};
struct AlreadyReported {};  // likewise, where the operand's own definition has been reported
struct TooManyProblems {};  // ends the binding

// The step that gives a tile its address, which is a constant or left to the planner.
struct TilePlacement {
    const Operation* operation = nullptr;
    uint32_t step = 0;
    uint64_t bytes = 0;
    bool planned = false;   // the text gives no address
    size_t allocation = 0;  // index of the planner's Allocation: shared by the calls of a function
    SourceLocation where;
    bool is_scratch = false;     // of an instruction that was given none
    size_t scratch_operand = 0;  // its index among the inputs of that instruction
};

// The steps of the two arms of an scf.if: [first, middle) and [middle, last).
struct BranchArms {
    uint32_t first = 0, middle = 0, last = 0;
};

// A named buffer of a FIFO's consumer.
struct ReservedBuffer {
    Slot address = kNoSlot;  // scalar slot
    uint64_t bytes = 0;
    Space space = Space::kUB;
    bool planned = false, defined = false;
    SourceLocation where;
    const Operation* operation = nullptr;
};

struct BindContext {
    BindContext(const Module& text, const BindOptions& wanted)
        : module{text},
          options{wanted},
          collected{wanted.functions != nullptr ? FunctionTable{} : functions_of(text)},
          table{wanted.functions != nullptr ? *wanted.functions : collected},
          functions{table.by_name} {}

    const Module& module;
    const BindOptions& options;
    FunctionTable collected;  // empty where the options have one
    const FunctionTable& table;

    Program program;
    std::vector<const Operation*> origins;  // of the steps
    std::vector<Parameter> parameters;
    std::vector<bool> dynamic_parameter;  // some view of it has no constant size

    // Values.
    ValueNames names;
    std::vector<bool> is_constant;  // by scalar slot
    std::unordered_map<uint64_t, Slot> constants;
    std::vector<std::unique_ptr<Type>> made_types;

    std::vector<Diagnostic> problems, warnings;
    std::vector<Diagnostic> refusals;  // BindRecord::refused
    BindListener* listener = nullptr;
    // The listener refuses the operation that is being bound, or one around it, or one that makes
    // an operand: it sees no more of that operation.
    bool refused = false;

    // The binder's position.
    const std::unordered_map<std::string_view, FunctionInfo>& functions;  // of the module, by name
    std::vector<std::string_view> call_stack;
    uint32_t block_number = 0;  // of the block that is being bound; each inlined copy has its own
    struct OpenName {
        size_t depth = 0, mark = 0;  // of the call stack, of the names in scope
        size_t index = 0;            // in Program::names
    };
    std::vector<OpenName> open_names;  // with BindOptions::keep_names
    int section_depth = 0;      // of code for one core type
    std::optional<CoreType> section_core;

    // The core types that run the current code.
    bool on_aic = false, on_aiv = false;
    bool unsectioned_transfer = false;
    bool unsectioned_cube = false;
    std::vector<uint32_t> unsectioned_issues;  // IssuePlans
    bool explicit_sync = false;

    // Input of the address planner.
    std::vector<TilePlacement> placements;
    std::map<std::string, ReservedBuffer> reserved;  // by "function/name"
    std::vector<LoopRange> loops;
    std::vector<BranchArms> arms;
    std::unordered_set<Slot> chosen_tiles;  // results of an scf.if

    // The end of a scope: see ValueNames::leave().
    void leave_names(size_t mark) {
        names.leave(mark);
        close_names(mark);
    }
    // The names of ended calls, and those that this function has defined since mark, have no further steps.
    void close_names(size_t mark) {
        const auto ends = [&](const OpenName& name) {
            return name.depth > call_stack.size() || (name.depth == call_stack.size() && name.mark >= mark);
        };
        for (; !open_names.empty() && ends(open_names.back()); open_names.pop_back())
            program.names[open_names.back().index].last = static_cast<uint32_t>(program.steps.size());
    }
};

// While this object exists, the code is for one core type.
class CoreSection {
 public:
    CoreSection(BindContext& context, CoreType core)
        : context_{context}, outer_{context.section_core} {
        (core == CoreType::kAIC ? context.on_aic : context.on_aiv) = true;
        ++context.section_depth;
        context.section_core = core;
    }
    ~CoreSection() {
        --context_.section_depth;
        context_.section_core = outer_;
    }
    CoreSection(const CoreSection&) = delete;
    CoreSection& operator=(const CoreSection&) = delete;

 private:
    BindContext& context_;
    std::optional<CoreType> outer_;
};

}  // namespace ptosim::assembly
