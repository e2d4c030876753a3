// A mend: changes of a kernel's flags and barriers that may remove findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/instruction.h"

namespace ptosim::check {

struct MendStep {
    enum class Kind : uint8_t { kInsert, kRemove, kReplace };
    enum class Place : uint8_t {
        kBefore,  // the line
        kAfter,
        kBeforeLoop,  // the outermost loop around the line; without a loop the line
        kAfterLoop,   // without a loop, the end of the function
    };
    Kind kind = Kind::kInsert;
    Place place = Place::kBefore;
    SourceLocation at;
    // The operation to insert, to put in place of the one at the line, or to remove.
    Opcode opcode = Opcode::kSET_FLAG;
    Pipe source = Pipe::kS, destination = Pipe::kS;
    uint8_t id = 0;
    // Of .pto: the id as text, if the kernel computes it ("%slot").
    std::string id_text{};
    CoreType core = CoreType::kAIV;  // on which the line runs
};

struct Mend {
    size_t finding = 0;  // index of the finding that it is made for
    // Order of the tries: lost operations are put back first, then a pair of flags is added, then a
    // set and a wait at one place.
    unsigned rank = 0;
    // Of a deadlock: index of its wait in the finding; -1: the finding's own.
    int wait = -1;
    std::vector<MendStep> steps;
};

// A line of a mend: text before, after or in place of a line of the kernel.
struct MendLine {
    enum class Place : uint8_t { kBefore, kAfter, kInstead };
    std::string file;
    uint32_t line = 0;
    Place place = Place::kBefore;
    std::string text;  // without blanks at its beginning; empty: the line is removed
};

}  // namespace ptosim::check
