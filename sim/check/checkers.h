// The chosen checkers of a run, as one observer of the machine.
#pragma once

#include <array>
#include <memory>

#include "sim/check/polled_stores.h"
#include "sim/check/published_lines.h"
#include "sim/check/registry.h"

namespace ptosim::check {

class Checkers : public Observer, public DataObserver {
 public:
    Checkers(const CheckOptions& options, const GlobalMemory& global,
             std::function<void(const Diagnostic&)> announce);
    Checkers(const Checkers&) = delete;
    Checkers& operator=(const Checkers&) = delete;

    const std::vector<Diagnostic>& findings() const { return findings_.list(); }
    // True if shadow memory was full, so that later findings may be missing.
    bool out_of_memory() const { return budget_.exceeded; }
    // Lines of all lists of wasteful behaviour; empty unless requested.
    std::vector<std::string> wasted() const;

    // A program of many kernels is one block on each core. A task is ordered after all tasks that have ended. When it
    // ends, its on-chip data becomes undefined.
    void task_begins(CoreId core);
    void task_ends(CoreId core);

    // A host program has allocated memory; every byte of it holds `fresh`.
    void host_allocates(uint64_t address, uint64_t size, const std::string& name,
                        std::byte fresh = {});
    void host_releases(uint64_t address);
    void host_writes(const void* address, uint64_t size);
    void host_reads(const void* address, uint64_t size);
    void host_ends();
    // This chip shares its clock and windows with others; null: no longer.
    void join(Peers* peers);
    // The checker of this class; null if it is not chosen.
    template <class T>
    T* find() {
        for (const auto& checker : checkers_)
            if (T* found = dynamic_cast<T*>(checker.get()); found != nullptr) return found;
        return nullptr;
    }

    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle time) override;
    void on_part(const PartEvent& event) override;
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override;
    void on_start(const InstructionEvent& event) override;
    void on_flag_set(const FlagEvent& event) override;
    void on_flag_wait(const FlagEvent& event) override;
    void on_signal(const SignalEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    void on_carried_state(const CarriedStateEvent& event) override;
    void on_masked_write(const MaskedWriteEvent& event) override;
    void on_cache(const CacheEvent& event) override;
    void on_block(const BlockEvent& event) override;
    void on_diagnostic(const Diagnostic& found) override;
    void on_unblock(const BlockEvent& event) override;
    bool follows_data(CoreId core, uint64_t sequence) const override;
    void on_data_begin(const DataEvent& event) override;

 private:
    template <class Owner, class Event>
    void tell(Hook hook, void (Owner::*method)(const Event&), const Event& event) {
        for (Checker* const checker : by_hook_[static_cast<size_t>(hook)])
            (checker->*method)(event);
    }
    size_t lane(const InstructionEvent& event) const {
        return timelines_.index(event.core) * size_t{kPipeCount} + static_cast<size_t>(event.pipe);
    }

    Findings findings_;
    Findings unheard_{nullptr};  // findings of checkers that run only because others need them
    Budget budget_;
    Timelines timelines_;
    Footprints footprints_{timelines_};
    PublishedLines published_{timelines_};
    PolledStores polled_{timelines_};
    ChipOrder chips_{timelines_};
    Shared shared_;
    std::vector<std::unique_ptr<Checker>> checkers_;
    std::array<std::vector<Checker*>, kHookCount> by_hook_;
};

}  // namespace ptosim::check
