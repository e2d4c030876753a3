// Support for tests that build SystemC modules. SystemC can build only one set of modules in a process, so each test
// runs in a child process (to debug one: gdb's `set follow-fork-mode child`).
#pragma once

#include <catch2/catch.hpp>

namespace ptosim {

// Runs `test` in a child process. Returns true if all its checks held.
bool passes_in_child(void (*test)());

#define SYSTEMC_TEST_NAMED(function, title)                \
    static void function();                                \
    TEST_CASE(title, "[systemc]") {                        \
        INFO("the checks that failed are reported above"); \
        CHECK(passes_in_child(&function));                 \
    }                                                      \
    static void function()
#define SYSTEMC_TEST_JOIN(a, b) a##b
#define SYSTEMC_TEST_AT(number, title) \
    SYSTEMC_TEST_NAMED(SYSTEMC_TEST_JOIN(systemc_test_, number), title)
#define SYSTEMC_TEST(title) SYSTEMC_TEST_AT(__COUNTER__, title)

}  // namespace ptosim
