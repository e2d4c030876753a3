// The files, checked against their description: each written file is compared with fields.tsv, so
// that neither can change without the other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "traces/analyse/labels.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;
using nlohmann::json;

namespace {

constexpr std::string_view kOwn = "agent,chrome,lanes,summary";

struct Field {
    std::string type;
    bool optional = false;
};
using Schema = std::map<std::string, Field>;

// Rows of fields.tsv: object, field, optional, type, meaning.
std::map<std::string, Schema> read_schemas() {
    std::ifstream stream(PTOSIM_FIELDS);
    REQUIRE(stream.is_open());
    std::map<std::string, Schema> schemas;
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with("#")) continue;
        std::istringstream cells(line);
        std::string object, field, optional, type;
        std::getline(cells, object, '\t');
        std::getline(cells, field, '\t');
        std::getline(cells, optional, '\t');
        std::getline(cells, type, '\t');
        schemas[object][field] = {type, optional == "yes"};
    }
    return schemas;
}

bool has_type(const json& value, const std::string& type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_unsigned();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    return false;
}

class Checker {
 public:
    void check(const json& object, const std::string& section) {
        INFO(section << ": " << object.dump());
        REQUIRE(schemas_.count(section) == 1);
        const Schema& schema = schemas_[section];
        REQUIRE(object.is_object());
        for (const auto& [name, field] : schema) {
            INFO(name);
            REQUIRE((field.optional || object.contains(name)));
            if (object.contains(name)) REQUIRE(has_type(object[name], field.type));
        }
        for (const auto& [name, value] : object.items()) {
            INFO(name);
            REQUIRE(schema.count(name) == 1);
        }
        checked_.insert(section);
    }
    void require_all_checked() const {
        for (const auto& [section, schema] : schemas_) {
            // tests/cli/result_schema.py checks the result that a run writes.
            if (section.starts_with("result: ")) continue;
            INFO(section);
            CHECK(checked_.count(section) == 1);
        }
    }

 private:
    std::map<std::string, Schema> schemas_ = read_schemas();
    std::set<std::string> checked_;
};

void check_trace(const json& trace, Checker& checker) {
    checker.check(trace, "trace.json: file");
    checker.check(trace["otherData"], "trace.json: otherData");
    if (trace["otherData"].contains("sampled"))
        checker.check(trace["otherData"]["sampled"], "trace.json: sampled");
    const std::set<std::string> pipes{"S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3"};
    for (const json& event : trace["traceEvents"]) {
        const std::string ph = event["ph"];
        if (ph == "M") checker.check(event, "trace.json: metadata");
        if (ph == "i" && event["cat"] == "diagnostic")
            checker.check(event, "trace.json: diagnostic");
        if (ph == "i" && event["cat"] == "sampled")
            checker.check(event["args"], "trace.json: sampled");
        if (ph == "C") checker.check(event, "trace.json: counter");
        if (ph == "s" || ph == "f") checker.check(event, "trace.json: arrow");
        if (ph != "X") continue;
        checker.check(event, "trace.json: slice");
        const std::string category = event["cat"];
        const bool pipe = pipes.count(category) == 1;
        const std::string kind = !pipe                       ? category
                                 : event["name"] == "scalar" ? "scalar"
                                                             : "instruction";
        checker.check(event["args"], "trace.json: " + kind + " args");
    }
}

void check_lanes(const json& lanes, Checker& checker) {
    for (const json& lane : lanes) {
        checker.check(lane, "lanes.json: lane");
        for (const json& pipe : lane["pipes"]) checker.check(pipe, "lanes.json: pipe");
        for (const json& task : lane["tasks"]) checker.check(task, "lanes.json: task");
        for (const json& wait : lane["waits"]) checker.check(wait, "lanes.json: wait");
    }
}

void check_agent(const json& agent, Checker& checker) {
    checker.check(agent, "agent.json: file");
    for (const json& wait : agent["waits"]) checker.check(wait, "agent.json: wait");
    for (const json& advice : agent["advice"]) checker.check(advice, "result: advice");
}

}  // namespace

