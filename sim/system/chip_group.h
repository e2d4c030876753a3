// Chips of one process, with one event queue, and links between them. Chips of several processes: sim/system/links.h.
//
// Memory of a chip is a window for each of its allocations, at the same address on every chip that has access to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/system/remote_windows.h"

namespace ptosim {

class ChipGroup : public Neighbours {
 public:
    // The chips must use `queue`, and outlive the group.
    ChipGroup(EventQueue& queue, std::span<Chip* const> chips, const SystemModel& system);
    ~ChipGroup() override;
    ChipGroup(const ChipGroup&) = delete;
    ChipGroup& operator=(const ChipGroup&) = delete;

    // The chip's view of the others.
    RemoteWindows& windows(unsigned chip) const;
    // The chip has made an allocation, or has released it.
    void add_allocation(unsigned chip, uint64_t address, uint64_t bytes);
    void remove_allocation(unsigned chip, uint64_t address);
    // Decides whether the chip's kernels can use the memory of another chip; at first they cannot. Throws
    // DiagnosticError (I30) if there is no address space for the copies of bytes that it loads.
    void set_access(unsigned chip, unsigned peer, bool usable);
    bool has_access(unsigned chip, unsigned peer) const;

    // Runs launches that have begun (Chip::begin) until one of them ends or fails. Returns false if nothing moves any
    // more: all cores are blocked, or have only polled for signals for 20 ms.
    bool run();
    // Runs until messages that are under way have arrived. Returns true, earlier, if a launch ends.
    bool settle();
    // After run() has returned false: the results of launches that have not ended name the chips' last polls.
    void fail();
    // The host has waited for the chip's launches, so later ones on other chips come after them.
    void note_wait(unsigned chip);

    // ---- Neighbours
    Cycle await(Cycle next) override;
    void act(Cycle now) override;

 private:
    class Member;
    bool launch_ended() const;
    bool all_poll(Cycle now) const;
    void add_window(unsigned to, unsigned owner, uint64_t address, uint64_t bytes);

    EventQueue& queue_;
    std::vector<std::unique_ptr<Member>> members_;
    Cycle latency_ = 0;      // the longest of a link
    Cycle limit_ = kNever;   // the queue stops before it
    Cycle next_check_ = 0;   // for cores that only poll
    bool idle_ = false;      // the last run has ended because nothing was left to do,
    bool polls_ = false;     // or because all cores only polled
    std::optional<Diagnostic> failure_;
};

}  // namespace ptosim
