#include "sim/faces/host/host_error.h"

#include <cstdint>
#include <sstream>

namespace ptosim {

HostError host_error(int code, std::string what, std::string hint, std::string diagnostic) {
    Diagnostic d;
    d.code = std::move(diagnostic);
    d.category = Category::kInput;
    d.message = std::move(what);
    d.hint = std::move(hint);
    return {code, std::move(d)};
}

std::string hexadecimal(const void* pointer) {
    std::ostringstream text;
    text << "0x" << std::hex << reinterpret_cast<uint64_t>(pointer);
    return text.str();
}

}  // namespace ptosim
