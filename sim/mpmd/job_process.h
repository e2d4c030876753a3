// This process's part in a job of several chips with one clock: of the host, which submits runs, or of one of the chips.
// The host makes the pages that all share before it forks the chips.
#pragma once

#include <optional>

#include "sim/system/job.h"
#include "sim/system/links.h"
#include "sim/system/shared_pages.h"

namespace ptosim::mpmd {

class JobProcess {
 public:
    static JobProcess& get();

    // ---- the host

    // For so many chips of the system that PTOSIM_SYSTEM names. False without one. Throws DiagnosticError.
    bool begin(unsigned chips);
    Job* job() { return job_ ? &*job_ : nullptr; }

    // ---- a chip

    void become(unsigned chip) { chip_ = chip; }
    bool has_chip() const { return job_ && chip_; }
    unsigned chip() const { return *chip_; }
    // Takes the pages.
    SharedPages take_pages() { return std::move(pages_); }
    std::vector<LinkTimes> links() const { return links_[*chip_]; }

 private:
    SharedPages pages_;
    std::optional<Job> job_;
    std::optional<unsigned> chip_;
    std::vector<std::vector<LinkTimes>> links_;  // by chip
};

}  // namespace ptosim::mpmd
