#include "sim/check/causes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ptosim::check {
namespace {

struct Partial {
    const Mend* mend = nullptr;
    std::vector<MendLine> lines;
    std::set<FindingKey> removed;
};

std::set<FindingKey> keys_of(const std::vector<Diagnostic>& findings) {
    std::set<FindingKey> keys;
    for (const Diagnostic& d : findings) keys.insert(key_of(d));
    return keys;
}

Cause cause_of(const std::vector<Diagnostic>& findings, const Mend& mend,
               const std::set<FindingKey>& removed, std::vector<MendLine> lines) {
    const Diagnostic& finding = findings[mend.finding];
    Cause cause;
    if (mend.wait >= 0) cause.wait = finding.waits[static_cast<size_t>(mend.wait)];
    cause.finding = key_of(finding);
    for (const FindingKey& key : removed)
        if (key != cause.finding) cause.explains.push_back(key);
    cause.mend = std::move(lines);
    for (const MendStep& step : mend.steps)
        cause.edges.push_back(std::string(name(step.source)) + "->" +
                              std::string(name(step.destination)));
    return cause;
}

// Mends that each remove something and add nothing, the one that removes most first; none of the
// findings twice.
std::vector<Cause> cover(const std::vector<Diagnostic>& findings, std::vector<Partial> partials,
                         std::vector<const Mend*>& chosen) {
    std::vector<Cause> causes;
    std::set<FindingKey> done;
    for (;;) {
        const auto left = [&](const Partial& p) {
            return std::count_if(p.removed.begin(), p.removed.end(),
                                 [&](const FindingKey& key) { return done.count(key) == 0; });
        };
        const auto best =
            std::max_element(partials.begin(), partials.end(),
                             [&](const Partial& a, const Partial& b) { return left(a) < left(b); });
        if (best == partials.end() || left(*best) == 0) return causes;
        const Diagnostic& finding = findings[best->mend->finding];
        std::set<FindingKey> fresh;
        for (const FindingKey& key : best->removed)
            if (done.insert(key).second) fresh.insert(key);
        if (fresh.count(key_of(finding)) != 0) {
            causes.push_back(cause_of(findings, *best->mend, fresh, best->lines));
            chosen.push_back(best->mend);
        }
        best->removed.clear();
    }
}

// "explains 3 other findings: E02 at lines 54, 56; E03 at line 60".
std::string text_of(const Explanation& explanation) {
    std::map<std::string, std::set<uint32_t>> lines;  // by code
    for (const Explanation::Consequence& one : explanation.explains)
        lines[one.code].insert(one.line);
    constexpr size_t kMost = 6;
    std::string text = "explains " + std::to_string(explanation.explains.size()) +
                       " other finding" + (explanation.explains.size() == 1 ? "" : "s") + ": ";
    const char* separator = "";
    for (const auto& [code, at] : lines) {
        text += separator + code + " at line" + (at.size() == 1 ? "" : "s");
        size_t count = 0;
        for (const uint32_t line : at)
            if (count++ < kMost) text += (count == 1 ? " " : ", ") + std::to_string(line);
        if (at.size() > kMost) text += " and " + std::to_string(at.size() - kMost) + " more";
        separator = "; ";
    }
    return text;
}

void name_wait(const WaitEdge& wait, const std::string& text, Diagnostic& d) {
    const size_t slash = wait.waiter.find('/');
    d.notes.insert(d.notes.begin(),
                   d.message.substr(std::min(d.message.size(), std::string("deadlock: ").size())));
    d.message = "deadlock: " + wait.waiter + " " + wait.what + " (line " +
                std::to_string(wait.line) + "), and everything else that is blocked waits for that";
    d.core = wait.waiter.substr(0, slash);
    d.pipe = slash == std::string::npos ? "" : wait.waiter.substr(slash + 1);
    d.location.line = wait.line;
    d.location.column = 0;
    d.source_line = text;
}

}  // namespace

FindingKey key_of(const Diagnostic& finding) {
    return {finding.code, finding.file, finding.location.line,
            finding.related.empty() ? 0 : finding.related.front().location.line};
}

bool is_of_cause(const Cause& cause, const Diagnostic& finding) {
    if (!cause.mended || finding.file != cause.finding.file) return false;
    return std::any_of(cause.edges.begin(), cause.edges.end(), [&](const std::string& edge) {
        if (finding.category == Category::kRace)
            return !finding.related.empty() &&
                   finding.related.front().pipe + "->" + finding.pipe == edge;
        return finding.message.find("flag " + edge + " #") != std::string::npos;
    });
}

