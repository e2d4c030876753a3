#include "sim/model/installation.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace ptosim {

namespace {

namespace fs = std::filesystem;

// The folder of the program or library that this code is part of.
fs::path own_folder() {
    static const char here = 0;
    Dl_info info{};
    link_map* map = nullptr;
    const bool found = dladdr1(&here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
    const bool library = found && map != nullptr && map->l_name != nullptr && *map->l_name != 0;
    std::error_code error;
    const fs::path file = fs::canonical(library ? map->l_name : "/proc/self/exe", error);
    return error ? fs::path(".") : file.parent_path();
}

struct Installation {
    fs::path models = PTOSIM_MODELS_DIR, include = PTOSIM_INCLUDE_DIR, library = own_folder();

    Installation() {
        const fs::path prefix = own_folder().parent_path();
        const fs::path shared = prefix / "share" / "ptosim";
        if (!fs::is_directory(shared / "models")) return;
        models = shared / "models";
        include = shared / "include";
        library = prefix / "lib";
    }
};

const Installation& installation() {
    static const Installation it;
    return it;
}

}  // namespace

std::string models_folder() {
    if (const char* folder = std::getenv("PTOSIM_MODELS")) return folder;
    return installation().models;
}
std::string include_folder() { return installation().include; }
std::string library_folder() { return installation().library; }

}  // namespace ptosim
