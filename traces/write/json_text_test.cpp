// Tests that JSON written piece by piece equals the output of nlohmann::json for the same document.
#include "traces/write/json_text.h"
#include "traces/analyse/labels.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

using namespace ptosim;
using Reference = nlohmann::ordered_json;

TEST_CASE("JSON is laid out as nlohmann::json does it, at every indent") {
    const std::string odd = "a \"b\" \\ \n \x7f \xc3\xa4 \t/";
    for (const int indent : {-1, 0, 1, 4}) {
        JsonText text(indent);
        text.object().member("a", uint64_t{1}).member("empty", "").key("none").array().end();
        text.key("list").array().value(uint32_t{7}).value(true).value(odd).object().end();
        text.array().value(0.5).value(1.0).end().end();
        text.key(odd).object().member("b", false).end().end();
        const Reference json = {{"a", 1},
                           {"empty", ""},
                           {"none", Reference::array()},
                           {"list", {7, true, odd, Reference::object(), {0.5, 1.0}}},
                           {odd, {{"b", false}}}};
        CHECK(text.view() == json.dump(indent));
    }
}

TEST_CASE("texts of every byte are quoted as nlohmann::json does it") {
    for (unsigned byte = 1; byte < 128; ++byte)
        for (size_t place = 0; place < 20; ++place) {
            std::string text(20, 'x');
            text[place] = static_cast<char>(byte);
            Text quoted;
            put_quoted(quoted, text);
            REQUIRE(quoted.view() == Reference(text).dump());
            REQUIRE(json_quoted(text) == Reference(text).dump());
        }
    Text broken;
    put_quoted(broken, "12345678\xff");
    CHECK(broken.view() == "\"12345678\xef\xbf\xbd\"");
}

TEST_CASE("numbers are those of nlohmann::json, in the fewest digits") {
    for (const double number : {0.0, 1.0, 0.5, 0.1, 0.9999, 0.0001, 0.00001, 8.8786, 1e14, 1e15,
                                123456789.123456, 1e300, 5e-324, -2.25, 99999999999999.98})
        CHECK(json_number(number) == nlohmann::json(number).dump());
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        const uint64_t integer = random() >> random() % 64;
        Text text;
        text << integer;
        REQUIRE(text.view() == std::to_string(integer));
        Text micros;
        micros.micros(integer);
        REQUIRE(micros.view() == micros_text(integer));
        const double number = static_cast<double>(integer % 100'000'000'000) / 1e6;
        // nlohmann::json has some more digits at times: 1.8627609999999999.
        REQUIRE(nlohmann::json::parse(json_number(number)).get<double>() == number);
        REQUIRE(json_number(number).size() <= nlohmann::json(number).dump().size());
    }
}
