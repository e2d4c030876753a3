// From the operation tree of a `.pto` file to a kernel that cores can run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/plan/planner.h"
#include "isa/assembly/program/interpreter.h"
#include "isa/assembly/syntax/ast.h"
#include "isa/core/pipe.h"

namespace ptosim::assembly {

struct FunctionTable;

struct BindOptions {
    std::string entry;  // name of the function; empty: the file's only entry
    Arch arch = Arch::kA2A3;
    // Nothing will be launched: parameters may be of any type, the halves of a kernel may differ in
    // theirs, and instructions are checked against their rules as far as types tell.
    bool verify = false;
    SpaceBudgets budgets{};  // bytes of each on-chip memory, for tiles without an address
    PlanPolicy plan = PlanPolicy::kInOrder;
    // For callers that bind many functions of a module, one after the other: its functions_of(),
    // and whether kernels keep a copy of its text (findings quote lines from it).
    const FunctionTable* functions = nullptr;
    bool keep_text = true;
    // Functions that are declared without a body may be called: the port that the kernel runs on
    // has them (ExternalFunctions).
    bool external_functions = false;
};

// What binding has found out about the operations of the text, for those who rewrite it.
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
    // What BindOptions::verify has found and the assembler
    // accepts: the kernel is refused when it runs, not before.
    std::vector<Diagnostic> warnings;
};

// Throws a DiagnosticError with all problems found, at most kMaxSyntaxErrors:
// K02 unknown operation, K03 an operation that is not supported, K04 an operation below the tile
// level, K05 a value that is not defined or defined twice, K06 number of operands, K07 types that
// do not fit, K08 functions and symbols, K09 attributes and clauses, K10 tiles that do not fit into
// their memory, K11 malformed control flow.
std::unique_ptr<AssemblyKernel> bind(const Module& module, const BindOptions& options,
                                     BindRecord* record = nullptr);

// The functions that can be launched: those marked pto.entry or pto.kernel; without any, all that
// are public and have a body, less those that others call.
std::vector<std::string> entry_names(const Module& module);
// What to bind to see every function with a body once, as values of BindOptions::entry: functions
// that are joined by a FIFO or are the two halves of a kernel together ("cube+vector"), others
// alone; those that others call come with their callers.
std::vector<std::string> compile_units(const Module& module);
// What the module says it was made for (pto.target_arch), if it says so.
std::optional<Arch> declared_arch(const Module& module);
// What it declares; empty if nothing.
std::string declared_arch_word(const Module& module);

}  // namespace ptosim::assembly
