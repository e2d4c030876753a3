#include "traces/analyse/advice.h"

#include <algorithm>
#include <array>

#include "traces/analyse/labels.h"
#include "traces/analyse/proposals.h"

namespace ptosim {

namespace {

constexpr size_t kMostAdvice = 12;
// A proposal that combines others is reported if it saves at least this many hundredths of the
// saving of the best of them.
constexpr Cycle kCombinedAtLeast = 125;

struct KindRow {
    std::string_view name, estimate;
    // Weight of the saving when advice is ranked: less for proposals that always hold to some
    // degree or may not be possible (first reads miss L2, and work has to be done).
    unsigned percent = 100;
};
// By AdviceKind.
constexpr std::array<KindRow, static_cast<size_t>(AdviceKind::kCount)> kKinds{{
    {"cause", ""},
    {"blocks", "bound"},
    {"uneven", "bound"},
    {"buffer", "bound"},
    {"flag", "bound"},
    {"barrier", "bound"},
    {"hand-over", "bound"},
    {"bursts", "bound"},
    {"alignment", "bound"},
    {"tiles", "bound"},
    {"cache", "bound"},
    {"first-reads", "bound", 50},
    {"banks", "bound"},
    {"lines", "bound"},
    {"warps", "bound"},
    {"launch", "bound"},
    {"issue", "bound, at half the time", 50},
    {"queue", "bound"},
    {"work", "bound, at half the time", 50},
    {"latency", "bound, at half the time", 50},
    {"orchestration", "tasks moved"},
    {"scheduling", "tasks moved"},
    {"starvation", "tasks moved"},
    {"kernel", "tasks moved"},
    {"dependency", "tasks moved"},
    {"tasks", "tasks moved"},
    {"ring", "tasks moved"},
}};

// A saving that comes true counts more than a bound.
Cycle rank(const Advice& advice) {
    constexpr Cycle kOfBound = 67;  // percent
    return advice.saving * kKinds[static_cast<size_t>(advice.kind)].percent / 100 *
           (advice.simulated ? 100 : kOfBound) / 100;
}

std::string trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// A line of a file by its name.
void locate(const Recording& recording, const std::string& file, SourceLocation at,
            Advice& advice) {
    advice.at = at;
    if (at.line != 0) advice.location = file + ":" + std::to_string(at.line);
    for (size_t i = 0; i < recording.sources.size() && advice.text.empty(); ++i)
        if (recording.sources.file(i).name == file) {
            advice.at.file = static_cast<uint16_t>(i);
            advice.text = trimmed(recording.sources.line(advice.at));
        }
}

Advice cause_of(const Recording& recording) {
    const Diagnostic& d = recording.diagnostics.front();
    Advice advice;
    advice.kind = AdviceKind::kCause;
    advice.what = "The run ended early: " + d.message;
    locate(recording, d.file, d.location, advice);
    advice.why = d.hint;
    return advice;
}

std::vector<Advice> advice_of(const Recording& recording, const ProgramRecord& program) {
    constexpr AdviceKind kKindsOfLimits[] = {AdviceKind::kOrchestration, AdviceKind::kScheduling,
                                             AdviceKind::kStarvation,    AdviceKind::kKernel,
                                             AdviceKind::kDependency,    AdviceKind::kTasks,
                                             AdviceKind::kRing};
    std::vector<Advice> result;
    if (!program.failure.empty()) {
        Advice& cause = result.emplace_back();
        cause.kind = AdviceKind::kCause;
        cause.what = "The run failed: " + program.failure;
        cause.why = program.failure_hint;
        return result;
    }
    for (const ProgramRecord::Limit& limit : program.limits) {
        if (100 * limit.saving < recording.end - recording.begin) continue;
        Advice& advice = result.emplace_back();
        advice.kind = kKindsOfLimits[limit.kind];
        advice.what = limit.what;
        advice.why = limit.why;
        advice.saving = std::min(limit.saving, recording.end - recording.begin);
        locate(recording, limit.file, {0, 0, limit.line}, advice);
        if (advice.text.empty()) advice.text = limit.text;
    }
    return result;
}

// A replay keeps each transfer's time, and knows nothing of others that it meets then: where all
// cores wait for memory, the least time for the bytes limits them.
void replay(const Dependencies& dependencies, const Findings& findings, Proposals& proposals,
            const std::vector<Dependencies::Change>& also, std::vector<Cycle>& ends_of_also) {
    const Cycle duration = findings.duration();
    const Findings::Traffic all = findings.traffic(), once = findings.traffic(false);
    std::vector<Dependencies::Change> changes;
    for (const Proposal& proposal : proposals)
        if (proposal.change) changes.push_back(*proposal.change);
    const auto proposed = static_cast<ptrdiff_t>(changes.size());
    changes.insert(changes.end(), also.begin(), also.end());
    const std::vector<Cycle> ends = dependencies.replay_all(changes);
    ends_of_also.assign(ends.begin() + proposed, ends.end());
    size_t next = 0;
    for (Proposal& proposal : proposals) {
        if (!proposal.change) continue;
        const Cycle end = ends[next++];
        const Cycle fixed = std::min(end, proposal.begins);
        const auto shrunk = static_cast<Cycle>(static_cast<double>(end - fixed) * proposal.shrinks);
        Cycle then = fixed + shrunk;
        if (proposal.bytes != Proposal::Bytes::kFewer) {
            const Findings::Traffic& traffic = proposal.bytes == Proposal::Bytes::kAll ? all : once;
            // More slots leave what comes after the last read as it is; other changes may not.
            const AdviceKind kind = proposal.advice.kind;
            const bool slots = kind == AdviceKind::kBuffer || kind == AdviceKind::kHandOver;
            then = std::max(then, traffic.least + (slots ? traffic.after_reads : 0));
        }
        proposal.advice.saving = duration - std::min(duration, then);
    }
}

// Uses the run with another number of blocks for the proposals to change that number.
void use_rerun(const RerunRecord& rerun, const Findings& findings, Proposals& proposals) {
    const bool more = !findings.recording.launches.empty() &&
                      rerun.blocks > findings.recording.launches.front().blocks;
    for (Proposal& proposal : proposals) {
        Advice& advice = proposal.advice;
        if (advice.kind != (more ? AdviceKind::kBlocks : AdviceKind::kLaunch)) continue;
        const std::string with = std::to_string(rerun.blocks) + " blocks take " +
                                 std::to_string(rerun.cycles) + " cycles";
        if (!advice.why.empty()) advice.why += ' ';
        if (rerun.cycles < findings.duration()) {
            advice.saving = findings.duration() - rerun.cycles;
            advice.simulated = true;
            advice.why += "Simulated: " + with + ".";
        } else {
            advice.why +=
                "Without other changes, " + with + ": divide the work between the blocks.";
        }
    }
}

// Simulates changes to measure their savings, the largest bounds first.
class Trials {
 public:
    Trials(const Findings& findings, const TryChange& attempt, Proposals& proposals)
        : findings_{findings}, attempt_{attempt}, proposals_{proposals} {}

