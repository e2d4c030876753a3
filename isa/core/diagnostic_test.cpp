#include "isa/core/diagnostic.h"

#include <catch2/catch.hpp>

#include "isa/core/diagnostic_catalogue.h"

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

TEST_CASE("other places stand behind the first, each with its line and a caret") {
    Diagnostic d;
    d.message = "x";
    d.code = "E01";
    RelatedSite other;
    other.text = "first: there";
    other.source_line = "pto.tload";
    other.location.column = 5;
    d.related = {other};
    d.notes = {"more"};
    CHECK(to_text(d) ==
          "error: x [E01]\n  note: first: there\n    pto.tload\n        ^\n  note: more\n");
}

TEST_CASE("a code means what the catalogue says of it") {
    CHECK(meaning("I22") == "an unknown chip, or no chip files found");
    CHECK(meaning("E03") == "unordered writes on two pipes to the same bytes");  // after a category
    CHECK(meaning("Z99").empty());
    CHECK(meaning("").empty());
    CHECK(meaning("Codes").empty());
    CHECK(catalogue_heading("F04") == "FIFOs between cores");
    CHECK(catalogue_heading("Z99").empty());
}

TEST_CASE("titles are a column of the catalogue") {
    CHECK(catalogue_title("E10") == "A flag left set at the end");
    CHECK(catalogue_title("R01") == "An output differs from its golden");  // without a category
    CHECK(catalogue_title("G06").empty());                                 // an empty cell
    CHECK(catalogue_title("I22").empty());                                 // a table without titles
    CHECK(catalogue_title("Z99").empty());
    CHECK(meaning("G06").starts_with("a task of a program reads bytes"));
}
