#include "sim/check/line_hashes.h"

#include <catch2/catch.hpp>
#include <cstdio>

using namespace ptosim::check;

namespace {

std::string hex(uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
    return text;
}

uint64_t power(unsigned exponent) {
    uint64_t value = 1;
    for (unsigned i = 0; i < exponent; ++i) value *= 37;
    return value;
}

}  // namespace

TEST_CASE("a line's hash is the polynomial of what begins there, blanks left out") {
    // "ab", the end of the line, then only the mark after the end of the text.
    const uint64_t first =
        'a' * power(99) + 'b' * power(98) + '\n' * power(97) + 0xFFFF * power(96);
    const uint64_t last = 0xFFFF * power(99);
    const std::vector<std::string> expected{hex(first) + ":1", hex(last) + ":1"};
    CHECK(line_hashes("ab\n") == expected);
    CHECK(line_hashes(" \ta b \r\n") == expected);
    CHECK(line_hashes("ab\r") == expected);
    CHECK(line_hashes("") == std::vector<std::string>{hex(last) + ":1"});
}

TEST_CASE(
    "a hash does not change when lines are added above, and lines that begin alike are counted") {
    const std::string long_line(150, 'x');
    const std::string text = "one\n" + long_line + "a\n" + long_line + "b\n";
    const auto before = line_hashes(text), after = line_hashes("zero\n\n" + text);
    REQUIRE(before.size() == 4);
    REQUIRE(after.size() == 6);
    CHECK(before[0] == after[2]);
    CHECK(before[1] == after[3]);
    CHECK(before[1].substr(0, before[1].size() - 2) == before[2].substr(0, before[2].size() - 2));
    CHECK(before[1].back() == '1');
    CHECK(before[2].back() == '2');
}

TEST_CASE("UTF-16 counts what editors count as columns") {
    CHECK(utf16("a\xC3\xA9") == std::vector<uint16_t>{'a', 0xE9});
    CHECK(utf16("\xF0\x9F\x98\x80") == std::vector<uint16_t>{0xD83D, 0xDE00});
    CHECK(utf16("\x80z\xC3") == std::vector<uint16_t>{0x80, 'z', 0xC3});
}
