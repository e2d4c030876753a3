#include "sim/native/thread_block.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>

#include "isa/core/arch.h"
#include "isa/core/thread_work.h"
#include "sim/native/kernel_call.h"

namespace ptosim {

constinit thread_local ThreadBlock* running_block = nullptr;
constinit thread_local Thread* running_thread_of_block = nullptr;

namespace {

constexpr uint64_t kMostBlockThreads = 2048;  // asc-devkit docs/zh/guide: thread architecture

ThreadStacks& stacks() {
    static auto& all = *new ThreadStacks;
    return all;
}

// By the name of the kernel, and the line that starts the threads.
ThreadPace& pace_of(const std::string& kernel, const ptosim_location& at) {
    static auto& all = *new std::map<std::pair<std::string, uint32_t>, ThreadPace>;
    return all[{kernel, at.line}];
}

// After all code.
const void* const kNowhere = reinterpret_cast<const void*>(UINTPTR_MAX);

uint64_t product(const uint32_t (&sizes)[3]) { return uint64_t{sizes[0]} * sizes[1] * sizes[2]; }

std::string text_of(const uint32_t (&sizes)[3]) {
    return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
}

std::string name_of(const Thread& thread) {
    const auto& n = thread.numbers;
    return "thread (" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) + ")";
}

// Sets the state that a kernel's thread needs while it runs.
class InThread {
 public:
    InThread(ThreadBlock& block, Running& core, ptosim_thread_event* next, ptosim_thread_event* limit) : core_{core} {
        running = &core;
        running_block = &block;
        core.guard.enter();
        set_local_base(core.local_memory);
        ptosim_watched = {};
        ptosim_watched.announced = UINT64_MAX;
        ptosim_recent_tensors = &core.bounds.recent;
        ptosim_scalar_instructions = 0;
        set_log(next, limit);
    }
    ~InThread() {
        ptosim_scalar_instructions = 0;  // their time is that of the threads
        ptosim_watched.next_event = ptosim_watched.last_event = nullptr;
        core_.guard.leave();
        running = nullptr;
        running_block = nullptr;
        running_thread_of_block = nullptr;
    }
    // Another thread begins.
    static void set_log(ptosim_thread_event* next, ptosim_thread_event* limit) {
        ptosim_watched.next_event = next;
        ptosim_watched.last_event = limit;
        ptosim_watched.counted = ptosim_scalar_instructions;
        ptosim_watched.last_load = 0;
    }
    InThread(const InThread&) = delete;
    InThread& operator=(const InThread&) = delete;

 private:
    Running& core_;
};

}  // namespace

ThreadBlock::ThreadBlock(Running& core, const ptosim_thread_block& block) : core_{core}, block_{block} {
    static uint64_t launches = 0;
    launch_ = ++launches;
    check_shape();
    local_ = core.port.local_bytes(Space::kUB);
    shared_end_ = block.shape.dynamic;
    number_threads();
    watched_ = core.port.watched().local;
    if (watched_) races_ = std::make_unique<ThreadRaces>(threads_.size());
    // Not of threads that a kernel's code starts, which runs in order with them.
    if (watched_ && block_.within_kernel == 0)
        fences_ = core.kernel.fences().begin_block(core.identity.block, threads_.size());
    log_ = std::make_unique<ThreadLog>();
    time_ = core.port.begin_threads({.threads = static_cast<uint32_t>(threads_.size()), .shared = block_.shape.dynamic,
                                     .called = block_.within_kernel != 0});
    if (time_ == nullptr) time_ = std::make_unique<UntimedThreads>(ThreadReserve{});
    check_room();
    begin_ = core.port.cycle();
    static const bool always = std::getenv("PTOSIM_LOCKSTEP") != nullptr;
    pace_ = &pace_of(std::string(core.kernel.name()), core.at);
    if (always) *pace_ = ThreadPace::kLockstep;
    lockstep_ = *pace_ != ThreadPace::kLaneByLane;
}

ThreadBlock::~ThreadBlock() {
    for (Thread& thread : threads_) {
        if (!thread.stack) continue;
        thread.stack->abandon();
        stacks().give_back(std::move(thread.stack));
    }
    if (!running_) return;
    running_->abandon();
    stacks().give_back(std::move(running_));
}