    void run() {
        std::vector<size_t> order;
        for (size_t i = 0; i < proposals_.size(); ++i)
            if (!proposals_[i].trials.empty() &&
                proposals_[i].advice.saving >= findings_.worthy() / 2)
                order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
            return proposals_[a].advice.saving > proposals_[b].advice.saving;
        });
        for (const size_t i : order) measure(proposals_[i]);
        add_chain(order);
    }

 private:
    void measure(Proposal& proposal) {
        std::optional<Cycle> best;
        const Trial* chosen = nullptr;
        for (const Trial& trial : proposal.trials) {
            const std::optional<Cycle> cycles = attempt(trial);
            if (!cycles) continue;
            // Fewer blocks are enough if more save hardly more.
            if (best && *cycles + findings_.worthy() >= *best) continue;
            best = cycles;
            chosen = &trial;
        }
        if (!best) return;
        Advice& advice = proposal.advice;
        const Cycle saving = findings_.duration() - std::min(findings_.duration(), *best);
        const std::string with =
            std::to_string(chosen->blocks) + " blocks take " + std::to_string(*best) + " cycles";
        if (chosen->blocks != 0 && saving < findings_.worthy()) {
            // More blocks that repeat the work gain nothing. Blocks that share it may.
            advice.why +=
                " Without other changes, " + with + ": divide the work between the blocks.";
            return;
        }
        advice.saving = saving;
        advice.simulated = true;
        constexpr std::string_view kHandOff = "Double-buffer the hand-off";
        const bool ahead =
            !chosen->steps.empty() && chosen->steps.front().kind == TrialStep::Kind::kAhead;
        if (ahead && advice.what.starts_with(kHandOff))
            advice.what.replace(0, kHandOff.size(),
                                "Issue the next iteration's work before this wait");
        if (chosen->blocks != 0) advice.why += " Simulated: " + with + ".";
    }
    std::optional<Cycle> attempt(const Trial& trial) {
        constexpr unsigned kMost = 32;
        if (tried_++ == kMost) return {};
        return attempt_(trial);
    }
    // One more slot may only show the next buffer that blocks: the best of them together.
    void add_chain(const std::vector<size_t>& order) {
        constexpr size_t kMostLinks = 3;
        Trial together;
        Cycle best = 0;
        std::vector<const Proposal*> links;
        for (const size_t i : order) {
            const Proposal& proposal = proposals_[i];
            const AdviceKind kind = proposal.advice.kind;
            if (kind != AdviceKind::kBuffer && kind != AdviceKind::kHandOver) continue;
            if (proposal.combines) continue;
            if (proposal.advice.simulated) best = std::max(best, proposal.advice.saving);
            if (links.size() == kMostLinks) continue;
            links.push_back(&proposal);
            const Trial& trial = proposal.trials.front();
            together.check = std::max(together.check, trial.check);
            together.steps.insert(together.steps.end(), trial.steps.begin(), trial.steps.end());
        }
        if (links.size() < 2) return;
        const std::optional<Cycle> cycles = attempt(together);
        if (!cycles || *cycles >= findings_.duration()) return;
        const Cycle saving = findings_.duration() - *cycles;
        if (100 * saving < kCombinedAtLeast * best) return;
        Proposal chain;
        chain.advice = links.front()->advice;
        chain.advice.saving = saving;
        chain.advice.simulated = true;
        for (size_t i = 1; i < links.size(); ++i) {
            const std::string at = findings_.recording.sources.text(links[i]->advice.at);
            const std::string what = links[i]->advice.what;
            chain.advice.what += (i + 1 == links.size() ? ", and at " : ", at ") + at + ": " +
                                 what.substr(0, what.find(':'));
        }
        chain.advice.why = "Each of these changes alone saves at most " + std::to_string(best) +
                           " cycles, because the next one then limits the run. " + chain.advice.why;
        proposals_.push_back(std::move(chain));
    }

