// Options of bind() and the record of planned addresses that it fills in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/assembly/syntax/ast.h"
#include "isa/core/attributes.h"
#include "isa/core/diagnostic.h"
#include "isa/core/pipe.h"

namespace ptosim::assembly {

struct FunctionTable;

struct BindOptions {
    std::string entry;  // name of the function; empty: the file's only entry
    Arch arch = Arch::kA2A3;
    // Without it parameters may be of any type, the halves of a kernel may differ in theirs, and
    // operations are accepted that a run does not have.
    bool launch = true;
    // Finds operations that the assembler refuses, as far as types decide it: problems if nothing is launched,
    // BindRecord::refused otherwise.
    bool verify = false;
    SpaceBudgets budgets{};  // bytes of each on-chip memory, for tiles without an address
    PlanPolicy plan = PlanPolicy::kInOrder;
    // The assembler's default for a conversion without a mode, of v0.60; v0.63 turns it on.
    Saturation saturation = Saturation::kOff;
    // For callers that bind many functions of a module, one after the other: its functions_of(),
    // and whether kernels keep a copy of its text (findings quote lines from it).
    const FunctionTable* functions = nullptr;
    bool keep_text = true;
    bool keep_names = false;  // in Program::names
    // Functions that are declared without a body may be called: the port that the kernel runs on
    // has them (ExternalFunctions).
    bool external_functions = false;
};

// Results of binding about the operations of the text, for code that rewrites it.
struct BindRecord {
    // An address that the text leaves to the planner: of an alloc_tile, an alloc_multi_tile or a
    // reserve_buffer; or of the scratch tile that an instruction has been given.
    struct PlannedAddress {
        const Operation* operation = nullptr;
        uint64_t address = 0;
        std::string scratch;         // its type, "!pto.tile_buf<...>"; empty for all others
        size_t scratch_operand = 0;  // its index among the operands of ins(...)
    };
    std::vector<const Operation*> origins;  // of each step of the program; null for the last
    std::vector<PlannedAddress> addresses;
    // BindOptions::verify: accepted by the assembler, and refused when the kernel runs.
    std::vector<Diagnostic> warnings;
    // BindOptions::verify of a kernel that is launched: operations that the assembler refuses.
    std::vector<Diagnostic> refused;
};

}  // namespace ptosim::assembly