void ThreadBlock::check_shape() const {
    const ptosim_thread_shape& shape = block_.shape;
    const std::string kernel = "kernel " + std::string(core_.kernel.name());
    if (!traits_of(core_.port.arch()).gather_threads)
        fail(core_, "H33", Category::kUnsupported,
             kernel + " runs threads, which the vector cores of " + std::string(name(core_.port.arch())) + " do not have",
             core_.at, "choose a chip of the 950 (--chip ascend950pr)");
    if (product(shape.block) == 0 || product(shape.block) > kMostBlockThreads)
        fail(core_, "H33", Category::kIllegal,
             kernel + " has blocks of " + text_of(shape.block) + " = " + std::to_string(product(shape.block)) +
                 " threads; a block has 1 to " + std::to_string(kMostBlockThreads),
             core_.at, "launch more blocks of fewer threads");
}

// Bytes of UB for arrays.
uint64_t ThreadBlock::room() const {
    const ThreadReserve reserve = time_->reserve();
    return core_.port.local_size(Space::kUB) - reserve.compiler - reserve.data_cache;
}

std::string ThreadBlock::room_text() const {
    const ThreadReserve reserve = time_->reserve();
    return std::to_string(room()) + " are left beside " + std::to_string(reserve.compiler >> 10) +
           " KB of the compiler and " + std::to_string(reserve.data_cache >> 10) +
           " KB of the data cache";
}

void ThreadBlock::check_room() const {
    const uint64_t wanted = block_.shape.dynamic;
    if (wanted > room())
        fail(core_, "H33", Category::kIllegal,
             "kernel " + std::string(core_.kernel.name()) + " wants " + std::to_string(wanted) +
                 " bytes of dynamic UB; " + room_text(),
             core_.at, "give the launch less dynamic UB");
}

void ThreadBlock::number_threads() {
    const ptosim_thread_shape& shape = block_.shape;
    threads_.resize(product(shape.block));
    const uint32_t block = core_.identity.block;
    std::array<uint32_t, 13> numbers{};
    numbers[PTOSIM_BLOCK_X] = block % shape.grid[0];
    numbers[PTOSIM_BLOCK_X + 1] = block / shape.grid[0] % shape.grid[1];
    numbers[PTOSIM_BLOCK_X + 2] = block / shape.grid[0] / shape.grid[1];
    for (unsigned i = 0; i < 3; ++i) {
        numbers[PTOSIM_THREADS_X + i] = shape.block[i];
        numbers[PTOSIM_BLOCKS_X + i] = shape.grid[i];
    }
    uint32_t x = 0, y = 0, z = 0;
    for (size_t i = 0; i < threads_.size(); ++i) {
        numbers[0] = x;
        numbers[1] = y;
        numbers[2] = z;
        numbers[PTOSIM_LANE] = static_cast<uint32_t>(i % kLanes);
        threads_[i].numbers = numbers;
        if (++x < shape.block[0]) continue;
        x = 0;
        if (++y < shape.block[1]) continue;
        y = 0;
        ++z;
    }
}

void ThreadBlock::run() {
    using State = Thread::State;
    for (;;) {
        bool moved = false;
        const std::vector<uint32_t> order = time_->warp_order();
        for (size_t warp = 0; warp * kLanes < threads_.size(); ++warp) {
            const size_t first = kLanes * (order.empty() ? warp : order[warp]);
            moved = run_warp(first, std::min(first + kLanes, threads_.size())) || moved;
        }
        time_->advance();
        for (Thread& thread : threads_)
            if (thread.state == State::kPaused) thread.state = State::kReady;
        moved = answer_clocks() || moved;
        if (moved) note_computation();
        const auto count = [&](State state) {
            return static_cast<size_t>(
                std::count_if(threads_.begin(), threads_.end(), [&](const Thread& t) { return t.state == state; }));
        };
        const size_t done = count(State::kDone), waiting = count(State::kAtBarrier), polling = count(State::kPolls);
        end_lockstep();
        if (done == threads_.size()) break;
        if (waiting != 0 && done + waiting == threads_.size()) {
            release_barrier();
        } else if (polling != 0) {
            for (Thread& thread : threads_)
                if (thread.state == State::kPolls) thread.state = State::kReady;
            if (!moved && !holds_) wait_for_others();
            holds_ = moved;
        } else if (!moved) {
            tell_deadlock();
        }
    }
    ThreadEffects effects;
    local_bytes_.append(effects.ranges, false);
    // Blocks that synchronise order their accesses of global memory by data.
    if (!synchronises_) global_bytes_.append(effects.ranges, true);
    effects.report = time_->report();
    effects.spans = time_->spans();
    if (effects.report) {
        for (ThreadSite* const site : {&effects.report->uncoalesced, &effects.report->conflicting})
            if (site->code != nullptr) site->at = line_of(site->code);
    }
    // Other cores go on while the instruction waits.
    log_.reset();
    races_.reset();
    ThreadWork work = time_->work();
    work.effects = keep_thread_effects(std::move(effects));
    core_.port.issue(threads_instruction(work, locate(core_, core_.at)));
}

