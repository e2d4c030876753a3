#define CATCH_CONFIG_EXTERNAL_INTERFACES  // for listeners
#include "sim/machine/event/systemc_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>

namespace ptosim {

namespace {

unsigned failures = 0;  // checks that have failed so far in this process

struct CountsFailures : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;
    bool assertionEnded(const Catch::AssertionStats& stats) override {
        if (!stats.assertionResult.isOk()) ++failures;
        return true;
    }
};
CATCH_REGISTER_LISTENER(CountsFailures)

}  // namespace

bool passes_in_child(void (*test)()) {
    std::cout.flush();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const unsigned before = failures;
        bool thrown = false;
        try {
            test();
        } catch (const std::exception& error) {
            std::cout << "unexpected exception: " << error.what() << "\n";
            thrown = true;
        } catch (...) {  // from a REQUIRE, which has been reported
            thrown = true;
        }
        std::cout.flush();
        _exit(thrown || failures > before ? 1 : 0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

}  // namespace ptosim
