#include "sim/compile/tiling_library.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/compile/ascendc.h"
#include "sim/compile/compile_cache.h"
#include "sim/compile/compiled_objects.h"
#include "sim/files/command.h"
#include "sim/files/file_lock.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"
#include "sim/files/temporary_folder.h"
#include "sim/machine/model/installation.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSourceFolder = "impl/adv_api/tiling";
constexpr const char* kSources[] = {"impl/adv_api/detail/host_log.cpp",
                                    "impl/utils/tiling/platform/platform_ascendc.cpp",
                                    "impl/utils/tiling/template_argument.cpp"};
constexpr const char* kHeaderFolders[] = {kSourceFolder,  "impl/adv_api/detail", "impl/utils",
                                          "include/adv_api", "include/utils"};

std::vector<std::string> files_of(const fs::path& folder, const char* ending) {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none))
        if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> sources_of(const fs::path& root) {
    std::vector<std::string> sources = files_of(root / kSourceFolder, ".cpp");
    for (const char* source : kSources)
        if (fs::exists(root / source)) sources.push_back(root / source);
    return sources;
}

// Digest of the compiler, and of files by their names in the checkout, independent of its location.
std::string digest_of(const fs::path& root, const std::string& compiler) {
    std::string all = compiler + run_command({compiler, "--version"}).messages;
    std::vector<std::string> files = sources_of(root);
    for (const char* folder : kHeaderFolders)
        for (const std::string& file : files_of(root / folder, ".h")) files.push_back(file);
    const auto add = [&](const std::string& file, const fs::path& from) {
        all += fs::path(file).lexically_relative(from).string() + file_digest(file) + "\n";
    };
    for (const std::string& file : files) add(file, root);
    for (const std::string& file : files_of(include_folder() + "/asc_devkit", ".h"))
        add(file, include_folder());
    return sha256(std::as_bytes(std::span(all))).substr(0, 16);
}

}  // namespace

std::string tiling_library(const std::string& checkout, const std::string& compiler) {
    const fs::path root = fs::canonical(checkout);
    std::vector<std::string> words = {compiler, "-std=c++17", "-fPIC", "-O1", "-w", "-I" + include_folder()};
    for (const std::string& flag : ascendc_flags(root)) words.push_back(flag);
    const std::string key = digest_of(root, compiler);
    const fs::path cache = cache_folder().empty() ? fs::temp_directory_path() : cache_folder();
    const fs::path archive = cache / ("ascendc-tiling-" + key) / "libtiling_api.a";
    if (fs::exists(archive)) return archive;
    make_folder(archive.parent_path().string());
    const FileLock lock(archive.string() + ".lock");
    if (fs::exists(archive)) return archive;
    std::cerr << "note: compiling the host-side tiling of " << root.string() << ", once\n";
    const TemporaryFolder folder;
    const fs::path made = archive.parent_path() / (folder.path().filename().string() + ".a");
    std::vector<std::string> command = {"ar", "qcs", made.string()};
    const std::string hint = "the messages above are the compiler's: " + compiler;
    for (const std::string& object : compile_objects(words, sources_of(root), folder.path(), "H02", hint.c_str()))
        command.push_back(object);
    const CommandResult result = run_command(command);
    if (result.status != 0) fail_input("H02", archive.string() + " cannot be made: " + result.messages, "");
    fs::rename(made, archive);
    return archive;
}

}  // namespace ptosim
