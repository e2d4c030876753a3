#include "sim/machine/model/system_model.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

// The message that refuses a file with this text, or a word of --set.
std::string refusal(const std::string& text, const std::vector<std::string>& words = {}) {
    const std::string path = std::filesystem::temp_directory_path() / ("system" + std::to_string(getpid()) + ".json");
    std::ofstream(path) << text;
    std::string message;
    try {
        load_system(path, words);
    } catch (const DiagnosticError& error) {
        const Diagnostic& d = error.diagnostics().front();
        message = "[" + d.code + "] " + d.message;
    }
    std::filesystem::remove(path);
    return message;
}

std::string file_with(const std::string& parameters, const std::string& more = "") {
    return R"({"name": "two", "description": "two chips", "chip": "ascend910b1", "topology": "full_mesh")" + more +
           R"(, "parameters": {"grade": "assumed", "source": "none", )" + parameters + "}}";
}

TEST_CASE("The systems that there are") {
    CHECK(system_names() == std::vector<std::string>{"host910b", "host910c", "host950", "pod910b"});
    const SystemModel mesh = load_system("host910b", {});
    CHECK(mesh.devices() == 8);
    CHECK(mesh.chip == "ascend910b1");
    CHECK(mesh.link.latency == 170'000);
    CHECK(mesh.link.rate == 28'000'000'000);
    CHECK(mesh.provenance.at("link.latency").grade == "derived");
    const SystemModel dies = load_system("host910c", {});
    CHECK(dies.devices() == 16);
    CHECK(dies.between(0, 1) == dies.die_link);
    CHECK(dies.between(1, 2) == dies.link);
}

TEST_CASE("A system is changed by words, and by a file that extends it") {
    const SystemModel set = load_system("host910b", std::vector<std::string>{"clusters=3", "system.link.rate=20GB/s"});
    CHECK(set.link.rate == 20'000'000'000);
    CHECK(set.provenance.at("link.rate").grade == "assumed");
    const std::string path = std::filesystem::temp_directory_path() / ("more" + std::to_string(getpid()) + ".json");
    std::ofstream(path) << R"({"name": "far", "description": "far", "extends": "host910b", "parameters":
        {"link": {"latency": {"value": 900, "unit": "ns", "grade": "assumed", "source": "none"}}}})";
    const SystemModel far = load_system(path, {});
    std::filesystem::remove(path);
    CHECK(far.name == "far");
    CHECK(far.chips == 8);
    CHECK(far.link.latency == 900'000);
}

TEST_CASE("What a system cannot be") {
    const std::string chips = R"("chips": {"value": 2, "unit": ""})";
    const std::string link = R"("link": {"latency": {"value": 1, "unit": "us"}, "rate": {"value": 1, "unit": "GB/s"}})";
    CHECK(refusal(file_with(chips + ", " + link)) == "");
    using Catch::Matchers::Contains;
    CHECK_THAT(refusal(file_with(chips)), Contains("link.latency: is missing"));
    CHECK_THAT(refusal(file_with(link)), Contains("chips: is missing"));
    CHECK_THAT(refusal(file_with(chips + ", \"dies\": {\"value\": 2, \"unit\": \"\"}, " + link)),
               Contains("die_link.latency: is missing"));
    CHECK_THAT(refusal(file_with(R"("chips": {"value": 2.5, "unit": ""}, )" + link)), Contains("out of range"));
    CHECK_THAT(refusal(file_with(chips + ", \"hops\": {\"value\": 2, \"unit\": \"\"}, " + link)),
               Contains("hops: unknown parameter"));
    CHECK_THAT(refusal(file_with(chips + R"(, "link": {"latency": {"value": 1, "unit": "GB/s"}})")),
               Contains("unit 'GB/s' does not fit"));
    CHECK_THAT(refusal(file_with(chips + ", " + link, R"(, "colour": "red")")), Contains("colour: unknown key"));
    CHECK_THAT(refusal(file_with(chips + ", " + link), {"system.link.rate=0GB/s"}), Contains("[I21]"));
    CHECK_THAT(refusal(file_with(chips + ", " + link), {"system.links=1"}), Contains("unknown parameter of systems"));
    CHECK_THROWS_AS(load_system("host911", {}), DiagnosticError);
}

}  // namespace
}  // namespace ptosim
