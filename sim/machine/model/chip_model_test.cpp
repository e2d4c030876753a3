#include "sim/machine/model/chip_model.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/machine/model/parameters.h"

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

// The model's text with one change, in a separate file.
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
    CHECK(chip.cluster.aivs == 2);
    CHECK(chip.clock == 1'850'000'000);
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
    CHECK(chip.clock == 1'650'000'000);
    CHECK(chip.clusters == 2);
    // 1.6e12 / 1.65e9 = 969.697 bytes per cycle
    CHECK(chip.per_cycle(chip.memory.l2.read) == 969696);
    CHECK(chip.stated("clusters")->overridden);
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
    CHECK_THAT(message_of([] { load_chip("./nowhere.json", {}); }),
               Catch::Contains("./nowhere.json: no such file"));
}

TEST_CASE("a chip file states what differs from another") {
    const auto write = [](const std::string& name, const std::string& text) {
        const auto path =
            std::filesystem::temp_directory_path() / ("ptosim_extends_" + name + ".json");
        std::ofstream(path) << text;
        return path.string();
    };
    const std::string bigger = write("bigger", R"({"name": "bigger", "description": "more UB",
        "extends": "ascend910b1", "parameters": {"grade": "assumed", "source": "a question",
        "aiv": {"ub": {"bytes": {"value": 256, "unit": "KiB"}}}}})");
    const ChipModel base = load_chip("ascend910b1", {});
    const ChipModel chip = load_chip(bigger, {});
    CHECK(chip.name == "bigger");
    CHECK(chip.arch == Arch::kA2A3);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kUB)] == 262144);
    CHECK(chip.buffer_bytes[static_cast<size_t>(Space::kL1)] ==
          base.buffer_bytes[static_cast<size_t>(Space::kL1)]);
    CHECK(chip.stated("aiv.ub.bytes")->source == "a question");
    CHECK(chip.stated("clock")->source == base.stated("clock")->source);

    // Relative to the file, over more than one step.
    const std::string third = write("third", R"({"name": "third", "description": "faster",
        "extends": "ptosim_extends_bigger.json", "parameters":
        {"clock": {"value": 2, "unit": "GHz", "grade": "assumed", "source": "a question"}}})");
    CHECK(load_chip(third, {}).clock == 2000000000);
    CHECK(load_chip(third, {}).buffer_bytes[static_cast<size_t>(Space::kUB)] == 262144);

    const auto refused = [&](const std::string& parameters, const std::string& extends) {
        const std::string file =
            write("bad", R"({"name": "bad", "description": "", "extends": ")" + extends +
                             R"(", "parameters": )" + parameters + "}");
        return message_of([&] { load_chip(file, {}); });
    };
    using Catch::Contains;
    CHECK_THAT(refused("{}", "ascend910b9"),
               Contains("unknown chip 'ascend910b9'") && Contains("did you mean"));
    CHECK_THAT(refused("{}", "ptosim_extends_bad.json"), Contains("more than 8 files deep"));
    CHECK_THAT(
        refused(R"({"clok": {"value": 2, "unit": "GHz", "grade": "assumed", "source": "x"}})",
                "ascend910b1"),
        Contains("ptosim_extends_bad.json: clok: unknown parameter") &&
            Contains("did you mean 'clock'?"));
    CHECK_THAT(refused(R"({"clock": {"value": 2, "unit": "GHz", "source": "x"}})", "ascend910b1"),
               Contains("has no grade"));
    CHECK_THAT(
        refused(R"({"clock": {"value": -2, "unit": "GHz", "grade": "assumed", "source": "x"}})",
                "ascend910b1"),
        Contains("ptosim_extends_bad.json: clock: -2 GHz is out of range"));
}

// Counts, clocks and sizes: platform_config of hicann/pypto, fa_cost_model.py of pto-isa.
TEST_CASE("the chips have the sizes that are published") {
    const struct {
        const char* name;
        uint64_t clusters, aivs, mhz, ub_kib, l0a_kib, l0c_kib, l1_kib, l2_mib;
    } chips[] = {
        {"ascend910b2", 24, 2, 1800, 192, 64, 128, 512, 192},
        {"ascend910b3", 20, 2, 1800, 192, 64, 128, 512, 192},
        {"ascend910b4", 20, 2, 1500, 192, 64, 128, 512, 96},
        {"ascend910c", 24, 2, 1850, 192, 64, 128, 512, 192},
        {"ascend950pr", 32, 2, 1650, 248, 64, 256, 512, 128},
        {"ascend950dt", 32, 2, 1650, 248, 64, 256, 512, 128},
        {"kirin9030", 1, 1, 1000, 128, 32, 64, 512, 0},
        {"kirinx90", 1, 1, 1000, 128, 64, 128, 1024, 0},
    };
    for (const auto& row : chips) {
        INFO(row.name);
        const ChipModel chip = load_chip(row.name, {});
        const auto kib = [&](Space space) {
            return chip.buffer_bytes[static_cast<size_t>(space)] / 1024;
        };
        CHECK(chip.clusters == row.clusters);
        CHECK(chip.cluster.aivs == row.aivs);
        CHECK(chip.clock == row.mhz * 1'000'000);
        CHECK(kib(Space::kUB) == row.ub_kib);
        CHECK(kib(Space::kL0A) == row.l0a_kib);
        CHECK(kib(Space::kL0B) == row.l0a_kib);
        CHECK(kib(Space::kL0C) == row.l0c_kib);
        CHECK(kib(Space::kL1) == row.l1_kib);
        CHECK(chip.memory.l2.bytes / 1024 / 1024 == row.l2_mib);
    }
}

