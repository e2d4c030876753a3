#include "sim/faces/toolkit/device_linker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/compile/device_objects.h"
#include "sim/faces/toolkit/tool_options.h"
#include "sim/files/files.h"
#include "sim/native/image.h"

namespace ptosim::toolkit {
namespace {

namespace fs = std::filesystem;

enum class LinkerEffect : uint8_t { kOutput, kJoin, kIgnored, kRefused };

constexpr auto kLinkerOptions = [] {
    using enum LinkerEffect;
    return std::to_array<ToolOption<LinkerEffect>>({
        {"o", true, kOutput, "the output"},
        {"r", false, kJoin, "objects of one core type become one"},
        {"m", true, kIgnored,
         "`aicorelinux`; for another target the ld.lld that follows in `PATH` links"},
        {"Ttext", true, kIgnored, "kernels are loaded at any address"},
        {"static", false, kIgnored, "kernels use no library of the device"},
        {"n", false, kIgnored, "pages are the host's"},
        {"x", false, kIgnored, "local symbols stay"},
        {"q", false, kIgnored, "relocations are the host's"},
    });
}();

// Links for other targets.
int link_elsewhere(const std::vector<std::string>& words) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string program = (fs::path(folder) / "ld.lld").string();
        // The toolkit's own is a script.
        if (!fs::is_regular_file(program)) continue;
        const std::string content = read_file(program);
        if (!is_elf(std::as_bytes(std::span(content)))) continue;
        std::vector<char*> arguments = {const_cast<char*>("ld.lld")};
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        execv(program.c_str(), arguments.data());
    }
    fail_input("H02", "ld.lld: PATH has no linker for this machine",
               "install lld (Debian's package lld); kernels need none: -m aicorelinux");
}

}  // namespace

int run_device_linker(const std::vector<std::string>& words) {
    using enum LinkerEffect;
    if (std::find(words.begin(), words.end(), "--help") != words.end()) {
        std::cout << "Usage: ld.lld -m aicorelinux OPTIONS OBJECTS -o OUTPUT\n\n"
                     "Links what bisheng --cce-aicore-only has compiled.\n\n"
                  << options_table<LinkerEffect>(kLinkerOptions);
        return 0;
    }
    const auto target = std::find(words.begin(), words.end(), "aicorelinux");
    if (target == words.begin() || target == words.end() || *std::prev(target) != "-m") return link_elsewhere(words);
    std::vector<std::string> objects;
    std::string output = "a.out";
    bool joins = false;
    for (size_t at = 0; at < words.size(); ++at) {
        if (!words[at].starts_with("-")) {
            objects.push_back(words[at]);
            continue;
        }
        const GivenOption given = take_option<LinkerEffect>("ld.lld", kLinkerOptions, words, at);
        if (given.row.effect == kOutput) output = given.value;
        joins = joins || given.row.effect == kJoin;
    }
    if (objects.empty()) fail_input("H04", "ld.lld: no input", "ld.lld --help lists the options");
    check_writable(output);
    if (joins)
        join_device_objects(objects, output);
    else
        link_device_binary(objects, output);
    return 0;
}

}  // namespace ptosim::toolkit
