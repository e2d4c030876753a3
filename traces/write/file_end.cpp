#include "traces/write/file_end.h"

#include <fstream>
#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim {

void add_before_end(const std::filesystem::path& path, std::string_view text,
                    std::string_view end) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out | std::ios::ate);
    std::string found(end.size(), ' ');
    const auto size = static_cast<std::streamoff>(end.size());
    if (file) file.seekg(-size, std::ios::end).read(found.data(), size);
    if (!file || found != end)
        fail_input("I40", path.string() + ": cannot be appended to",
                   "it must be a file that this program has just written; check that the disk is not full");
    file.seekp(-size, std::ios::end) << text << end;
    file.flush();
    if (!file)
        fail_input("I40", path.string() + ": cannot be written completely", "check that the disk is not full");
}

}  // namespace ptosim