TEST_CASE("files have the fields and types that fields.tsv gives them, and no others") {
    Checker checker;
    for (const Tape& tape :
         {small_run(), deadlock_run(true), deadlock_run(false), loop_run(3), library_run(), Tape{}}) {
        Folder folder;
        Recorder recorder;
        tape.play(recorder);
        const auto written = write_traces(recorder.recording(), folder.path / "deep" / "run", kOwn);
        REQUIRE(written.size() == 4);
        write_traces(recorder.recording(), folder.path / "deep" / "run", kOwn);  // again, over them
        std::set<std::filesystem::path> there;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path / "deep" / "run"))
            there.insert(entry.path());
        REQUIRE(there == std::set(written.begin(), written.end()));
        check_agent(json::parse(read(written[0])), checker);
        check_trace(json::parse(read(written[1])), checker);
        check_lanes(json::parse(read(written[2])), checker);
        write_chrome_trace(recorder.recording(), written[1], 4);
        check_trace(json::parse(read(written[1])), checker);
    }
    checker.require_all_checked();
}

TEST_CASE("files are the same from run to run") {
    for (const Tape& tape : {small_run(1'850'000'000), deadlock_run(true)}) {
        std::vector<std::string> texts;
        for (int round = 0; round < 2; ++round) {
            Folder folder;
            Recorder recorder;
            tape.play(recorder);
            std::string text;
            for (const auto& file : write_traces(recorder.recording(), folder.path))
                text += read(file);
            texts.push_back(text);
        }
        CHECK(texts[0] == texts[1]);
    }
}

TEST_CASE("lanes.json has one task a line and the totals of the account") {
    Folder folder;
    Recorder recorder;
    small_run().play(recorder);
    const std::string text = read(write_traces(recorder.recording(), folder.path, "lanes")[0]);
    CHECK(text.find("\n{\"name\":\"TLOAD\",\"pipe\":\"MTE2\",\"start\":102,\"end\":152,"
                    "\"line\":\"add.pto:10\",\"operands\":") != std::string::npos);
    const json lane = json::parse(text)[0];
    CHECK(lane["lane"] == "AIV00");
    CHECK(lane["util"] == 0.7);
    CHECK(lane["pipes"].size() == 4);  // S MTE2 V MTE3
    CHECK(lane["pipes"]["V"]["busy"] == 20);
    CHECK(lane["pipes"]["V"]["wait"] == 59);
    CHECK(lane["blocks"][0][0] == 3);
    CHECK(lane["tasks"].size() == 2);  // flag operations take no time
    CHECK(lane["tasks"][0]["bytes"] == 4096);
    const auto flag = std::find_if(lane["waits"].begin(), lane["waits"].end(),
                                   [](const json& wait) { return wait["for"] == "MTE2->V #0"; });
    REQUIRE(flag != lane["waits"].end());
    CHECK((*flag)["end"].get<int>() - (*flag)["start"].get<int>() == 54);
    CHECK((*flag)["line"] == "add.pto:12");
    CHECK((*flag)["set_at"] == "add.pto:11");
}

TEST_CASE("lanes.json is an array of lanes, each with its tasks") {
    Tape tape;
    const CoreId aiv1{CoreType::kAIV, 1};
    tape.launch(0, 100, {kAiv0, aiv1});
    tape.instruction(kAiv0, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 10), 0, 5, 20, 22);
    tape.instruction(aiv1, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 10), 0, 5, 20, 22);
    Folder folder;
    Recorder recorder;
    tape.play(recorder);
    const json lanes =
        json::parse(read(write_traces(recorder.recording(), folder.path, "lanes")[0]));
    REQUIRE(lanes.is_array());
    CHECK(lanes[0]["format"] == "ptosim lanes 3");
    CHECK_FALSE(lanes[1].contains("format"));
    CHECK(lanes[1]["lane"] == "AIV01");
    CHECK(lanes[1]["tasks"] == lanes[0]["tasks"]);
    CHECK(lanes[1]["tasks"].size() == 1);
}

TEST_CASE("times in microseconds are exact for any clock") {
    CHECK(picoseconds(1, 1'850'000'000) == 540);      // 540.54...
    CHECK(picoseconds(37, 1'850'000'000) == 20'000);  // 37 / 1.85 ns
    CHECK(picoseconds(1'850'000'000'000, 1'850'000'000) == 1'000'000'000'000'000);
    CHECK(picoseconds(7, 0) == 7000);
    CHECK(micros_text(20'000) == "0.020000");
    CHECK(micros_text(12'345'678) == "12.345678");
    CHECK(decimal_text(2, 3, 2) == "0.67");
    CHECK(decimal_text(1999, 1000, 1) == "2.0");
    CHECK(decimal_text(5, 0, 0) == "5");
}

TEST_CASE("file names that are no UTF-8 or need escapes still make JSON") {
    CHECK(json::parse(json_quoted("a\"b\\c\n\xff")) == "a\"b\\c\n\xEF\xBF\xBD");
}
