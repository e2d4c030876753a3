// The main program of tests that need no special one.
#include "tests/catch_session.h"

int main(int argc, char* argv[]) { return ptosim::test::run_session(argc, argv); }
