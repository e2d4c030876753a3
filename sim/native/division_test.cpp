// Divisions that trap on this host are completed as AArch64 defines them.
#include "sim/native/division.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

namespace ptosim {
namespace {

unsigned finished = 0;

void on_signal(int, siginfo_t*, void* context) {
    if (finish_division(*static_cast<ucontext_t*>(context)) == DivisionTrap::kNone) _exit(9);
    ++finished;
}

struct Handler {
    struct sigaction before {};
    Handler() {
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = &on_signal;
        sigaction(SIGFPE, &action, &before);
        finished = 0;
    }
    ~Handler() { sigaction(SIGFPE, &before, nullptr); }
};

#ifdef __x86_64__
template <class T>
struct Divided {
    T quotient, remainder;
};

// The divisor is in a register (including numbers above 7) or in memory.
#define PTOSIM_DIVIDE(name, Type, high, text)                                            \
    Divided<Type> name(Type dividend, Type divisor) {                                     \
        Type quotient = dividend, remainder = (high);                                    \
        asm volatile(text : "+a"(quotient), "+d"(remainder) : "m"(divisor), "r"(divisor) \
                     : "cc", "r11");                                                     \
        return {quotient, remainder};                                                    \
    }

PTOSIM_DIVIDE(in_register_32, uint32_t, 0, "divl %3")
PTOSIM_DIVIDE(in_memory_32, uint32_t, 0, "divl %2")
PTOSIM_DIVIDE(in_register_64, uint64_t, 0, "divq %3")
PTOSIM_DIVIDE(in_high_register_64, uint64_t, 0, "movq %3, %%r11; divq %%r11")
PTOSIM_DIVIDE(in_memory_16, uint16_t, 0, "divw %2")
PTOSIM_DIVIDE(signed_32, int32_t, dividend < 0 ? -1 : 0, "idivl %3")
PTOSIM_DIVIDE(signed_in_memory_64, int64_t, dividend < 0 ? -1 : 0, "idivq %2")
#undef PTOSIM_DIVIDE

template <class T>
void by_zero(Divided<T> (*divide)(T, T), T dividend) {
    const Divided<T> result = divide(dividend, 0);
    CHECK(result.quotient == 0);
    CHECK(result.remainder == dividend);
}

TEST_CASE("a division by zero gives 0 and the dividend") {
    const Handler handler;
    by_zero<uint32_t>(in_register_32, 4000000001u);
    by_zero<uint32_t>(in_memory_32, 7);
    by_zero<uint64_t>(in_register_64, 1ull << 63 | 5);
    by_zero<uint64_t>(in_high_register_64, 77);
    by_zero<uint16_t>(in_memory_16, 65535);
    by_zero<int32_t>(signed_32, -12);
    by_zero<int32_t>(signed_32, std::numeric_limits<int32_t>::min());
    by_zero<int64_t>(signed_in_memory_64, std::numeric_limits<int64_t>::min());
    CHECK(finished == 8);
}

TEST_CASE("the smallest integer by -1 gives itself and 0") {
    const Handler handler;
    const auto small = signed_32(std::numeric_limits<int32_t>::min(), -1);
    CHECK(small.quotient == std::numeric_limits<int32_t>::min());
    CHECK(small.remainder == 0);
    const auto large = signed_in_memory_64(std::numeric_limits<int64_t>::min(), -1);
    CHECK(large.quotient == std::numeric_limits<int64_t>::min());
    CHECK(large.remainder == 0);
    CHECK(finished == 2);
}

TEST_CASE("divisions that do not trap are left alone") {
    const Handler handler;
    CHECK(in_register_32(17, 5).quotient == 3);
    CHECK(in_memory_32(17, 5).remainder == 2);
    CHECK(finished == 0);
}
#endif

}  // namespace
}  // namespace ptosim
