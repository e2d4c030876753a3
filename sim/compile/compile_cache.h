// Cache of compiled kernels, keyed by everything that determines them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace ptosim {

// $PTOSIM_CACHE, else $XDG_CACHE_HOME/ptosim, else $HOME/.cache/ptosim; empty if none is set.
std::filesystem::path cache_folder();
// The library of the AICPU's code that the toolkit's pypto-setup has made last, or is to make.
std::filesystem::path aicpu_server_library();

// Entries of the cache folder, one file for each key. Entries are written completely and renamed into place, have a
// digest, and are rebuilt if damaged. If the folder is not writable, nothing is kept, and a note is printed once to
// standard error.
class CompileCache {
 public:
    CompileCache();

    // The entry of a key (hexadecimal digits); `make` makes it if it is missing. If several processes need a missing
    // entry, one makes it and the others wait.
    std::string get(const std::string& key, const std::function<std::string()>& make);
    // A file that `make` writes at a path if it is missing. Empty if the folder is not writable or `make` returns false.
    // Another process may remove it to make room.
    std::filesystem::path file(const std::string& key, const std::function<bool(const std::filesystem::path&)>& make);

 private:
    std::optional<std::string> find(const std::string& key) const;
    void keep(const std::string& key, const std::string& content) const;
    // Removes the least recently used files with this ending until all together take at most `most` bytes.
    void trim(const char* ending, uint64_t most) const;

    std::filesystem::path folder_;
    bool writable_ = false;
};

// Digest of this build of the simulator: kernels are recompiled after it has changed.
std::string own_build();

}  // namespace ptosim
