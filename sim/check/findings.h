// The findings of all checkers: one Diagnostic per site, with a count.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/core/kernel.h"

namespace ptosim::check {

class Findings {
 public:
    // `announce` is called for each new finding at once.
    explicit Findings(std::function<void(const Diagnostic&)> announce)
        : announce_{std::move(announce)} {}

    // A new site: keeps the Diagnostic that `make` returns. Otherwise only counts.
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

// By category (deadlocks, tiles that overlap, races, undefined values, flags), then by location.
void sort_by_importance(std::vector<Diagnostic>& findings);
// Races on bytes of tiles that overlap while both are in use (A06) are explained by that: flags
// would only hide it.
void explain_by_overlaps(std::vector<Diagnostic>& findings);
// "gemm.pto:12", or "an unknown location".
std::string location_text(const SourceMap& sources, SourceLocation location);

// How synchronisation is spelled in the language of the kernel at a location: PTO assembly or C++.
struct SyncSpelling {
    bool assembly = true;
    std::string barrier(Pipe pipe) const;
    // "set" or "wait"
    std::string flag(std::string_view what, Pipe source, Pipe destination) const;
    std::string flag(std::string_view what, Pipe source, Pipe destination, unsigned id) const;
    // From a pipe to another core.
    std::string signal(Pipe source) const;
    std::string wait_signal() const;
};
SyncSpelling spelling_of(const SourceMap& sources, SourceLocation location);

// One of two accesses that nothing orders, and what would order the first before the second.
struct Unordered {
    SourceLocation location;
    Pipe pipe = Pipe::kS;
    uint16_t core = 0;  // any number that differs by core
    uint32_t block = 0;
};
// What kernels run as; and a task may not find in its core's registers which sub-block it is
// (ArchTraits::tasks_know_subblock).
enum class RunAs : uint8_t { kLaunch, kTask, kTaskWithoutSubblock };
std::string ordering_hint(const Unordered& first, const Unordered& second, const SourceMap& sources,
                          RunAs run_as);

}  // namespace ptosim::check
