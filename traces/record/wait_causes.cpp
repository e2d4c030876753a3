#include "traces/record/wait_causes.h"

namespace ptosim {

void WaitCauses::add(size_t at) {
    static_assert(kPipeCount < kPipes);  // and kAll
    if (at >= cores_.size()) cores_.resize(at + 1);
    cores_[at] = std::make_unique<OfCore>();
}

void WaitCauses::on_flag_set(const FlagEvent& event) {
    const SourceLocation location = sources_.run_location(event.location);
    if (event.cross_core) {
        of(event.from).last_signal[event.id] = location;
        return;
    }
    OfCore& core = of(event.core);
    if (event.id < kFewIds)
        core.last_set[flag(event.source, event.destination, event.id)] = location;
    else
        core.more_set[static_cast<uint32_t>(flag(event.source, event.destination, 0)) << 8 |
                      event.id] = location;
}

void WaitCauses::blocked(const BlockEvent& event, WaitCause& cause) const {
    cause = {};
    cause.reason = event.reason;
    if (event.instruction == nullptr) return;
    const Attributes& attributes = event.instruction->attributes;
    cause.waiter = sources_.run_location(event.instruction->location);
    cause.opcode = event.instruction->opcode;
    switch (event.reason) {
        case BlockReason::kFlag:
        case BlockReason::kCrossCore:
            cause.source = attributes.source_pipe;
            cause.destination = attributes.destination_pipe;
            cause.id = attributes.event_id;
            if (event.instruction->opcode == Opcode::kINTRA_WAIT) cause.id += kIntraBlockIds;
            break;
        case BlockReason::kBarrier:
            cause.destination = attributes.destination_pipe;
            break;
        case BlockReason::kQueueFull:
            cause.destination = event.queue;
            break;
        case BlockReason::kData:
            cause.id = attributes.event_id;  // GET_BUF, RLS_BUF; 0 of all others
            break;
        case BlockReason::kInFlight:
        case BlockReason::kDrain:
            break;
    }
}

SourceLocation WaitCauses::last_set(const OfCore& core, const WaitCause& cause) {
    if (cause.id < kFewIds) return core.last_set[flag(cause.source, cause.destination, cause.id)];
    const auto set = core.more_set.find(
        static_cast<uint32_t>(flag(cause.source, cause.destination, 0)) << 8 | cause.id);
    return set == core.more_set.end() ? SourceLocation{} : set->second;
}

void WaitCauses::released(WaitCause& cause, const BlockEvent& event) const {
    switch (cause.reason) {
        case BlockReason::kFlag:
        case BlockReason::kCrossCore: {
            const bool cross = cause.reason == BlockReason::kCrossCore;
            if (cross) cause.released_core = event.released_core;
            const OfCore* const core = find(cross ? event.released_core : event.core);
            if (core == nullptr) break;
            // A flag holds one set at a time, so the latest one is the one that released it.
            const SourceLocation set = cross ? core->last_signal[cause.id] : last_set(*core, cause);
            if (set.line != 0) cause.release = set;
            break;
        }
        case BlockReason::kData: {
            cause.source = event.released_pipe;
            const OfCore* const core = find(event.core);
            if (core == nullptr) break;
            const Completion& last = core->last_completed[static_cast<size_t>(event.released_pipe)];
            if (last.sequence == event.released_by && last.location.line != 0)
                cause.release = sources_.run_location(last.location);
            break;
        }
        case BlockReason::kBarrier:
        case BlockReason::kQueueFull:
        case BlockReason::kInFlight:
        case BlockReason::kDrain:
            break;
    }
}

namespace {

std::string flag_text(const WaitCause& cause) {
    return std::string(name(cause.source)) + "->" + std::string(name(cause.destination)) + " #" +
           std::to_string(cause.id);
}

std::string signal_text(const WaitCause& cause) {
    std::string text = "signal #" + std::to_string(cause.id);
    if (cause.released_core != kNoCore) text += " from " + name(cause.released_core);
    return text;
}

}  // namespace

std::string short_text(const WaitCause& cause) {
    switch (cause.reason) {
        case BlockReason::kFlag:
            return flag_text(cause);
        case BlockReason::kBarrier:
            return "barrier " + std::string(name(cause.destination));
        case BlockReason::kQueueFull:
            return std::string(name(cause.destination)) + " queue full";
        case BlockReason::kData:
            if (cause.opcode == Opcode::kGET_BUF || cause.opcode == Opcode::kRLS_BUF)
                return "buffer #" + std::to_string(cause.id) +
                       (cause.source == Pipe::kAll ? "" : " of " + std::string(name(cause.source)));
            if (cause.source == Pipe::kAll) return "data";
            return "data from " + std::string(name(cause.source));
        case BlockReason::kCrossCore:
            return signal_text(cause);
        case BlockReason::kInFlight:
            return "in flight";
        case BlockReason::kDrain:
            return "drain";
    }
    return "?";
}

std::string long_text(const WaitCause& cause, const std::string& release) {
    const std::string what = short_text(cause);
    const std::string at = release.empty() ? "" : " at " + release;
    switch (cause.reason) {
        case BlockReason::kFlag:
            return "flag " + what + (at.empty() ? "" : " set" + at);
        case BlockReason::kCrossCore:
            return what + (at.empty() ? "" : " set" + at);
        case BlockReason::kBarrier:
            return "its " + what;
        case BlockReason::kQueueFull:
            return "room in the queue of " + std::string(name(cause.destination));
        case BlockReason::kData:
            return what + (at.empty() ? "" : " made" + at);
        case BlockReason::kInFlight:
            return "instructions in flight to complete";
        case BlockReason::kDrain:
            return "its pipes to finish";
    }
    return "?";
}

}  // namespace ptosim
