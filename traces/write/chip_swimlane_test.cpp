// The inter-core swimlane of several launches.
#include "traces/write/chip_swimlane.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;
using nlohmann::json;

TEST_CASE("blocks of a later launch wait for the block that ended last before it") {
    const CoreId aiv2{CoreType::kAIV, 2};
    Tape tape;
    tape.launch(10, 50, {kAiv0, aiv2}).run(kAiv0, 0, 12, 40).run(aiv2, 1, 12, 50);
    tape.launch(60, 90, {kAiv0, aiv2}).run(kAiv0, 0, 61, 80).run(aiv2, 1, 62, 90);
    Recorder recorder;
    tape.play(recorder);
    Folder folder;
    REQUIRE(write_chip_swimlane(recorder.recording(), folder.path).size() == 4);
    const json records = json::parse(read(folder.path / "chip_swimlane_records.json"));
    // Two clusters: cores 0 and 1 are cubes, 2 to 5 vectors. A tick more than the cycle.
    CHECK(records["aicore_tasks"] ==
          json::parse("[[2,0,1,13,41,0],[4,1,1,13,51,0],[2,2,2,62,81,0],[4,3,2,63,91,0]]"));
    CHECK(records["metadata"]["core_types"] ==
          json::parse(R"(["aic","aic","aiv","aiv","aiv","aiv"])"));
    const json deps = json::parse(read(folder.path / "deps.json"));
    REQUIRE(deps["edges"].size() == 2);
    CHECK(deps["edges"][0]["pred"] == "1");
    CHECK(deps["edges"][0]["succ"] == "2");
    CHECK(deps["edges"][1]["pred"] == "1");
    CHECK(deps["edges"][1]["succ"] == "3");
    CHECK(deps["tasks"][0]["kernel_ids"] == json::parse("[-1,1,-1]"));
}

// Found by mutating recordings (tests/fuzz).
TEST_CASE("blocks whose launches a damaged recording has lost are drawn") {
    Tape tape;
    tape.launch(10, 50, {kAiv0}).run(kAiv0, 0, 12, 40);
    Recorder recorder;
    tape.play(recorder);
    Recording damaged = recorder.recording();
    damaged.launches.clear();
    Folder folder;
    REQUIRE(write_chip_swimlane(damaged, folder.path).size() == 4);
    const json deps = json::parse(read(folder.path / "deps.json"));
    CHECK(deps["tasks"].size() == 1);
    CHECK(deps["edges"].empty());
}
