// Expected texts and values come from nlohmann::ordered_json.
#include "sim/files/json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "catch2/catch.hpp"

namespace ptosim {
namespace {

using Library = nlohmann::ordered_json;

TEST_CASE("texts are printed as by the library") {
    const std::string texts[] = {
        "null", "true", "-1", "18446744073709551615", "-9223372036854775808", "0.1", "1e300", "100.0", "1e-7", "[]", "{}",
        R"("a\"b\\c\u0001\u20ac")", R"([1,[2,[]],{"b":1,"a":{"x":[null,false]}}])", R"({"b":1,"a":2,"b":3})",
        R"([{"k":"v"},"",0,-0.0])"};
    for (const std::string& text : texts) {
        INFO(text);
        for (const int indent : {-1, 0, 1, 2})
            CHECK(dump_json(parse_json(text), indent) == Library::parse(text).dump(indent));
        CHECK(parse_json(text) == parse_json(dump_json(parse_json(text))));
        CHECK(dump_json(parse_json(text, {.sorts = true})) == nlohmann::json::parse(text).dump());
    }
    CHECK(dump_json(Json("k\xff")) == "\"k\xEF\xBF\xBD\"");
    CHECK(dump_json(Json(1.0 / 0.0)) == "null");
}

TEST_CASE("texts that are refused have the library's reasons") {
    for (const std::string text : {"", "{", "[1,]", "{\"a\":}", "nul", "\"\xff\"", "1 2", "{\"a\" 1}", "// c\n1"}) {
        INFO(text);
        std::string expected, found;
        try {
            expected = Library::parse(text).dump().substr(0, 0);
        } catch (const Library::exception& error) {
            expected = error.what();
        }
        try {
            parse_json(text);
        } catch (const Json::Error& error) {
            found = error.what();
        }
        CHECK(!expected.empty());
        CHECK(found == expected);
        CHECK(parse_json(text, {.discards = true}).is_discarded());
    }
    CHECK(parse_json("// c\n1", {.ignores_comments = true}) == 1);
}

TEST_CASE("values in braces are those of the library") {
    const std::string name = "n";
    const std::vector<uint64_t> numbers{1, 2};
    const std::map<std::string, int> map{{"y", 1}, {"x", 2}};
    const std::map<int, std::string> numbered{{1, "a"}};
    const std::set<int> set{3, 1};
    const std::pair<std::string, double> pair{"p", 0.5};
    CHECK(dump_json(Json{{"a", 1}, {name, numbers}, {"m", map}, {"i", numbered}}) ==
          Library{{"a", 1}, {name, numbers}, {"m", map}, {"i", numbered}}.dump());
    CHECK(dump_json(Json{{"a", 1}, {2, "b"}}) == Library{{"a", 1}, {2, "b"}}.dump());
    CHECK(dump_json(Json{1u, -1, 2.5f, true, nullptr, "t", set, pair}) ==
          Library{1u, -1, 2.5f, true, nullptr, "t", set, pair}.dump());
    CHECK(dump_json(Json{{"only", "one"}}) == Library{{"only", "one"}}.dump());
    CHECK(dump_json(Json::array({{"a", 1}})) == Library::array({{"a", 1}}).dump());
}

TEST_CASE("members and elements") {
    Json json;
    json["b"] = 1;
    json["a"]["x"].push_back("first");
    json["a"]["x"].push_back({1, 2});
    CHECK(dump_json(json) == R"({"b":1,"a":{"x":["first",[1,2]]}})");
    CHECK(json.value("b", 7) == 1);
    CHECK(json.value("c", "none") == "none");
    CHECK(json.find("c") == json.end());
    CHECK(json.find("b")->get<unsigned>() == 1);
    CHECK(json.at("a").at("x").at(1).get<std::pair<int, int>>() == std::pair{1, 2});
    CHECK(json["a"]["x"][1].get<std::vector<int>>() == std::vector{1, 2});
    CHECK(json["a"]["x"][0] == "first");
    std::string names;
    for (const auto& [name, value] : json.items()) names += name + std::to_string(value.size());
    CHECK(names == "b1a1");
    Json more{{"b", 2}, {"c", 3}};
    json.update(more);
    CHECK(json.erase("a") == 1);
    CHECK(json.erase("a") == 0);
    CHECK(dump_json(json) == R"({"b":2,"c":3})");
    CHECK(json.get<std::map<std::string, int>>() == std::map<std::string, int>{{"b", 2}, {"c", 3}});
    const Json moved = std::move(json), copied = moved;
    CHECK(copied == moved);
    CHECK(!(copied == Json{{"b", 2}}));
}

TEST_CASE("wrong kinds are refused with the library's words") {
    const Library theirs{{"a", "text"}};
    const Json ours{{"a", "text"}};
    const auto words = [](auto&& act) -> std::string {
        try {
            act();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "";
    };
    CHECK(words([&] { ours.at("a").get<int>(); }) == words([&] { static_cast<void>(theirs.at("a").get<int>()); }));
    CHECK(words([&] { ours.at("b"); }) == words([&] { static_cast<void>(theirs.at("b")); }));
    CHECK(words([&] { ours.get<std::string>(); }) == words([&] { static_cast<void>(theirs.get<std::string>()); }));
    CHECK(words([&] { Json(1).at("a"); }) == words([&] { static_cast<void>(Library(1).at("a")); }));
    CHECK(words([&] { Json(1).value("a", 1); }) == words([&] { static_cast<void>(Library(1).value("a", 1)); }));
    CHECK(words([&] { Json::array({1}).at(3); }) == words([&] { static_cast<void>(Library::array({1}).at(3)); }));
}

TEST_CASE("deep values are destroyed without recursion") {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    CHECK(parse_json(deep).size() == 1);
}

}  // namespace
}  // namespace ptosim
