// Compiled kernels, kept between runs by all that decided what they are.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace ptosim {

// $PTOSIM_CACHE, else $XDG_CACHE_HOME/ptosim, else $HOME/.cache/ptosim; empty without any of them.
std::filesystem::path cache_folder();
// The library of the AICPU's code that the toolkit's pypto-setup has made last, or is to make.
std::filesystem::path aicpu_server_library();

// The cache folder's entries, one file for each key. Entries are written whole and renamed into place, carry a digest, and are
// made again if they are damaged. Where nothing can be written, nothing is kept (a note on standard
// error says so, once).
class CompileCache {
 public:
    CompileCache();

    // The entry of a key (hexadecimal digits), made by `make` if there is none. Of several
    // processes that want a missing entry one makes it, and the others wait for it.
    std::string get(const std::string& key, const std::function<std::string()>& make);

 private:
    std::optional<std::string> find(const std::string& key) const;
    void keep(const std::string& key, const std::string& content) const;
    void trim() const;

    std::filesystem::path folder_;
    bool writable_ = false;
};

// Digest of this build of the simulator: kernels are compiled again after it has changed.
std::string own_build();

}  // namespace ptosim