// Runs the threads of a warp until all wait for others or have ended. Returns true unless all only poll.
bool ThreadBlock::run_warp(size_t first, size_t last) {
    using State = Thread::State;
    bool moved = false;
    log_->begin_warp();
    for (;;) {
        bool waiting = false, others = false, full = false;
        for (size_t i = first; i < last; ++i) {
            const State before = threads_[i].state;
            if (before != State::kNew && before != State::kReady) continue;
            resume(i, last);
            moved = moved || threads_[i].state != State::kPolls;
            if (threads_[i].state == State::kPolls && threads_[i].holds && holds_ && !lockstep_)
                break;
        }
        for (size_t i = first; i < last; ++i) {
            waiting = waiting || threads_[i].state == State::kAtWarp;
            waiting = waiting || threads_[i].state == State::kAtAccess;
            full =
                full || threads_[i].state == State::kPaused || threads_[i].state == State::kAtClock;
            others = others || threads_[i].state == State::kPolls;
        }
        flush();
        if (!waiting || full || (others && !lockstep_)) break;
        if (others && holds_ && polls_first(first, last)) {
            *pace_ = ThreadPace::kLockstep;
            break;
        }
        let_go_on(first, last);
        moved = true;
    }
    merge_warp(first);
    return moved;
}

// True if a lane polls at a place before those at which the others are. They meet it after the
// loop.
bool ThreadBlock::polls_first(size_t first, size_t last) const {
    const Thread* next = nullptr;
    for (size_t i = first; i < last; ++i)
        if (threads_[i].state != Thread::State::kDone &&
            (next == nullptr || threads_[i].site < next->site))
            next = &threads_[i];
    return next->state == Thread::State::kPolls && next->holds;
}

// Divergent paths meet again at the place that comes first in the code, so the lanes there go on.
// Lanes that access memory go first, because they may be on the way to the function of the warp at
// which others wait.
void ThreadBlock::let_go_on(size_t first, size_t last) {
    using State = Thread::State;
    const Thread* next = nullptr;
    for (const State state : {State::kAtAccess, State::kAtWarp})
        for (size_t i = first; i < last && (next == nullptr || next->state == state); ++i)
            if (threads_[i].state == state && (next == nullptr || threads_[i].site < next->site))
                next = &threads_[i];
    if (next->state == State::kAtWarp) return serve_warp(first, last, next->site);
    const void* const site = next->site;
    uint32_t lanes = 0;
    for (size_t i = first; i < last; ++i) {
        if (threads_[i].state != State::kAtAccess || threads_[i].site != site) continue;
        threads_[i].state = State::kReady;
        lanes |= 1u << (i - first);
    }
    log_->step(lanes);
}

// Lane by lane is faster. Between passes over all warps no lane is within a pass.
void ThreadBlock::end_lockstep() {
    constexpr uint64_t kEnough = 1 << 14;
    if (!lockstep_ || *pace_ == ThreadPace::kLockstep) return;
    const bool ended = std::ranges::all_of(
        threads_, [](const Thread& t) { return t.state == Thread::State::kDone; });
    if (compared_ < kEnough && !ended) return;
    *pace_ = ThreadPace::kLaneByLane;
    lockstep_ = false;
    for (Thread& thread : threads_)
        if (thread.state == Thread::State::kAtAccess) thread.state = Thread::State::kReady;
}

// `lanes`: of the warp, with anything left.
void ThreadBlock::compare_order(const WarpInstruction& done, uint32_t lanes) {
    if (*pace_ == ThreadPace::kLockstep) return;
    ++compared_;
    order_.add(done);
    if (done.kind == WarpInstruction::Kind::kWarp && done.active == lanes) end_order();
}