std::vector<Cause> find_causes(const std::vector<Diagnostic>& findings,
                               const std::vector<Mend>& mends, size_t most,
                               const TryMend& try_mend) {
    const std::set<FindingKey> all = keys_of(findings);
    std::vector<Partial> partials;
    // A mend that ends a deadlock counts although findings that the deadlock has hidden appear.
    std::optional<std::pair<size_t, Cause>> unblocked;  // and the findings that are left
    for (size_t i = 0; i < mends.size() && i < most; ++i) {
        std::optional<TriedMend> tried = try_mend(mends[i]);
        if (!tried) continue;
        if (tried->clean()) {
            Cause cause = cause_of(findings, mends[i], all, std::move(tried->lines));
            cause.mended = true;
            return {std::move(cause)};
        }
        const std::set<FindingKey> left = keys_of(tried->findings);
        const Diagnostic& finding = findings[mends[i].finding];
        if (finding.category == Category::kDeadlock && tried->finished &&
            (!unblocked || left.size() < unblocked->first)) {
            std::set<FindingKey> gone;
            std::set_difference(all.begin(), all.end(), left.begin(), left.end(),
                                std::inserter(gone, gone.end()));
            unblocked.emplace(left.size(), cause_of(findings, mends[i], gone, tried->lines));
        }
        if (!tried->finished || !std::includes(all.begin(), all.end(), left.begin(), left.end()) ||
            left.size() == all.size())
            continue;
        Partial& partial = partials.emplace_back();
        partial.mend = &mends[i];
        partial.lines = std::move(tried->lines);
        std::set_difference(all.begin(), all.end(), left.begin(), left.end(),
                            std::inserter(partial.removed, partial.removed.end()));
    }
    std::vector<const Mend*> chosen;
    std::vector<Cause> causes = cover(findings, std::move(partials), chosen);
    if (causes.empty() && unblocked) causes.push_back(std::move(unblocked->second));
    if (causes.size() < 2) return causes;
    Mend together;
    for (const Mend* mend : chosen)
        together.steps.insert(together.steps.end(), mend->steps.begin(), mend->steps.end());
    const std::optional<TriedMend> tried = try_mend(together);
    if (tried && tried->clean())
        for (Cause& cause : causes) cause.mended = true;
    return causes;
}

const Explanation* find(std::span<const Explanation> explanations, const Diagnostic& finding) {
    if (explanations.empty()) return nullptr;
    const FindingKey key = key_of(finding);
    const auto found = std::find_if(explanations.begin(), explanations.end(),
                                    [&](const Explanation& one) { return one.finding == key; });
    return found == explanations.end() ? nullptr : &*found;
}

std::vector<Explanation> fold(
    std::vector<Diagnostic>& findings, const std::vector<Cause>& causes,
    const std::function<std::string(const std::vector<MendLine>&)>& sentence) {
    std::vector<std::pair<Diagnostic, Explanation>> first;
    for (const Cause& cause : causes) {
        const auto found = std::find_if(findings.begin(), findings.end(), [&](const Diagnostic& d) {
            return key_of(d) == cause.finding;
        });
        if (found == findings.end()) continue;  // suppressed
        Diagnostic d = std::move(*found);
        findings.erase(found);
        if (cause.wait) name_wait(*cause.wait, cause.wait_text, d);
        Explanation explanation{key_of(d), {}, cause.mend, cause.mended};
        std::erase_if(findings, [&](const Diagnostic& other) {
            const FindingKey key = key_of(other);
            const bool explained = key == cause.finding ||
                                   std::find(cause.explains.begin(), cause.explains.end(), key) !=
                                       cause.explains.end();
            if (explained)
                explanation.explains.push_back(
                    {other.code, other.file, other.location.line, other.message, other.count});
            return explained;
        });
        if (!explanation.explains.empty()) d.notes.push_back(text_of(explanation));
        d.hint = sentence(cause.mend) +
                 (!cause.mended       ? " (checked: it removes this finding, and others remain)"
                  : causes.size() > 1 ? " (checked: no finding with the mends of all causes)"
                                      : " (checked: no finding with it)");
        first.emplace_back(std::move(d), std::move(explanation));
    }
    std::stable_sort(first.begin(), first.end(), [](const auto& a, const auto& b) {
        return a.second.explains.size() > b.second.explains.size();
    });
    std::vector<Explanation> explanations;
    std::vector<Diagnostic> sorted;
    for (auto& [finding, explanation] : first) {
        sorted.push_back(std::move(finding));
        explanations.push_back(std::move(explanation));
    }
    findings.insert(findings.begin(), std::make_move_iterator(sorted.begin()),
                    std::make_move_iterator(sorted.end()));
    return explanations;
}

}  // namespace ptosim::check
