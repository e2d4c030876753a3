// SystemC's library wants sc_main; these tests need no simulation, only the classes.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

__attribute__((visibility("default"))) int sc_main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
