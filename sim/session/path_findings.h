// Selects the findings of runs by other paths that count, and adds explanations.
#pragma once

#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim {

// Difference between the run and the requested one.
struct PathOfRun {
    std::string with;  // "with %n = 0"
    bool forced = false;
    bool moves_addresses = false;  // PathChoice::moves_addresses
};

class PathFindings {
 public:
    // `reported` are the findings of the launch, which are not reported again. Findings about branches that it has not
    // taken (E31) get a note.
    explicit PathFindings(std::vector<Diagnostic>& reported) : reported_{reported} {}

    void add(const std::vector<Diagnostic>& of_run, const PathOfRun& path);
    std::vector<Diagnostic> take() { return std::move(found_); }

 private:
    std::vector<Diagnostic>& reported_;
    std::vector<Diagnostic> found_;
};

}  // namespace ptosim
