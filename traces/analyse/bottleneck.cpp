#include "traces/analyse/bottleneck.h"

#include <algorithm>
#include <array>

#include "traces/analyse/labels.h"

namespace ptosim {

namespace {

constexpr unsigned kBusyPercent = 60;        // a pipe busier than this is the bottleneck itself
constexpr unsigned kIdlePercent = 20;        // if no pipe is busier, the run waits for results
constexpr unsigned kWordWorthyPercent = 10;  // a smaller share is not worth a word

struct PipeOfCore {
    const CoreAccount* core = nullptr;
    Pipe pipe = Pipe::kS;
    Cycle busy = 0;  // mean over the cores of its type
    const PipeAccount& account() const { return core->pipes[static_cast<size_t>(pipe)]; }
};

std::string share_text(Cycle part, Cycle whole) {
    return decimal_text(100 * part, whole, 0) + " %";
}
bool exceeds(Cycle part, Cycle whole, unsigned percent) { return 100 * part > percent * whole; }

// The pipe that is busiest on average over the cores of its type, as tables of pipes show it, on
// the core of that type that ends last. S is asked for apart.
PipeOfCore busiest(const Accounting& accounting, bool scalar) {
    PipeOfCore best;
    for (const CoreType type : {CoreType::kAIC, CoreType::kAIV}) {
        const CoreAccount* last = nullptr;
        uint64_t cores = 0;
        std::array<Cycle, kPipeCount> busy{};
        for (const CoreAccount& core : accounting.cores) {
            if (core.core.type != type) continue;
            ++cores;
            if (last == nullptr || core.finished > last->finished) last = &core;
            for (unsigned i = 0; i < kPipeCount; ++i)
                if (core.shows(static_cast<Pipe>(i))) busy[i] += core.pipes[i].busy;
        }
        for (unsigned i = 0; i < kPipeCount; ++i) {
            const PipeOfCore candidate{last, static_cast<Pipe>(i),
                                       cores == 0 ? 0 : busy[i] / cores};
            if (last == nullptr || (candidate.pipe == Pipe::kS) != scalar ||
                !last->shows(candidate.pipe))
                continue;
            if (best.core == nullptr || candidate.busy > best.busy) best = candidate;
        }
    }
    return best;
}

std::string wait_clause(const WaitSite& site, Cycle whole) {
    return share_text(site.cycles, whole) + " of its time for " +
           long_text(site.cause, site.release_text());
}

// Names the pipe that the computing pipe of this core waits for, if it waits much for another pipe.
std::string compute_clause(const PipeOfCore& bottleneck, Cycle whole) {
    const PipeOfCore compute{bottleneck.core,
                             bottleneck.core->core.type == CoreType::kAIC ? Pipe::kM : Pipe::kV, 0};
    if (compute.pipe == bottleneck.pipe || compute.account().sites.empty()) return {};
    const WaitSite& site = compute.account().sites.front();
    if (!exceeds(site.cycles, whole, kWordWorthyPercent)) return {};
    return "; " + std::string(name(compute.pipe)) + " waits " + wait_clause(site, whole);
}

}  // namespace

namespace {

std::string facts_text(const Accounting& accounting) {
    const Cycle whole = accounting.duration();
    if (whole == 0 || accounting.instructions() == 0)
        return accounting.ended_early
                   ? "The run or its recording ended before the first instruction."
                   : "No instruction ran.";
    if (!accounting.program.empty()) return accounting.program;
    if (accounting.ended_early) {
        // In an unfinished run, the pipes that are blocked at the end matter more than shares of
        // time.
        for (const CoreAccount& core : accounting.cores)
            for (unsigned i = 0; i < kPipeCount; ++i)
                for (const WaitSite& site : core.pipes[i].sites)
                    if (site.open && site.cause.reason != BlockReason::kDrain)
                        return "The run ended early: " + std::string(name(static_cast<Pipe>(i))) +
                               " on " + name(core.core) + " still waits for " +
                               long_text(site.cause, {}) +
                               (site.waiter.empty() ? "" : " at " + site.waiter_text()) + ".";
    }
    PipeOfCore busiest_pipe = busiest(accounting, false);
    if (busiest_pipe.core == nullptr) return "No pipe has worked.";
    const PipeOfCore scalar = busiest(accounting, true);
    if (!exceeds(busiest_pipe.busy, whole, kBusyPercent) &&
        exceeds(scalar.busy, whole, kBusyPercent))
        busiest_pipe = scalar;  // issuing is what takes the time

    const std::string pipe{name(busiest_pipe.pipe)};
    const std::string busy = share_text(busiest_pipe.busy, whole);
    const std::string core = name(busiest_pipe.core->core);
    if (exceeds(busiest_pipe.busy, whole, kBusyPercent))
        return pipe + " is the bottleneck: busy " + busy + " of the time on " + core +
               compute_clause(busiest_pipe, whole) + ".";
    if (!exceeds(busiest_pipe.busy, whole, kIdlePercent))
        return "The run waits for results: all pipes are nearly idle, the busiest, " + pipe +
               " on " + core + ", is busy " + busy + " of the time.";
    std::string text = "No pipe is busy more than " + std::to_string(kBusyPercent) +
                       " % of the time. The busiest, " + pipe + " on " + core + " (" + busy + "), ";
    const PipeAccount& account = busiest_pipe.account();
    if (account.sites.empty() || account.idle > account.wait())
        return text + "is idle " + share_text(account.idle, whole) + " of the time" +
               (account.sites.empty()
                    ? "."
                    : " and waits " + wait_clause(account.sites.front(), whole) + ".");
    return text + "waits " + wait_clause(account.sites.front(), whole) + ".";
}

}  // namespace

std::string bottleneck_text(const Accounting& accounting, std::span<const Advice> advice) {
    if (advice.empty()) return facts_text(accounting);
    const Advice& first = advice.front();
    const std::string text = advice_text(first, accounting.duration());
    // Pipes that are blocked at the end are victims of the cause.
    return first.kind == AdviceKind::kCause ? text : text + " " + facts_text(accounting);
}

}  // namespace ptosim
