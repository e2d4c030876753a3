// The process that runs the machine for the debugger: it numbers the events of the run, stops at events that match
// a rule, answers questions while it is stopped, and forks copies of itself.
//
// Each message of the debugger begins with "do":
//   go       run on: rules, `until` (a moment), `limit` (a moment: search before it instead of stopping)
//   ask      a question about the stopped machine (views.h)
//   pause    stop now
//   resume   of a copy: make a process that runs on, with the members of go
// and each answer has "is": stopped, found, answer, output, copy, resumed.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>

#include "isa/assembly/program/step_listener.h"
#include "sim/debug/channel.h"
#include "sim/debug/moment.h"
#include "sim/debug/rule.h"
#include "sim/native/line_traps.h"
#include "sim/session/expression.h"
#include "sim/session/golden.h"
#include "sim/session/session.h"

namespace ptosim::debug {

// Ranges of bytes.
using Runs = std::vector<std::pair<uint64_t, uint64_t>>;

// The run that is debugged; must outlive the target.
struct Subject {
    Session& session;
    const Kernel& kernel;
    const assembly::Program* program;  // null for compiled kernels
    const std::vector<Argument>& arguments;
    const Goldens& goldens;
};

class Target final : public Observer, public assembly::StepListener, public LineListener {
 public:
    // The slots of a control flow.
    struct Slots {
        std::vector<uint64_t> scalars;
        std::vector<Tile> tiles;
        std::vector<GlobalView> views;
    };
    // A function of a compiled kernel at its last line.
    struct Call {
        CodePlace place;
        SourceLocation line;
        uint64_t stack() const { return place.stack(); }
    };
    // The control flow of a core at its next step, or after its last one.
    struct CoreFlow {
        const assembly::Frame* frame = nullptr;
        std::optional<Slots> left;  // of a frame that has ended
        const assembly::Step* step = nullptr;
        const std::vector<uint64_t>* scalars = nullptr;  // null: none yet
        const std::vector<Tile>* tiles = nullptr;
        const std::vector<GlobalView>* views = nullptr;
        SourceLocation where;
        BlockIdentity identity;
        bool in_block = false;
        std::vector<uint64_t> executed;  // of each step, in this block
        // Of compiled kernels.
        std::optional<CodePlace> place;              // the last known one
        std::vector<Call> calls;                     // the last line of each function that has not returned
        std::map<std::pair<uint64_t, uint32_t>, uint64_t> executed_code;  // by offset and line, in this block
    };

    Target(const Subject& subject, Channel channel);

    // The launch is over: stops for good. Never returns.
    [[noreturn]] void end(const std::string& summary);
    // A line of the kernel's output.
    void print(CoreId core, std::string_view line);
    // Runs until the first rule that is sent; before the launch.
    void begin();

    const Subject& subject() const { return subject_; }
    const Moment& moment() const { return moment_; }
    // The instruction of the moment; null if it has none.
    const Instruction* instruction() const { return instruction_; }
    const CoreFlow* flow(CoreId core) const;
    // The numbers of names that are in scope, for conditions; with `block` and `core`.
    Values values(CoreId core) const;

    // StepListener
    void on_step(const assembly::Step& step, const assembly::Frame& frame) override;
    void on_frame_end(const assembly::Frame& frame) override;
    // LineListener
    void on_line(const KernelPort& port, SourceLocation where, const CodePlace& place) override;
    void on_call(const KernelPort& port, const CodePlace& place) override;
    // Observer
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override { instruction_happens(Happening::kIssue, event); }
    void on_start(const InstructionEvent& event) override { instruction_happens(Happening::kStart, event); }
    void on_complete(const InstructionEvent& event) override { instruction_happens(Happening::kComplete, event); }
    void on_flag_set(const FlagEvent& event) override { flag_happens(Happening::kSet, event); }
    void on_flag_wait(const FlagEvent& event) override { flag_happens(Happening::kTake, event); }
    void on_scalar_access(const ScalarAccessEvent& event) override;
    void on_block(const BlockEvent& event) override { wait_happens(Happening::kWait, event); }
    void on_unblock(const BlockEvent& event) override { wait_happens(Happening::kContinue, event); }
    void on_diagnostic(const Diagnostic& diagnostic) override;

 private:
    struct Orders {
        std::vector<Rule> rules;
        uint64_t until = 0;  // 0: none
        uint64_t limit = 0;
        std::vector<uint64_t> copies;  // moments at which to leave a copy
        unsigned copies_every = 0;     // milliseconds of the host; 0: no further ones
        uint64_t copies_from = 0;      // moment after which these begin
    };
    using Clock = std::chrono::steady_clock;

    void instruction_happens(Happening what, const InstructionEvent& event);
    void flag_happens(Happening what, const FlagEvent& event);
    void block_happens(Happening what, const RunEvent& event);
    void wait_happens(Happening what, const BlockEvent& event);
    void happens(Moment moment);
    // The numbers of rules that hold at this moment.
    std::vector<unsigned> matching();
    bool matches(const Rule& rule);
    bool matches_text(const Rule& rule);
    bool holds(const Rule& rule);
    bool writes(const Rule& rule);
    bool value_stops(const Rule& rule, const Place& place, const Runs& written) const;
    void look_up();
    void stop(std::string_view reason, const std::vector<unsigned>& rules = {});
    void find();
    void obey(const Json& message);
    void leave_copy();
    void keep();

    const Subject subject_;
    Channel channel_;
    Moment moment_;
    const Instruction* instruction_ = nullptr;  // of the moment
    std::optional<Place> stored_;               // bytes that the scalar unit is about to write, since the last moment
    SourceLocation stored_where_;
    CoreId stored_core_;
    std::map<std::pair<CoreType, unsigned>, CoreFlow> flows_;
    std::map<const assembly::Frame*, CoreId> cores_of_frames_;
    Orders orders_;
    std::optional<Moment> found_;  // the last moment before orders_.limit at which a rule holds
    std::vector<unsigned> found_rules_;
    std::string found_note_;
    std::string note_;  // for the next stop
    Clock::time_point last_copy_ = Clock::now();
    uint64_t furthest_ = 0;  // moment up to which output has been shown
};

}  // namespace ptosim::debug
