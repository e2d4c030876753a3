#include "traces/write/packed_columns.h"

#include <catch2/catch.hpp>

using namespace ptosim;

TEST_CASE("a column has numbers of seven bits a byte, and steps that may go back") {
    Column plain;
    plain.plain(5);
    plain.plain(300);  // 2 * 128 + 44
    CHECK(plain.bytes() == std::string_view("\x05\xAC\x02", 3));
    Column steps;
    steps.step(7);  // on by 7: 14
    steps.step(4);  // back by 3: 5
    steps.step(4);
    CHECK(steps.bytes() == std::string_view("\x0E\x05\x00", 3));
}

TEST_CASE("packed bytes are a zlib stream in base64") {
    // python3: base64.b64encode(zlib.compress(b"", 4)), and of b"a" * 1000
    CHECK(packed("") == "eF4DAAAAAAE=");
    CHECK(packed(std::string(1000, 'a')) == "eF5LTBwFo2AUDHcAAPnYevg=");
}
