#define CATCH_CONFIG_RUNNER
#include "tests/catch_session.h"

#include <catch2/catch.hpp>

namespace ptosim::test {

int run_session(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }

}  // namespace ptosim::test
