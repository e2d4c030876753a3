// The functions of a module, as the text has them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/syntax/ast.h"
#include "isa/core/pipe.h"

namespace ptosim::assembly {

// Calls visit(function, module around it) for every named function that has a body or declares one.
void each_function(std::span<const Operation> operations, const Operation* module, auto&& visit) {
    for (const Operation& op : operations) {
        // MLIR's generic form of a function ("func.func"() ...) has no symbol name here.
        const bool body = !op.regions.empty() && !op.regions[0].blocks.empty();
        if (op.name == "func.func" && body && !op.symbol.empty()) visit(op, module);
        if (op.name == "module" || op.name == "builtin.module")
            for (const Region& region : op.regions)
                for (const Block& block : region.blocks)
                    each_function(block.operations, &op, visit);
    }
}

struct FunctionInfo {
    const Operation* function = nullptr;
    const Operation* module = nullptr;
    unsigned definitions = 0;
};

// The functions of a module by their names, and further definitions of a name with the first one.
struct FunctionTable {
    std::unordered_map<std::string_view, FunctionInfo> by_name;
    std::vector<std::pair<const Operation*, const Operation*>> repeated;
};
FunctionTable functions_of(const Module& module);

// "pto.kernel_kind" of a function or of the module around it.
std::optional<CoreType> kind_of(const Operation& function, const Operation* module);
// Parameters that PyPTO adds and for which the launch itself supplies the value, by name.
std::optional<IdentityField> implicit_parameter(std::string_view name);
// The functions that can be launched: all marked pto.entry or pto.kernel; without any, all that are public and have a
// body, except callees of others.
std::vector<const Operation*> entries_of(const Module& module);
std::vector<std::string> entry_names(const Module& module);
// Values of BindOptions::entry that together bind every function with a body once: functions that are joined by a FIFO
// or are the two halves of a kernel together ("cube+vector"), others alone; callees come with their callers.
std::vector<std::string> compile_units(const Module& module);
// The architecture that the module declares (pto.target_arch), if any.
std::optional<Arch> declared_arch(const Module& module);
// The declared word; empty if there is none.
std::string declared_arch_word(const Module& module);

}  // namespace ptosim::assembly
