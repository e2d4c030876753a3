// Lines of the data cache by which kernels in C++ agree: one core stores a word by a pointer and
// cleans its line (dcci), others load it again and again, cleaning it before. The store releases
// what its scalar unit has waited for when it is cleaned; a load of the line acquires it.
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
    // Only what is accessed by a pointer.
    void store(CoreId core, const Access& access);
    void load(CoreId core, const Access& access);
    void clean(CoreId core, const CacheUse& use);

 private:
    void publish(CoreId core, uint64_t line);

    Timelines& timelines_;
    // By core, the lines that it has stored to last. A flag is stored behind the data that it
    // is for.
    std::vector<std::deque<uint64_t>> stored_;
    std::deque<uint64_t> order_;              // in which lines were published
    std::unordered_set<uint64_t> published_;  // the same
};

}  // namespace ptosim::check
