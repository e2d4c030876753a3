#include "sim/files/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "isa/core/diagnostic.h"

namespace ptosim {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    fs::path base = fs::temp_directory_path(error);
    if (error) base = "/tmp";
    std::string name = (base / "ptosim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        fail_input("I02", name + ": cannot create this folder: " + std::strerror(errno),
                   "set TMPDIR to another folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

}  // namespace ptosim
