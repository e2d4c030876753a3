#include "sim/session/launch_repeats.h"

#include <algorithm>
#include <chrono>

#include "isa/assembly/program/interpreter.h"
#include "sim/check/findings.h"
#include "sim/check/mend_search.h"
#include "sim/session/flags_on_paths.h"
#include "sim/session/mend_text.h"
#include "sim/session/other_arguments.h"
#include "sim/session/other_paths.h"
#include "sim/session/other_schedules.h"

namespace ptosim {

std::vector<Diagnostic> new_among(const std::vector<Diagnostic>& checkers,
                                  const std::vector<Diagnostic>& machine) {
    std::vector<Diagnostic> fresh;
    for (const Diagnostic& d : checkers) {
        const bool already_told =
            std::any_of(machine.begin(), machine.end(), [&d](const Diagnostic& m) {
                return m.code == d.code && m.file == d.file && m.location == d.location &&
                       m.operand == d.operand && d.category == Category::kSync;
            });
        if (!already_told) fresh.push_back(d);
    }
    return fresh;
}

namespace {

constexpr size_t kMostLaunches =
    64;  // whose causes are sought, because a process keeps each of them

// Reasons to repeat launches that depend on the kernel and the arrays.
struct Others {
    bool schedules = false, paths = false;
};
Others others_of(const RunSettings& settings, Chip& chip, const Kernel& kernel) {
    const ScheduleChoice& choice = settings.schedules;
    uint64_t bytes = 0;
    if (choice.only_if_cheap)
        for (const auto& [address, allocation] : chip.global().allocations())
            bytes += allocation.size;
    return {choice.count != 0 && bytes <= ScheduleChoice::kCheapBytes,
            settings.paths.runs > 0 && has_other_paths(kernel)};
}

}  // namespace

LaunchRepeats::LaunchRepeats(const Parts& parts, const Launch& launch)
    : parts_{parts},
      launch_{launch},
      causes_{seeks_causes(parts.options, parts.settings) && parts.causes.empty() &&
              parts.result.launches.size() < kMostLaunches &&
              launch.options.sync == SyncMode::kExplicit},
      trials_{parts.options.rerun && parts.settings.mode != RunMode::kFunctional &&
              parts.result.launches.empty()},
      known_{parts.checkers ? parts.checkers->findings().size() : 0} {
    const Others others = others_of(parts.settings, parts.chip, launch.kernel);
    schedules_ = others.schedules;
    paths_ = others.paths;
    try {
        if (schedules_ || paths_ || causes_ || trials_)
            runs_ =
                std::make_unique<ForkedRuns>(parts.chip, launch.kernel, launch.arguments,
                                             launch.options, parts.settings.checks, launch.remake);
    } catch (const DiagnosticError&) {
        if (schedules_) throw;
        if (paths_)
            parts.result.add_note(
                "other paths were not run, because no second process could be started");
    }
    if (parts.options.scope || paths_) parts.scope.begin(launch.kernel);
}

bool LaunchRepeats::runs_others(const RunSettings& settings, Chip& chip, const Kernel& kernel) {
    const Others others = others_of(settings, chip, kernel);
    return others.schedules || others.paths;
}

std::unique_ptr<ForkedRuns> LaunchRepeats::end(LaunchResult& done, double seconds) {
    static const auto& kNone = *new std::vector<Diagnostic>;
    const auto add = [&](const std::vector<Diagnostic>& findings, std::vector<std::string>& notes) {
        done.diagnostics.insert(done.diagnostics.end(), findings.begin(), findings.end());
        for (std::string& note : notes) parts_.result.add_note(std::move(note));
    };
    if (parts_.options.scope || paths_) parts_.scope.end();
    if (causes_ && runs_) seek_causes(done);
    if (!done.finished) return nullptr;
    const std::vector<Diagnostic>& of_checkers =
        parts_.checkers ? parts_.checkers->findings() : kNone;
    const ScheduleChoice& choice = parts_.settings.schedules;
    const bool cheap = of_checkers.empty() && done.diagnostics.empty() &&
                       done.instructions <= ScheduleChoice::kCheapInstructions;
    if (schedules_ && (cheap || !choice.only_if_cheap)) {
        OtherSchedules others(choice, parts_.chip, launch_.kernel, *runs_);
        OtherSchedules::Found found = others.compare(done, of_checkers, seconds);
        parts_.result.schedules.schedules += found.summary.schedules;
        parts_.result.schedules.differ += found.summary.differ;
        add(found.findings, found.notes);
    }
    // Flags on paths through the kernel that this launch has not taken.
    const bool flags = parts_.options.scope && parts_.settings.checks.has("sync") &&
                       launch_.options.sync == SyncMode::kExplicit;
    if (flags && launch_.kernel.form() == KernelForm::kSteps) {
        FlagsOnPaths judged = flags_on_paths(launch_.kernel, parts_.scope);
        add(judged.findings, judged.notes);
    }
    if (paths_ && runs_) explore_paths(done);
    const bool tries = trials_ && done.instructions <= kMostInstructionsForAdvice;
    return tries ? std::move(runs_) : nullptr;
}

// Findings that one mend removes become one.
void LaunchRepeats::seek_causes(const LaunchResult& done) {
    constexpr uint64_t kMostInstructionsTried = 4'000'000, kMostTries = 96, kTimesMore = 4;
    constexpr unsigned kSeconds = 10;
    const SourceMap& sources = launch_.kernel.sources();
    std::vector<Diagnostic> findings = done.diagnostics;
    const std::vector<Diagnostic> fresh = new_among(parts_.checkers->findings(), done.diagnostics);
    findings.insert(findings.end(),
                    fresh.begin() + static_cast<ptrdiff_t>(std::min(known_, fresh.size())),
                    fresh.end());
    if (findings.empty()) return;
    check::explain_by_overlaps(findings);
    check::sort_by_importance(findings);
    const uint64_t instructions = std::max<uint64_t>(1, done.instructions);
    const auto begin = std::chrono::steady_clock::now();
    const auto attempt = [&](const check::Mend& mend) -> std::optional<check::TriedMend> {
        if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(kSeconds)) return {};
        return runs_->attempt(mend, kTimesMore * std::max<uint64_t>(instructions, 100'000),
                              kSeconds);
    };
    parts_.causes = check::find_causes(
        findings, check::possible_mends(findings, parts_.issues, sources),
        std::clamp<uint64_t>(kMostInstructionsTried / instructions, 4, kMostTries), attempt);
    for (check::Cause& cause : parts_.causes)
        if (cause.wait) cause.wait_text = std::string(sources.line({0, 0, cause.wait->line}));
}

void LaunchRepeats::explore_paths(LaunchResult& done) {
    const size_t of_launch = done.diagnostics.size();
    std::vector<Diagnostic> reported = done.diagnostics;
    if (parts_.checkers) {
        const std::vector<Diagnostic>& found = parts_.checkers->findings();
        reported.insert(reported.end(), found.begin(), found.end());
    }
    const std::vector<uint64_t> given(launch_.arguments.begin(), launch_.arguments.end());
    std::vector<Diagnostic> found;
    if (const auto* const assembly = assembly::steps_of(launch_.kernel)) {
        OtherPaths others(parts_.settings.paths, parts_.chip, *assembly, *runs_,
                          {.arguments = given,
                           .blocks = done.blocks,
                           .most_blocks = launch_.chosen_blocks ? 1 : done.blocks});
        OtherPaths::Found other = others.explore(parts_.scope.steps(), reported);
        found = std::move(other.findings);
        parts_.scope.add_explored(std::move(other.counts));
        parts_.result.paths = std::move(other.summary);
    } else {
        OtherArguments other =
            run_other_arguments(parts_.settings.paths, launch_.kernel, given, done.blocks, *runs_,
                                parts_.scope.scope(), reported);
        found = std::move(other.findings);
        parts_.result.paths = std::move(other.summary);
    }
    // Findings of the launch may have got notes. Other paths show the same cause again.
    reported.resize(of_launch);
    done.diagnostics = std::move(reported);
    std::ranges::copy_if(found, std::back_inserter(done.diagnostics), [this](const Diagnostic& d) {
        return std::ranges::none_of(
            parts_.causes, [&](const check::Cause& cause) { return check::is_of_cause(cause, d); });
    });
}

}  // namespace ptosim
