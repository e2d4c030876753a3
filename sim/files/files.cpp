#include "sim/files/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "isa/core/diagnostic.h"
#include "sim/files/output_file.h"

namespace ptosim {

namespace fs = std::filesystem;

namespace {
constexpr char kElsewhere[] = "name another folder, or make this one writable";
}  // namespace

void write_file(const std::string& path, std::string_view content) {
    OutputFile file(path, "I02");
    file.write(content);
    file.commit();
}

void check_writable(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
        fail_input("I02", path + ": cannot be written: no such folder " + folder.string(),
                   "create the folder, or name another one");
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        fail_input("I02", path + ": cannot be written: " + std::strerror(errno), kElsewhere);
    if (fs::is_directory(path, error))
        fail_input("I02", path + ": is a folder, not a file", "name a file in it");
}

void make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
        fail_input("I02",
                   path + ": cannot create this folder: " +
                       (error ? error.message() : std::string("a file with this name exists")),
                   kElsewhere);
    if (access(path.c_str(), W_OK) != 0)
        fail_input("I02", path + ": cannot be written: " + std::strerror(errno), kElsewhere);
}

}  // namespace ptosim
