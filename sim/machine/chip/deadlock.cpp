#include "sim/machine/chip/deadlock.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "sim/machine/core/control.h"

namespace ptosim {
namespace {

std::string text(Pipe pipe) { return std::string(name(pipe)); }

std::string flag_text(const Attributes& a) {
    return text(a.source_pipe) + "->" + text(a.destination_pipe) + " #" +
           std::to_string(a.event_id);
}

std::string site(const SourceMap& sources, SourceLocation where) {
    Diagnostic d;
    sources.locate(d, where);
    if (d.file.empty()) return "an unknown line";
    return d.file + ":" + std::to_string(d.location.line);
}

std::string lane(const Core& core, Pipe pipe) { return name(core.id()) + "/" + text(pipe); }

bool of_one_cluster(CoreId a, CoreId b) {
    const auto cluster = [](CoreId id) {
        return id.type == CoreType::kAIC ? id.index : id.index / 2;
    };
    return cluster(a) == cluster(b);
}

// A blocked pipe or scalar unit.
struct Waiter {
    const Core* core = nullptr;
    Pipe pipe = Pipe::kS;
    BlockReason reason = BlockReason::kFlag;
    const Instruction* instruction = nullptr;

    std::string who() const { return lane(*core, pipe); }
    std::string what() const {
        switch (reason) {
            case BlockReason::kFlag:
                return "waits for flag " + flag_text(instruction->attributes);
            case BlockReason::kCrossCore:
                return std::string(instruction->attributes.fifo == FifoSignal::kTile
                                       ? "waits for a tile in its FIFO: "
                                   : instruction->attributes.fifo == FifoSignal::kSlot
                                       ? "waits for a free slot in its FIFO: "
                                       : "waits for ") +
                       cross_flag_text(
                           instruction->attributes.event_id +
                           (instruction->opcode == Opcode::kINTRA_WAIT ? kIntraBlockIds : 0u));
            case BlockReason::kQueueFull:
                return "cannot issue: the queue of " + text(pipe_of(*instruction, core->arch())) +
                       " is full";
            case BlockReason::kBarrier:
                return "waits at a barrier for earlier instructions";
            case BlockReason::kInFlight:
                return "waits for earlier instructions in flight";
            case BlockReason::kData:
                if (instruction->attributes.phase != UnitFlagPhase::kUnspecified)
                    return pipe != Pipe::kM ? "waits for unit flags that no product has set"
                           : core->finds_left_units(*instruction)
                               ? "waits for unit flags that an earlier launch has left set"
                               : "waits for unit flags that FIX has not cleared";
                if (is_buffer_token(instruction->opcode))
                    return "waits for buffer #" + std::to_string(instruction->attributes.event_id) +
                           " to be released";
                return "waits for data of an earlier instruction";
            case BlockReason::kDrain:
                return "has ended and waits for its pipes to drain";
        }
        return "waits";
    }
};

std::vector<Waiter> waiters_of(const Core& core) {
    std::vector<Waiter> waiters;
    for (unsigned p = 1; p < kPipeCount; ++p) {
        const PipeUnit* unit = core.pipe(static_cast<Pipe>(p));
        if (unit == nullptr || !unit->blocked().active || unit->front() == nullptr) continue;
        waiters.push_back(
            {&core, static_cast<Pipe>(p), unit->blocked().reason, unit->front()->instruction});
    }
    const ScalarUnit::State& scalar = core.scalar_state();
    if (scalar.blocked) waiters.push_back({&core, Pipe::kS, scalar.reason, scalar.instruction});
    return waiters;
}

// The set for which a flag's wait is waiting, if it is in a queue of its core.
const Instruction* queued_set(const Core& core, const Attributes& flag) {
    const PipeUnit* unit = core.pipe(flag.source_pipe);
    if (unit == nullptr) return nullptr;
    for (uint64_t i = unit->first(); i < unit->pushed(); ++i) {
        const Instruction& candidate = *unit->entry(i).instruction;
        const Attributes& a = candidate.attributes;
        if (candidate.opcode == Opcode::kSET_FLAG && a.destination_pipe == flag.destination_pipe &&
            a.event_id == flag.event_id)
            return &candidate;
    }
    return nullptr;
}

// A signal at a core where nothing has waited for it in this launch, or under way because others of its group have not
// signalled.
struct Astray {
    unsigned id = 0;  // of its intended flag, or of the flag that it reached
    CoreId from;
    SourceLocation location;
    std::vector<CoreId> at, missing;
};

// Signals of FIFOs are excluded, because a free slot at the time of a deadlock is not a surplus.
std::vector<Astray> signals_astray(const std::vector<const Core*>& cores,
                                   const std::vector<Waiter>& waiters,
                                   const CrossCoreNetwork& network) {
    std::vector<Astray> result;
    for (const Core* core : cores) {
        const std::span<const CrossCoreFlags::Flag> flags = core->cross_core_flags().flags();
        for (unsigned id = 0; id < flags.size(); ++id) {
            const CrossCoreSignal& last = flags[id].last;
            if (flags[id].count == 0 || flags[id].waited_for || last.fifo != FifoSignal::kNone) continue;
            const auto same = std::find_if(result.begin(), result.end(), [&](const Astray& one) {
                return one.id == id && one.from == last.from && one.location == last.location;
            });
            if (same != result.end())
                same->at.push_back(core->id());
            else
                result.push_back({id, last.from, last.location, {core->id()}, {}});
        }
    }
    // A core that has ended will not signal; a blocked one still may.
    const auto blocked = [&](CoreId core) {
        return std::any_of(waiters.begin(), waiters.end(),
                           [&](const Waiter& waiter) { return waiter.core->id() == core; });
    };
    for (CrossCoreNetwork::Unmatched& one : network.unmatched())
        if (std::none_of(one.missing.begin(), one.missing.end(), blocked))
            result.push_back({one.id, one.from, one.location, {}, std::move(one.missing)});
    return result;
}

// True if a stray signal may be meant for this wait: it has the wait's number, or has reached the waiting core.
bool may_be_for(const Astray& signal, const Waiter& waiter) {
    return signal.id == CrossCoreFlags::index(*waiter.instruction) ||
           std::find(signal.at.begin(), signal.at.end(), waiter.core->id()) != signal.at.end();
}

std::string cores_text(const std::vector<CoreId>& cores) {
    constexpr size_t kMost = 4;
    std::string text;
    for (size_t i = 0; i < cores.size() && i < kMost; ++i)
        text += (i == 0 ? "" : i + 1 == cores.size() ? " and " : ", ") + name(cores[i]);
    if (cores.size() > kMost) text += " and " + std::to_string(cores.size() - kMost) + " more";
    return text;
}

std::string text(const Astray& signal, const SourceMap& sources) {
    const std::string set = cross_flag_text(signal.id) + " is set by " + name(signal.from) +
                            " at " + site(sources, signal.location);
    if (signal.at.empty())
        return set + ", and is sent once " + cores_text(signal.missing) +
               (signal.missing.size() == 1 ? " has" : " have") + " set it, too";
    return set + " and has reached " + cores_text(signal.at) + ", where it was never awaited";
}

// How close a wait is to the cause of a deadlock. A wait for a set that will never be issued explains the others; next
// comes one whose signal may have gone elsewhere. A wait for a set that is queued after another wait is explained by
// that wait.
enum Rank { kNeverSet, kSentElsewhere, kNotIssued, kSetIsQueued, kOther };

std::string needs(const Waiter& waiter, const std::vector<Astray>& astray, const SourceMap& sources,
                  Rank& rank) {
    rank = kOther;
    if (waiter.reason == BlockReason::kFlag) {
        const Attributes& flag = waiter.instruction->attributes;
        if (const Instruction* set = queued_set(*waiter.core, flag)) {
            rank = kSetIsQueued;
            return "its set (" + site(sources, set->location) + ") is held up in the queue of " +
                   text(flag.source_pipe);
        }
        if (!waiter.core->scalar_state().issuing) {
            rank = kNeverSet;
            return "the kernel has ended and no set_flag for it is left";
        }
        rank = kNotIssued;
        return "no set_flag for it has been issued";
    }
    if (waiter.reason == BlockReason::kCrossCore) {
        const bool elsewhere = std::any_of(astray.begin(), astray.end(), [&](const Astray& signal) {
            return may_be_for(signal, waiter);
        });
        rank = elsewhere ? kSentElsewhere : kNotIssued;
        return "no core will send it: each has ended or is blocked itself";
    }
    return "";
}

// The pipe in whose queue a signal for a cross-core wait is blocked; empty if there is none.
std::optional<Pipe> queued_signal(const Core& core, const Instruction& wait) {
    const bool intra = wait.opcode == Opcode::kINTRA_WAIT;
    const unsigned ids = intra ? 16 : 256;  // those of the second vector core are 16 higher
    for (unsigned p = 1; p < kPipeCount; ++p) {
        const PipeUnit* unit = core.pipe(static_cast<Pipe>(p));
        for (uint64_t i = unit == nullptr ? 0 : unit->first();
             unit != nullptr && i < unit->pushed(); ++i) {
            const Instruction& candidate = *unit->entry(i).instruction;
            if (candidate.opcode == (intra ? Opcode::kINTRA_SET : Opcode::kCROSS_SET) &&
                candidate.attributes.event_id % ids == wait.attributes.event_id % ids)
                return static_cast<Pipe>(p);
        }
    }
    return std::nullopt;
}

// The pipes that have not yet released a buffer for which the waiting pipe waits.
void add_releasing(const Waiter& waiter, std::vector<std::string>& lanes) {
    const PipeUnit* own = waiter.core->pipe(waiter.pipe);
    if (own == nullptr || own->front() == nullptr) return;
    for (unsigned p = 1; p < kPipeCount; ++p) {
        const PipeUnit* unit = waiter.core->pipe(static_cast<Pipe>(p));
        if (unit != nullptr && unit->completed() < own->front()->after[p])
            lanes.push_back(lane(*waiter.core, static_cast<Pipe>(p)));
    }
}

// The lanes that must make progress before `waiter` can.
std::vector<std::string> holders(const Waiter& waiter, const std::vector<Waiter>& all) {
    std::vector<std::string> lanes;
    const Core& core = *waiter.core;
    const auto add_others = [&] {
        for (const Waiter& other : all)
            if (other.core == &core && other.pipe != waiter.pipe)
                lanes.push_back(lane(core, other.pipe));
    };
    switch (waiter.reason) {
        case BlockReason::kFlag: {
            const Attributes& flag = waiter.instruction->attributes;
            if (queued_set(core, flag) != nullptr)
                lanes.push_back(lane(core, flag.source_pipe));
            else if (core.scalar_state().issuing)
                lanes.push_back(lane(core, Pipe::kS));
            break;
        }
        case BlockReason::kQueueFull:
            lanes.push_back(lane(core, pipe_of(*waiter.instruction, core.arch())));
            break;
        case BlockReason::kCrossCore: {
            const bool fifo = waiter.instruction->attributes.fifo != FifoSignal::kNone ||
                              waiter.instruction->opcode == Opcode::kINTRA_WAIT;
            std::vector<const Core*> seen{&core};
            for (const Waiter& other : all) {
                if (std::find(seen.begin(), seen.end(), other.core) != seen.end()) continue;
                seen.push_back(other.core);
                const bool near = of_one_cluster(core.id(), other.core->id());
                if (fifo && !near) continue;
                if (const auto pipe = queued_signal(*other.core, *waiter.instruction))
                    lanes.push_back(lane(*other.core, *pipe));
                else if (near && other.core->scalar_state().issuing)
                    lanes.push_back(lane(*other.core, Pipe::kS));
            }
            break;
        }
        case BlockReason::kBarrier:
        case BlockReason::kDrain:
            add_others();
            break;
        case BlockReason::kData:
            if (is_buffer_token(waiter.instruction->opcode)) add_releasing(waiter, lanes);
            break;
        case BlockReason::kInFlight:
            break;
    }
    return lanes;
}

// Finds a cycle of waits by depth-first search, marks its edges, and returns its lanes in order; empty if there is
// none.
std::vector<std::string> find_cycle(std::vector<WaitEdge>& edges) {
    std::map<std::string, std::vector<size_t>> from;
    for (size_t i = 0; i < edges.size(); ++i)
        if (!edges[i].holder.empty()) from[edges[i].waiter].push_back(i);
    std::map<std::string, bool> finished;  // visited lanes; true: with all lanes reachable from them
    std::vector<size_t> path;
    std::vector<std::string> lanes;
    const std::function<bool(const std::string&)> visit = [&](const std::string& at) {
        const auto visited = finished.find(at);
        if (visited != finished.end() && visited->second) return false;
        if (visited != finished.end()) {
            size_t first = 0;
            while (edges[path[first]].waiter != at) ++first;
            for (size_t i = first; i < path.size(); ++i) {
                edges[path[i]].in_cycle = true;
                lanes.push_back(edges[path[i]].waiter);
            }
            return true;
        }
        finished[at] = false;
        for (const size_t edge : from[at]) {
            path.push_back(edge);
            if (visit(edges[edge].holder)) return true;
            path.pop_back();
        }
        finished[at] = true;
        return false;
    };
    std::vector<std::string> starts;
    for (const auto& [lane, list] : from) starts.push_back(lane);
    for (const std::string& start : starts)
        if (visit(start)) break;
    return lanes;
}

std::string cycle_text(const std::vector<WaitEdge>& edges, const std::vector<std::string>& lanes) {
    std::string text = "a cycle: ";
    for (const std::string& lane : lanes) {
        const auto edge = std::find_if(edges.begin(), edges.end(), [&](const WaitEdge& e) {
            return e.in_cycle && e.waiter == lane;
        });
        text += lane;
        if (edge->line > 0) text += " (" + edge->file + ":" + std::to_string(edge->line) + ")";
        text += " -> ";
    }
    return text + lanes.front();
}

// Cores that are blocked in the same way at the same lines, each within itself.
struct CoreGroup {
    std::string pattern;              // the notes without the core's name
    std::vector<std::string> notes;   // of the first core
    std::vector<std::string> others;  // the names of the others
};

void add(std::vector<CoreGroup>& groups, const std::string& core, std::vector<std::string> notes) {
    if (notes.empty()) return;
    std::string pattern;
    for (const std::string& note : notes) {
        size_t from = 0;
        for (size_t at; (at = note.find(core, from)) != std::string::npos; from = at + core.size())
            pattern += note.substr(from, at - from) + '*';
        pattern += note.substr(from) + '\n';
    }
    for (CoreGroup& group : groups)
        if (group.pattern == pattern) {
            group.others.push_back(core);
            return;
        }
    groups.push_back({std::move(pattern), std::move(notes), {}});
}

std::string others_text(const std::vector<std::string>& cores) {
    constexpr size_t kMost = 4;
    std::string text = "and the same on ";
    for (size_t i = 0; i < cores.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + cores[i];
    if (cores.size() > kMost)
        text += " and " + std::to_string(cores.size() - kMost) + " more cores";
    return text;
}

// True if a wait for this flag is in the queue of its pipe.
bool wait_is_queued(const Core& core, const FlagFile::Pending& flag) {
    const PipeUnit* unit = core.pipe(flag.destination);
    for (uint64_t i = unit == nullptr ? 0 : unit->first(); unit != nullptr && i < unit->pushed();
         ++i) {
        const Instruction& candidate = *unit->entry(i).instruction;
        if (candidate.opcode == Opcode::kWAIT_FLAG &&
            candidate.attributes.source_pipe == flag.source &&
            candidate.attributes.event_id == flag.id)
            return true;
    }
    return false;
}

// For a kernel that has issued everything: lists sets of the same pipe for which nothing waits, because one of them may
// be meant for this wait.
void add_pending(const Waiter& waiter, const SourceMap& sources, std::vector<std::string>& notes) {
    constexpr size_t kMost = 3;
    size_t count = 0;
    for (const FlagFile::Pending& flag : waiter.core->pending_flags())
        if (flag.source == waiter.instruction->attributes.source_pipe &&
            !wait_is_queued(*waiter.core, flag) && count++ < kMost)
            notes.push_back("flag " + text(flag.source) + "->" + text(flag.destination) + " #" +
                            std::to_string(flag.id) + " is set at " + site(sources, flag.location) +
                            ", and no wait for it is pending");
}

// Lists the stray signals, one of which may be meant for this wait.
void add_astray(const Waiter& waiter, const std::vector<Astray>& astray, const SourceMap& sources,
                std::vector<std::string>& notes) {
    constexpr size_t kMost = 4;
    size_t count = 0;
    for (const Astray& signal : astray)
        if (may_be_for(signal, waiter) && count++ < kMost) notes.push_back(text(signal, sources));
    if (count > kMost)
        notes.push_back("and " + std::to_string(count - kMost) + " more such signals");
}

// The remedy for the root of the deadlock.
std::string hint_for(const Waiter& first, Rank rank) {
    if (rank == kSentElsewhere && first.instruction->opcode == Opcode::kINTRA_WAIT)
        return "use the same number in signal and wait: on an AIC, numbers of its second AIV are higher by 16";
    if (rank == kSentElsewhere)
        return "use the same number and mode in signal and wait: mode 0 goes from all cores of a type to each of them, "
               "1 from the AIVs of a cluster to each of them, 2 from an AIC to its AIVs or from both of them to it";
    const std::string check =
        "check the flag's pipes, its id, and branches that skip one of the two";
    if (first.reason != BlockReason::kFlag || rank == kSetIsQueued)
        return "every wait needs a set before it on the path that really runs; " + check;
    const Attributes& flag = first.instruction->attributes;
    return "set_flag from " + text(flag.source_pipe) + " to " + text(flag.destination_pipe) +
           " with id " + std::to_string(flag.event_id) +
           " is missing on the executed path, or this wait is superfluous; " + check;
}

// The remedy for a cycle in which a producer waits for a free slot of its FIFO; empty for other cycles.
std::string hint_for_slots(const std::vector<std::string>& cycle, const std::vector<Waiter>& all) {
    for (const Waiter& waiter : all) {
        if (waiter.reason != BlockReason::kCrossCore ||
            waiter.instruction->attributes.fifo != FifoSignal::kSlot ||
            std::find(cycle.begin(), cycle.end(), waiter.who()) == cycle.end())
            continue;
        const unsigned slots = waiter.instruction->attributes.fifo_slots;
        const std::string more = std::to_string(2 * slots);
        return "the FIFO is full (slots: " + std::to_string(slots) +
               "), and the core that empties it waits itself: free a slot before that wait, or, if that "
               "core needs all of these tiles at once, give the FIFO more slots, e.g. slot_num = " +
               more + " (PyPTO: pl.cross_core_slot(slot_num=" + more + "))";
    }
    return {};
}

}  // namespace

Diagnostic explain_deadlock(const std::vector<const Core*>& cores, const CrossCoreNetwork& network,
                            const SourceMap& sources, Cycle now) {
    Diagnostic d;
    d.code = "E05";
    d.category = Category::kDeadlock;
    d.cycle = now;
    d.has_cycle = true;
    std::optional<Waiter> first;
    int first_rank = kOther + 1;
    std::string first_needs;
    std::vector<CoreGroup> groups;
    unsigned stuck = 0;
    std::vector<Waiter> all;
    for (const Core* core : cores)
        for (const Waiter& waiter : waiters_of(*core)) all.push_back(waiter);
    const std::vector<Astray> astray = signals_astray(cores, all, network);
    constexpr size_t kMostEdges = 1000;
    for (const Core* core : cores) {
        const std::vector<Waiter> waiters = waiters_of(*core);
        if (!waiters.empty()) ++stuck;
        std::vector<std::string> notes;
        for (const Waiter& waiter : waiters) {
            Rank rank = kOther;
            const std::string need = needs(waiter, astray, sources, rank);
            if (rank < first_rank) {
                first = waiter;
                first_rank = rank;
                first_needs = need;
            }
            std::string note = waiter.who() + " " + waiter.what();
            if (waiter.instruction != nullptr)
                note += " at " + site(sources, waiter.instruction->location);
            if (!need.empty()) note += "; " + need;
            notes.push_back(std::move(note));
            std::vector<std::string> lanes = holders(waiter, all);
            if (lanes.empty()) lanes.emplace_back();
            Diagnostic here;
            if (waiter.instruction != nullptr) sources.locate(here, waiter.instruction->location);
            for (std::string& holder : lanes)
                if (d.waits.size() < kMostEdges)
                    d.waits.push_back({waiter.who(), std::move(holder), waiter.what(), here.file,
                                       here.location.line, false});
        }
        add(groups, name(core->id()), std::move(notes));
    }
    if (!first) {
        d.message = "deadlock: no pipe can continue, but none waits for a flag";
        return d;
    }
    d.hint = hint_for(*first, static_cast<Rank>(first_rank));
    d.core = name(first->core->id());
    d.pipe = text(first->pipe);
    if (first->instruction != nullptr) {
        sources.locate(d, first->instruction->location);
        d.instruction = info(first->instruction->opcode).name;
    }
    d.message = "deadlock: " + first->who() + " " + first->what();
    if (first->instruction != nullptr)
        d.message += " (line " + std::to_string(first->instruction->location.line) + ")";
    if (!first_needs.empty()) d.message += "; " + first_needs;
    constexpr size_t kMostNotes = 24;
    const std::vector<std::string> cycle = find_cycle(d.waits);
    if (!cycle.empty()) d.notes.push_back(cycle_text(d.waits, cycle));
    if (const std::string more = hint_for_slots(cycle, all); !more.empty()) d.hint = more;
    if (first->reason == BlockReason::kFlag && first_rank == kNeverSet)
        add_pending(*first, sources, d.notes);
    if (first_rank == kSentElsewhere) add_astray(*first, astray, sources, d.notes);
    d.notes.push_back(std::to_string(stuck) + " core" + (stuck == 1 ? " is" : "s are") +
                      " blocked:");
    size_t listed = 0, more = 0;
    for (const CoreGroup& group : groups) {
        const bool fits = listed < kMostNotes;
        listed += group.notes.size();
        more += fits ? 0 : 1 + group.others.size();
        if (!fits) continue;
        d.notes.insert(d.notes.end(), group.notes.begin(), group.notes.end());
        if (!group.others.empty()) d.notes.push_back(others_text(group.others));
    }
    if (more > 0) d.notes.push_back("and " + std::to_string(more) + " more cores");
    return d;
}

std::vector<PresentWait> present_waits(const Core& core, const SourceMap& sources) {
    std::vector<PresentWait> result;
    for (const Waiter& waiter : waiters_of(core)) {
        PresentWait wait{waiter.pipe, waiter.reason, waiter.what(), 0, {}};
        Rank rank = kOther;
        if (waiter.reason == BlockReason::kFlag) wait.text += "; " + needs(waiter, {}, sources, rank);
        if (waiter.instruction != nullptr) wait.where = waiter.instruction->location;
        if (waiter.pipe != Pipe::kS) wait.since = core.pipe(waiter.pipe)->blocked().since;
        result.push_back(std::move(wait));
    }
    return result;
}

}  // namespace ptosim
