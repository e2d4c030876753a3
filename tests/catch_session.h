// Catch's own code is compiled once, here, for every test program.
#pragma once

namespace ptosim::test {

// Runs the test cases that the words choose; returns the exit code.
int run_session(int argc, char* argv[]);

}  // namespace ptosim::test
