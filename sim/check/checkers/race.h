// Races: two unordered accesses to a common byte, at least one of them a write.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

extern const CheckerRow race_row;

class RaceChecker final : public Checker {
 public:
    RaceChecker(Shared& shared, Findings& findings);
    void on_launch(const LaunchEvent& event) override;
    // The accesses of a starting instruction, in their order.
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    // Reports unordered accesses to bytes that have not proved to be polled words.
    void on_launch_end(Cycle time) override;

 private:
    struct Touch {
        Record record;
        bool global = false;
        Space space = Space::kUB;
        uint16_t memory = 0;  // owner of the memory, if not global
        std::optional<uint64_t> staged;  // scalar that the scalar unit writes there as scratch
    };

    void check(const Touch& touch);
    void remember(const Touch& touch);
    void report(const Touch& touch, const Record& earlier);
    Diagnostic describe(const Touch& touch, const Record& first, const Record& second,
                        const char* code, const char* kind) const;
    bool same_staged(const Touch& later, const Record& earlier) const;
    RunAs run_as() const;
    // Describes the flag from one access's pipe to the other's, if it concerns them; else empty.
    std::string flag_between(const Record& first, const Record& second) const;
    Shadow& shadow(const Touch& touch);

    // Unordered accesses of two cores, one of which may poll a word that the other one stores.
    struct Pending {
        Touch touch;
        Record first, second;
    };
    static bool may_poll(const Record& first, const Record& second);

    // By site; then by the cores that load and store, and the begin of the bytes.
    std::map<std::string, std::map<std::tuple<uint16_t, uint16_t, uint64_t>, Pending>> pending_;
    Shadow global_;
    bool global_used_ = false;
    std::vector<std::array<Shadow, kSpaceCount>> local_;  // by core
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> staged_;  // by core and sequence
};

}  // namespace ptosim::check
