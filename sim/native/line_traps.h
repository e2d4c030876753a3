// Lines of compiled kernels as events, for debuggers: a breakpoint instruction at the begin of each line's code, which
// the handler of its signal replaces for the time of one instruction. On x86-64 only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/native/call_sites.h"

namespace ptosim {

class NativeKernel;
struct Running;

// The begin of a line's code.
struct LineCode {
    uint64_t offset = 0;  // in the library
    SourceLocation where;
};
// Lines of the user's files in a library, by offset; several lines may begin at one. The entry of a function is not
// among them if a line begins after it has made its frame. Read by objdump; empty without lines.
std::vector<LineCode> lines_of_code(const std::string& library, std::span<const uint64_t> functions,
                                    const CallSites::FindFile& find);

// A place in a kernel's code, with the registers there.
struct CodePlace {
    // Numbers of registers in DWARF for x86-64: 0 to 15, and the program counter.
    static constexpr unsigned kStackPointer = 7, kProgramCounter = 16, kRegisters = 17;

    const NativeKernel* kernel = nullptr;
    uint64_t base = 0;  // of its library
    std::array<uint64_t, kRegisters> registers{};
    uint32_t known = 0;  // a bit for each register whose value is known

    uint64_t stack() const { return registers[kStackPointer]; }
    uint64_t offset() const { return registers[kProgramCounter] - base; }
};

class LineListener {
 public:
    virtual ~LineListener() = default;
    // The code of a core is about to execute a line.
    virtual void on_line(const KernelPort& port, SourceLocation where, const CodePlace& place) = 0;
    // It has called the simulator.
    virtual void on_call(const KernelPort& port, const CodePlace& place) = 0;
};

// True on hosts whose lines can be followed.
bool can_follow_lines();
// From now on kernels report their lines to a listener, which is never removed.
void follow_lines(LineListener& listener);
extern LineListener* line_listener;  // null: none

// A kernel's code is about to run on a core: sets the traps of its library.
void follow_code(Running& core);
// A kernel's code has called the simulator, which must be in a function that it has called.
void follow_call(Running& core);

}  // namespace ptosim
