// Order between cores by lines of the data cache, in C++ kernels: one core stores a word through a pointer and cleans
// its line (dcci), others repeatedly clean and load it. When the line is cleaned, the store releases everything that
// its scalar unit has waited for; a load of the line acquires it.
#pragma once

#include <deque>
#include <unordered_set>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class PublishedLines {
 public:
    explicit PublishedLines(Timelines& timelines) : timelines_{timelines} {}

    void launch(const LaunchEvent& event);
    // For accesses through a pointer only.
    void store(CoreId core, const Access& access);
    void load(CoreId core, const Access& access);
    void clean(CoreId core, const CacheUse& use);

 private:
    void publish(CoreId core, uint64_t line);

    Timelines& timelines_;
    // By core, the lines of its latest stores. A flag is stored after the data that it announces.
    std::vector<std::deque<uint64_t>> stored_;
    std::deque<uint64_t> order_;              // published lines, oldest first
    std::unordered_set<uint64_t> published_;  // the same lines
};

}  // namespace ptosim::check
