#include "sim/check/suppressions.h"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "isa/core/input_file.h"

namespace ptosim::check {
namespace {

bool can_be_suppressed(Category category) {
    return category == Category::kRace || category == Category::kUndefined ||
           category == Category::kSync;
}

bool matches(const std::string& pattern, const std::string& text) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

Suppressions::Suppressions(const std::string& file) {
    if (file.empty()) return;
    std::istringstream stream(read_text(file));
    std::string line;
    for (unsigned number = 1; std::getline(stream, line); ++number) {
        Rule rule;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string rest;
        if (!(words >> rule.code)) continue;
        const std::string here = file + ":" + std::to_string(number) + ": ";
        if (!(words >> rule.file) || words >> rest)
            fail_input("I17", here + "not a suppression",
                       "write CODE FILE[:LINE], e.g. E04 gemm.pto:12");
        const size_t colon = rule.file.rfind(':');
        if (colon != std::string::npos) {
            const std::string digits = rule.file.substr(colon + 1);
            if (digits.empty() || digits.size() > 9 ||
                digits.find_first_not_of("0123456789") != std::string::npos)
                fail_input("I17", here + "'" + digits + "' is not a line number",
                           "write CODE FILE:LINE, e.g. E04 gemm.pto:12");
            rule.line = static_cast<uint32_t>(std::stoul(digits));
            rule.file.resize(colon);
        }
        rule.text = here + rule.code + " " + rule.file +
                    (rule.line != 0 ? ":" + std::to_string(rule.line) : "");
        rules_.push_back(std::move(rule));
    }
}

bool Suppressions::match(const Diagnostic& finding) {
    if (!can_be_suppressed(finding.category)) return false;
    for (Rule& rule : rules_) {
        if (!matches(rule.code, finding.code)) continue;
        if (rule.line != 0 && rule.line != finding.location.line) continue;
        if (!matches(rule.file, finding.file) && !matches("*/" + rule.file, finding.file)) continue;
        return rule.used = true;
    }
    return false;
}

size_t Suppressions::apply(std::vector<Diagnostic>& findings) {
    return std::erase_if(findings, [this](const Diagnostic& d) { return match(d); });
}

std::vector<std::string> Suppressions::unused() const {
    std::vector<std::string> lines;
    for (const Rule& rule : rules_)
        if (!rule.used) lines.push_back(rule.text);
    return lines;
}

}  // namespace ptosim::check
