// A checker of the machine, and the row by which it registers itself.
//
// A checker is a source in sim/check/checkers/: a class and its row. CMake lists the sources of
// that folder, so that the row of FILE.cpp has to be called FILE_row:
//
//     PTOSIM_CHECKER(drain) = row_of<DrainChecker>({.name = "drain", .codes = "E12", ...});
//
// The command line, the help texts and docs/checking.md take names and codes from the rows;
// isa/core/diagnostics.tsv explains the codes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/shadow.h"
#include "sim/check/timelines.h"
#include "sim/memory/global_memory.h"
#include "sim/observe/observer.h"

namespace ptosim::check {

// Learns which dependent accesses of pipe V are ordered.
class DependenceListener {
 public:
    virtual void dependence(const Stamp& earlier, const Stamp& later) = 0;

 protected:
    ~DependenceListener() = default;
};

// Shared by the checkers of a run. The last members describe the event that checkers are being
// called for.
struct Shared {
    const Timelines& timelines;
    const GlobalMemory& memory;
    Budget& budget;
    DependenceListener* dependences = nullptr;  // may be null

    const SourceMap* sources = nullptr;  // of the launch
    size_t running = 0;                  // blocks on cores that have begun and not ended
    Timelines::SetOrder set_order = Timelines::SetOrder::kInTurn;  // on_flag_set
    bool wait_orders = false;          // on_flag_wait: it orders what was not ordered without it
    bool counter_may_be_full = false;  // on_signal: with another timing, though not in this run
};

// Hooks are called after the timelines have taken the event in, but for the end of a block, which
// makes the scalar unit wait for everything.
class Checker : public Observer {
 public:
    Checker(Shared& shared, Findings& findings)
        : shared_{shared},
          timelines_{shared.timelines},
          memory_{shared.memory},
          budget_{shared.budget},
          findings_{findings} {}

    // After on_issue() and on_start(), of instructions that touch memory.
    virtual void on_issue_accesses(const InstructionEvent&, const Footprint&) {}
    virtual void on_start_accesses(const InstructionEvent&, const Footprint&) {}
    // Memory that a host program allocates; `fresh` is what every byte of it holds.
    virtual void on_host_allocate(uint64_t /*address*/, uint64_t /*size*/,
                                  const std::string& /*name*/, std::byte /*fresh*/) {}
    virtual void on_host_release(uint64_t /*address*/) {}
    virtual void on_host_write(uint64_t /*address*/, uint64_t /*size*/) {}
    virtual void on_host_read(uint64_t /*address*/) {}
    virtual void on_host_end() {}
    // A task of a program of many kernels has ended: what it leaves on chip is undefined.
    virtual void on_task_end(CoreId) {}
    // Lines of a list of wasteful things (Chosen::kByWasted).
    virtual std::vector<std::string> wasteful() const { return {}; }

 protected:
    Shared& shared_;
    const Timelines& timelines_;
    const GlobalMemory& memory_;
    Budget& budget_;
    Findings& findings_;
};

// Hooks that are called for each instruction or access: only of checkers that override them.
enum class Hook : uint8_t {
    kIssue,
    kStart,
    kIssueAccesses,
    kStartAccesses,
    kFlagSet,
    kFlagWait,
    kSignal,
    kScalarAccess,
    kCache,
    kBlock,
    kUnblock,
};
inline constexpr size_t kHookCount = 11;

enum class Chosen : uint8_t {
    kInAll,     // by name and by "all"
    kByName,
    kByWasted,  // by --wasted: it lists what is right and wasteful, and finds nothing
};

struct CheckerRow {
    std::string_view name;  // several rows of one name are chosen together
    Chosen chosen = Chosen::kByName;
    std::string_view codes = {};  // of its findings, separated by spaces
    std::string_view about;       // one line of the list of checkers
    // On each event, checkers are called in this order: findings of one event are reported in it.
    unsigned order = 0;
    // It looks at what kernels in C++ access by pointers.
    bool by_pointers = false;
    // A checker that has to run for this one, even if its findings are not asked for.
    const CheckerRow* needs = nullptr;
    // Null: the machine itself makes the findings.
    std::unique_ptr<Checker> (*make)(Shared& shared, Findings& findings) = nullptr;
    uint16_t hooks = 0;  // a bit for each Hook
};

// The row of a class: how it is made, and which hooks it overrides.
template <class T>
constexpr CheckerRow row_of(CheckerRow row) {
    const auto bit = [](Hook hook, bool is) {
        return static_cast<uint16_t>((is ? 1u : 0u) << static_cast<unsigned>(hook));
    };
    row.make = [](Shared& shared, Findings& findings) -> std::unique_ptr<Checker> {
        return std::make_unique<T>(shared, findings);
    };
// The address of a hook that is inherited has the type of Checker's.
#define PTOSIM_OVERRIDES(hook) !std::is_same_v<decltype(&T::hook), decltype(&Checker::hook)>
    row.hooks = static_cast<uint16_t>(
        bit(Hook::kIssue, PTOSIM_OVERRIDES(on_issue)) |
        bit(Hook::kStart, PTOSIM_OVERRIDES(on_start)) |
        bit(Hook::kIssueAccesses, PTOSIM_OVERRIDES(on_issue_accesses)) |
        bit(Hook::kStartAccesses, PTOSIM_OVERRIDES(on_start_accesses)) |
        bit(Hook::kFlagSet, PTOSIM_OVERRIDES(on_flag_set)) |
        bit(Hook::kFlagWait, PTOSIM_OVERRIDES(on_flag_wait)) |
        bit(Hook::kSignal, PTOSIM_OVERRIDES(on_signal)) |
        bit(Hook::kScalarAccess, PTOSIM_OVERRIDES(on_scalar_access)) |
        bit(Hook::kCache, PTOSIM_OVERRIDES(on_cache)) |
        bit(Hook::kBlock, PTOSIM_OVERRIDES(on_block)) |
        bit(Hook::kUnblock, PTOSIM_OVERRIDES(on_unblock)));
#undef PTOSIM_OVERRIDES
    return row;
}

#define PTOSIM_CHECKER(file)            \
    extern const CheckerRow file##_row; \
    constinit const CheckerRow file##_row

}  // namespace ptosim::check
