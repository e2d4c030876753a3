// Advice about waiting: buffers with too few slots, flags and barriers that order
// more than the bytes require, and data that cores hand over to each other.
#include <algorithm>
#include <map>
#include <span>

#include "sim/machine/observe/library_calls.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/loops.h"
#include "traces/analyse/proposals.h"

namespace ptosim {

namespace {

constexpr size_t kMostSites = 24;
constexpr ptrdiff_t kNeighbours = 32;  // instructions behind a wait that are looked at
constexpr ptrdiff_t kReach = 256;      // around a flag

// Waits at one location of the text; the waits of all cores of a type are added up.
struct WaitsAt {
    CodeSite site;
    WaitCause cause;     // of its first wait
    uint32_t first = 0;  // index into Recording::waits
    Cycle cycles = 0;
};

std::vector<WaitsAt> worst_waits(const Findings& f) {
    BySite<WaitsAt> sites;
    for (uint32_t w = 0; w < f.recording.waits.size(); ++w) {
        const WaitRecord& wait = f.recording.waits[w];
        const BlockReason reason = wait.cause.reason;
        const bool told = reason == BlockReason::kFlag || reason == BlockReason::kBarrier ||
                          reason == BlockReason::kCrossCore || reason == BlockReason::kData;
        if (!told || wait.open || wait.cause.waiter.line == 0) continue;
        const CodeSite site{wait.cause.waiter, wait.cause.opcode, f.recording.cores[wait.core].type,
                            wait.pipe};
        WaitsAt& waits = sites[site];
        if (waits.site.at.line == 0) waits = {site, wait.cause, w, 0};
        waits.cycles += wait.end - wait.begin;
    }
    std::vector<WaitsAt> result;
    for (const auto& [site, waits] : sites.map())
        if (waits.cycles >= f.worthy() * f.cores(site.type)) result.push_back(waits);
    std::stable_sort(result.begin(), result.end(),
                     [](const WaitsAt& a, const WaitsAt& b) { return a.cycles > b.cycles; });
    if (result.size() > kMostSites) result.resize(kMostSites);
    return result;
}

// Place of a pipe on the way of data through a core. A flag against this order gives a buffer back.
unsigned stage(Pipe pipe) {
    switch (pipe) {
        case Pipe::kMTE2:
            return 0;
        case Pipe::kMTE1:
            return 1;
        case Pipe::kM:
        case Pipe::kV:
            return 2;
        case Pipe::kFIX:
            return 3;
        default:
            return 4;
    }
}

// Instructions by core, in program order.
class Program {
 public:
    explicit Program(const Recording& recording) : recording_{recording} {
        cores_.resize(recording.cores.size());
        for (uint32_t i = 0; i < recording.instructions.size(); ++i)
            cores_[recording.instructions[i].core].push_back(i);
        const auto earlier = [&recording](uint32_t a, uint32_t b) {
            return recording.instructions[a].sequence < recording.instructions[b].sequence;
        };
        for (std::vector<uint32_t>& core : cores_)
            if (!std::is_sorted(core.begin(), core.end(), earlier))
                std::sort(core.begin(), core.end(), earlier);
    }
    // Position in its core's program; -1 if it is not there.
    ptrdiff_t find(uint16_t core, uint32_t sequence) const {
        const auto& list = cores_[core];
        const auto at = std::lower_bound(
            list.begin(), list.end(), sequence,
            [this](uint32_t i, uint32_t s) { return recording_.instructions[i].sequence < s; });
        return at == list.end() || recording_.instructions[*at].sequence != sequence
                   ? -1
                   : at - list.begin();
    }
    const InstructionRecord* at(uint16_t core, ptrdiff_t position) const {
        const auto& list = cores_[core];
        if (position < 0 || position >= static_cast<ptrdiff_t>(list.size())) return nullptr;
        return &recording_.instructions[list[static_cast<size_t>(position)]];
    }

 private:
    const Recording& recording_;
    std::vector<std::vector<uint32_t>> cores_;
};

bool bytes_meet(const OperandSet& a, const OperandSet& b) {
    for (const OperandSet::Item& x : a.items)
        for (const OperandSet::Item& y : b.items) {
            const bool tiles = x.memory != 0 && x.memory <= kSpaceCount && x.memory == y.memory;
            if (!tiles || ((x.roles | y.roles) & OperandSet::kWritten) == 0) continue;
            if (x.address < y.address + y.bytes && y.address < x.address + x.bytes) return true;
        }
    return false;
}

// Work around a flag: of its source before the set, the nearest first, and of its destination after
// the wait.
struct Around {
    using Some = std::vector<const InstructionRecord*>;
    Some before, after;
    Some others;  // before the set, of other pipes: the source may have waited for them
    Some later;   // of the destination, after the next wait for the flag
    SourceLocation set;
    bool whole = true;  // not more than could be looked at

