// A checker of the machine, and the row by which it registers itself.
//
// A checker is a source in sim/check/checkers/: a class and its row. CMake lists the sources of that folder, so the row
// in FILE.cpp must have the name FILE_row:
//
//     PTOSIM_CHECKER(drain) = row_of<DrainChecker>({.name = "drain", .codes = "E12", ...});
//
// The command line, the help texts and docs/checking.md take names and codes from the rows; isa/core/diagnostics.tsv
// explains the codes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/check/chip_order.h"
#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/polled_stores.h"
#include "sim/check/shadow.h"
#include "sim/check/timelines.h"
#include "sim/machine/memory/global_memory.h"
#include "sim/machine/observe/data_observer.h"

namespace ptosim::check {

// Receives the pairs of dependent accesses of pipe V that are ordered.
class DependenceListener {
 public:
    virtual void dependence(const Stamp& earlier, const Stamp& later) = 0;

 protected:
    ~DependenceListener() = default;
};

// State shared by the checkers of a run. The last members describe the event for which checkers are being called.
struct Shared {
    const Timelines& timelines;
    const GlobalMemory& memory;
    Budget& budget;
    ChipOrder& chips;
    const PolledStores& polled;
    DependenceListener* dependences = nullptr;  // may be null

    const SourceMap* sources = nullptr;  // of the launch
    size_t running = 0;                  // blocks that have begun and not ended
    Timelines::SetOrder set_order = Timelines::SetOrder::kInTurn;  // on_flag_set
    bool wait_orders = false;          // for on_flag_wait: the wait adds order
    bool counter_may_be_full = false;  // for on_signal: full under another timing, not in this run
};

// Hooks are called after the timelines have processed the event, except for the end of a block, which makes the scalar
// unit wait for everything.
class Checker : public Observer {
 public:
    Checker(Shared& shared, Findings& findings)
        : shared_{shared},
          timelines_{shared.timelines},
          memory_{shared.memory},
          budget_{shared.budget},
          findings_{findings} {}

    // Called after on_issue() and on_start() for instructions that touch memory.
    virtual void on_issue_accesses(const InstructionEvent&, const Footprint&) {}
    virtual void on_start_accesses(const InstructionEvent&, const Footprint&) {}
    // True: on_data_begin() is called before the data of this instruction takes effect. Only if a
    // launch computes data.
    virtual bool follows_data(CoreId, uint64_t /*sequence*/) const { return false; }
    virtual void on_data_begin(const DataEvent&) {}
    // A host program has allocated memory; every byte of it holds `fresh`.
    virtual void on_host_allocate(uint64_t /*address*/, uint64_t /*size*/,
                                  const std::string& /*name*/, std::byte /*fresh*/) {}
    virtual void on_host_release(uint64_t /*address*/) {}
    virtual void on_host_write(uint64_t /*address*/, uint64_t /*size*/) {}
    virtual void on_host_read(uint64_t /*address*/, uint64_t /*size*/) {}
    virtual void on_host_end() {}
    // Another chip has accessed a window of this one.
    virtual void on_window_access(unsigned /*from*/, const WindowAccess&, const OtherChips& /*clock*/) {}
    // A task of a program of many kernels has ended. On-chip data that it leaves is undefined.
    virtual void on_task_end(CoreId) {}
    // Lines of a list of wasteful behaviour (Chosen::kByWasted).
    virtual std::vector<std::string> wasteful() const { return {}; }

 protected:
    Shared& shared_;
    const Timelines& timelines_;
    const GlobalMemory& memory_;
    Budget& budget_;
    Findings& findings_;
};

// Hooks that are called for each instruction or access, only for checkers that override them.
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
    kData,
};
inline constexpr size_t kHookCount = 12;

enum class Chosen : uint8_t {
    kInAll,     // by name and by "all"
    kByName,
    kByWasted,  // by --wasted: lists correct but wasteful behaviour and makes no findings
};

struct CheckerRow {
    std::string_view name;  // rows that share a name are chosen together
    Chosen chosen = Chosen::kByName;
    std::string_view codes = {};  // of its findings, separated by spaces
    std::string_view about;       // one line of the list of checkers
    // Order in which checkers are called for each event, and so the order of findings of one event.
    unsigned order = 0;
    // True if the checker needs the accesses of C++ kernels through pointers.
    bool by_pointers = false;
    // A checker that must run for this one, even if its findings are not requested.
    const CheckerRow* needs = nullptr;
    // Null: the machine itself makes the findings.
    std::unique_ptr<Checker> (*make)(Shared& shared, Findings& findings) = nullptr;
    uint16_t hooks = 0;  // one bit for each Hook
};

// Completes the row of a class: its factory, and the hooks that it overrides.
template <class T>
constexpr CheckerRow row_of(CheckerRow row) {
    const auto bit = [](Hook hook, bool is) {
        return static_cast<uint16_t>((is ? 1u : 0u) << static_cast<unsigned>(hook));
    };
    row.make = [](Shared& shared, Findings& findings) -> std::unique_ptr<Checker> {
        return std::make_unique<T>(shared, findings);
    };
// The address of an inherited hook has the type of Checker's.
#define PTOSIM_OVERRIDES(hook) !std::is_same_v<decltype(&T::hook), decltype(&Checker::hook)>
    row.hooks =
        static_cast<uint16_t>(bit(Hook::kIssue, PTOSIM_OVERRIDES(on_issue)) |
                              bit(Hook::kStart, PTOSIM_OVERRIDES(on_start)) |
                              bit(Hook::kIssueAccesses, PTOSIM_OVERRIDES(on_issue_accesses)) |
                              bit(Hook::kStartAccesses, PTOSIM_OVERRIDES(on_start_accesses)) |
                              bit(Hook::kFlagSet, PTOSIM_OVERRIDES(on_flag_set)) |
                              bit(Hook::kFlagWait, PTOSIM_OVERRIDES(on_flag_wait)) |
                              bit(Hook::kSignal, PTOSIM_OVERRIDES(on_signal)) |
                              bit(Hook::kScalarAccess, PTOSIM_OVERRIDES(on_scalar_access)) |
                              bit(Hook::kCache, PTOSIM_OVERRIDES(on_cache)) |
                              bit(Hook::kBlock, PTOSIM_OVERRIDES(on_block)) |
                              bit(Hook::kUnblock, PTOSIM_OVERRIDES(on_unblock)) |
                              bit(Hook::kData, PTOSIM_OVERRIDES(on_data_begin)));
#undef PTOSIM_OVERRIDES
    return row;
}

#define PTOSIM_CHECKER(file)            \
    extern const CheckerRow file##_row; \
    constinit const CheckerRow file##_row

}  // namespace ptosim::check
