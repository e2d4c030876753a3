// Events: each orders two operations, with a separate flag id.
//
//   Event<Op::TLOAD, Op::TADD> loaded;
//   loaded = TLOAD(tile, global);        // set_flag(MTE2, V, id) after it
//   TADD(sum, tile, tile, loaded);       // wait_flag(MTE2, V, id) before it
#pragma once

#include "pto/common/flags.hpp"

namespace pto {

enum class Op : uint16_t {
#define PTO_DETAIL_OPERATION(Name_, Pipe_) Name_,
#include "pto/common/event_operations.def"
#undef PTO_DETAIL_OPERATION
    OP_COUNT
};

namespace ptosim_detail {

constexpr pipe_t pipe_of(Op operation) {
    constexpr uint8_t kPipes[] = {
#define PTO_DETAIL_OPERATION(Name_, Pipe_) PIPE_##Pipe_,
#include "pto/common/event_operations.def"
#undef PTO_DETAIL_OPERATION
    };
    return static_cast<pipe_t>(kPipes[static_cast<int>(operation)]);
}

// True if two operations on one pipe need a barrier between them: always on a2a3, only for transfers on a5, whose
// vector and cube pipes interlock.
constexpr bool needs_barrier(pipe_t source, pipe_t destination) {
    return kA2A3 || source == PIPE_MTE2 || destination == PIPE_MTE3;
}

inline void set_between(pipe_t source, pipe_t destination, int id, ptosim_location where) {
    if (source != destination) set_flag(source, destination, id, where);
}
inline void wait_between(pipe_t source, pipe_t destination, int id, ptosim_location where) {
    if (source != destination) {
        wait_flag(source, destination, id, where);
    } else if (needs_barrier(source, destination)) {
        pipe_barrier(source, where);
    }
}

// An event, or none, whatever its type: what operations take to wait for.
struct EventRef {
    pipe_t source = PIPE_S;
    pipe_t destination = PIPE_S;
    int id = -1;
    void wait(ptosim_location where) const {
        if (id >= 0) wait_between(source, destination, id, where);
    }
};

}  // namespace ptosim_detail

// Result of an operation; assigning it to an event sets the event's flag.
struct RecordEvent {
    ptosim_location where;
};

// Ids of the flags between two pipes, taken in turn.
template <pipe_t Source_, pipe_t Destination_>
class EventIdCounter {
 public:
    static event_t GetNextId() {
        const event_t id = next_;
        next_ = static_cast<event_t>((next_ + 1) % EVENT_ID_MAX);
        return id;
    }
    static void Reset() { next_ = EVENT_ID0; }
    static event_t PeekNextId() { return next_; }

 private:
    static inline event_t next_ = EVENT_ID0;
};

struct EventBaseTag {};
template <typename T_>
struct is_event : std::is_base_of<EventBaseTag, T_> {};
template <typename... T_>
inline constexpr bool all_events_v = (is_event<T_>::value && ...);

template <Op SrcOp, Op DstOp, bool AutoToken = true, event_t EventID = EVENT_ID0>
struct Event : EventBaseTag {
    static constexpr Op srcOp = SrcOp;
    static constexpr Op dstOp = DstOp;
    static constexpr pipe_t srcPipe = ptosim_detail::pipe_of(SrcOp);
    static constexpr pipe_t dstPipe = ptosim_detail::pipe_of(DstOp);
    static constexpr bool isSamePipe = srcPipe == dstPipe;
    // From one core of a cluster to the other kind: L0C to UB, UB to L1.
    static constexpr bool IsCrossCore =
        (srcOp == Op::TMOV_A2V && (dstPipe == PIPE_V || !ptosim_detail::kA2A3)) ||
        ((srcOp == Op::TMOV_V2M || srcOp == Op::TEXTRACT_V2M) &&
         (dstPipe == PIPE_MTE1 || !ptosim_detail::kA2A3));
    static_assert(!IsCrossCore || !AutoToken,
                  "PTO: an event between cores is given its id, Event<..., false, ID>");
    static_assert(IsCrossCore || (srcPipe != PIPE_ALL && dstPipe != PIPE_ALL),
                  "PTO: an event stands between two operations that have a pipe each");

    const event_t token;

    Event() : token(first_token()) {}
    Event(RecordEvent record) : token(first_token()) { Record(record.where); }  // NOLINT
    Event(const Event&) = default;
    Event& operator=(RecordEvent record) { return Record(record.where); }

    template <uint8_t CrossId_ = 0xff>
    Event& Record(ptosim_location where = ptosim_detail::here()) {
        if constexpr (!IsCrossCore) {
            ptosim_detail::set_between(srcPipe, dstPipe, token, where);
        } else {
            static_assert(CrossId_ != 0xff, "PTO: Init<ID>() of an event between cores");
#ifdef PTO_NPU_ARCH_A2A3
            ffts_cross_core_sync(srcPipe, 0x21 | CrossId_ << 8, where);
#else
            set_intra_block(srcPipe, CrossId_, where);
            set_intra_block(srcPipe, CrossId_ + 16, where);
#endif
        }
        return *this;
    }
    template <uint8_t CrossId_ = 0xff>
    Event& Init(ptosim_location where = ptosim_detail::here()) {
        return Record<CrossId_>(where);
    }
    template <uint8_t CrossId_ = 0xff>
    Event& Wait(ptosim_location where = ptosim_detail::here()) {
        if constexpr (!IsCrossCore) {
            ptosim_detail::wait_between(srcPipe, dstPipe, token, where);
        } else {
            static_assert(CrossId_ != 0xff, "PTO: Wait<ID>() of an event between cores");
#ifdef PTO_NPU_ARCH_A2A3
            wait_flag_dev(CrossId_, where);
#else
            wait_intra_block(srcPipe, CrossId_, where);
#endif
        }
        return *this;
    }
    Event& InitAddr(uint64_t address) {
        set_ffts_base_addr(address);
        return *this;
    }

    operator ptosim_detail::EventRef() const { return {srcPipe, dstPipe, token}; }  // NOLINT

 private:
    static event_t first_token() {
        if constexpr (AutoToken && !IsCrossCore) {
            return EventIdCounter<srcPipe, dstPipe>::GetNextId();
        } else {
            return EventID;
        }
    }
};

// The message of ffts_cross_core_sync.
constexpr uint16_t getFFTSMsg(uint16_t mode, uint16_t id, uint16_t count = 1) {
    return static_cast<uint16_t>((count & 0xf) | (mode & 0x3) << 4 | (id & 0xf) << 8);
}

template <Op Operation_>
void TSYNC(ptosim_location where = ptosim_detail::here()) {
    constexpr pipe_t kPipe = ptosim_detail::pipe_of(Operation_);
    static_assert(
        ptosim_detail::kA2A3 || kPipe == PIPE_MTE2 || kPipe == PIPE_MTE3 || kPipe == PIPE_ALL,
        "PTO: on a5 only MTE2 and MTE3 have barriers");
    pipe_barrier(kPipe, where);
}
template <typename... Events>
void TSYNC(Events&... events) {
    (events.Wait(), ...);
}
template <typename... Events>
void WaitAllEvents(Events&... events) {
    (events.Wait(), ...);
}
template <pipe_t Source_, pipe_t Destination_>
void PtoSetWaitFlag(event_t set_id = EVENT_ID0, event_t wait_id = EVENT_ID0,
                    ptosim_location where = ptosim_detail::here()) {
    set_flag(Source_, Destination_, set_id, where);
    wait_flag(Source_, Destination_, wait_id, where);
}

}  // namespace pto