    // Of `before`, how many come after the last one that `after` needs; of `after`, how many come
    // before the first one that needs something. All of them if nothing does.
    size_t not_needed_before = 0, not_needed_after = 0;
    bool needed = false;  // something of `before` is needed by something of `after`
};

class Surroundings {
 public:
    Surroundings(const Recording& recording, const Program& program, const FlagRecord& flag)
        : r_{recording}, program_{program}, flag_{flag} {
        constexpr uint32_t kNear = 2 * kReach;
        for (const FlagRecord& f : recording.flags) {
            const bool same =
                f.source == flag.source && f.destination == flag.destination && f.id == flag.id;
            if (f.core == flag.core && !same && !f.cross_core && f.consumed != kNever &&
                f.set_sequence + kNear > flag.set_sequence &&
                f.set_sequence < flag.wait_sequence + kNear)
                flags_.push_back(&f);
        }
    }

    Around find() const {
        Around result;
        result.set = flag_.set_location;
        const ptrdiff_t set = program_.find(flag_.from, flag_.set_sequence);
        const ptrdiff_t wait = program_.find(flag_.core, flag_.wait_sequence);
        if (set < 0 || wait < 0) return result;
        size_t own_before = 0, own_after = 0;
        result.whole = collect(flag_.from, set, -1, result.before, result.others, own_before);
        result.whole &= collect(flag_.core, wait, 1, result.after, result.later, own_after);
        result.needed = not_needed(result.before, result.after) < result.before.size();
        result.not_needed_before = not_needed(result.before, Some(result.after).first(own_after));
        result.not_needed_after = not_needed(result.after, result.before);
        return result;
    }
    // The first of `some` that one of `others` conflicts with and that no other flag orders before
    // it; and that one.
    std::pair<const InstructionRecord*, const InstructionRecord*> unordered_conflict(
        const Around::Some& some, const Around::Some& others) const {
        for (const InstructionRecord* one : some)
            for (const InstructionRecord* other : others)
                if (one->pipe != other->pipe && conflict(*one, *other) && !ordered(*one, *other))
                    return {one, other};
        return {};
    }

 private:
    using Some = std::span<const InstructionRecord* const>;

    // Collects work from a set backwards or from a wait onwards, to the next one of the same flag.
    // `to` receives the work of the flag's own pipe; `more` receives the work of other pipes
    // (backwards), or of that pipe beyond the next one (onwards). `own` is the number of items up
    // to the next one between these pipes. False: there was more than the limit of the search.
    bool collect(uint16_t core, ptrdiff_t from, ptrdiff_t by, Around::Some& to, Around::Some& more,
                 size_t& own) const {
        const Opcode ends = by < 0 ? Opcode::kSET_FLAG : Opcode::kWAIT_FLAG;
        const Pipe pipe = by < 0 ? flag_.source : flag_.destination;
        const OperandSet& flags = r_.operands_of(*program_.at(core, from));
        bool others = false, met = false;
        for (ptrdiff_t i = from + by; std::abs(i - from) <= kReach; i += by) {
            const InstructionRecord* record = program_.at(core, i);
            if (record == nullptr) return true;
            const bool sync = record->has(InstructionRecord::kSync);
            if (record->pipe != pipe) {
                if (by < 0 && !sync && record->pipe != flag_.destination) more.push_back(record);
                continue;
            }
            if (!sync) {
                if (met) {
                    more.push_back(record);
                    continue;
                }
                to.push_back(record);
                if (!others) own = to.size();
                continue;
            }
            if (record->opcode != ends) continue;
            const OperandSet& these = r_.operands_of(*record);
            if (these == flags) {
                if (by < 0 || met) return true;
                met = true;
            }
            const bool pipes = these.items[0].memory == flags.items[0].memory &&
                               these.items[1].memory == flags.items[1].memory;
            others = others || (pipes && !to.empty());
        }
        return met;
    }
    bool conflict(const InstructionRecord& a, const InstructionRecord& b) const {
        return bytes_meet(r_.operands_of(a), r_.operands_of(b));
    }
    size_t not_needed(Some some, Some others) const {
        const auto first = std::find_if(some.begin(), some.end(), [&](const auto* one) {
            return std::any_of(others.begin(), others.end(),
                               [&](const auto* other) { return conflict(*one, *other); });
        });
        return static_cast<size_t>(first - some.begin());
    }
    // True if another flag lets `later` wait for `earlier`.
    bool ordered(const InstructionRecord& earlier, const InstructionRecord& later) const {
        return std::any_of(flags_.begin(), flags_.end(), [&](const FlagRecord* f) {
            return f->source == earlier.pipe && f->destination == later.pipe &&
                   f->set_sequence > earlier.sequence && f->wait_sequence < later.sequence;
        });
    }