void ThreadBlock::end_order() {
    const void* const code = order_.end();
    if (code == nullptr) return;
    *pace_ = ThreadPace::kLockstep;
    if (lockstep_) return;
    Diagnostic d;
    d.code = "H35";
    d.category = Category::kUnsupported;
    d.message = "kernel " + std::string(core_.kernel.name()) +
                ": lanes of a warp hand data over by memory at this access, but ran one after "
                "another, because its first "
                "accesses did not";
    d.hint = "set PTOSIM_LOCKSTEP=1: lanes then stop at each access";
    core_.kernel.sources().locate(d, line_of(code));
    throw DiagnosticError(std::move(d));
}

// Continues a thread. A new one gets a stack, on which the new threads after it of its warp run, too, until one waits.
void ThreadBlock::resume(size_t index, size_t last) {
    Thread& thread = threads_[index];
    if (thread.state == Thread::State::kNew) {
        next_ = index;
        warp_end_ = last;
        running_ = stacks().take();
    } else {
        running_ = std::move(thread.stack);
        running_thread_of_block = &thread;
        next_ = index;
        warp_end_ = index + 1;
        thread.state = Thread::State::kReady;
    }
    bool ended = false;
    {
        Thread* const continued = &thread;
        const auto lane = static_cast<unsigned>(next_ % kLanes);
        const InThread in_thread(*this, core_, log_->next(lane), limit(lane));
        running_thread_of_block = continued;
        ended = running_->enter(&run_on_stack, this);
        log_->keep(static_cast<unsigned>(next_ % kLanes), ptosim_watched.next_event);
    }
    if (ended)
        stacks().give_back(std::move(running_));
    else
        threads_[next_].stack = std::move(running_);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

// On a stack: runs new threads.
void ThreadBlock::run_here() {
    try {
        for (;;) {
            Thread& thread = threads_[next_];
            running_thread_of_block = &thread;
            thread.state = Thread::State::kReady;
            block_.run(block_.arguments);
            note(WarpInstruction::Kind::kEnd, kNowhere);
            running_thread_of_block->state = Thread::State::kDone;
            if (next_ + 1 >= warp_end_ || threads_[next_ + 1].state != Thread::State::kNew) return;
            log_->keep(static_cast<unsigned>(next_ % kLanes), ptosim_watched.next_event);
            ++next_;
            const auto lane = static_cast<unsigned>(next_ % kLanes);
            InThread::set_log(log_->next(lane), limit(lane));
        }
    } catch (...) {
        thrown_ = std::current_exception();
    }
}

// An event of the running thread.
ptosim_thread_event& ThreadBlock::note(WarpInstruction::Kind kind, const void* site) {
    if (ptosim_watched.next_event == ptosim_watched.last_event) {
        const bool accesses = kind <= WarpInstruction::Kind::kAtomic;
        make_room(accesses ? site : nullptr);
    }
    ptosim_thread_event& event = *ptosim_watched.next_event++;
    event = {};
    event.code = site;
    event.kind = static_cast<uint8_t>(kind);
    event.instructions = static_cast<uint32_t>(ptosim_scalar_instructions - ptosim_watched.counted);
    ptosim_watched.counted = ptosim_scalar_instructions;
    return event;
}

// Passes the instructions of a warp on.
void ThreadBlock::merge_warp(size_t first) {
    const auto warp = static_cast<uint16_t>(first / kLanes);
    const auto ub = reinterpret_cast<uint64_t>(local_);
    const uint64_t size = core_.port.local_size(Space::kUB);
    const CachedLines global = core_.port.cached_lines();
    log_->begin_merge(warp, *pace_ == ThreadPace::kLockstep);
    const uint32_t lanes = log_->lanes();
    for (WarpInstruction done; log_->merge_next(done);) {
        if (done.kind <= WarpInstruction::Kind::kAtomic) {
            const uint64_t at = done.addresses[static_cast<unsigned>(std::countr_zero(done.active))];
            done.local = at < PTOSIM_UB_END || at - ub < size;
            if (!done.local && at - global.global_begin >= global.global_size) continue;  // arguments
            if (done.local && at >= PTOSIM_UB_END)
                for (uint64_t& address : done.addresses) address -= ub;
        }
        if (watched_) {
            note_touched(done);
            if (const auto race = races_->execute(done)) tell_race(*race);
            if (fences_)
                if (const auto missing = core_.kernel.fences().execute(*fences_, done)) tell_missing_fence(*missing);
        }
        compare_order(done, lanes);
        time_->execute(done);
    }
    end_order();
}

void ThreadBlock::note_touched(const WarpInstruction& done) {
    using Kind = WarpInstruction::Kind;
    if (done.kind == Kind::kFence || (done.kind == Kind::kAtomic && !done.local && done.used)) synchronises_ = true;
    if (done.kind > Kind::kAtomic) return;
    TouchedBytes& bytes = done.local ? local_bytes_ : global_bytes_;
    for (uint32_t lanes = done.active; lanes != 0; lanes &= lanes - 1) {
        const uint64_t at = done.addresses[static_cast<unsigned>(std::countr_zero(lanes))];
        if (done.kind == Kind::kLoad)
            bytes.read(at, done.bytes);
        else if (done.kind == Kind::kStore)
            bytes.write(at, done.bytes);
        else
            bytes.change_atomically(at, done.bytes);
    }
}

// `code`: the address after a call.
SourceLocation ThreadBlock::line_of(const void* code) const {
    return core_.kernel.locate_code(CoreType::kAIV, static_cast<const char*>(code) - 1);
}

void ThreadBlock::tell_race(const ThreadRace& race) {
    if (!told_races_.emplace(race.earlier.code, race.later.code).second) return;
    const auto does = [](const ThreadRace::Side& side) { return side.writes ? " writes " : " reads "; };
    Diagnostic d;
    d.code = "E36";
    d.category = Category::kRace;
    d.message = name_of(threads_[race.later.thread]) + does(race.later) + "byte " + std::to_string(race.address) + " of " +
                (race.local ? "UB" : "global memory") + ", which " + name_of(threads_[race.earlier.thread]) + " of its block" +
                does(race.earlier) + "without asc_syncthreads between them";
    d.hint = "put asc_syncthreads() between them, at a place that all threads of the block reach";
    core_.kernel.sources().locate(d, line_of(race.later.code));
    d.related.push_back(
        core_.kernel.sources().related("the other access", line_of(race.earlier.code)));
    core_.port.warn(std::move(d));
}

void ThreadBlock::tell_missing_fence(const MissingFence& missing) {
    if (!told_races_.emplace(missing.stored, missing.accessed).second) return;
    const auto& sources = core_.kernel.sources();
    Diagnostic d;
    d.code = "E37";
    d.category = Category::kRace;
    d.message = name_of(threads_[missing.accessing_thread]) + " of block " + std::to_string(core_.identity.block) +
                (missing.writes ? " writes " : " reads ") + "byte " + std::to_string(missing.address) +
                " of global memory, which " + name_of(threads_[missing.thread]) + " of block " +
                std::to_string(missing.block) +
                " stored before it signalled, without asc_threadfence between the store and the signal";
    d.hint = "put asc_threadfence() between them: the store may come later than the signal";
    sources.locate(d, line_of(missing.accessed));
    d.related.push_back(sources.related("the store", line_of(missing.stored)));
    d.related.push_back(sources.related("the signal", line_of(missing.handed_over)));
    core_.port.warn(std::move(d));
}

bool ThreadBlock::answer_clocks() {
    bool any = false;
    for (size_t i = 0; i < threads_.size(); ++i) {
        if (threads_[i].state != Thread::State::kAtClock) continue;
        threads_[i].result = begin_ + time_->elapsed(static_cast<unsigned>(i / kLanes));
        threads_[i].state = Thread::State::kReady;
        any = true;
    }
    return any;
}

void ThreadBlock::pause() {
    running_thread_of_block->state = Thread::State::kPaused;
    running_->leave();
}

// In lockstep a thread stops before each access.
ptosim_thread_event* ThreadBlock::limit(unsigned lane) const {
    return lockstep_ ? log_->next(lane) : log_->limit(lane);
}

bool ThreadBlock::is_full() const {
    return ptosim_watched.next_event ==
           log_->limit(static_cast<unsigned>((running_thread_of_block - threads_.data()) % kLanes));
}

void ThreadBlock::make_room(const void* site) {
    if (is_full()) pause();
    if (lockstep_ && site != nullptr) {
        Thread& thread = *running_thread_of_block;
        thread.site = site;
        thread.state = Thread::State::kAtAccess;
        running_->leave();
    }
    if (lockstep_) ptosim_watched.last_event = ptosim_watched.next_event + 1;
}

// In lockstep the lanes of a warp meet at a fence.
void ThreadBlock::fence(const void* site, bool of_block) {
    if (lockstep_) meet_warp({}, site);
    note(WarpInstruction::Kind::kFence, site).used = of_block ? PTOSIM_FENCE_OF_BLOCK : 0;
}

void ThreadBlock::note_atomic(uint64_t address, unsigned bytes, const void* site) {
    ptosim_thread_event& event = note(WarpInstruction::Kind::kAtomic, site);
    event.address = address;
    event.bytes = static_cast<uint8_t>(bytes);
}

// The atomic operation is the thread's last event, unless it has polled since.
uint64_t ThreadBlock::atomic_result() const {
    ptosim_thread_event& event = ptosim_watched.next_event[-1];
    if (event.kind == PTOSIM_THREAD_ATOMIC) event.used |= PTOSIM_RESULT_USED;
    return atomic_result_;
}

// Code below tiles loads UB by its addresses in UB, code of threads alone by pointers.
void ThreadBlock::note_changed_word(uint64_t address, const void* word) {
    constexpr size_t kMost = 4096;
    if (changed_words_.size() >= kMost) return;
    changed_words_.insert(address);
    changed_words_.insert(reinterpret_cast<uint64_t>(word));
}

void ThreadBlock::note_atomic_value(uint64_t before, bool unchanged) {
    ptosim_thread_event& event = ptosim_watched.next_event[-1];
    if (unchanged && event.kind == PTOSIM_THREAD_ATOMIC) event.used |= PTOSIM_UNCHANGED;
    atomic_result_ = before;
}

void ThreadBlock::wait_for_block(const void* site) {
    note(WarpInstruction::Kind::kBarrier, site);
    Thread& thread = *running_thread_of_block;
    thread.state = Thread::State::kAtBarrier;
    running_->leave();
}

uint64_t ThreadBlock::wait_for_warp(const WarpRequest& request, const void* site) {
    const uint64_t result = meet_warp(request, site);
    note(WarpInstruction::Kind::kWarp, site);
    return result;
}

uint64_t ThreadBlock::meet_warp(const WarpRequest& request, const void* site) {
    if (is_full()) pause();
    Thread& thread = *running_thread_of_block;
    thread.site = site;
    thread.request = request;
    thread.state = Thread::State::kAtWarp;
    running_->leave();
    return thread.result;
}

void ThreadBlock::poll(bool locks) {
    Thread& thread = *running_thread_of_block;
    thread.holds = !locks && changed_words_.contains(ptosim_watched.last_load);
    thread.state = Thread::State::kPolls;
    running_->leave();
}

void ThreadBlock::serve_warp(size_t first, size_t last, const void* site) {
    using State = Thread::State;
    uint32_t active = 0;
    std::array<WarpRequest, kLanes> requests{};
    for (size_t i = first; i < last; ++i) {
        if (threads_[i].state != State::kAtWarp || threads_[i].site != site) continue;
        active |= 1u << (i - first);
        requests[i - first] = threads_[i].request;
    }
    log_->step(active);
    const std::array<uint64_t, kLanes> results = warp_results(active, requests);
    for (size_t i = first; i < last; ++i) {
        if ((active >> (i - first) & 1) == 0) continue;
        threads_[i].result = results[i - first];
        threads_[i].state = State::kReady;
    }
}

void ThreadBlock::release_barrier() {
    const auto ended = std::find_if(threads_.begin(), threads_.end(),
                                    [](const Thread& t) { return t.state == Thread::State::kDone; });
    if (ended != threads_.end() && !std::exchange(told_of_ends_, true)) {
        Diagnostic d = finding(core_, "H34", Category::kUndefined,
                               "kernel " + std::string(core_.kernel.name()) + ": " + name_of(*ended) +
                                   " has ended, and other threads of its block wait in asc_syncthreads",
                               core_.at);
        d.hint = "here they go on; on the device a thread that never comes is a deadlock: let all threads reach each barrier";
        core_.port.warn(std::move(d));
    }
    time_->release_barrier();
    if (watched_) races_->release_barrier();
    if (fences_) core_.kernel.fences().release_barrier(*fences_);
    for (Thread& thread : threads_) {
        if (thread.state == Thread::State::kAtBarrier) thread.state = Thread::State::kReady;
    }
}

bool ThreadBlock::is_local(const void* pointer) const {
    const auto* const byte = static_cast<const std::byte*>(pointer);
    return byte >= local_ && byte < local_ + core_.port.local_size(Space::kUB);
}

void ThreadBlock::note_load(const void* address, bool locks) {
    constexpr unsigned kRepeats = 16;
    const auto at = reinterpret_cast<uint64_t>(address);
    if (std::exchange(ptosim_watched.last_load, at) != at) ptosim_watched.repeats = 0;
    if (++ptosim_watched.repeats >= kRepeats) poll(locks);
}

void ThreadBlock::note_access(uint64_t address, uint64_t bytes, bool writes, const void* site) {
    constexpr uint64_t kMost = 16;  // of an event
    for (const uint64_t end = address + bytes; address < end; address += kMost) {
        ptosim_thread_event& event =
            note(writes ? WarpInstruction::Kind::kStore : WarpInstruction::Kind::kLoad, site);
        event.address = address;
        event.bytes = static_cast<uint8_t>(std::min(kMost, end - address));
    }
}

std::byte* ThreadBlock::local_word(uint64_t address, unsigned bytes, bool writes, const void* site,
                                   ptosim_location where) {
    const uint64_t size = core_.port.local_size(Space::kUB);
    if (address + bytes > size) {
        Diagnostic d =
            finding(core_, "A03", Category::kIllegal,
                    name_of_thread() + (writes ? " writes " : " reads ") + std::to_string(bytes) +
                        " bytes at byte " + std::to_string(address) + " of UB, which has " +
                        std::to_string(size),
                    where);
        core_.kernel.sources().locate(d, core_.kernel.locate(where));
        d.hint = "compare the index of the thread with the size of the tile";
        stop(std::move(d));
    }
    note_access(address, bytes, writes, site);
    if (!writes) note_load(local_ + address);
    return local_ + address;
}

// Waits until the warp's earlier instructions have got their times.
uint64_t ThreadBlock::clock(const void* site) {
    note(WarpInstruction::Kind::kClock, site);
    Thread& thread = *running_thread_of_block;
    thread.state = Thread::State::kAtClock;
    running_->leave();
    return thread.result;
}

std::string ThreadBlock::name_of_thread() const { return name_of(*running_thread_of_block); }

void ThreadBlock::print(const char* text, uint64_t length) { printed_.append(text, length); }

void ThreadBlock::flush() {
    size_t begin = 0;
    for (size_t end; (end = printed_.find('\n', begin)) != printed_.npos; begin = end + 1)
        core_.port.print(std::string_view(printed_).substr(begin, end - begin));
    printed_.erase(0, begin);
}

void ThreadBlock::stop(Diagnostic reason) {
    thrown_ = std::make_exception_ptr(DiagnosticError(std::move(reason)));
    running_->leave();
    std::terminate();  // it is not continued
}

void* ThreadBlock::share_array(ptosim_shared_array& place, uint64_t bytes, uint64_t alignment) {
    if (place.launch != launch_) {
        place.launch = launch_;
        place.address = (shared_end_ + alignment - 1) / alignment * alignment;
        shared_end_ = place.address + bytes;
        if (shared_end_ > room()) {
            Diagnostic d =
                finding(core_, "H33", Category::kIllegal,
                        "kernel " + std::string(core_.kernel.name()) + " has arrays of " +
                            std::to_string(shared_end_) + " bytes in UB; " + room_text(),
                        core_.at);
            d.hint = "use smaller arrays, or less dynamic UB";
            stop(std::move(d));
        }
    }
    return local_ + place.address;
}

// All threads poll, so only another core, or a transfer, can let one go on.
void ThreadBlock::wait_for_others() {
    note_wait();
    if (only_polled()) tell_deadlock();
    time_->wait();
}

void ThreadBlock::tell_deadlock() const {
    const Thread* waits = nullptr;
    for (const Thread& thread : threads_)
        if (thread.state != Thread::State::kDone && waits == nullptr) waits = &thread;
    fail(core_, "H11", Category::kDeadlock,
         "kernel " + std::string(core_.kernel.name()) + ": its threads wait for each other, among them " +
             name_of(*waits),
         core_.at, "all threads of a block must reach each asc_syncthreads");
}

}  // namespace ptosim
