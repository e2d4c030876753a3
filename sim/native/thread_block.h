// The threads of one block on a core. They run one after another in the order of warps and lanes; a thread that waits for
// others keeps its stack, and the next one gets another. The order depends on nothing of the host.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "isa/core/thread_run.h"
#include "isa/threads/warp.h"
#include "ptosim/threads.h"
#include "sim/native/calling_thread.h"
#include "sim/native/lane_order.h"
#include "sim/native/running_kernel.h"
#include "sim/native/thread_fences.h"
#include "sim/native/thread_log.h"
#include "sim/native/thread_races.h"
#include "sim/native/thread_stack.h"
#include "sim/native/touched_bytes.h"

namespace ptosim {

constexpr unsigned kLanes = kWarpLanes;

struct Thread {
    enum class State : uint8_t {
        kNew,
        kReady,
        kAtWarp,
        kAtBarrier,
        kAtClock,
        kAtAccess,
        kPaused,
        kPolls,
        kDone
    };
    std::array<uint32_t, 13> numbers{};  // by ptosim_thread_index
    State state = State::kNew;
    bool holds = false;                    // polling: lanes of its warp that come later wait for it
    std::unique_ptr<ThreadStack> stack{};  // from its first wait to its end
    WarpRequest request{};
    const void* site = nullptr;  // the address of the call that waits
    uint64_t result = 0;
};

// The way in which blocks of a kernel are executed: in lockstep until it is known that the order of
// lanes does not matter.
enum class ThreadPace : uint8_t { kUnknown, kLockstep, kLaneByLane };

class ThreadBlock {
 public:
    // The block must outlive the object.
    ThreadBlock(Running& core, const ptosim_thread_block& block);
    ~ThreadBlock();
    ThreadBlock(const ThreadBlock&) = delete;
    ThreadBlock& operator=(const ThreadBlock&) = delete;

    // Runs all threads to their ends. Throws DiagnosticError.
    void run();

    // ---- calls of the running thread ----
    void wait_for_block(const void* site);
    uint64_t wait_for_warp(const WarpRequest& request, const void* site);
    // `locks`: for a lock, which a lane of its warp may hold.
    void poll(bool locks = false);
    // Lets others run before an access by the code at `site`, in lockstep, or when the room for
    // events is used up.
    void make_room(const void* site);
    void fence(const void* site, bool of_block);
    void note_atomic(uint64_t address, unsigned bytes, const void* site);
    uint64_t atomic_result() const;
    void print(const char* text, uint64_t length);
    // Ends all threads with an error.
    [[noreturn]] void stop(Diagnostic reason);
    void* share_array(ptosim_shared_array& place, uint64_t bytes, uint64_t alignment);
    void* dynamic_array() const { return local_; }

    bool is_local(const void* pointer) const;
    bool is_on_stack(const void* pointer) const { return running_->contains(pointer); }
    // Notes a load that gave nothing new: a thread that repeats one lets others run.
    void note_load(const void* address, bool locks = false);
    // A word of memory that an atomic operation is about to change, by its address on the device.
    void note_changed_word(uint64_t address, const void* word);
    // An access by a pointer, which the code at `site` makes.
    void note_access(uint64_t address, uint64_t bytes, bool writes, const void* site);
    // The word of UB that the code at `site` accesses.
    std::byte* local_word(uint64_t address, unsigned bytes, bool writes, const void* site,
                          ptosim_location where);
    // Of the atomic operation noted last: the value before it.
    void note_atomic_value(uint64_t before, bool unchanged);
    uint64_t clock(const void* site);
    std::string name_of_thread() const;

    Running& core() const { return core_; }
    const ptosim_thread_shape& shape() const { return block_.shape; }

 private:
    void check_shape() const;
    void check_room() const;
    uint64_t room() const;
    std::string room_text() const;
    void number_threads();
    bool run_warp(size_t first, size_t last);
    uint64_t meet_warp(const WarpRequest& request, const void* site);
    bool is_full() const;
    void pause();
    bool polls_first(size_t first, size_t last) const;
    void let_go_on(size_t first, size_t last);
    void end_lockstep();
    void compare_order(const WarpInstruction& done, uint32_t lanes);
    void end_order();
    ptosim_thread_event* limit(unsigned lane) const;
    void resume(size_t index, size_t last);
    void run_here();
    static void run_on_stack(void* self) { static_cast<ThreadBlock*>(self)->run_here(); }
    void serve_warp(size_t first, size_t last, const void* site);
    void release_barrier();
    void flush();
    void wait_for_others();
    ptosim_thread_event& note(WarpInstruction::Kind kind, const void* site);
    void merge_warp(size_t first);
    void note_touched(const WarpInstruction& done);
    SourceLocation line_of(const void* code) const;
    void tell_race(const ThreadRace& race);
    void tell_missing_fence(const MissingFence& missing);
    bool answer_clocks();
    [[noreturn]] void tell_deadlock() const;

    Running& core_;
    const ptosim_thread_block& block_;
    std::vector<Thread> threads_;
    std::byte* local_ = nullptr;  // byte 0 of UB
    uint64_t shared_end_ = 0;     // of arrays in UB
    uint64_t launch_ = 0;         // differs from block to block
    size_t next_ = 0, warp_end_ = 0;  // of the stack that runs: the thread, and the end of its warp
    std::unique_ptr<ThreadStack> running_;
    std::unique_ptr<ThreadLog> log_{};
    ThreadPace* pace_ = nullptr;  // of all blocks of this kernel
    LaneOrder order_{};
    bool lockstep_ = false;
    bool holds_ = true;      // lanes that poll hold those of their warp that come later, until no
                             // thread of the block moves
    uint64_t compared_ = 0;  // accesses of warps in lockstep
    std::unique_ptr<ThreadRun> time_{};
    bool watched_ = false;  // checkers need what the threads access
    bool synchronises_ = false;  // with other blocks, by fences or results of atomic operations
    TouchedBytes local_bytes_{}, global_bytes_{};
    std::unique_ptr<ThreadRaces> races_{};
    std::optional<ThreadFences::Running> fences_{};
    std::set<std::pair<const void*, const void*>> told_races_{};  // by their code
    uint64_t atomic_result_ = 0;
    bool told_of_ends_ = false;  // at a barrier
    std::unordered_set<uint64_t> changed_words_{};  // by atomic operations: some
    std::string printed_{};
    std::exception_ptr thrown_{};
    uint64_t begin_ = 0;  // cycle
};

// After a crash, which leaves a thread without its end.
inline void leave_thread_block() {
    running_block = nullptr;
    running_thread_of_block = nullptr;
    ptosim_watched.next_event = ptosim_watched.last_event = nullptr;
}

}  // namespace ptosim
