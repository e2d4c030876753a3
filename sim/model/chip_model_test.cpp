#include "sim/model/chip_model.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ptosim {
namespace {

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const DiagnosticError& error) {
        const Diagnostic& d = error.diagnostics().front();
        return d.code + ": " + d.message + " | " + d.hint;
    }
    return "no error";
}

// The model's text with one change, in a file of its own.
std::string changed_file(const std::string& from, const std::string& to) {
    std::ifstream stream(std::string(PTOSIM_TEST_MODELS_DIR) + "/ascend910b1.json");
    std::stringstream text;
    text << stream.rdbuf();
    std::string content = text.str();
    const size_t at = content.find(from);
    REQUIRE(at != std::string::npos);
    content.replace(at, from.size(), to);
    const std::string path =
        (std::filesystem::temp_directory_path() /
         ("ptosim_chip_" + std::to_string(std::hash<std::string>{}(content)) + ".json"))
            .string();
    std::ofstream(path) << content;
    return path;
}

TEST_CASE("the 910B1 has the sizes of its platform file") {
    const ChipModel chip = load_chip("ascend910b1", {});
    CHECK(chip.clusters == 24);
    CHECK(chip.aivs_per_cluster == 2);
    CHECK(chip.clock_hz == 1'850'000'000);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kUB)] == 196608);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kL1)] == 524288);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kL0A)] == 65536);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kL0C)] == 131072);
}

TEST_CASE("parameters can be set, with units") {
    const std::vector<std::string> words{"aiv.ub.bytes=256KiB", "clock=1.65GHz",
                                         "memory.l2.read=1.6TB/s", "clusters=2"};
    const ChipModel chip = load_chip("ascend910b1", words);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kUB)] == 262144);
    CHECK(chip.clock_hz == 1'650'000'000);
    CHECK(chip.clusters == 2);
    // 1.6e12 / 1.65e9 = 969.697 bytes per cycle
    CHECK(chip.per_cycle(chip.l2_read) == 969696);
    CHECK(chip.provenance.at("clusters").overridden);
}

TEST_CASE("bad --set words are refused with what would be right") {
    const auto set = [](std::string word) {
        return message_of([&] { load_chip("ascend910b1", std::vector<std::string>{word}); });
    };
    CHECK_THAT(set("aiv.ub.byts=1"), Catch::Contains("did you mean 'aiv.ub.bytes'"));
    CHECK_THAT(set("aiv.ub.bytes"), Catch::Contains("expected PATH=VALUE"));
    CHECK_THAT(set("aiv.ub.bytes=many"), Catch::Contains("not a number"));
    CHECK_THAT(set("aiv.ub.bytes=1GHz"), Catch::Contains("unit 'GHz' does not fit"));
    CHECK_THAT(set("clusters=-1"), Catch::Contains("out of range"));
    CHECK_THAT(set("clock=0"), Catch::Contains("out of range"));
}

TEST_CASE("bad chip files are refused with the path in the file") {
    const auto load = [](std::string from, std::string to) {
        return message_of([&] { load_chip(changed_file(from, to), {}); });
    };
    CHECK_THAT(load("\"queue\"", "\"queues\""), Catch::Contains("queues.depth: unknown parameter"));
    CHECK_THAT(load("\"clusters\": {\"value\": 24, \"unit\": \"\"},", ""),
               Catch::Contains("clusters: is missing"));
    CHECK_THAT(load("\"value\": 24,", "\"value\": -24,"), Catch::Contains("out of range"));
    CHECK_THAT(load("\"value\": 24,", "\"value\": \"24\","), Catch::Contains("must be a number"));
    CHECK_THAT(load("\"unit\": \"MHz\"", "\"unit\": \"KiB\""),
               Catch::Contains("unit 'KiB' does not fit"));
    CHECK_THAT(load("\"a2a3\"", "\"a7\""), Catch::Contains("unknown architecture"));
    CHECK_THAT(load("\"parameters\": {", "\"parameters\": ["), Catch::Contains("is not JSON"));
    CHECK_THAT(message_of([] { load_chip("ascend910b9", {}); }), Catch::Contains("did you mean"));
    CHECK_THAT(message_of([] { load_chip("./nowhere.json", {}); }), Catch::Contains("cannot open"));
}

TEST_CASE("every parameter of every chip has a grade and a source") {
    for (const std::string& name : chip_names()) {
        const ChipModel chip = load_chip(name, {});
        for (const auto& [path, p] : chip.provenance) {
            INFO(name << " " << path);
            CHECK_FALSE(p.grade.empty());
            CHECK_FALSE(p.source.empty());
        }
    }
}

}  // namespace
}  // namespace ptosim
