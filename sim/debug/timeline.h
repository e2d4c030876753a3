// A run that can be left and entered at any of its moments.
//
// A run is deterministic: its events have the same numbers each time. So a moment is reached by running from the begin,
// or from a copy of the process that runs the machine, made by fork() at intervals. Going back to the last event of
// some kind is a search: run from the nearest copy up to the present and note the last one; if there is none, continue
// with the copy before. A copy shares all memory that neither it nor the run has written since.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/debug/channel.h"
#include "sim/debug/rule.h"

namespace ptosim::debug {

class Timeline {
 public:
    // Copies that exist at one time: kMostCopies spread over the run, and kMostNear before moments that were visited.
    static constexpr size_t kMostCopies = 24, kMostNear = 6;

    // `run` is called in a new process, and runs the machine for a Target with this channel. It must not return.
    using Run = std::function<void(Channel)>;
    struct Listener {
        std::function<void(const std::string&)> output;  // of the kernel; may be empty
        // Called some fifty times a second while the machine runs. True: pause it. May be empty.
        std::function<bool()> wants_pause;
    };
    Timeline(Run run, Listener listener);

    // These return the stop: "reason" (rule, moment, pause, begin, end), "rules", "note" and "moment" (views.h). They
    // throw DiagnosticError (I66) if the machine's process has died.
    Json start();  // at the first event
    Json go(const std::vector<Rule>& rules);
    Json back(const std::vector<Rule>& rules);
    Json go_to(uint64_t moment);
    // The answer of the stopped machine (views.h). Throws DiagnosticError (I69) with its error.
    Json ask(const Json& question);

    void replace_stop(Json stop) { stop_ = std::move(stop); }
    const Json& stop() const { return stop_; }
    uint64_t moment() const { return moment_; }

 private:
    struct Copy {
        uint64_t moment = 0;
        bool near = false;
        Channel channel;
    };

    Channel begin();
    Channel resume(const Copy* copy, const Json& orders);
    const Copy* copy_before(uint64_t moment) const;
    void add_copy(uint64_t moment, bool near, Descriptor descriptor);
    Json wait(Channel& runner, bool can_pause);
    Json stopped(Json stop);
    [[noreturn]] void fail_ended();

    const Run run_;
    const Listener listener_;
    Channel runner_;
    std::vector<Copy> copies_;  // by moment
    std::vector<uint64_t> wanted_near_;
    Json stop_;
    uint64_t moment_ = 0, first_ = 1, furthest_ = 0;
    unsigned copies_every_ = 50;  // milliseconds
};

}  // namespace ptosim::debug
