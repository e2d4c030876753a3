#include "sim/check/findings.h"

#include <algorithm>
#include <tuple>

namespace ptosim::check {
namespace {

int rank(const Diagnostic& finding) {
    switch (finding.category) {
        case Category::kInput:
        case Category::kUnsupported:
        case Category::kIllegal:
            return 0;
        case Category::kDeadlock:
            return 1;
        case Category::kRace:
            return 2;
        case Category::kUndefined:
            return 3;
        case Category::kSync:
            return 4;
    }
    return 5;
}

}  // namespace

void sort_by_importance(std::vector<Diagnostic>& findings) {
    const auto before = [](const Diagnostic& a, const Diagnostic& b) {
        if (rank(a) != rank(b)) return rank(a) < rank(b);
        return std::tie(a.file, a.location.line, a.location.column, a.code) <
               std::tie(b.file, b.location.line, b.location.column, b.code);
    };
    std::stable_sort(findings.begin(), findings.end(), before);
}

std::string place(const SourceMap& sources, SourceLocation location) {
    const std::string_view file = sources.file(location);
    if (file.empty() || location.line == 0) return "an unknown place";
    return std::string(file) + ":" + std::to_string(location.line);
}

}  // namespace ptosim::check
