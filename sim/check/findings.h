// What the checkers have found: one Diagnostic per site, counted, the most important first.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/kernel.h"

namespace ptosim::check {

class Findings {
 public:
    // `announce` gets each new finding as it is met.
    explicit Findings(std::function<void(const Diagnostic&)> announce)
        : announce_{std::move(announce)} {}

    // Counts the finding if `site` is known; otherwise keeps what `make` returns.
    template <class Make>
    void add(const std::string& site, Make&& make) {
        const auto [place, fresh] = sites_.try_emplace(site, list_.size());
        if (!fresh) {
            ++list_[place->second].count;
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

// Deadlocks, races, undefined values, flags; then by place.
void sort_by_importance(std::vector<Diagnostic>& findings);
// "gemm.pto:12", or "an unknown place".
std::string place(const SourceMap& sources, SourceLocation location);

// Synchronisation in the language of the kernel that the location is in, PTO assembly or C++.
struct Words {
    bool assembly = true;
    std::string barrier(Pipe pipe) const;
    // "set" or "wait"
    std::string flag(std::string_view what, Pipe source, Pipe destination) const;
    std::string flag(std::string_view what, Pipe source, Pipe destination, unsigned id) const;
    // From a pipe to another core.
    std::string signal(Pipe source) const;
    std::string wait_signal() const;
};
Words words_of(const SourceMap& sources, SourceLocation location);

}  // namespace ptosim::check
