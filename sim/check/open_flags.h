// Flags in program order: sets for which the program has not waited yet.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/core/instruction.h"

namespace ptosim::check {

class OpenFlags {
 public:
    struct Flag {
        bool set = false;
        bool again = false;  // the last set follows another one, and no wait is between them
        SourceLocation location;
    };
    void launch(size_t cores) { flags_.assign(cores, {}); }
    void block_begin(uint16_t core) { flags_[core] = {}; }
    Flag& at(uint16_t core, Pipe source, Pipe destination, unsigned id) {
        const size_t pair =
            static_cast<size_t>(source) * kPipeCount + static_cast<size_t>(destination);
        return flags_[core][pair * kIds + id % kIds];
    }
    // Processes an instruction that sets or awaits a flag. Returns false for other instructions.
    bool issue(uint16_t core, const Instruction& instruction) {
        const bool sets = instruction.opcode == Opcode::kSET_FLAG;
        if (!sets && instruction.opcode != Opcode::kWAIT_FLAG) return false;
        const Attributes& a = instruction.attributes;
        Flag& flag = at(core, a.source_pipe, a.destination_pipe, a.event_id);
        if (sets) flag.again = flag.set;
        flag.set = sets;
        if (sets) flag.location = instruction.location;
        return true;
    }

 private:
    static constexpr size_t kIds = 16;
    std::vector<std::array<Flag, kPipeCount * kPipeCount * kIds>> flags_;  // by core
};

// Text such as "flag MTE2->V #0".
inline std::string flag_text(Pipe source, Pipe destination, unsigned id) {
    return "flag " + std::string(name(source)) + "->" + std::string(name(destination)) + " #" +
           std::to_string(id);
}

}  // namespace ptosim::check
