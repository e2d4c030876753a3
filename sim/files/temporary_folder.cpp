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
        fail_input("I02", name + ": cannot make this folder: " + std::strerror(errno),
                   "TMPDIR names another place for it");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

}  // namespace ptosim