    const Findings& findings_;
    const TryChange& attempt_;
    Proposals& proposals_;
    unsigned tried_ = 0;
};

}  // namespace

std::string_view name(AdviceKind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view estimate(const Advice& advice) {
    return advice.simulated ? "simulated" : kKinds[static_cast<size_t>(advice.kind)].estimate;
}

Findings::Findings(const Recording& of, const Accounting& accounts,
                   const std::vector<Dependencies::Step>& critical_path)
    : recording{of}, accounting{accounts}, path{critical_path}, library{library_of(of.sources)} {
    std::vector<bool> has(recording.cores.size());
    for (const RunRecord& run : recording.runs) has[run.core] = true;
    for (size_t core = 0; core < has.size(); ++core)
        if (has[core]) ++cores_[static_cast<size_t>(recording.cores[core].type)];
    for (const OperandSet& set : recording.operands)
        for (const OperandSet::Item& item : set.items)
            if (item.memory != 0 && item.memory <= kSpaceCount) {
                uint64_t& top = tops_[item.memory - 1u];
                top = std::max<uint64_t>(top, uint64_t{item.address} + item.bytes);
            }
}

double Findings::part(const InstructionRecord& record, uint32_t bytes) {
    const double all = static_cast<double>(record.l2_hit_bytes) + record.l2_miss_bytes;
    return all == 0 ? 0 : bytes / all;
}

double Findings::at_best(const InstructionRecord& record, size_t cores, double missing) const {
    const ChipFacts& facts = recording.facts;
    const auto& items = recording.operands_of(record).items;
    const auto view = std::find_if(items.begin(), items.end(), [](const OperandSet::Item& item) {
        return item.memory == OperandSet::kGlobalMemory;
    });
    if (view == items.end()) return 0;
    const bool writes = (view->roles & OperandSet::kWritten) != 0;
    const bool aic = recording.cores[record.core].type == CoreType::kAIC;
    const uint64_t core_rate = aic ? (writes ? facts.aic_write_rate : facts.aic_read_rate)
                                   : (writes ? facts.aiv_write_rate : facts.aiv_read_rate);
    const uint64_t l2 = writes ? facts.write_bytes_per_second : facts.read_bytes_per_second;
    if (core_rate == 0 || l2 == 0 || facts.hbm_bytes_per_second == 0) return 0;
    const double own = static_cast<double>(core_rate) / 1000;  // bytes per cycle
    const auto shared = [&](uint64_t per_second) {
        return std::min(own, static_cast<double>(per_second) /
                                 static_cast<double>(recording.clock_hz()) /
                                 static_cast<double>(std::max<size_t>(1, cores)));
    };
    return static_cast<double>(moved_bytes(recording, record)) *
           ((1 - missing) / shared(l2) + missing / shared(facts.hbm_bytes_per_second));
}

CoreType Findings::main_type() const {
    return cores(CoreType::kAIC) > 0 ? CoreType::kAIC : CoreType::kAIV;
}

Findings::Traffic Findings::traffic(bool again) const {
    uint64_t hbm = 0, read = 0, written = 0;  // bytes
    Cycle first = recording.end, last = recording.begin;
    for (const InstructionRecord& record : recording.instructions) {
        const uint64_t bytes = uint64_t{record.l2_hit_bytes} + record.l2_miss_bytes;
        if (bytes == 0 || !record.has(InstructionRecord::kCompleted)) continue;
        first = std::min(first, record.started);
        if (record.pipe != Pipe::kMTE2) {
            written += bytes;  // goes to HBM when nothing else asks for it
            continue;
        }
        read += bytes;
        hbm += record.l2_miss_bytes - (again ? 0 : record.l2_again_bytes());
        last = std::max(last, record.completed);
    }
    const auto cycles = [this](uint64_t bytes, uint64_t per_second) {
        return per_second == 0
                   ? 0.0
                   : static_cast<double>(bytes) * static_cast<double>(recording.clock_hz()) /
                         static_cast<double>(per_second);
    };
    const ChipFacts& facts = recording.facts;
    const double least = std::max({cycles(hbm, facts.hbm_bytes_per_second),
                                   cycles(read, facts.read_bytes_per_second),
                                   cycles(written, facts.write_bytes_per_second)});
    if (read == 0) return {static_cast<Cycle>(least), 0};
    return {(first - recording.begin) + static_cast<Cycle>(least), recording.end - last};
}

std::vector<Advice> advise(const Recording& recording, const Accounting& accounting,
                           const Dependencies& dependencies,
                           const std::vector<Dependencies::Step>& path,
                           const std::vector<Dependencies::Change>& also, std::vector<Cycle>& ends,
                           const TryChange& attempt) {
    std::vector<Advice> result;
    if (recording.ended_early) {
        ends = dependencies.replay_all(also);
        if (!recording.diagnostics.empty()) result.push_back(cause_of(recording));
        return result;
    }
    if (recording.program) {
        ends = dependencies.replay_all(also);
        return advice_of(recording, *recording.program);
    }
    const Findings findings(recording, accounting, path);
    if (findings.duration() == 0) {
        ends = dependencies.replay_all(also);
        return result;
    }
    Proposals proposals;
    propose_cores(findings, proposals);
    propose_waits(findings, proposals);
    propose_transfers(findings, proposals);
    propose_threads(findings, proposals);
    propose_work(findings, proposals);
    replay(dependencies, findings, proposals, also, ends);
    if (attempt) Trials(findings, attempt, proposals).run();
    if (recording.rerun && !attempt) use_rerun(*recording.rerun, findings, proposals);

    Cycle best = 0;  // of those that do not contain others
    for (const Proposal& p : proposals)
        if (!p.combines && p.advice.kind == AdviceKind::kBuffer)
            best = std::max(best, p.advice.saving);
    for (Proposal& p : proposals) {
        if (p.combines && 100 * p.advice.saving < kCombinedAtLeast * best) continue;
        if (p.advice.saving == 0 || p.advice.saving < findings.worthy()) continue;
        p.advice.location = recording.sources.text(p.advice.at);
        p.advice.origin = recording.sources.origin(p.advice.at);
        p.advice.text = trimmed(recording.sources.line(p.advice.at));
        result.push_back(std::move(p.advice));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Advice& a, const Advice& b) { return rank(a) > rank(b); });
    if (result.size() > kMostAdvice) result.resize(kMostAdvice);
    return result;
}

std::string advice_text(const Advice& advice, Cycle duration) {
    std::string text = advice.what;
    if (advice.kind == AdviceKind::kCause) return text + ".";
    if (!advice.location.empty())
        text += " (" + advice.location +
                (advice.origin.empty() ? "" : ", made from " + advice.origin) + ")";
    const bool bound = estimate(advice).starts_with("bound");
    text += (bound ? ": saves at most " : ": saves ") + std::to_string(advice.saving) + " of " +
            std::to_string(duration) + " cycles, " +
            decimal_text(100 * advice.saving, duration, 1) + " % (" +
            std::string(estimate(advice)) + ").";
    return text;
}

}  // namespace ptosim
