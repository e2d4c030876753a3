// This process's part in a job of several chips with one clock: of the host, which submits runs, of a node of level 4, or
// of one of the chips. The host makes the pages that all share before it forks its chips and nodes; nodes that others have
// started open them by their path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/machine/model/system_model.h"
#include "sim/system/job.h"
#include "sim/system/links.h"
#include "sim/system/shared_pages.h"

namespace ptosim::mpmd {

class JobProcess {
 public:
    static JobProcess& get();

    // ---- the host

    // Begins a job of `chips` chips of the system that PTOSIM_SYSTEM names, or of nodes with these numbers of chips.
    // Returns false if it names none. Throws DiagnosticError.
    bool begin(unsigned chips);
    bool begin_nodes(const std::vector<unsigned>& chips_of_nodes);
    Job* job() { return job_ ? &*job_ : nullptr; }
    // Of the pages, for nodes.
    std::string path() const { return pages_.path(); }

    // ---- a node, in its process

    // It was forked by the host.
    void become_node(unsigned node);
    // Otherwise: opens the pages of a job of `chips` chips. Throws DiagnosticError.
    void join(const std::string& path, unsigned chips, unsigned node);

    // ---- a chip, by its number on its node

    void become(unsigned chip) { chip_ = job_->first_chip(node_) + chip; }
    bool has_chip() const { return job_ && chip_; }
    unsigned chip() const { return *chip_; }
    // Takes the pages.
    SharedPages take_pages() { return std::move(pages_); }
    std::vector<LinkTimes> links() const { return links_[*chip_]; }

 private:
    struct Setup;
    static Setup setup();
    void make(const Setup& setup, const std::vector<unsigned>& chips_of_nodes);
    void find_links(const Setup& setup);

    SharedPages pages_;
    std::optional<Job> job_;
    unsigned node_ = 0;
    std::optional<unsigned> chip_;
    std::vector<std::vector<LinkTimes>> links_;  // by chip
};

}  // namespace ptosim::mpmd
