#include "isa/core/source_origin.h"

#include <catch2/catch.hpp>

#include "isa/core/kernel.h"

using namespace ptosim;

namespace {
std::string origin(std::string_view line, std::string_view text = {}) {
    const auto found = origin_of(text, line);
    return found ? found->file + ":" + std::to_string(found->line) + ":" +
                       std::to_string(found->column)
                 : "";
}
}  // namespace

TEST_CASE("a line of generated text names what it was made from", "[isa][origin]") {
    CHECK(origin("    pto.trap loc(\"net/a.py\":12:3)") == "net/a.py:12:3");
    CHECK(origin("  pto.trap loc(\"a.py\":7)") == "a.py:7:0");
    CHECK(origin("  pto.trap loc(callsite(\"f\" at \"my code.py\":10:8))") == "my code.py:10:8");
    CHECK(origin("  pto.trap loc(fused<\"pass\">[\"f\", \"b.py\":2:1])") == "b.py:2:1");
    CHECK(origin("  pto.trap loc(unknown)").empty());
    CHECK(origin("  pto.trap loc(\"f\")").empty());
    CHECK(origin("  pto.trap loc(\"").empty());
    CHECK(origin("  pto.trap // loc(\"a.py\":1:1)").empty());
    CHECK(origin("  alloc(\"a.py\":1:1)").empty());
    CHECK(origin("").empty());
}

TEST_CASE("locations have names that are defined elsewhere", "[isa][origin]") {
    const std::string text =
        "module {\n  pto.trap loc(#loc2)\n}\n#loc = loc(unknown)\n#loc1 = loc(\"c.py\":4:9)\n"
        "#loc2 = loc(\"name\"(#loc1))\n#loc3 = loc(#loc3)\n";
    CHECK(origin("  pto.trap loc(#loc2)", text) == "c.py:4:9");
    CHECK(origin("  pto.trap loc(#loc1)", text) == "c.py:4:9");
    CHECK(origin("  pto.trap loc(#loc)", text).empty());
    CHECK(origin("  pto.trap loc(#loc3)", text).empty());  // refers to itself
    CHECK(origin("  pto.trap loc(#loc9)", text).empty());
}

TEST_CASE("diagnostics are at the line that a program's author wrote", "[isa][origin]") {
    SourceMap sources;
    sources.add("k.pto", "a\n  pto.trap loc(\"net.py\":2:5)\n  pto.trap\n",
                SourceLanguage::kAssembly);
    sources.add("net.py", "", SourceLanguage::kAssembly);
    Site site;
    sources.locate(site, {0, 3, 2});
    CHECK(site.file == "net.py");
    CHECK(site.location == SourceLocation{1, 5, 2});
    CHECK(site.source_line.empty());
    sources.locate(site, {0, 3, 3});
    CHECK(site.file == "k.pto");
    CHECK(sources.related("first", {0, 3, 2}).text == "first at net.py:2");
}