    const Recording& r_;
    const Program& program_;
    const FlagRecord& flag_;
    std::vector<const FlagRecord*> flags_;  // others of this core around it
};

std::string flag_name(const WaitCause& cause) {
    return std::string(name(cause.source)) + "->" + std::string(name(cause.destination)) + " #" +
           std::to_string(cause.id);
}

class Waits {
 public:
    Waits(const Findings& f, Proposals& to) : f_{f}, r_{f.recording}, to_{to} {}

    void propose() {
        for (const WaitsAt& waits : worst_waits(f_)) switch (waits.cause.reason) {
                case BlockReason::kFlag:
                    if (stage(waits.cause.source) > stage(waits.cause.destination))
                        deeper(waits, AdviceKind::kBuffer);
                    order(waits);
                    break;
                case BlockReason::kBarrier:
                    barrier(waits);
                    break;
                case BlockReason::kCrossCore:
                    deeper(waits, AdviceKind::kHandOver);
                    break;
                default:
                    data(waits);
            }
        all_buffers();
    }

 private:
    auto at_site(const CodeSite& site) const {
        // It outlives this.
        return [&recording = r_, site](const InstructionRecord& record) {
            return site_of(recording, record).key() == site.key();
        };
    }
    // "V waits 14 cycles per core"
    std::string wait_time(const WaitsAt& waits, std::string_view pipe) const {
        const uint64_t cores = std::max<uint64_t>(1, f_.cores(waits.site.type));
        return std::string(pipe) + " waits " + std::to_string(waits.cycles / cores) +
               " cycles per core";
    }
    std::string waits_text(const WaitsAt& waits, std::string_view pipe) const {
        return wait_time(waits, pipe) + " for " +
               long_text(waits.cause, WaitSite::with_call(r_.sources.text(waits.cause.release),
                                                          release_call(r_.sources, waits.cause))) +
               ".";
    }
    void add(Advice advice, Dependencies::Change change, bool combines = false) {
        Proposal proposal;
        proposal.advice = std::move(advice);
        proposal.change = std::move(change);
        proposal.combines = combines;
        to_.push_back(std::move(proposal));
    }

