// Finds reads of boxes in L0A, L0B and L0C that do not match the write: another pitch (A08), or more columns (A11).
//
// Instructions derive the pitch of boxes from different fields of a tile (isa/table/physical_layout.h). If a read uses
// another pitch than the write did, it reads wrong elements from the second column (row) of boxes on: A08. The cube
// multiplies whole boxes along k, including data written beyond the valid columns of the left factor: A11. Writes are
// followed in program order.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "isa/table/physical_layout.h"
#include "sim/machine/core/core_context.h"

namespace ptosim {

class BoxWriters {
 public:
    explicit BoxWriters(const CoreContext& core) : core_{core} {}

    // A block begins: forgets what earlier blocks wrote.
    void forget();
    // The core issues an instruction whose operands have the pitches that the instruction uses.
    void note(const Instruction& instruction);
    // Number of columns of the left factor that the cube multiplies, if more than its valid columns: in the last box it
    // includes the columns that were valid when they were written. 0: the valid columns.
    int32_t depth_of(const Instruction& instruction);

 private:
    struct Use {
        Opcode opcode{};
        uint8_t operand = 0;
        SourceLocation location;
        Tile tile;
        PitchFrom from = PitchFrom::kShape;
    };
    // Lines of boxes that an operand touches, in bytes of its memory.
    struct Lines {
        uint64_t begin = 0, width = 0, pitch = 0, count = 0;
        bool first_only = false;  // nothing beyond the first line of the declared tile
    };
    using Writer = uint16_t;  // index into writers_; 0: none
    static constexpr uint64_t kGranule = 32;

    static Lines lines_of(const Instruction& instruction, unsigned operand);
    Use use_of(const Instruction& instruction, unsigned operand) const;
    void read(const Instruction& instruction, unsigned operand);
    void write(const Instruction& instruction, unsigned operand);
    Writer writer_of(const Use& use);
    std::vector<Writer>& granules(Space space);
    void report(const Use& reader, const Use& writer);
    void report_depth(const Use& reader, const Use& writer, int32_t depth);
    void warn(const Use& reader, const Use& writer, Diagnostic d);

    const CoreContext& core_;
    std::vector<Use> writers_ = std::vector<Use>(1);
    std::vector<Writer> left_, right_, accumulators_;
    std::unordered_set<uint64_t> reported_;  // pairs of source locations
};

}  // namespace ptosim
