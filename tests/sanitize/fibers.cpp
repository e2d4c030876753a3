// Reports SystemC's switches between the stacks of coroutines to sanitizers. SystemC announces each
// to the address sanitizer, but not the main stack, which then has no bounds any more; it does not
// support the thread sanitizer. The functions here are found before the sanitizer's: they are a
// part of the program, or preloaded if a host that is not instrumented uses libptosim.
#include <cstddef>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

#include <map>

namespace {

// By the lowest address of its stack: a coroutine is a fiber. null: the thread's own stack, which is
// the one that is left first. Coroutines stay with their thread.
void* fiber_of(const void* stack) {
    thread_local auto& fibers =
        *new std::map<const void*, void*>{{nullptr, __tsan_get_current_fiber()}};
    void*& fiber = fibers[stack];
    if (fiber == nullptr) fiber = __tsan_create_fiber(0);
    return fiber;
}

void start(void** state, const void* stack, size_t) {
    if (state != nullptr) *state = nullptr;
    __tsan_switch_to_fiber(fiber_of(stack), 0);
}

void finish(void*, const void** stack, size_t* bytes) {
    if (stack != nullptr) *stack = nullptr;
    if (bytes != nullptr) *bytes = 0;
}

}  // namespace
#else
#include <dlfcn.h>
#include <pthread.h>

namespace {

struct Stack {
    const void* begin = nullptr;
    size_t bytes = 0;
};

// Stack of the thread that simulates, which is the one that is left first.
Stack stack_of_thread() {
    Stack stack;
    void* begin = nullptr;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
    if (pthread_attr_getstack(&attributes, &begin, &stack.bytes) == 0) stack.begin = begin;
    pthread_attr_destroy(&attributes);
    return stack;
}

__attribute__((no_sanitize("address"))) void start(void** state, const void* stack, size_t bytes) {
    static const auto next = reinterpret_cast<void (*)(void**, const void*, size_t)>(
        dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
    thread_local const Stack main_stack = stack_of_thread();
    if (stack == nullptr)
        next(state, main_stack.begin, main_stack.bytes);
    else
        next(state, stack, bytes);
}

__attribute__((no_sanitize("address"))) void finish(void* state, const void** stack,
                                                    size_t* bytes) {
    static const auto next = reinterpret_cast<void (*)(void*, const void**, size_t*)>(
        dlsym(RTLD_NEXT, "__sanitizer_finish_switch_fiber"));
    next(state, stack, bytes);
}

}  // namespace
#endif

extern "C" {

__attribute__((visibility("default"), no_sanitize("address"))) void __sanitizer_start_switch_fiber(
    void** state, const void* stack, size_t bytes) {
    start(state, stack, bytes);
}

__attribute__((visibility("default"), no_sanitize("address"))) void __sanitizer_finish_switch_fiber(
    void* state, const void** stack, size_t* bytes) {
    finish(state, stack, bytes);
}

}  // extern "C"