    // "Add a slot to the buffer that MTE2 fills: MTE2 waits 14 cycles per core for V to free one"
    std::string one_more_slot(const WaitsAt& waits, const std::string& pipe, Pipe holder) const {
        const std::string call = call_of(waits);
        const bool queue = purpose_of(call) == CallPurpose::kQueue;
        const std::string name = object_of_call(r_.sources.line(waits.site.at), call);
        return phrase(queue ? Phrase::kOneMoreSlot : Phrase::kOneMoreSlotInside, f_.library,
                      {{"pipe", pipe}, {"call", call}, {"queue", name}}) +
               ": " + wait_time(waits, pipe) + " for " + std::string(::ptosim::name(holder)) +
               " to free one";
    }
    // The user of a library cannot change orders within a call of it.
    bool is_inside(const WaitsAt& waits) const {
        const std::string call = call_of(waits);
        return f_.library != Library::kNone && !call.empty() &&
               purpose_of(call) == CallPurpose::kOther;
    }
    std::string call_of(const WaitsAt& waits) const {
        return f_.call(waits.site.at, waits.site.opcode);
    }
    void deeper(const WaitsAt& waits, AdviceKind kind) {
        Advice advice;
        advice.kind = kind;
        advice.at = waits.site.at;
        const std::string pipe{name(kind == AdviceKind::kHandOver ? r_.waits[waits.first].pipe
                                                                  : waits.cause.destination)};
        if (kind == AdviceKind::kHandOver) {
            advice.what = "Double-buffer the hand-off: " + wait_time(waits, name(waits.site.type)) +
                          " for " + short_text(waits.cause);
            advice.why =
                waits_text(waits, pipe + " of " + std::string(name(waits.site.type))) +
                " With one more tile in flight, it could work on the previous tile instead.";
        } else {
            advice.what = one_more_slot(waits, pipe, waits.cause.source);
            advice.why = waits_text(waits, pipe) + room_text(waits);
        }
        Dependencies::Change change;
        change.deeper = at_site(waits.site);
        const bool fits = kind != AdviceKind::kBuffer || has_room_;
        if (kind == AdviceKind::kBuffer && fits) buffers_.push_back(waits);
        add(std::move(advice), std::move(change));
        if (!fits || !awaits(waits.site.opcode)) return;
        const TrialStep slot{TrialStep::Kind::kOneMoreSlot, waits.site.at, waits.site.opcode,
                             waits.site.type};
        if (kind != AdviceKind::kHandOver) {
            to_.back().trials.push_back({0, {slot}});
            return;
        }
        // A wait for data cannot be given a slot more, because the data must be there.
        if (writes_next(waits)) to_.back().trials.push_back({0, {slot}, Trial::Check::kOnChip});
        TrialStep ahead = slot;
        ahead.kind = TrialStep::Kind::kAhead;
        ahead.loop_begin = loop_around(waits.site.at);
        if (ahead.loop_begin != 0) to_.back().trials.push_back({0, {ahead}, Trial::Check::kOnChip});
    }
    // True if the core's first transfer after the wait writes global memory: it waits for room
    // there.
    bool writes_next(const WaitsAt& waits) {
        const WaitRecord& wait = r_.waits[waits.first];
        const ptrdiff_t at = program().find(wait.core, wait.sequence);
        for (ptrdiff_t i = at; at >= 0 && i <= at + kNeighbours; ++i) {
            const InstructionRecord* record = program().at(wait.core, i);
            if (record == nullptr) break;
            for (const OperandSet::Item& item : r_.operands_of(*record).items)
                if (item.memory == OperandSet::kGlobalMemory)
                    return (item.roles & OperandSet::kWritten) != 0;
        }
        return false;
    }
    static bool awaits(Opcode opcode) {
        return opcode == Opcode::kWAIT_FLAG || opcode == Opcode::kCROSS_WAIT ||
               opcode == Opcode::kINTRA_WAIT;
    }
    // First line of the innermost loop around a line; 0: none.
    uint32_t loop_around(SourceLocation at) const {
        uint32_t first = 0;
        for (const LoopRegion& loop : find_loops(r_.sources.file(at.file).text))
            if (loop.first <= at.line && at.line <= loop.last) first = std::max(first, loop.first);
        return first;
    }
    void try_step(TrialStep step) { to_.back().trials.push_back({0, {step}, Trial::Check::kAll}); }
    // The author of the kernel finds no flag at that line.
    std::string inserted_text(const WaitsAt& waits) const {
        const std::string_view line = r_.sources.line(waits.site.at);
        if (line.find("pto.") == std::string_view::npos) return {};
        for (const std::string_view word : {"wait", "barrier", "sync", "_buf["})
            if (line.find(word) != std::string_view::npos) return {};
        return " ptosim inserted it: --emit FILE writes the kernel with its flags, where you can "
               "change it.";
    }
    std::string slot_text(uint64_t bytes, Space space) {
        const uint64_t all = r_.facts.buffer_bytes[static_cast<size_t>(space)];
        has_room_ = f_.top(space) + bytes <= all;
        return " A slot takes " + std::to_string(bytes) + " of the " + std::to_string(all) +
               " bytes of " + std::string(name(space)) +
               (has_room_ ? "."
                          : ", of which " + std::to_string(all - std::min(all, f_.top(space))) +
                                " are free: another one fits only if tiles are smaller.");
    }
    // Text if one more slot of the buffer that is filled after the wait has room.
    std::string room_text(const WaitsAt& waits) {
        has_room_ = true;
        const WaitRecord& wait = r_.waits[waits.first];
        const ptrdiff_t at = program().find(wait.core, wait.sequence);
        for (ptrdiff_t i = at; at >= 0 && i <= at + kNeighbours; ++i) {
            const InstructionRecord* record = program().at(wait.core, i);
            if (record == nullptr) break;
            if (record->pipe != waits.cause.destination || record->has(InstructionRecord::kSync))
                continue;
            for (const OperandSet::Item& item : r_.operands_of(*record).items)
                if (item.memory != 0 && item.memory <= kSpaceCount &&
                    (item.roles & OperandSet::kWritten) != 0)
                    return slot_text(item.bytes, static_cast<Space>(item.memory - 1u));
        }
        return {};
    }

