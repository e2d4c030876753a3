// Advice about threads: lines of global memory, banks of UB, warps.
#include "traces/analyse/proposals.h"

namespace ptosim {
namespace {

constexpr unsigned kLine = 128;  // bytes

std::string percent(uint64_t part, uint64_t whole) {
    return decimal_text(100 * part, std::max<uint64_t>(1, whole), 0) + " %";
}

// "3.5" for 7 of 2.
std::string each(uint64_t all, uint64_t times) {
    return decimal_text(all, std::max<uint64_t>(1, times), 1);
}

std::string stride_text(const ThreadSite& site, const char* memory) {
    if (site.stride == 0)
        return std::string("the threads of a warp have no common distance in ") + memory;
    const uint64_t bytes = static_cast<uint64_t>(site.stride < 0 ? -site.stride : site.stride);
    return std::string("the threads of a warp are ") + std::to_string(bytes) + " bytes apart in " +
           memory;
}

class ThreadAdvice {
 public:
    ThreadAdvice(const Findings& f, Proposals& to) : f_{f}, to_{to} {
        for (const InstructionRecord& record : f.recording.instructions) {
            if (record.opcode != Opcode::kTHREADS || !record.has(InstructionRecord::kCompleted))
                continue;
            sites_.insert_or_assign(
                {record.location.file, record.location.line, record.location.column},
                site_of(f.recording, record));
        }
    }

    void propose(const ThreadRecord& threads) {
        const auto site = sites_.find({threads.at.file, threads.at.line, threads.at.column});
        if (site == sites_.end() || threads.report.cycles == 0) return;
        const ThreadReport& r = threads.report;
        if (r.uncoalesced.lost != 0)
            add(AdviceKind::kLines, site->second, r, r.coalesced, r.uncoalesced.at,
                "Let neighbouring threads access neighbouring bytes of global memory: an access of "
                "a warp touches " +
                    each(r.lines, r.global) + " lines of " + std::to_string(kLine) +
                    " bytes, and " + each(r.least_lines, r.global) + " would do",
                "At the worst line, " + stride_text(r.uncoalesced, "global memory") + ".");
        if (r.conflicting.lost != 0)
            add(AdviceKind::kBanks, site->second, r, r.without_conflicts, r.conflicting.at,
                "Spread the accesses of a warp over the banks of UB, as by a column of padding: "
                "one takes " +
                    each(r.passes, r.local) + " passes",
                "At the worst line, " + stride_text(r.conflicting, "UB") +
                    "; addresses that differ by a multiple of 256 bytes meet in a bank.");
        const uint64_t warps = r.warps / r.blocks;
        const size_t longest = longest_wait(r);
        if (warps < kMostWarps && longest < kThreadStates)
            add(AdviceKind::kWarps, site->second, r, r.hidden, threads.at,
                "Launch more threads in a block: its " + std::to_string(warps) + " of " +
                    std::to_string(kMostWarps) + " warps are " +
                    percent(r.states[longest], all(r)) + " of their time in " +
                    std::string(name(static_cast<ThreadState>(longest))),
                "Other warps work while one waits. The bound is the time of the busiest scheduler, "
                "or of the unit for loads "
                "and stores.");
    }

 private:
    static constexpr uint64_t kMostWarps = 64;  // of a block: 2048 threads

    static uint64_t all(const ThreadReport& r) {
        uint64_t sum = 0;
        for (const uint64_t cycles : r.states) sum += cycles;
        return sum;
    }
    // The wait that other warps can hide, if it is most of the time.
    static size_t longest_wait(const ThreadReport& r) {
        size_t longest = kThreadStates;
        for (const ThreadState state :
             {ThreadState::kDependency, ThreadState::kGlobalMemory, ThreadState::kLocalMemory}) {
            const auto i = static_cast<size_t>(state);
            if (longest == kThreadStates || r.states[i] > r.states[longest]) longest = i;
        }
        return 3 * r.states[longest] > all(r) ? longest : kThreadStates;
    }
    void add(AdviceKind kind, const CodeSite& site, const ThreadReport& r, uint64_t then,
             SourceLocation at, std::string what, std::string why) {
        if (then >= r.cycles) return;
        Proposal proposal;
        proposal.advice.kind = kind;
        proposal.advice.at = at.line == 0 ? site.at : at;
        proposal.advice.what = std::move(what);
        proposal.advice.why = std::move(why);
        proposal.change =
            lighter(f_.recording, {{site, static_cast<unsigned>(kWholeShare * then / r.cycles)}});
        proposal.bytes = Proposal::Bytes::kFewer;
        to_.push_back(std::move(proposal));
    }

    const Findings& f_;
    Proposals& to_;
    std::map<std::tuple<uint16_t, uint32_t, uint16_t>, CodeSite> sites_;
};

}  // namespace

void propose_threads(const Findings& f, Proposals& to) {
    if (f.recording.threads.empty()) return;
    ThreadAdvice advice(f, to);
    for (const ThreadRecord& threads : f.recording.threads) advice.propose(threads);
}

}  // namespace ptosim
