// Tracks which findings have been taken from a growing list with growing counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::mpmd {

class FindingsTaken {
 public:
    // Returns and takes the findings in `list` that are new or have occurred again; the latter with the number of new
    // occurrences.
    std::vector<Diagnostic> take(std::vector<Diagnostic> list) {
        std::map<std::string, uint64_t> met;
        std::vector<Diagnostic> fresh;
        for (Diagnostic& d : list) {
            const std::string key = key_of(d);
            uint64_t& now = met[key];
            const uint64_t all = counts_[key];
            const uint64_t before = all > now ? all - now : 0;
            now += d.count;
            if (d.count <= before) continue;
            d.count -= before;
            fresh.push_back(std::move(d));
        }
        for (const auto& [key, count] : met) counts_[key] = count;
        return fresh;
    }

 private:
    static std::string key_of(const Diagnostic& d) {
        std::string key = std::to_string(d.location.line) + ":" + std::to_string(d.location.column);
        for (const std::string& part : {d.code, d.file, d.operand, d.pipe, d.message})
            key += '\n' + part;
        return key;
    }

    std::map<std::string, uint64_t> counts_;  // by finding: number of occurrences taken
};

}  // namespace ptosim::mpmd