    // All buffers of a type of core at once: one slot more of one may only show the next.
    void all_buffers() {
        for (const CoreType type : {CoreType::kAIC, CoreType::kAIV}) {
            std::vector<CodeSite> sites;
            const WaitsAt* most = nullptr;
            Cycle cycles = 0;
            for (const WaitsAt& waits : buffers_) {
                if (waits.site.type != type) continue;
                sites.push_back(waits.site);
                cycles += waits.cycles;
                if (most == nullptr) most = &waits;
            }
            if (sites.size() < 2) continue;
            Advice advice;
            advice.kind = AdviceKind::kBuffer;
            advice.at = most->site.at;
            advice.what =
                phrase(Phrase::kEachOneMoreSlot, f_.library, {{"core", std::string(name(type))}}) +
                ": its pipes wait " +
                std::to_string(cycles / std::max<uint64_t>(1, f_.cores(type))) +
                " cycles per core for free slots";
            advice.why = "The waits are at ";
            for (const CodeSite& site : sites)
                advice.why += (&site == sites.data() ? "" : ", ") + r_.sources.text(site.at);
            advice.why += ".";
            Dependencies::Change change;
            change.deeper = [&recording = r_, sites](const InstructionRecord& record) {
                return std::any_of(sites.begin(), sites.end(), [&](const CodeSite& site) {
                    return site_of(recording, record).key() == site.key();
                });
            };
            add(std::move(advice), std::move(change), true);
            Trial trial;
            for (const CodeSite& site : sites)
                if (awaits(site.opcode))
                    trial.steps.push_back(
                        {TrialStep::Kind::kOneMoreSlot, site.at, site.opcode, site.type});
            if (trial.steps.size() == sites.size()) to_.back().trials.push_back(std::move(trial));
        }
    }

    void order(const WaitsAt& waits) {
        const std::vector<const FlagRecord*> flags = flags_at(waits.site.at);
        if (flags.empty() || is_inside(waits)) return;
        // Takes a flag in the middle, because the first ones often belong to empty slots.
        const Surroundings surroundings(r_, program(), *flags[flags.size() / 2]);
        const Around a = surroundings.find();
        if (a.before.empty() || a.after.empty() || (!a.needed && !a.whole)) return;
        Advice advice;
        advice.kind = AdviceKind::kFlag;
        advice.at = waits.site.at;
        const std::string flag = flag_name(waits.cause);
        const std::string destination{name(waits.cause.destination)};
        const auto location = [&](const InstructionRecord* record) {
            return issued_name(r_, *record) + " at " + r_.sources.text(record->location);
        };
        const auto worded = [&](Phrase what) {
            return phrase(what, f_.library, {{"flag", flag}, {"call", call_of(waits)}});
        };
        const bool global = stage(waits.cause.source) >= 3;
        if (!a.needed) {
            const auto [other, needs] = surroundings.unordered_conflict(a.others, a.after);
            const auto [earlier, later] = surroundings.unordered_conflict(a.before, a.later);
            if (other != nullptr)
                advice.what = "Make " + destination + " wait for " +
                              std::string(name(other->pipe)) + " instead of " +
                              std::string(name(waits.cause.source)) + ", flag " + flag + ": " +
                              location(needs) + " depends only on " + location(other);
            else if (later != nullptr)
                advice.what =
                    worded(Phrase::kFlagOfEachSlot) + ": it waits for " + location(earlier) +
                    ", whose result is first used after the next wait, by " + location(later);
            else
                advice.what = worded(Phrase::kNoFlag) + ": " + wait_time(waits, destination) +
                              ", and no on-chip data depends on it";
            if (global) advice.why = "Keep the flag if stored data is loaded again. ";
            if (other != nullptr)
                advice.why +=
                    "Other data that this flag orders then needs separate flags: ptosim check "
                    "finds missing "
                    "ones. ";
        } else if (a.not_needed_before > 0 && a.not_needed_before < a.before.size()) {
            advice.at = a.set;
            advice.what = phrase(Phrase::kSetEarlier, f_.library,
                                 {{"flag", flag},
                                  {"call", f_.call(a.set, Opcode::kSET_FLAG)},
                                  {"other", location(a.before[a.not_needed_before])}}) +
                          ": " + wait_time(waits, destination) +
                          " and uses nothing that is done in between";
        } else if (a.not_needed_after > 0 && a.not_needed_after < a.after.size()) {
            advice.what = phrase(Phrase::kWaitLater, f_.library,
                                 {{"flag", flag},
                                  {"call", call_of(waits)},
                                  {"other", location(a.after[a.not_needed_after])}}) +
                          ": " + wait_time(waits, destination) +
                          ", and nothing before that instruction depends on the flag";
        } else {
            return;
        }
        advice.why += waits_text(waits, destination) + inserted_text(waits);
        Dependencies::Change change;
        change.unordered = at_site(waits.site);
        const bool removed = advice.what.starts_with(worded(Phrase::kNoFlag)) && !a.needed;
        const bool set_earlier = a.needed && advice.at == a.set && !(a.set == waits.site.at);
        add(std::move(advice), std::move(change));
        TrialStep step{TrialStep::Kind::kRemove, waits.site.at, Opcode::kWAIT_FLAG,
                       waits.site.type};
        step.source = waits.cause.source;
        step.destination = waits.cause.destination;
        for (const FlagRecord* flag : flags) step.ids |= 1u << (flag->id % 32);
        if (removed) {
            try_step(step);
        } else if (set_earlier) {
            step.kind = TrialStep::Kind::kSetAfter;
            step.at = a.set;
            step.opcode = Opcode::kSET_FLAG;
            step.to = a.before[a.not_needed_before]->location;
            try_step(step);
        } else if (a.needed) {
            step.kind = TrialStep::Kind::kWaitBefore;
            step.to = a.after[a.not_needed_after]->location;
            try_step(step);
        }
    }

