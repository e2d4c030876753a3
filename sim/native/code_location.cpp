#include "sim/native/code_location.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "sim/files/command.h"

namespace ptosim {

uint64_t offset_in_library(const void* code) {
    Dl_info library{};
    if (dladdr(code, &library) == 0) return 0;
    return static_cast<uint64_t>(static_cast<const char*>(code) -
                                 static_cast<const char*>(library.dli_fbase));
}

// The call precedes its return address.
CodeLocation location_of(const void* code, std::string file) {
    Dl_info library{};
    if (dladdr(code, &library) == 0 || library.dli_fname == nullptr) return {};
    if (file.empty()) file = library.dli_fname;
    constexpr std::string_view kOwn = "/proc/self/";  // of this process, not of the reading one
    if (file.starts_with(kOwn))
        file = "/proc/" + std::to_string(getpid()) + "/" + file.substr(kOwn.size());
    std::ostringstream offset;
    offset << "0x" << std::hex << offset_in_library(code) - 1;
    const CommandResult result = run_command({"addr2line", "-Cfie", file, offset.str()});
    if (result.status != 0) return {};
    std::istringstream answer(result.messages);
    CodeLocation found;
    std::string function, line;  // "name.cpp:12", possibly with more text after it; "??:0"
    for (bool first = true; std::getline(answer, function) && std::getline(answer, line);
         first = false) {
        CodeLocation frame;
        if (!function.starts_with("?")) frame.function = function;
        const size_t colon = line.rfind(':');
        if (colon != std::string::npos && !line.starts_with("?"))
            frame.line = static_cast<uint32_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 10));
        if (frame.line > 0) frame.file = line.substr(0, colon);
        if (first)
            found = std::move(frame);
        else
            found.callers.push_back(std::move(frame));
    }
    return found;
}

}  // namespace ptosim
