// Counts the allocations of a program that it is loaded into before the C library (glibc), and
// writes their number to the file that PTOSIM_ALLOCATIONS names.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static unsigned long allocations;
static void count(void) { __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED); }

void* malloc(size_t size) {
    count();
    return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}
void* realloc(void* old, size_t size) {
    count();
    return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
    *result = aligned_alloc(alignment, size);
    return *result == NULL ? 12 : 0;  // ENOMEM
}

__attribute__((destructor)) static void tell(void) {
    const char* name = getenv("PTOSIM_ALLOCATIONS");
    const unsigned long number = allocations;
    FILE* file = name == NULL ? NULL : fopen(name, "w");
    if (file == NULL) return;
    fprintf(file, "%lu\n", number);
    fclose(file);
}
