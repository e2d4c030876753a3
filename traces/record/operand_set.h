// The operands of an instruction in a recording.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "isa/table/instruction_table.h"

namespace ptosim {

// Shown part of an instruction's operands: the first tiles and global views among them, destination
// first. Instructions of a loop share one.
struct OperandSet {
    static constexpr unsigned kMost = 6;
    static constexpr uint8_t kNoMemory = 0, kGlobalMemory = 0x40;  // otherwise 1 + Space
    enum Role : uint8_t { kRead = 1, kWritten = 2 };
    // Meetings of operands in the banks of UB (sim/machine/observe/bank_conflicts.h).
    enum Banks : uint8_t { kReadsMeet = 1, kWriteMeets = 2 };

    // Sync instructions: `memory` of the first two items is the source and destination pipe, and
    // `dtype` of the first is the flag id.
    struct Item {
        uint8_t memory = kNoMemory;
        uint8_t dtype = 0;
        uint8_t roles = 0;
        uint8_t banks = 0;  // Banks, of the first item; no padding: sets are hashed as bytes
        uint32_t rows = 0;  // of the valid region
        uint32_t cols = 0;
        uint32_t address = 0;  // of tiles: first byte in its memory
        // Tiles: from there to the end of the bytes that can be touched. Views: bytes of a row that
        // lie together.
        uint32_t bytes = 0;
        friend bool operator==(const Item&, const Item&) = default;
    };
    std::array<Item, kMost> items{};
    friend bool operator==(const OperandSet&, const OperandSet&) = default;
};
static_assert(std::has_unique_object_representations_v<OperandSet>);

// The operands of an instruction.
OperandSet describe_operands(const Instruction& instruction);
// Like the complete set, but without the bytes that tiles touch, which take longest to find.
OperandSet describe_shapes(const Instruction& instruction);

// A flag, a barrier or a signal: orders work, does none.
inline bool is_sync(Opcode opcode) { return info(opcode).timing == TimingClass::kFlag; }

}  // namespace ptosim
