#include "traces/write/viewer_assets.h"

// The files as they are: no tool but the assembler is needed to have them in the program.
#define PTOSIM_ASSET(NAME, FILE)                                         \
    __asm__(                                                             \
        ".section .rodata\n"                                             \
        "ptosim_asset_" #NAME ":\n.incbin \"" PTOSIM_VIEWER_DIR "/" FILE \
        "\"\n"                                                           \
        "ptosim_asset_" #NAME "_end:\n.byte 0\n.previous\n");            \
    extern const char NAME##_begin[] __asm__("ptosim_asset_" #NAME);     \
    extern const char NAME##_end[] __asm__("ptosim_asset_" #NAME "_end");

extern "C" {
PTOSIM_ASSET(script, "dist/viewer.js")
PTOSIM_ASSET(style, "dist/viewer.css")
PTOSIM_ASSET(page, "src/page.html")
PTOSIM_ASSET(licenses, "dist/LICENSES.txt")
}

namespace ptosim::viewer {

namespace {
std::string_view between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}
}  // namespace

std::string_view script() { return between(script_begin, script_end); }
std::string_view style() { return between(style_begin, style_end); }
std::string_view page() { return between(page_begin, page_end); }
std::string_view licenses() { return between(licenses_begin, licenses_end); }

}  // namespace ptosim::viewer
