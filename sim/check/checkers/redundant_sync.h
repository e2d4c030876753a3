// Redundant synchronisation: flags and vector barriers that add no order (--wasted).
//
// A wait is useless if the clock of its pipe already contained the release, each time. A flag can only be removed with
// all its ends: the waits, the sets that they consumed, the other waits for these sets, and so on. It is redundant if
// all those waits are useless. A vector barrier is redundant if another barrier lies between every pair of dependent
// instructions around it. Each entry can be removed alone, but of two entries often only one.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class RedundantSync final : public Checker, public DependenceListener {
 public:
    RedundantSync(Shared& shared, Findings& findings);
    void on_launch(const LaunchEvent& event) override;
    void on_flag_wait(const FlagEvent& event) override;
    void on_start(const InstructionEvent& event) override;
    void dependence(const Stamp& earlier, const Stamp& later) override;
    // Cycles during which a pipe waits for a flag or barrier.
    void on_block(const BlockEvent& event) override;
    void on_unblock(const BlockEvent& event) override;
    std::vector<std::string> wasteful() const override;

 private:
    struct Entry {
        bool barrier = false;
        std::vector<SourceLocation> locations;  // of the barrier, or of the waits
        std::vector<SourceLocation> sets;
        uint64_t count = 0;  // number of passes
        Cycle cycles = 0;    // cycles that its pipes waited for it
    };
    std::vector<Entry> list() const;
    using SiteKey = std::array<uint32_t, 3>;  // file, line, column
    struct Site {
        bool barrier = false;
        bool set = false;
        bool useful = false;
        uint64_t count = 0;
        Cycle cycles = 0;
        SiteKey flag{};  // another end of the same flag; itself if it represents the group
    };
    static SiteKey key_of(SourceLocation location) {
        return {location.file, location.line, location.column};
    }
    Site& site(SourceLocation location);
    SiteKey flag_of(SiteKey end) const;

    std::map<SiteKey, Site> sites_;
    // By core: the barriers of V, each with the first tick after it.
    std::vector<std::deque<std::pair<Tick, SourceLocation>>> barriers_;
    std::map<std::array<uint32_t, 3>, Cycle> since_;  // by core type, index and pipe
};

}  // namespace ptosim::check
