// The functions of a bound kernel as each type of core sees them; the input of insert_sync().
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/sync/insertion.h"

namespace ptosim::assembly {

class StepWork;

class SyncBlocks {
 public:
    struct Function {
        const Operation* operation = nullptr;
        std::optional<CoreType> kind;  // the core type that it is for, if it is for one only
    };

    // `record` is that of binding the module to the program; all of them outlive this.
    SyncBlocks(const Module& module, const Program& program, const BindRecord& record, Arch arch);
    ~SyncBlocks();

    // Functions that the chosen entry runs, in the order of the text.
    std::vector<Function> running() const;
    // Operations that choose a slot of a buffer in a loop, where it is not known which iterations
    // use which slot: each iteration waits for the one before it.
    const std::vector<const Operation*>& indistinct() const;
    SyncBlock of(const Function& function, CoreType core) const;

 private:
    std::vector<Function> functions_;  // with a body, in the order of the text
    std::unordered_map<std::string_view, Function> by_name_;
    std::unique_ptr<const StepWork> work_;
};

}  // namespace ptosim::assembly
