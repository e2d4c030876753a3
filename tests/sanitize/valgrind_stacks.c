// Tells valgrind of the stacks of SystemC's coroutines, which it takes for parts of the heap
// otherwise. To be preloaded (scripts/sanitize.sh): SystemC announces every switch to the address
// sanitizer, and finds this instead.
#include <stddef.h>
#include <valgrind/valgrind.h>

enum { kMostStacks = 4096 };

void __sanitizer_start_switch_fiber(void** state, const void* stack, size_t bytes) {
    static const void* seen[kMostStacks];
    static int count;
    if (state) *state = NULL;
    if (!stack) return;
    for (int i = 0; i < count; ++i)
        if (seen[i] == stack) return;
    if (count < kMostStacks) seen[count++] = stack;
    VALGRIND_STACK_REGISTER(stack, (const char*)stack + bytes);
}

void __sanitizer_finish_switch_fiber(void* state, const void** stack, size_t* bytes) {
    (void)state;
    if (stack) *stack = NULL;
    if (bytes) *bytes = 0;
}
