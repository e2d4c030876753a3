// Rows of checkers, and the documents that must agree with them.
#include "sim/check/registry.h"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "isa/core/diagnostic_catalogue.h"
#include "isa/core/input_file.h"

namespace ptosim::check {
namespace {

std::set<std::string> codes_of(const CheckerRow& row) {
    std::istringstream words{std::string(row.codes)};
    std::set<std::string> codes;
    for (std::string code; words >> code;) codes.insert(code);
    return codes;
}

TEST_CASE("codes of checkers are in the catalogue of codes") {
    REQUIRE(checker_rows().size() > 10);
    for (const CheckerRow* row : checker_rows()) {
        INFO(row->name);
        CHECK(codes_of(*row).empty() == (row->chosen == Chosen::kByWasted));
        for (const std::string& code : codes_of(*row)) CHECK_FALSE(meaning(code).empty());
    }
}

TEST_CASE("checkers are called in one order, and rows of one name are chosen alike") {
    std::set<unsigned> orders;
    for (const CheckerRow* row : checker_rows()) {
        INFO(row->name);
        CHECK(orders.insert(row->order).second);
        CHECK(row->order >= *orders.rbegin());
        for (const CheckerRow* other : checker_rows())
            if (other->name == row->name) CHECK(other->chosen == row->chosen);
    }
}

TEST_CASE("a list of checkers chooses them by name") {
    CheckOptions options;
    CHECK(options.choose("").empty());
    CHECK(options.choose("none").empty());
    CHECK_FALSE(options.any());
    CHECK(options.choose("race,,drain").empty());
    CHECK(options.has("race"));
    CHECK(options.has("drain"));
    CHECK_FALSE(options.has("sync"));
    CHECK(options.choose("all").empty());
    CHECK(options.has("sync"));
    CHECK_FALSE(options.has("ids"));
    CHECK(options.choose("ids,rcae,unused") == "rcae");
    CHECK_THROWS(options.has("rcae"));
}

TEST_CASE("what the machine itself finds needs no checker") {
    CheckOptions options;
    CHECK(options.choose("choices").empty());
    CHECK_FALSE(options.any());
    CHECK_FALSE(options.follows_pointers());
    CHECK(options.choose("cache").empty());
    CHECK(options.any());
    CHECK(options.follows_pointers());
}

TEST_CASE("a row has the hooks that its class overrides") {
    struct None : Checker {
        using Checker::Checker;
        void on_block_end(const RunEvent&) override {}
    };
    struct Some : Checker {
        using Checker::Checker;
        void on_issue(const InstructionEvent&) override {}
        void on_unblock(const BlockEvent&) override {}
    };
    struct More : Some {
        using Some::Some;
        void on_cache(const CacheEvent&) override {}
    };
    CHECK(row_of<None>({}).hooks == 0);
    CHECK(row_of<Some>({}).hooks == 0b100'0000'0001);
    CHECK(row_of<More>({}).hooks == 0b101'0000'0001);
}

TEST_CASE("the guide of checkers lists each with its codes") {
    const std::string page = read_file("docs/checking.md");
    for (const CheckerRow* row : checker_rows()) {
        if (row->chosen == Chosen::kByWasted) continue;
        INFO(row->name);
        const size_t begin = page.find("\n| `" + std::string(row->name) + "` | ");
        REQUIRE(begin != page.npos);
        const std::string line = page.substr(begin, page.find('\n', begin + 1) - begin);
        for (const std::string& code : codes_of(*row)) CHECK(line.find(code) != line.npos);
    }
}

}  // namespace
}  // namespace ptosim::check
