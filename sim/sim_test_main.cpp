// SystemC's library brings main() and wants sc_main; these tests need no simulation, only the
// classes.
#include <systemc>

#include "tests/catch_session.h"

__attribute__((visibility("default"))) int sc_main(int argc, char* argv[]) {
    return ptosim::test::run_session(argc, argv);
}
