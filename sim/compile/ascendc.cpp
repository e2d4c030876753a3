#include "sim/compile/ascendc.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "isa/core/diagnostic.h"
#include "sim/compile/compile_cache.h"
#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"
#include "sim/machine/model/installation.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

// Headers include each other relative to these folders.
constexpr const char* kFolders[] = {"",
                                    "include",
                                    "include/basic_api",
                                    "include/adv_api",
                                    "include/c_api",
                                    "include/utils",
                                    "include/utils/tiling/platform",
                                    "include/tensor_api",
                                    "impl",
                                    "impl/basic_api",
                                    "impl/adv_api",
                                    "impl/c_api",
                                    "impl/utils",
                                    "impl/tensor_api"};
constexpr const char* kTilingHeader = "kernel_tiling/kernel_tiling.h";
constexpr const char* kTilingScript = "impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py";

// Digest of the definitions of tilings and the script: the same structures get the same folder.
std::string tiling_digest(const fs::path& checkout) {
    std::vector<fs::path> files{checkout / kTilingScript};
    for (const auto& entry : fs::recursive_directory_iterator(checkout / "include/adv_api"))
        if (entry.path().string().ends_with("_tilingdata.h")) files.push_back(entry.path());
    std::sort(files.begin() + 1, files.end());
    std::string all;
    for (const fs::path& file : files) {
        const std::string text = read_file(file.string());
        all += file.filename().string() + sha256(std::as_bytes(std::span(text))) + "\n";
    }
    return sha256(std::as_bytes(std::span(all))).substr(0, 16);
}

// The folder that contains kernel_tiling/kernel_tiling.h.
std::string tiling_folder(const fs::path& checkout) {
    const fs::path own = fs::path(include_folder()) / kTilingHeader;  // without Ascend C's structures
    std::error_code none;
    for (const char* installed : {"include", "../include", "../include/tikcpp/tikcfw"})
        if (const fs::path header = checkout / installed / kTilingHeader;
            fs::exists(header) && !fs::equivalent(header, own, none))
            return checkout / installed;
    const fs::path cache = cache_folder().empty() ? fs::temp_directory_path() : cache_folder();
    const fs::path folder = cache / ("ascendc-" + tiling_digest(checkout));
    if (fs::exists(folder / kTilingHeader)) return folder;
    const fs::path made = folder / ("kernel_tiling." + std::to_string(getpid()));
    make_folder(made.string());
    const fs::path header = made / fs::path(kTilingHeader).filename();
    const CommandResult result = run_command({"python3", checkout / kTilingScript,
                                              checkout / "include/adv_api", header.string()});
    if (result.status != 0 || !fs::exists(header))
        fail_input("H02",
                   "--ascendc " + checkout.string() + ": its script " + kTilingScript +
                       " has not made " + kTilingHeader + ":\n" + result.messages,
                   "the script needs python3 in PATH");
    std::error_code error;
    fs::rename(made, folder / "kernel_tiling", error);
    if (error) fs::remove_all(made, error);  // another process was first
    return folder;
}

}  // namespace

void require_ascendc(const std::string& checkout) {
    if (checkout.empty()) return;
    for (const char* file : {"include/kernel_operator.h", "impl/basic_api/kernel_tpipe_impl.h"})
        if (!fs::exists(fs::path(checkout) / file))
            fail_input("H02", "--ascendc " + checkout + ": no " + file + " in it",
                       "name a checkout of asc-devkit, or the folder 'asc' of an installed toolkit");
}

std::vector<std::string> ascendc_flags(const std::string& checkout) {
    // Headers that the checkout refers to but lacks are in include/asc_devkit.
    std::vector<std::string> flags{"-isystem", include_folder() + "/asc_devkit"};
    const fs::path root = fs::absolute(checkout).lexically_normal();
    for (const char* folder : kFolders)
        if (fs::exists(root / folder))
            flags.insert(flags.end(), {"-isystem", (root / folder).string()});
    flags.insert(flags.end(), {"-isystem", tiling_folder(root)});
    return flags;
}

bool includes_tiles(const std::vector<std::string>& files) {
    return std::any_of(files.begin(), files.end(), [](const std::string& file) { return file.ends_with("/pto/pto-inst.hpp"); });
}

bool uses_ascendc(const std::vector<std::string>& files, const std::string& checkout) {
    const std::string root = fs::absolute(checkout).lexically_normal().string();
    return !includes_tiles(files) && std::any_of(files.begin(), files.end(), [&](const std::string& file) {
               return fs::path(file).lexically_normal().string().starts_with(root);
           });
}

}  // namespace ptosim
