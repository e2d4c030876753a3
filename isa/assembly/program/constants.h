// Values of a program's scalars that are known without running it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

class Constants {
 public:
    explicit Constants(const Program& program);

    // Value of a scalar slot; nothing if it depends on the kernel's arguments, its identity in the launch, or memory.
    std::optional<int64_t> value(Slot slot) const { return value(slot, 0); }
    // The iterations of the counted loop that ends with this step; nothing of another loop.
    std::optional<uint64_t> turns(uint32_t end) const;

 private:
    std::optional<int64_t> value(Slot slot, unsigned depth) const;

    const Program& program_;
    std::vector<uint32_t> writers_;  // by slot: the only step that writes it
};

}  // namespace ptosim::assembly
