#include "sim/faces/sweep/hardware.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "isa/core/diagnostic.h"

namespace ptosim::sweep {
namespace fs = std::filesystem;

namespace {

std::string name_or_path(const std::string& folder, const std::string& name) {
    const fs::path path = fs::path(folder) / name;
    return fs::exists(path) ? path.string() : name;
}

}  // namespace

ChipModel chip_of(const Hardware& hardware) { return load_chip(name_or_path(hardware.folder, hardware.chip), hardware.overrides); }

SystemModel system_of(const Hardware& hardware) {
    return load_system(name_or_path(hardware.folder, hardware.system), hardware.overrides);
}

void check(const Hardware& hardware) {
    if (hardware.system.empty()) {
        for (const std::string& word : hardware.overrides)
            if (is_of_system(word))
                fail_input("I21", word.substr(0, word.find('=')) + " is of a system of several chips, and a kernel runs on one chip",
                           R"(give a program its system, for example "system": "host910b")");
    } else {
        system_of(hardware);
    }
    chip_of(hardware);
}

std::string stated_value(const Hardware& hardware, const std::string& path) {
    if (is_of_system(path)) {
        if (hardware.system.empty()) return {};
        const SystemModel system = system_of(hardware);
        const auto found = system.provenance.find(path.substr(kSystemPrefix.size()));
        return found == system.provenance.end() ? "" : found->second.value;
    }
    const ChipModel chip = chip_of(hardware);
    const ChipModel::Provenance* const stated = chip.stated(path);
    return stated == nullptr ? "" : std::string(stated->value);
}

std::pair<std::string, std::string> changed_figure(const Hardware& hardware, const std::string& path, const std::string& value) {
    const std::string before = stated_value(hardware, path);
    if (value.size() < 2 || value[0] != 'x') return {value, before};
    char* end = nullptr;
    const double factor = std::strtod(value.c_str() + 1, &end);
    const double number = std::strtod(before.c_str(), nullptr);
    const size_t blank = before.find(' ');
    if (*end != 0 || !(factor > 0) || before.empty())
        fail_input("I51", "change " + path + "=" + value + ": expected a value, or a factor of a figure that the " +
                              (is_of_system(path) ? "system" : "chip") + " has",
                   "for example memory.hbm.rate=x1.5");
    char text[64];
    std::snprintf(text, sizeof text, "%.9g", number * factor);
    std::string result = text;
    if (blank != std::string::npos) result += before.substr(blank + 1);
    return {result, before};
}

std::string system_fingerprint(const Hardware& hardware) {
    if (hardware.system.empty()) return {};
    const SystemModel system = system_of(hardware);
    std::string text = system.name + (system.topology == SystemModel::Topology::kSwitch ? " switch\n" : " full mesh\n");
    for (const auto& [path, stated] : system.provenance) text += path + "=" + stated.value + "\n";
    return text;
}

}  // namespace ptosim::sweep
