#include "sim/check/checkers/sync.h"

#include <algorithm>

#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"
#include "sim/machine/observe/library_calls.h"

namespace ptosim::check {
namespace {

std::string_view set_name(unsigned id) { return id < kIntraBlockIds ? "CROSS_SET" : "INTRA_SET"; }

std::string site(const char* code, SourceLocation where, unsigned id) {
    return std::string(code) + "/" + std::to_string(where.file) + "/" + std::to_string(where.line) +
           "/" + std::to_string(where.column) + "/" + std::to_string(id);
}

// True for flags of a queue; a tensor left in its queue is reported as Q04 instead.
bool set_by_enque(const SourceMap& sources, SourceLocation where) {
    const SourceMap::Call* call = sources.call(where, "SET_FLAG");
    return call != nullptr && call->function == "EnQue";
}

// True if a library sets the flag inside of a function for another purpose, such as EnQue or IterateAll. Public kernels
// that run on boards have such flags set ahead, because one id of a queue serves the next tensor before the wait for the
// last one has been executed.
bool set_by_library(const SourceMap& sources, SourceLocation where,
                    std::string_view instruction = "SET_FLAG") {
    const SourceMap::Call* call = sources.call(where, instruction);
    return call != nullptr && purpose_of(call->function) != CallPurpose::kOrder;
}

}  // namespace

Diagnostic SyncChecker::finding(const char* code, std::string message, SourceLocation where,
                                CoreId core, Pipe pipe, Cycle time) const {
    Diagnostic d;
    d.code = code;
    d.category = Category::kSync;
    d.message = std::move(message);
    shared_.sources->locate(d, where);
    d.core = name(core);
    d.pipe = name(pipe);
    d.cycle = time;
    d.has_cycle = true;
    return d;
}

void SyncChecker::on_flag_set(const FlagEvent& event) {
    const Timelines::SetOrder order = shared_.set_order;
    if (order == Timelines::SetOrder::kInTurn) return;
    if (order != Timelines::SetOrder::kNoRoom && timelines_.flag_sets() > 1 &&
        set_by_library(*shared_.sources, event.location))
        return;
    // The scalar unit sets a flag and queues the wait for it before it sets it again. Functions of Ascend C do so for each
    // row (LayerNorm), without waiting for the other pipe.
    if (event.source == Pipe::kS && timelines_.flag_sets() > 1 &&
        !open_.at(timelines_.index(event.core), event.source, event.destination, event.id).again)
        return;
    const auto& flags = timelines_.core(timelines_.index(event.core)).flags;
    const Timelines::Flag& state = flags.at({event.source, event.destination, event.id});
    const std::string place = site("E07", event.location, event.id);
    if (order == Timelines::SetOrder::kNoRoom || !state.later.empty()) {
        out_of_turn_.insert(timelines_.index(event.core));
        findings_.add(place, [&] { return early_set(event, state, order); });
        return;
    }
    // Later sets show whether the order of the kernel bounds them.
    EarlySets& early = early_sets_[{event.core, {event.source, event.destination, event.id}}];
    if (!early.contains(place)) early.emplace(place, early_set(event, state, order));
}

Diagnostic SyncChecker::early_set(const FlagEvent& event, const Timelines::Flag& state,
                                  Timelines::SetOrder order) const {
    const unsigned holds = timelines_.flag_sets();
    const std::string count = std::to_string(holds);
    const std::string flag = flag_text(event.source, event.destination, event.id);
    const bool full = order == Timelines::SetOrder::kNoRoom && holds > 1;
    const bool again = !full && !state.later.empty();
    const std::string what =
        again  ? flag + " is set again while the set before has not been waited for"
        : full ? flag + " may be set while it holds " + count +
                     " sets: this set is not ordered after the wait for the set " + count +
                     " before it"
               : flag +
                     " may be set again before the previous set is consumed: this set is not ordered after the "
                     "wait at " +
                     location_text(*shared_.sources, state.wait);
    Diagnostic d = finding("E07", what, event.location, event.core, event.source, event.time);
    d.instruction = "SET_FLAG";
    d.related = {again  ? shared_.sources->related("the set before", state.before)
                 : full ? shared_.sources->related("the last wait", state.wait)
                        : shared_.sources->related("the wait", state.wait)};
    if (holds > 1 && !full)
        d.notes.push_back("the run continues, because the chip file lets a flag count " + count +
                          " sets (flags.sets, assumed); a documented flag is one bit");
    d.hint = (holds == 1 ? "a flag is one bit: let "
              : full     ? "a flag holds " + count + " sets: let "
                         : std::string("let ")) +
             std::string(name(event.source)) + " wait for a flag that " +
             std::string(name(event.destination)) + " sets after " +
             (full    ? "its"
              : again ? "the"
                      : "that") +
             " wait, or use another id";
    return d;
}

void SyncChecker::report_early_sets(CoreId core, bool ended) {
    const auto& flags = timelines_.core(timelines_.index(core)).flags;
    const auto of_core = [core](const auto& entry) { return entry.first.core == core; };
    // A flag that is used out of turn bounds nothing.
    const bool all = !ended || out_of_turn_.erase(timelines_.index(core)) != 0 ||
                     std::any_of(early_sets_.begin(), early_sets_.end(), [&](const auto& entry) {
                         return of_core(entry) && !flags.at(entry.first.flag).paced();
                     });
    if (all)
        for (auto& [at, sets] : early_sets_)
            for (auto& [place, found] : sets) {
                if (!(at.core == core)) continue;
                if (ended && flags.at(at.flag).unbounded == 1) found.notes.emplace_back(kTwoSets);
                findings_.add(place, [&found = found] { return found; });
            }
    std::erase_if(early_sets_, of_core);
}

void SyncChecker::on_launch(const LaunchEvent& event) {
    kernel_ = event.kernel;
    open_.launch(event.cores.size());
}

void SyncChecker::on_block_begin(const RunEvent& event) {
    open_.block_begin(timelines_.index(event.core));
}

void SyncChecker::on_signal(const SignalEvent& event) {
    if (!shared_.counter_may_be_full) return;
    const Timelines::Arrived& arrived =
        timelines_.core(timelines_.index(event.to.front())).arrived.at(event.id).back();
    const Timelines::Sent& sent = arrived.last;
    findings_.add(site("C02", sent.location, event.id), [&] {
        Diagnostic d =
            finding("C02",
                    cross_flag_text(event.id) + " of " + name(event.to.front()) +
                        " may overflow: this signal is not ordered after the wait for the signal " +
                        std::to_string(Timelines::kSignals) + " before it",
                    sent.location, timelines_.core(arrived.from).id, sent.pipe, event.time);
        d.instruction = set_name(event.id);
        d.hint =
            "the counter has 4 bits: let the sender wait for an answer of the receiver in time";
        return d;
    });
}

void SyncChecker::on_issue(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    const uint16_t core = timelines_.index(event.core);
    if (open_.issue(core, instruction)) return;
    for (const InternalFlag& flag : internal_flags(instruction.opcode, timelines_.arch())) {
        const OpenFlags::Flag& pending = open_.at(core, flag.source, flag.destination, flag.id);
        if (!pending.set) continue;
        const std::string_view opcode = info(instruction.opcode).name;
        findings_.add(
            site("E11", instruction.location, flag.id) +
                flag_text(flag.source, flag.destination, flag.id),
            [&] {
                Diagnostic d = finding("E11",
                                       std::string(opcode) + " may use " +
                                           flag_text(flag.source, flag.destination, flag.id) +
                                           " inside, and the kernel has set it at " +
                                           location_text(*shared_.sources, pending.location) +
                                           " and not waited for it yet",
                                       instruction.location, event.core, event.pipe, event.time);
                d.instruction = opcode;
                d.related = {shared_.sources->related("set", pending.location)};
                d.hint = "use another id for a flag that is pending across " + std::string(opcode);
                return d;
            });
    }
}

void SyncChecker::on_start(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    const Attributes& a = instruction.attributes;
    const bool intra = instruction.opcode == Opcode::kINTRA_WAIT;
    if (a.fifo == FifoSignal::kNone || (!intra && instruction.opcode != Opcode::kCROSS_WAIT))
        return;
    const unsigned id = a.event_id + (intra ? kIntraBlockIds : 0u);
    const auto& taken = timelines_.core(timelines_.index(event.core)).taken;
    const auto found = taken.find(static_cast<uint8_t>(id));
    if (found == taken.end()) return;
    const Timelines::Sent& other = found->second;
    if (other.fifo == a.fifo && other.pitch != 0 && a.fifo_pitch != 0 && other.pitch != a.fifo_pitch)
        check_slot_pitch(event, other, id);
    if (other.fifo == a.fifo && other.slots == a.fifo_slots &&
        other.slot_bytes == a.fifo_slot_bytes && other.split == a.fifo_split)
        return;
    findings_.add(site("F04", instruction.location, id), [&] {
        const auto slots = [](uint32_t count, uint32_t bytes, uint8_t split) {
            return std::to_string(count) + " slots of " + std::to_string(bytes) + " bytes, split " +
                   std::to_string(split) + ",";
        };
        const std::string there = location_text(*shared_.sources, other.location);
        const std::string what =
            other.fifo == a.fifo
                ? "the ends of a FIFO disagree: " +
                      slots(a.fifo_slots, a.fifo_slot_bytes, a.fifo_split) + " here, and " +
                      slots(other.slots, other.slot_bytes, other.split) + " at " + there
                : "a FIFO waits for " + cross_flag_text(id) +
                      ", and gets a signal that is not of its other end, from " + there;
        Diagnostic d =
            finding("F04", what, instruction.location, event.core, event.pipe, event.time);
        d.instruction = info(instruction.opcode).name;
        d.related = {shared_.sources->related("the other end", other.location)};
        d.hint =
            "give both ends the same slot_num, slot_size and split, and flags that are not used elsewhere";
        return d;
    });
}

// Each end derives the pitch of a slot in global memory from the valid columns of its own tile.
void SyncChecker::check_slot_pitch(const InstructionEvent& event, const Timelines::Sent& other,
                                   unsigned id) {
    const Instruction& instruction = *event.instruction;
    findings_.add(site("F04", instruction.location, id), [&] {
        Diagnostic d = finding(
            "F04",
            "the ends of a FIFO disagree: rows are " +
                std::to_string(instruction.attributes.fifo_pitch) + " bytes apart at this end, but " +
                std::to_string(other.pitch) + " at " +
                location_text(*shared_.sources, other.location) +
                ", because each end derives the pitch of a slot from the valid columns of its tile: all rows except "
                "the first get wrong elements",
            instruction.location, event.core, event.pipe, event.time);
        d.instruction = info(instruction.opcode).name;
        d.related = {shared_.sources->related("the other end", other.location)};
        d.hint = "push and pop tiles with the same valid columns, or halves of them by the split";
        return d;
    });
}

void SyncChecker::on_block_end(const RunEvent& event) {
    report_early_sets(event.core, true);
    for (const auto& entry : timelines_.core(timelines_.index(event.core)).flags) {
        const Timelines::Flag& flag = entry.second;
        if (!flag.pending) continue;
        left_sets_[{event.core, entry.first}] =
            location_text(*shared_.sources, flag.set) + " in kernel " + kernel_;
        const Pipe source = std::get<0>(entry.first), destination = std::get<1>(entry.first);
        const unsigned id = std::get<2>(entry.first);
        if (set_by_enque(*shared_.sources, flag.set)) continue;
        findings_.add(site("E10", flag.set, id), [&] {
            Diagnostic d =
                finding("E10",
                        flag_text(source, destination, id) +
                            " is still set when the block ends: no wait_flag has taken "
                            "this set" +
                            (flag.later.empty()
                                 ? ""
                                 : " and " + std::to_string(flag.later.size()) + " before it"),
                        flag.set, event.core, source, flag.set_time);
            d.instruction = "SET_FLAG";
            d.notes.push_back("block " + std::to_string(event.identity.block) + " ended at cycle " +
                              std::to_string(event.time));
            const SyncSpelling words = spelling_of(*shared_.sources, flag.set);
            d.hint = "add " + words.flag("wait", source, destination, id) +
                     ", or remove this set: the flag may still be set for the next kernel on this core";
            return d;
        });
    }
}

void SyncChecker::on_flag_wait(const FlagEvent& event) {
    if (!event.carried) return;
    findings_.add(site("E20", event.location, event.id), [&] {
        const auto left =
            left_sets_.find({event.core, {event.source, event.destination, event.id}});
        Diagnostic d =
            finding("E20",
                    "the wait for " + flag_text(event.source, event.destination, event.id) +
                        " consumes a set that an earlier launch left" +
                        (left == left_sets_.end() ? "" : ", set at " + left->second) +
                        ": it does not wait for what this launch does",
                    event.location, event.core, event.destination, event.time);
        d.instruction = "WAIT_FLAG";
        d.hint =
            "flags keep their sets from launch to launch: wait for each set before the kernel ends";
        return d;
    });
}

void SyncChecker::on_launch_end(Cycle) {
    // Blocks that have not ended have some left.
    while (!early_sets_.empty()) report_early_sets(CoreId{early_sets_.begin()->first.core}, false);
    // After a deadlock, leftover flags only repeat it.
    if (shared_.running != 0) return;
    for (size_t i = 0; i < timelines_.cores(); ++i) {
        const Timelines::Core& core = timelines_.core(static_cast<uint16_t>(i));
        for (const auto& entry : core.arrived)
            if (!entry.second.empty()) left_over(core, entry.first, entry.second);
        for (const auto& entry : core.sent)
            if (!entry.second.empty()) unmatched(core, entry.first, entry.second);
    }
}

// A cube core's signal reaches both vector cores of its cluster. Libraries such as that of Matmul give each of them an id
// of its own, so the other one has signals left that no code of the kernel can wait for.
bool SyncChecker::meant_for_other_core(const Timelines::Core& core, unsigned id,
                                       const Timelines::Sent& sent) const {
    if (core.id.type != CoreType::kAIV || sent.fifo != FifoSignal::kNone ||
        !set_by_library(*shared_.sources, sent.location, set_name(id)))
        return false;
    for (size_t i = 0; i < timelines_.cores(); ++i) {
        const Timelines::Core& other = timelines_.core(static_cast<uint16_t>(i));
        if (other.id.type != CoreType::kAIV || other.id.index != (core.id.index ^ 1)) continue;
        const auto arrived = other.arrived.find(static_cast<uint8_t>(id));
        return arrived != other.arrived.end() && arrived->second.empty();
    }
    return false;
}

void SyncChecker::left_over(const Timelines::Core& core, unsigned id,
                            const std::deque<Timelines::Arrived>& list) {
    const Timelines::Sent& last = list.front().last;
    if (meant_for_other_core(core, id, last)) return;
    findings_.add(site("C06", last.location, id), [&] {
        const std::string count = std::to_string(list.size());
        const std::string flag = cross_flag_text(id) + " of " + name(core.id) + " is left at " +
                                 count + " when the launch ends: ";
        std::string message = flag + "signals that it has not waited for";
        // CANN, CrossCoreWaitFlag: a counter is 0 at first. In this machine it is 0 again for the next kernel, which no
        // document states.
        const std::string rest =
            "; ptosim starts each launch with counters at 0, which is not documented for a device";
        std::string hint = "wait once for each signal" + rest;
        if (last.fifo == FifoSignal::kTile) {
            message = "a FIFO is not empty when the launch ends: " + flag + "tiles that " +
                      name(timelines_.core(list.front().from).id) + " has pushed and " +
                      name(core.id) + " has not popped";
            hint = "pop as many tiles as are pushed" + rest;
        } else if (last.fifo == FifoSignal::kSlot) {
            message = "the free slots of a FIFO do not come out even: " + flag + "slots that " +
                      name(timelines_.core(list.front().from).id) + " has freed and " +
                      name(core.id) + " has not used";
            hint = "free each slot once, after its pop";
        }
        Diagnostic d = finding("C06", std::move(message), last.location,
                               timelines_.core(list.front().from).id, last.pipe, last.time);
        d.instruction = set_name(id);
        d.hint = std::move(hint);
        return d;
    });
}

void SyncChecker::unmatched(const Timelines::Core& core, Timelines::SignalKey key,
                            const std::deque<Timelines::Sent>& list) {
    const Timelines::Sent& first = list.front();
    findings_.add(site("C07", first.location, key.second), [&] {
        Diagnostic d =
            finding("C07",
                    std::to_string(list.size()) + " of " + name(core.id) + "'s signals on " +
                        cross_flag_text(key.second) + " (mode " + std::to_string(key.first) +
                        ") never arrived: other cores of its group did not signal as often",
                    first.location, core.id, first.pipe, first.time);
        d.instruction = set_name(key.second);
        d.hint =
            "every core of the group has to signal: mode 0 all cores of a type, 1 the AIVs of "
            "a cluster, 2 both AIVs towards their AIC";
        return d;
    });
}

PTOSIM_CHECKER(sync) = row_of<SyncChecker>(
    {.name = "sync",
     .chosen = Chosen::kInAll,
     .codes = "E07 E10 E11 E20 C02 C06 C07 F04",
     .about = "flags, signals and FIFOs whose sets and waits do not match",
     .order = 20});

}  // namespace ptosim::check
