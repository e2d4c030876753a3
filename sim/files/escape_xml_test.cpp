// Text of any bytes, in the files that the program writes.
#include "sim/files/escape_xml.h"

#include <catch2/catch.hpp>

#include "sim/files/json.h"

using namespace ptosim;

TEST_CASE("any bytes can be a text of JSON and of XML") {
    const std::string name = "k\xff<\x01'\n.pto";
    CHECK(dump_json(Json(name)) == "\"k\xEF\xBF\xBD<\\u0001'\\n.pto\"");
    CHECK(escape_xml(name) == "k\xEF\xBF\xBD&lt;&#39;&#10;.pto");
    CHECK(escape_xml("\xC3\xA9 & \"x\"") == "\xC3\xA9 &amp; &quot;x&quot;");
    CHECK(escape_xml("").empty());
}
