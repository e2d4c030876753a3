// Rules by which a run stops: breakpoints, watchpoints, and the ends of steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/core/pipe.h"
#include "isa/core/tile.h"
#include "sim/files/json.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/observe/parse_core.h"

namespace ptosim::debug {

// Events of a run. They are numbered from 1 in their order, which is the same in each run, so a number is a moment of
// the run.
enum class Happening : uint8_t {
    kStep,      // the control flow of a .pto kernel is about to execute a step
    kIssue,     // an instruction enters the queue of its pipe
    kStart,     // its pipe begins with it
    kComplete,  // its results are in memory
    kSet,       // a flag or a signal is set
    kTake,      // and is taken by a wait
    kAccess,    // the scalar unit is about to load or store
    kWait,      // a pipe or the scalar unit begins to wait
    kContinue,  // and continues
    kBegin,     // a core begins a block
    kEnd,       // and ends it
    kFinding,   // a problem is reported
    kOver,      // the launch is over
};
std::string_view name(Happening what);
std::optional<Happening> parse_happening(std::string_view word);

// Bytes that a rule watches or a view shows.
struct Place {
    std::string text;     // as written: "x[3,7]"
    bool global = false;  // otherwise of a core's memory
    CoreId core;
    Space space = Space::kUB;
    uint64_t begin = 0, end = 0;
    DType dtype = DType::kU8;
    std::optional<size_t> parameter;  // of the kernel, if it is its array
};
Json json_of(const Place& place);
Place place_of(const Json& json);

struct Rule {
    // A write of watched bytes stops the run if it leaves such a value.
    enum class Value : uint8_t { kAny, kNan, kDiffers };

    unsigned id = 0;              // 0: the end of a step
    std::vector<Happening> what;  // empty: all
    std::optional<CoreId> core;
    std::optional<Pipe> pipe;
    std::optional<uint32_t> block;
    std::string file;          // ends of file names match
    uint32_t line = 0;         // 0: all
    bool new_line = false;     // kStep only: the first step of a line
    uint64_t stack = 0;        // compiled kernels: lines of functions whose stack pointer is not lower; 0: all
    uint64_t iteration = 0;    // kStep only: of the line on its core and block, from 1; 0: all
    Cycle after = 0;           // later cycles only, if `later`
    bool later = false;
    Cycle before = 0;          // earlier cycles only; 0: all
    std::string condition;     // an expression of scalars
    std::string flag;          // "V->MTE3 #0", of kSet and kTake
    std::optional<Place> written;
    Value value = Value::kAny;
    bool any_nan = false;  // an instruction writes a NaN, anywhere
};
Json json_of(const Rule& rule);
Rule rule_of(const Json& json);

}  // namespace ptosim::debug
