// Inserted flags and barriers as lines of `.pto` text.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "isa/assembly/sync/insertion.h"
#include "isa/assembly/syntax/text_edits.h"

namespace ptosim::assembly {

class IterationNumbers;

class FlagLines {
 public:
    FlagLines(std::string_view text, TextEdits& edits);
    ~FlagLines();

    void add(const SyncInsertion& insertion);
    size_t sets() const { return sets_; }
    size_t waits() const { return waits_; }
    size_t barriers() const { return barriers_.size(); }

 private:
    TextEdits& edits_;
    std::unique_ptr<IterationNumbers> iteration_numbers_;
    size_t sets_ = 0, waits_ = 0;
    // Both types of core may need a barrier at the same position.
    std::set<std::tuple<const Operation*, bool, std::string>> barriers_;
};

}  // namespace ptosim::assembly
