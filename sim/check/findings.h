// The findings of all checkers: one Diagnostic for each site, with a count.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/core/kernel.h"

namespace ptosim::check {

class Findings {
 public:
    // `announce` is called at once for each new finding.
    explicit Findings(std::function<void(const Diagnostic&)> announce)
        : announce_{std::move(announce)} {}

    // For a new site, keeps the Diagnostic that `make` returns; otherwise only counts.
    template <class Make>
    void add(const std::string& site, Make&& make) {
        const auto [entry, added] = sites_.try_emplace(site, list_.size());
        if (!added) {
            ++list_[entry->second].count;
            return;
        }
        list_.push_back(make());
        if (announce_) announce_(list_.back());
    }
    const std::vector<Diagnostic>& list() const { return list_; }

 private:
    std::function<void(const Diagnostic&)> announce_;
    std::vector<Diagnostic> list_;
    std::unordered_map<std::string, size_t> sites_;
};

// Sorts by category (deadlocks, overlapping tiles, races, undefined values, flags), then by location.
void sort_by_importance(std::vector<Diagnostic>& findings);
// Adds to races on bytes of overlapping tiles (A06) that the overlap causes them: flags would only hide it.
void explain_by_overlaps(std::vector<Diagnostic>& findings);
// Text such as "gemm.pto:12", or "an unknown location".
std::string location_text(const SourceMap& sources, SourceLocation location);

// A pipe as kernels name it: "PIPE_MTE2", "PIPE_ALL".
std::string pipe_word(Pipe pipe);
// Spelling of synchronisation in the language of the kernel at a location: PTO assembly or C++.
struct SyncSpelling {
    bool assembly = true;
    std::string barrier(Pipe pipe) const;
    // `what`: "set" or "wait".
    std::string flag(std::string_view what, Pipe source, Pipe destination) const;
    std::string flag(std::string_view what, Pipe source, Pipe destination, unsigned id) const;
    // A signal from a pipe to another core.
    std::string signal(Pipe source) const;
    std::string wait_signal() const;
};
SyncSpelling spelling_of(const SourceMap& sources, SourceLocation location);

// One of two unordered accesses. ordering_hint() describes the synchronisation that orders the first before the second.
struct Unordered {
    SourceLocation location;
    Pipe pipe = Pipe::kS;
    uint16_t core = 0;  // a number that differs between cores
    uint32_t block = 0;
};
// The way in which kernels run. kTaskWithoutSubblock: a task cannot read its sub-block from registers of its core
// (ArchTraits::tasks_know_subblock).
enum class RunAs : uint8_t { kLaunch, kTask, kTaskWithoutSubblock };
std::string ordering_hint(const Unordered& first, const Unordered& second, const SourceMap& sources,
                          RunAs run_as);

}  // namespace ptosim::check
