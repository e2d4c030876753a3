#include "traces/waits.h"

namespace ptosim {

WaitCauses::Flag WaitCauses::flag(CoreId core, Pipe source, Pipe destination, uint8_t id,
                                  bool cross_core) {
    if (cross_core) source = destination = Pipe::kAll;
    return uint64_t{core.index} << 32 | static_cast<uint64_t>(core.type) << 28 |
           static_cast<uint64_t>(source) << 20 | static_cast<uint64_t>(destination) << 12 |
           uint64_t{id} << 4 | (cross_core ? 1 : 0);
}

size_t WaitCauses::slot(CoreId core, Pipe pipe) {
    return (core.index * 2u + static_cast<size_t>(core.type)) * 8 + static_cast<size_t>(pipe);
}

void WaitCauses::on_flag_set(const FlagEvent& event) {
    const CoreId core = event.cross_core ? event.from : event.core;
    last_set_[flag(core, event.source, event.destination, event.id, event.cross_core)] =
        sources_.placed(event.location);
}

void WaitCauses::on_complete(const InstructionEvent& event) {
    if (event.instruction == nullptr) return;
    const size_t at = slot(event.core, event.pipe);
    if (at >= last_completed_.size()) last_completed_.resize(at + 1);
    last_completed_[at] = {event.sequence, sources_.placed(event.instruction->location)};
}

WaitCause WaitCauses::blocked(const BlockEvent& event) const {
    WaitCause cause;
    cause.reason = event.reason;
    if (event.instruction == nullptr) return cause;
    const Attributes& attributes = event.instruction->attributes;
    cause.waiter = sources_.placed(event.instruction->location);
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
    return cause;
}

void WaitCauses::released(WaitCause& cause, const BlockEvent& event) const {
    switch (cause.reason) {
        case BlockReason::kFlag:
        case BlockReason::kCrossCore: {
            const bool cross = cause.reason == BlockReason::kCrossCore;
            if (cross) cause.released_core = event.released_core;
            // A flag holds one set at a time, so the latest one is the one that released it.
            const auto set = last_set_.find(flag(cross ? event.released_core : event.core,
                                                 cause.source, cause.destination, cause.id, cross));
            if (set != last_set_.end()) cause.release = set->second;
            break;
        }
        case BlockReason::kData: {
            cause.source = event.released_pipe;
            const size_t at = slot(event.core, event.released_pipe);
            if (at < last_completed_.size() && last_completed_[at].sequence == event.released_by)
                cause.release = last_completed_[at].location;
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
