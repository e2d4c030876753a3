#include "isa/diagnostic.h"

#include <catch2/catch.hpp>

using namespace ptosim;

namespace {

std::string shown(const std::string& line, uint32_t column) {
    Diagnostic d;
    d.file = "k.pto";
    d.location.line = 3;
    d.location.column = column;
    d.message = "x";
    d.source_line = line;
    const std::string text = to_text(d);
    return text.substr(text.find('\n') + 1);
}

}  // namespace

TEST_CASE("a caret stands under its character") {
    CHECK(shown("pto.tadd", 5) == "    pto.tadd\n        ^\n");
    CHECK(shown("\tpto.tadd", 6) == "    \tpto.tadd\n    \t    ^\n");
    CHECK(shown("// \xC3\xA9\xE2\x82\xAC pto", 10) ==
          "    // \xC3\xA9\xE2\x82\xAC pto\n          ^\n");
    CHECK(shown("pto", 0) == "    pto\n");
    CHECK(shown("pto", 9) == "    pto\n       ^\n");
}

TEST_CASE("bytes that are no text do not reach the terminal") {
    CHECK(shown("a\x1B[2J\x80\xC3(b", 8) ==
          "    a?[2J?"
          "?(b\n           ^\n");
}

TEST_CASE("of a long line the part around the column is shown") {
    const std::string line = std::string(1000, 'a') + "!" + std::string(1000, 'b');
    CHECK(shown(line, 1001) == "    ..." + std::string(60, 'a') + "!" + std::string(99, 'b') +
                                   "...\n    " + std::string(63, ' ') + "^\n");
    CHECK(shown(line, 1) == "    " + std::string(160, 'a') + "...\n    ^\n");
}