    void barrier(const WaitsAt& waits) {
        if (is_inside(waits)) return;
        Advice advice;
        advice.kind = AdviceKind::kBarrier;
        advice.at = waits.site.at;
        advice.what = phrase(Phrase::kNoBarrier, f_.library, {{"call", call_of(waits)}}) + ": " +
                      wait_time(waits, name(r_.waits[waits.first].pipe)) +
                      ", longer than its on-chip data requires";
        advice.why = waits_text(waits, std::string(name(r_.waits[waits.first].pipe))) +
                     " Keep the barrier if stored data is loaded again." + inserted_text(waits);
        Dependencies::Change change;
        change.unordered = at_site(waits.site);
        add(std::move(advice), std::move(change));
        try_step({TrialStep::Kind::kRemove, waits.site.at, Opcode::kPIPE_BARRIER, waits.site.type});
    }

    // The scoreboard: an instruction that only waits until the bytes that it will write are free.
    void data(const WaitsAt& waits) {
        const WaitRecord& wait = r_.waits[waits.first];
        const InstructionRecord* waiter =
            program().at(wait.core, program().find(wait.core, wait.sequence));
        const InstructionRecord* holder =
            program().at(wait.core, program().find(wait.core, wait.released_by));
        if (waiter == nullptr || holder == nullptr) return;
        for (const OperandSet::Item& x : r_.operands_of(*waiter).items)
            for (const OperandSet::Item& y : r_.operands_of(*holder).items)
                if (x.memory != 0 && x.memory <= kSpaceCount && x.memory == y.memory &&
                    x.address < y.address + y.bytes && y.address < x.address + x.bytes &&
                    (x.roles & OperandSet::kRead) != 0 && (y.roles & OperandSet::kWritten) != 0)
                    return;  // it needs what the other one makes
        Advice advice;
        advice.kind = AdviceKind::kBuffer;
        advice.at = waits.site.at;
        advice.what = one_more_slot(waits, std::string(name(wait.pipe)), holder->pipe);
        advice.why = waits_text(waits, std::string(name(wait.pipe)));
        Dependencies::Change change;
        change.deeper = at_site(waits.site);
        buffers_.push_back(waits);
        add(std::move(advice), std::move(change));
    }

    std::vector<const FlagRecord*> flags_at(SourceLocation at) const {
        std::vector<const FlagRecord*> flags;
        for (const FlagRecord& flag : r_.flags)
            if (flag.wait_location == at && flag.consumed != kNever) flags.push_back(&flag);
        return flags;
    }
    const Program& program() {
        if (!program_) program_.emplace(r_);
        return *program_;
    }

    const Findings& f_;
    const Recording& r_;
    Proposals& to_;
    std::optional<Program> program_;
    std::vector<WaitsAt> buffers_;
    bool has_room_ = true;  // of the last slot_text()
};

}  // namespace

void propose_waits(const Findings& f, Proposals& to) { Waits(f, to).propose(); }

}  // namespace ptosim
