// The commands of a debugger on a timeline, for the console and for editors: breakpoints, steps, and their way back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/debug/code_values.h"
#include "sim/debug/timeline.h"

namespace ptosim::debug {

// Ends of a motion. Each can also be the end of a way back.
enum class Motion : uint8_t {
    kLine,         // the next line of the core's control flow
    kOver,         // the next line of the same function or of one that has called it
    kOut,          // the next line after the function's return; of .pto kernels, the end of the block
    kInstruction,  // its next step; of compiled kernels, its next instruction
    kPipe,         // a pipe begins or completes an instruction
    kChip,         // any pipe does
    kCycle,        // the time is later
    kFlag,         // a flag or signal is set or taken
    kBlock,        // the core ends its block
    kContinue,     // breakpoints only
};

class Debugger {
 public:
    // `steps`: the control flow of the kernel has lines. `code`: of a compiled kernel; null: it is not.
    Debugger(Timeline& timeline, bool steps, CodeValues* code) : timeline_{timeline}, steps_{steps}, code_{code} {}

    // Rules for breakpoints that remain until they are removed. The result is the number of the rule.
    unsigned add(Rule rule, std::string text);
    bool remove(unsigned id) { return breakpoints_.erase(id) > 0; }
    struct Breakpoint {
        Rule rule;
        std::string text;
        std::string condition{};  // of variables of compiled code
    };
    const std::map<unsigned, Breakpoint>& breakpoints() const { return breakpoints_; }
    // A rule for a line: of the control flow, or of instructions.
    Rule line_rule(uint32_t line, const std::string& file) const;
    static Rule finding_rule();
    // The bytes of a name, seen from the chosen core.
    Rule written_rule(const std::string& name, Rule::Value value);

    struct Move {
        Motion motion = Motion::kContinue;
        Pipe pipe = Pipe::kS;
        std::string flag;  // "V->MTE3 #0"
    };
    Json start();
    Json move(const Move& move, bool back) { return go(end_of(move, back), back); }
    // A motion in two parts, for one that is interrupted: the rule of its end, seen from the present moment, and the run
    // to a moment of this rule or of a breakpoint.
    std::optional<Rule> end_of(const Move& move, bool back) const;
    Json go(const std::optional<Rule>& end, bool back);
    Json go_to(uint64_t moment) { return arrived(timeline_.go_to(moment)); }
    // Goes back to the last write of a name's bytes.
    Json writer(const std::string& name);

    // The core of questions and steps: that of the last stop, until another one is chosen.
    const std::string& core() const { return core_; }
    void choose(const std::string& core);
    Json ask(Json question) const;
    // The frame of a compiled kernel's code in which names are looked up: the innermost one after each motion.
    size_t frame() const { return frame_; }
    void choose_frame(size_t frame);
    Timeline& timeline() { return timeline_; }
    // Null if the kernel is not compiled code.
    CodeValues* code() const { return code_; }
    // "breakpoint 1: line 12", "the write of x[3,7]"
    std::string reason(const Json& stop) const;

 private:
    Json arrived(Json stop);
    Rule next_line() const;
    uint64_t stack() const;
    bool passes(Json& stop);
    bool holds(const std::string& condition, Json& stop);

    Timeline& timeline_;
    const bool steps_;
    CodeValues* const code_;
    std::map<unsigned, Breakpoint> breakpoints_;
    unsigned next_ = 1;
    std::string core_;
    size_t frame_ = 0;
};

}  // namespace ptosim::debug
