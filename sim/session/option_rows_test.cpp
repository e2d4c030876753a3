// Every option that an interface offers is described by the guide that its row names, and the rows
// are complete. The guides are written by hand.
#include "sim/session/option_rows.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/files/files.h"

using namespace ptosim;

namespace {

// "-I,--include" as "--include".
std::string long_flag(std::string_view flag) { return std::string(flag.substr(flag.find("--"))); }

bool describes(const std::string& guide, const std::string& word) {
    for (size_t at = guide.find(word); at != std::string::npos; at = guide.find(word, at + 1)) {
        const char next = at + word.size() < guide.size() ? guide[at + word.size()] : ' ';
        if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '-' && next != '_')
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("guides describe every option of a run", "[options]") {
    std::map<std::string, std::string> guides;
    for (const OptionRow& row : option_rows()) {
        INFO(row.name);
        const bool offered = !row.flag.empty() || !row.variable.empty() || !row.python.empty();
        REQUIRE(offered != row.guide.empty());
        if (!offered) continue;
        const std::string path(row.guide);
        const std::string& guide = guides.try_emplace(path, read_file(path)).first->second;
        if (!row.flag.empty()) CHECK(describes(guide, long_flag(row.flag)));
        const std::string& running =
            guides.try_emplace("docs/running.md", read_file("docs/running.md")).first->second;
        if (!row.variable.empty()) CHECK(describes(running, std::string(row.variable)));
        if (row.flag.empty() && !row.python.empty())
            CHECK(describes(guide, std::string(row.python)));
    }
}

TEST_CASE("names of an option differ from those of others", "[options]") {
    for (const auto name :
         {&OptionRow::name, &OptionRow::flag, &OptionRow::variable, &OptionRow::python}) {
        std::map<std::string_view, int> count;
        for (const OptionRow& row : option_rows())
            if (!(row.*name).empty()) CHECK(++count[row.*name] == 1);
    }
}

TEST_CASE("messages spell an option as its interface does", "[options]") {
    // option_text() derives a name from the member's: the row's own names must be the same where
    // messages use it.
    for (const char* const name :
         {"check", "check_memory", "trace", "trace_formats", "schedules", "mode", "sync"}) {
        INFO(name);
        const auto rows = option_rows();
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const OptionRow& r) { return r.name == name; });
        REQUIRE(row != rows.end());
        CHECK(row->flag == option_text(OptionSource::kCommandLine, name));
        CHECK(row->variable == option_text(OptionSource::kEnvironment, name));
        CHECK(row->python == option_text(OptionSource::kProgram, name));
    }
}
