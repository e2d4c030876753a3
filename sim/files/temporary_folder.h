// A folder that is removed with its object.
#pragma once

#include <filesystem>

namespace ptosim {

// In TMPDIR, else /tmp. Throws DiagnosticError (I02) if none can be made.
class TemporaryFolder {
 public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace ptosim
