// Implements include/ptosim/mpmd.h.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <thread>

#include "sim/faces/mpmd/platform.h"

using ptosim::Processor;
using ptosim::mpmd::Executor;
using ptosim::mpmd::HostClock;
using ptosim::mpmd::Participant;
using ptosim::mpmd::Platform;

// ---- the chip and its memory --------------------------------------------------------------

void ptosim_mpmd_open(const char* arch) { Platform::get().open(arch); }

uint32_t ptosim_mpmd_clusters(uint32_t most) {
    return static_cast<uint32_t>(
        std::min<uint64_t>(most, Platform::get().model().clusters.value()));
}

void* ptosim_mpmd_allocate(uint64_t size) { return Platform::get().allocate(size); }

void ptosim_mpmd_free(void* memory) { Platform::get().release(memory); }

void* ptosim_mpmd_map(uint64_t size, int file) { return Platform::get().map(size, file); }

void ptosim_mpmd_unmap(void* window) { Platform::get().unmap(window); }

const char* ptosim_mpmd_take_findings(const char* test) {
    return Platform::get().take_findings(test);
}

int ptosim_mpmd_finish(int status) { return Platform::get().finish(status); }

// ---- runs ---------------------------------------------------------------------------------

int ptosim_mpmd_run_processor(ptosim_mpmd_size size, int (*work)(void*), void* argument) {
    Participant participant;
    participant.work = work;
    participant.argument = argument;
    Platform::get().queue().take_part(participant, size);
    return participant.result;
}

void ptosim_mpmd_run_core(ptosim_mpmd_size size, uint32_t core, uint32_t index, void (*work)(void*),
                          void* argument) {
    Participant participant;
    participant.is_core = true;
    participant.core = {core == PTOSIM_AIC ? ptosim::CoreType::kAIC : ptosim::CoreType::kAIV,
                        static_cast<uint16_t>(index)};
    participant.work_of_core = work;
    participant.argument = argument;
    Platform::get().queue().take_part(participant, size);
}

uint64_t ptosim_mpmd_nanoseconds(void) {
    if (const Processor* processor = Processor::current()) return processor->nanoseconds();
    return Platform::get().nanoseconds();
}

int32_t ptosim_mpmd_processor(void) {
    const Processor* const processor = Processor::current();
    return processor == nullptr ? -1 : static_cast<int32_t>(processor->index());
}


uint64_t ptosim_mpmd_run_nanoseconds(void) { return Platform::get().run_nanoseconds(); }

const char* ptosim_mpmd_record_run(const char* folder_of_user) {
    return Platform::get().record_run(folder_of_user);
}

void ptosim_mpmd_wait_for_host(void) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

// ---- the host -----------------------------------------------------------------------------

uint64_t ptosim_mpmd_host_nanoseconds(void) { return Platform::get().host_nanoseconds(); }

int ptosim_mpmd_host_process(void) { return ptosim::mpmd::host_process(); }

int ptosim_mpmd_host_thread(void) { return ptosim::mpmd::host_thread(); }

// ---- processors ---------------------------------------------------------------------------

void __sanitizer_cov_trace_pc(void) {
    if (Processor* processor = Processor::current())
        processor->execute_block(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    else
        HostClock::execute_block();
}

uint32_t ptosim_mpmd_load(const volatile uint32_t* address) {
    Processor* const processor = Processor::current();
    return processor != nullptr ? processor->load_register(address) : *address;
}

void ptosim_mpmd_store(volatile uint32_t* address, uint32_t value) {
    if (Processor* processor = Processor::current())
        Platform::get().store(*processor, address, value);
    else
        *address = value;
}

void ptosim_mpmd_clean(const void*, uint64_t bytes) {
    if (Processor* processor = Processor::current()) processor->use_cache(bytes);
}

void ptosim_mpmd_invalidate(const void* address, uint64_t bytes) {
    Processor* const processor = Processor::current();
    if (processor == nullptr) return;
    processor->use_cache(bytes);
    Platform::get().invalidate(address, bytes);
}

void ptosim_mpmd_spin(void) {
    if (Processor* processor = Processor::current()) processor->spin();
}

void ptosim_mpmd_copied(void* to, const void* from, uint64_t size, const void* code) {
    const Processor* const processor = Processor::current();
    if (processor == nullptr) return;
    Platform& platform = Platform::get();
    platform.note_store(to, size);
    if (code == nullptr) return;
    platform.note_access(*processor, {from, size, false, code});
    platform.note_access(*processor, {to, size, true, code});
}

int32_t* ptosim_mpmd_processor_word(void) {
    static int32_t of_host = -1;  // for code outside of processors
    Processor* const processor = Processor::current();
    return processor != nullptr ? Platform::get().word_of(*processor) : &of_host;
}

// ---- executors ----------------------------------------------------------------------------

uint32_t ptosim_mpmd_core_load(const volatile void* registers, uint32_t offset) {
    return Executor::current()->load(registers, offset);
}

void ptosim_mpmd_core_store(volatile void* registers, uint32_t offset, uint32_t value) {
    Executor::current()->store(registers, offset, value);
}

void ptosim_mpmd_core_cache(const volatile void* line) { Executor::current()->use_cache(line); }

void ptosim_mpmd_core_read(const volatile void*) { Executor::current()->read(); }

void ptosim_mpmd_core_spin(void) { Executor::current()->spin(); }

void ptosim_mpmd_core_watch(void) { Executor::current()->watch(); }

uint32_t ptosim_mpmd_core_key(void) {
    static std::atomic<uint32_t> keys{0};
    return ++keys;
}

// Values of a thread that is not a core. They are destroyed after the thread-local objects of the thread, and never for
// the main thread.
static std::map<uint32_t, void*>& values_of_thread() {
    using Values = std::map<uint32_t, void*>;
    static const pthread_key_t key = [] {
        pthread_key_t made;
        if (pthread_key_create(&made, [](void* values) { delete static_cast<Values*>(values); }) !=
            0)
            throw std::runtime_error("the process has no free thread-specific key");
        return made;
    }();
    auto* values = static_cast<Values*>(pthread_getspecific(key));
    if (values == nullptr) {
        values = new Values;
        pthread_setspecific(key, values);
    }
    return *values;
}

void* ptosim_mpmd_core_get(uint32_t key) {
    if (const Executor* executor = Executor::current()) return executor->get(key);
    const auto found = values_of_thread().find(key);
    return found == values_of_thread().end() ? nullptr : found->second;
}

void ptosim_mpmd_core_set(uint32_t key, const void* value) {
    void* const kept = const_cast<void*>(value);
    if (Executor* executor = Executor::current())
        executor->set(key, kept);
    else
        values_of_thread()[key] = kept;
}

// ---- kernels ------------------------------------------------------------------------------

void ptosim_mpmd_add_kernel(const char* name, const void* begin, const void* end) {
    Platform::get().add_kernel(name, begin, end);
}

void ptosim_mpmd_remove_kernel(const void* begin) { Platform::get().remove_kernel(begin); }

void ptosim_mpmd_kernel_made(const void* begin, const char* how) { Platform::get().note_kernel(begin, how); }

void ptosim_mpmd_core_task(const volatile uint64_t* number, const volatile int32_t* block) {
    Executor::current()->next_task({number, block});
}

void ptosim_mpmd_run_task(const void* begin, int64_t* arguments) {
    Platform::get().run_task(*Executor::current(), begin, arguments);
}
