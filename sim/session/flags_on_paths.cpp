#include "sim/session/flags_on_paths.h"

#include <algorithm>

#include "isa/assembly/program/interpreter.h"
#include "isa/assembly/verify/flag_balance.h"
#include "sim/check/findings.h"

namespace ptosim {
namespace {

using assembly::Step;
using assembly::StepCode;
using assembly::UnbalancedFlag;

// Text such as "where the scf.if at k.pto:12 is not taken".
std::string way_text(const Step& step, bool jumps, const SourceMap& sources) {
    const std::string at = check::location_text(sources, step.where);
    if (step.code == StepCode::kJumpUnlessLess)
        return "if the loop at " + at + (jumps ? " makes no iteration" : " makes an iteration");
    return "if the branch at " + at + (jumps ? " is not taken" : " is taken");
}

std::string imbalance_text(const UnbalancedFlag& flag) {
    const std::string name = "flag " + to_text(flag);
    return flag.set_left ? "a set of " + name + " is left over"
                         : "a wait for " + name + " has no set";
}

std::string sites_text(const UnbalancedFlag& flag, const SourceMap& sources) {
    const SourceLocation site = flag.set.line != 0 ? flag.set : flag.wait;
    return to_text(flag) + " (" + check::location_text(sources, site) + ")";
}

Diagnostic finding(const UnbalancedFlag& flag, const Step& step, const SourceMap& sources) {
    Diagnostic d;
    sources.locate(d, step.where);
    d.code = "E31";
    d.category = Category::kSync;
    d.message = imbalance_text(flag) + " " + way_text(step, flag.edge.jumps, sources) +
                ", which no core has done";
    d.hint =
        "each path through the branch needs the same number of sets and waits: put both on the same side of it, or "
        "outside";
    if (flag.set.line != 0) d.related.push_back(sources.related("set_flag", flag.set));
    if (flag.wait.line != 0) d.related.push_back(sources.related("wait_flag", flag.wait));
    return d;
}

bool told(const std::vector<Diagnostic>& findings, const Diagnostic& d) {
    return std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& other) {
        return other.location == d.location && other.message == d.message;
    });
}

}  // namespace

FlagsOnPaths flags_on_paths(const Kernel& kernel, const ScopeMeter& reached) {
    FlagsOnPaths result;
    const SourceMap& sources = kernel.sources();
    std::vector<std::string> not_shown;
    const assembly::Program& program = assembly::steps_of(kernel)->program();
    for (const UnbalancedFlag& flag : unbalanced_flags(program, kernel.runs_on(CoreType::kAIC),
                                                       kernel.runs_on(CoreType::kAIV))) {
        if (flag.kind == UnbalancedFlag::Kind::kNotShown) {
            const std::string text = sites_text(flag, sources);
            if (std::find(not_shown.begin(), not_shown.end(), text) == not_shown.end())
                not_shown.push_back(text);
            continue;
        }
        if (reached.taken(flag.edge.step, flag.edge.jumps)) continue;
        const Step& step = program.steps[flag.edge.step];
        if (flag.kind == UnbalancedFlag::Kind::kNoTurn) {
            std::string text =
                imbalance_text(flag) + " " + way_text(step, true, sources) + ", which it never did";
            if (std::find(result.notes.begin(), result.notes.end(), text) == result.notes.end())
                result.notes.push_back(std::move(text));
            continue;
        }
        Diagnostic d = finding(flag, step, sources);
        if (!told(result.findings, d)) result.findings.push_back(std::move(d));
    }
    if (not_shown.empty()) return result;
    std::string text = "not shown to balance on every path:";
    for (const std::string& flag : not_shown)
        text += (flag == not_shown.front() ? " " : ", ") + flag;
    result.notes.push_back(std::move(text));
    return result;
}

}  // namespace ptosim