// Programs get 248 KiB of a5's UB (platform ini), addresses reach 256 (pto-isa buffer_limits.hpp).
TEST_CASE("addresses reach the end of UB") {
    CHECK(load_chip("ascend950pr", {}).reach(Space::kUB) == 256 * 1024);
    CHECK(load_chip("ascend910b1", {}).reach(Space::kUB) == 192 * 1024);
}

TEST_CASE("what a chip inherits may be worth less on it") {
    const ChipModel base = load_chip("ascend950pr", {});
    const ChipModel chip = load_chip("ascend950dt", {});
    CHECK(name(base.stated("aic.cube.overhead")->grade) == "fitted");
    CHECK(name(chip.stated("aic.cube.overhead")->grade) == "assumed");
    CHECK_THAT(std::string(chip.stated("aic.cube.overhead")->source),
               Catch::StartsWith("as on the 950PR") &&
                   Catch::Contains(std::string(base.stated("aic.cube.overhead")->source)));
    CHECK(name(chip.stated("memory.hbm.rate")->grade) == "silicon");
    CHECK(chip.aic.cube.overhead == base.aic.cube.overhead);

    const auto refused = [](const std::string& text) {
        const auto path = std::filesystem::temp_directory_path() / "ptosim_inherited_bad.json";
        std::ofstream(path) << R"({"name": "x", "description": "", "parameters": {}, )" + text +
                                   "}";
        return message_of([&] { load_chip(path.string(), {}); });
    };
    using Catch::Contains;
    const std::string from = R"("extends": "ascend910b1", "inherited": )";
    CHECK_THAT(refused(R"("arch": "a5", "inherited": {"grade": "assumed", "source": "x"})"),
               Contains("inherited: is used without \"extends\""));
    CHECK_THAT(refused(from + R"({"grade": "guessed", "source": "x"})"),
               Contains("inherited: unknown grade 'guessed'"));
    CHECK_THAT(refused(from + R"({"grade": "assumed"})"), Contains("inherited: has no source"));
    CHECK_THAT(refused(from + R"({"value": "3"})"), Contains("inherited.value: unknown key"));
    CHECK_THAT(refused(from + R"("none")"), Contains("inherited: must be a group"));
    const std::string with = from + R"({"grade": "inherited", "source": "x", "measured": )";
    CHECK_THAT(refused(with + R"("aiv.vector"})"),
               Contains("inherited.measured: must be a list of paths"));
    CHECK_THAT(refused(with + "[]}"), Contains("inherited.measured: must be a list of paths"));
    CHECK_THAT(refused(with + R"(["aiv.vectr"]})"), Contains("aiv.vectr: unknown parameter"));
}

// Figures measured on the 910B1 are inherited by chips with the same cores. Figures that the vendor publishes for all
// of them, and figures that nobody has measured, keep their grades. The vector unit was measured on a 910B3 (pto-isa
// CostModel).
TEST_CASE("a figure that was measured on another chip of the same cores is inherited") {
    const auto grade = [](const char* chip, const char* path) {
        return name(load_chip(chip, {}).stated(path)->grade);
    };
    const char* const fitted = "aic.gm_to_l1.rate";
    const char* const silicon = "launch.block_start";
    const char* const vector = "aiv.vector.rate.TADD.start";
    CHECK(grade("ascend910b1", fitted) == "fitted");
    CHECK(grade("ascend910b1", silicon) == "silicon");
    for (const char* chip : {"ascend910b2", "ascend910b3", "ascend910b4", "ascend910c"}) {
        INFO(chip);
        CHECK(grade(chip, fitted) == "inherited");
        CHECK(grade(chip, silicon) == "inherited");
        CHECK(grade(chip, vector) == (chip == std::string("ascend910b3") ? "fitted" : "inherited"));
        CHECK(grade(chip, "aic.cube.k_per_cycle.f16") == "official");
        CHECK(grade(chip, "scalar.issue") == "assumed");
        CHECK(grade(chip, "clock") == "official");
        CHECK(load_chip(chip, {}).aic.cube.overhead ==
              load_chip("ascend910b1", {}).aic.cube.overhead);
    }
}

// 20 cores instead of the 910B1's 24, at 1.8 and 1.5 instead of 1.85 GHz; each core writes 86 B/cycle.
TEST_CASE("L2 gives fewer and slower cores less") {
    const double read = load_chip("ascend910b1", {}).memory.l2.read.value();
    for (const auto& [name, hz] : {std::pair{"ascend910b3", 1.8e9}, {"ascend910b4", 1.5e9}}) {
        INFO(name);
        const ChipModel chip = load_chip(name, {});
        CHECK(std::abs(chip.memory.l2.read.value() / (read * 20 / 24 * hz / 1.85e9) - 1) < 1e-3);
        CHECK(std::abs(chip.memory.l2.write.value() / (86 * 20 * hz) - 1) < 1e-3);
    }
}

TEST_CASE("values that contradict each other are refused") {
    using Catch::Contains;
    const auto refused = [](const std::vector<std::string>& words) {
        return message_of([&] { load_chip("ascend910b1", words); });
    };
    CHECK_THAT(refused({"aiv.ub.bytes=100000B", "aiv.ub.bytes=64KiB"}), Contains("is set twice"));
    CHECK_THAT(refused({"aiv.ub.bytes=100001B"}),
               Contains("--set aiv.ub.bytes=100001B: is not a multiple of 32 bytes"));
}

TEST_CASE("every parameter of every chip has a grade and a source") {
    for (const std::string& name : chip_names()) {
        const ChipModel chip = load_chip(name, {});
        for (size_t i = 0; i < chip.provenance.size(); ++i) {
            INFO(name << " " << parameter_rows()[i].path);
            CHECK(chip.provenance[i].value.empty() == chip.provenance[i].source.empty());
        }
    }
}

}  // namespace
}  // namespace ptosim
