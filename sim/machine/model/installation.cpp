#include "sim/machine/model/installation.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>

namespace ptosim {

namespace {

namespace fs = std::filesystem;

// The program or library that contains this code.
fs::path own_file() {
    static const char here = 0;
    Dl_info info{};
    link_map* map = nullptr;
    const bool found = dladdr1(&here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
    const bool library = found && map != nullptr && map->l_name != nullptr && *map->l_name != 0;
    std::error_code error;
    const fs::path file = fs::canonical(library ? map->l_name : program_file(), error);
    return error ? fs::path("./ptosim") : file;
}

bool is_below(const fs::path& file, const fs::path& folder) {
    const fs::path relative = file.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

struct Installation {
    const fs::path own = own_file(), source = PTOSIM_SOURCE_DIR;
    fs::path models = source / "models", include = source / "include", library = own.parent_path();
    fs::path mpmd = source / "sim" / "faces" / "mpmd";
    fs::path python = source / "sim" / "python";
    fs::path toolkit = source / "sim" / "faces" / "toolkit";
    fs::path installed;  // empty: in the source tree
    bool whole = true;

    Installation() {
        const fs::path prefix = own.parent_path().parent_path();
        const fs::path shared = prefix / "share" / "ptosim";
        if (!fs::is_directory(shared / "models")) {
            whole = is_below(own, fs::weakly_canonical(PTOSIM_BINARY_DIR));
            return;
        }
        installed = prefix;
        models = shared / "models";
        include = shared / "include";
        library = prefix / "lib";
        mpmd = shared / "mpmd";
        // If installed by pip, the prefix lies in the package.
        const fs::path package = prefix.parent_path();
        python = fs::exists(package / "__init__.py") ? package.parent_path() : shared / "python";
        toolkit = shared / "toolkit";
    }
};

const Installation& installation() {
    static const auto& it = *new Installation;
    return it;
}

}  // namespace

std::string program_file() {
    std::error_code error;
    fs::path file = fs::read_symlink("/proc/self/exe", error);
    if (!error) return file;
    const auto* called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    file = fs::canonical(called == nullptr ? "ptosim" : called, error);
    return error ? std::string(called == nullptr ? "ptosim" : called) : file.string();
}

std::string models_folder() {
    if (const char* folder = std::getenv("PTOSIM_MODELS")) return folder;
    return installation().models;
}
std::string include_folder() { return installation().include; }
std::string library_folder() { return installation().library; }
std::string python_folder() { return installation().python; }
std::string mpmd_folder() { return installation().mpmd; }
std::string toolkit_folder() { return installation().toolkit; }
std::string installed_prefix() { return installation().installed; }

std::string stands_alone() {
    const Installation& it = installation();
    if (it.whole || std::getenv("PTOSIM_MODELS") != nullptr) return {};
    return it.own.string() + " is not installed: its chip files are in the tree that it was " +
           "built from, " + it.models.string() + ". Copy all that `cmake --install build " +
           "--prefix FOLDER` leaves, or set PTOSIM_MODELS to the chip files of its version";
}

}  // namespace ptosim
