// The executor of a core: a runtime's loop that waits for tasks and runs them, in the core's process.
#pragma once

#include <map>

#include "isa/core/kernel.h"
#include "sim/machine/aicpu/process_wait.h"
#include "sim/machine/model/chip_model.h"

namespace ptosim::mpmd {

class Executor {
 public:
    Executor(EventQueue& event_queue, const ChipModel& model, ParametersRead& read)
        : model_{model}, read_{read}, wait_{event_queue}, stored_{event_queue} {}
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // Sets its work for the next run.
    void prepare(void (*work)(void*), void* argument);
    // The executor whose code this thread runs; null if none.
    static Executor* current() { return current_; }

    // Runs its work on the core of `port`.
    void run(KernelPort& port);

    // ---- actions of its code, for current() only

    KernelPort& port() { return *port_; }
    uint32_t load(const volatile void* registers, uint32_t offset);
    void store(volatile void* registers, uint32_t offset, uint32_t value);
    void use_cache(const volatile void* line);  // null: the whole cache
    void read() { take(model_.scalar.load); }   // a line outside of its cache
    void spin();
    void watch() { watches_ = true; }
    Cycle cycle();
    void* get(uint32_t key) const;
    void set(uint32_t key, void* value) { values_[key] = value; }
    // Other cores' code may run before a call of its port returns, so it is made current again.
    template <class F>
    void call(F&& function) {
        struct Again {
            Executor* executor;
            ~Again() { current_ = executor; }
        } again{this};
        current_ = nullptr;
        function();
    }

    // The words that name its task, and the block of the task; null: unknown.
    struct TaskWords {
        const volatile uint64_t* number = nullptr;
        const volatile int32_t* block = nullptr;
    };
    void next_task(const TaskWords& words) { task_ = words; }
    const TaskWords& task() const { return task_; }

    // A processor has stored to one of its registers, which it sees `delay` cycles later.
    void notice_store(Cycle delay);
    const volatile void* registers() const { return registers_; }

 private:
    void take(const ChipParameter& time);
    void pass(Cycle cycles);

    static inline constinit thread_local Executor* current_ = nullptr;

    const ChipModel& model_;
    ParametersRead& read_;
    ProcessWait wait_;
    Event stored_;
    void (*work_)(void*) = nullptr;
    void* argument_ = nullptr;
    KernelPort* port_ = nullptr;
    const volatile void* registers_ = nullptr;  // accessed last
    uint64_t stores_ = 0;                       // stores by processors
    uint64_t seen_ = 0;                         // value of stores_ at its last read of a register
    bool watches_ = false;                      // it has read memory in this iteration of a waiting loop
    Milli charged_ = 0;
    TaskWords task_;
    std::map<uint32_t, void*> values_;
};

}  // namespace ptosim::mpmd
