// Texts are like those of clang's -E; the parts are by hand.
#include "sim/compile/shared_headers.h"

#include <catch2/catch.hpp>

namespace ptosim {
namespace {

// Text like that of -E: forced headers from <command line>, empty lines between the includes of the source.
std::string text_of(const std::string& source, const std::string& line, const std::string& own) {
    const std::string body(600'000, ';');
    return "# 1 \"" + source + "\"\n# 1 \"<built-in>\" 1\n# 463 \"<built-in>\" 3\n# 1 \"<command line>\" 1\n# 1 \"<built-in>\" 2\n"
           "# 1 \"/own/launch.h\" 1\nint launch;\n# 2 \"<built-in>\" 2\n# 1 \"" + source + "\" 2\n\n\n# " + line + " \"" + source + "\"\n"
           "# 1 \"/usr/include/a.h\" 1 3\n" + body + "\n# " + line + " \"" + source + "\" 2\n\n" + own;
}

bool is_own(const std::string& file) { return file.starts_with("/own/"); }

}  // namespace

TEST_CASE("Sources with the same headers share them") {
    const auto one = shared_headers(text_of("one.cpp", "17", "int x;\nint y;\n"), is_own);
    const auto two = shared_headers(text_of("other.cpp", "230", "int z;\n"), is_own);
    REQUIRE(one);
    REQUIRE(two);
    CHECK(one->headers == two->headers);
    CHECK(one->headers.find("one.cpp") == std::string::npos);
    CHECK(one->rest == "# 17 \"one.cpp\"\n\nint x;\nint y;\n");
    CHECK(two->rest == "# 230 \"other.cpp\"\n\nint z;\n");
}

TEST_CASE("Headers of a project are not shared") {
    const std::string include = "# 1 \"kernel.h\" 1\nint k;\n# 18 \"one.cpp\" 2\nint x;\n";
    const auto parts = shared_headers(text_of("one.cpp", "17", include), is_own);
    REQUIRE(parts);
    CHECK(parts->rest == "# 17 \"one.cpp\"\n\n" + include);
    // Before the long one.
    CHECK_FALSE(shared_headers("# 1 \"one.cpp\"\n" + include + text_of("one.cpp", "17", "int x;\n"), is_own));
    // Forced by -include.
    std::string forced = text_of("one.cpp", "17", "int x;\n");
    forced.replace(forced.find("/own/launch.h"), 13, "/user/force.h");
    CHECK_FALSE(shared_headers(forced, is_own));
}

TEST_CASE("Lines of a source end its headers") {
    const std::string more = "using namespace a;\n# 1 \"/usr/include/b.h\" 1 3\nint b;\n# 19 \"one.cpp\" 2\nint x;\n";
    const auto parts = shared_headers(text_of("one.cpp", "17", more), is_own);
    REQUIRE(parts);
    CHECK(parts->rest == "# 17 \"one.cpp\"\n\n" + more);
    CHECK_FALSE(shared_headers("# 1 \"one.cpp\"\nint x;\n", is_own));
    CHECK_FALSE(shared_headers("", is_own));
}

}  // namespace ptosim
