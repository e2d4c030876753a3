#include "sim/native/local_memory.h"

#ifdef __x86_64__
#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ptosim {

#ifdef __x86_64__
namespace {

// True if the operating system permits programs to use the instruction (Linux 5.9).
bool has_instruction() {
    constexpr unsigned long kFsGsBase = 2;
    static const bool has = (getauxval(AT_HWCAP2) & kFsGsBase) != 0;
    return has;
}

// The present value of the thread. Nothing else in this process uses GS.
constinit thread_local void* current_base = nullptr;

}  // namespace

void set_local_base(void* base) {
    if (base == current_base) return;
    current_base = base;
    if (has_instruction())
        asm volatile("wrgsbase %0" : : "r"(base) : "memory");
    else
        syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}
#else
void set_local_base(void*) {}
#endif

}  // namespace ptosim
