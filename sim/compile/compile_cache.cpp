#include "sim/compile/compile_cache.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/files/command.h"
#include "sim/files/file_lock.h"
#include "sim/files/output_file.h"
#include "sim/files/sha256.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "ptosim compiled kernels 1\n";
constexpr const char* kEnding = ".kernels";
constexpr size_t kDigest = 64;  // hexadecimal digits
constexpr const char* kFileEnding = ".headers";
// Limits of all entries, and of all files, together.
constexpr uint64_t kMostBytes = uint64_t{512} << 20, kMostFileBytes = uint64_t{1024} << 20;

std::string digest(std::string_view content) { return sha256(std::as_bytes(std::span(content))); }

// Returns an empty text if files can be made in the folder, else the reason.
std::string make_writable(const fs::path& folder) {
    if (folder.empty()) return "HOME is not set";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return folder.string() + ": " + error.message();
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return folder.string() + ": " + std::strerror(errno);
    return {};
}

}  // namespace

std::filesystem::path cache_folder() {
    const auto folder = [](const char* name) -> fs::path {
        const char* text = std::getenv(name);
        return text == nullptr ? "" : text;
    };
    if (const fs::path chosen = folder("PTOSIM_CACHE"); !chosen.empty()) return chosen;
    if (const fs::path cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache / "ptosim";
    if (const fs::path home = folder("HOME"); !home.empty()) return home / ".cache" / "ptosim";
    return {};
}

std::filesystem::path aicpu_server_library() { return cache_folder() / "pypto" / "libaicpu_server.so"; }

CompileCache::CompileCache() : folder_{cache_folder()} {
    const std::string problem = make_writable(folder_);
    writable_ = problem.empty();
    static bool warned = false;
    if (!writable_ && !std::exchange(warned, true))
        std::cerr << "note: compiled kernels are not kept for the next run (" << problem
                  << "); PTOSIM_CACHE names another folder for them\n";
}

std::string CompileCache::get(const std::string& key, const std::function<std::string()>& make) {
    if (std::optional<std::string> found = find(key)) return *std::move(found);
    if (!writable_) return make();
    const FileLock lock((folder_ / (key + ".lock")).string());
    // Another process may have made it in the meantime.
    if (std::optional<std::string> found = find(key)) return *std::move(found);
    std::string content = make();
    keep(key, content);
    return content;
}

std::optional<std::string> CompileCache::find(const std::string& key) const {
    if (folder_.empty()) return std::nullopt;
    const std::string path = (folder_ / (key + kEnding)).string();
    std::error_code error;
    if (!fs::exists(path, error)) return std::nullopt;
    std::string entry;
    try {
        entry = read_file(path);
    } catch (const DiagnosticError&) {
        return std::nullopt;
    }
    constexpr size_t kHead = kMagic.size() + kDigest;
    if (entry.size() < kHead || !entry.starts_with(kMagic) ||
        std::string_view(entry).substr(kMagic.size(), kDigest) !=
            digest(std::string_view(entry).substr(kHead)))
        return std::nullopt;
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // time of last use
    return entry.substr(kHead);
}

// Errors are ignored, because a full disk must not stop a run.
void CompileCache::keep(const std::string& key, const std::string& content) const {
    const fs::path path = folder_ / (key + kEnding);
    std::error_code error;
    if (fs::is_directory(path, error)) return;
    try {
        OutputFile file(path, "I02");
        file.write(std::string(kMagic) + digest(content));
        file.write(content);
        file.commit();
    } catch (const DiagnosticError& failure) {
        std::cerr << "note: " << failure.what() << "; the compiled kernel is not kept\n";
    }
    trim(kEnding, kMostBytes);
}

fs::path CompileCache::file(const std::string& key, const std::function<bool(const fs::path&)>& make) {
    if (!writable_) return {};
    const fs::path path = folder_ / (key + kFileEnding);
    const auto is_there = [&] { return utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0; };  // time of last use
    if (is_there()) return path;
    const FileLock lock((folder_ / (key + ".lock")).string());
    if (is_there()) return path;
    const fs::path made = folder_ / (key + "." + std::to_string(getpid()) + ".tmp");
    std::error_code error;
    const bool good = make(made);
    if (good) fs::rename(made, path, error);
    if (!good || error) {
        fs::remove(made, error);
        return {};
    }
    trim(kFileEnding, kMostFileBytes);
    return path;
}

void CompileCache::trim(const char* ending, uint64_t most) const {
    struct Entry {
        fs::path path;
        uint64_t size;
        fs::file_time_type used;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    std::error_code error;
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
        if (at->path().extension() != ending) continue;
        std::error_code gone;  // another process may trim, too
        const Entry entry{at->path(), at->file_size(gone), at->last_write_time(gone)};
        if (gone) continue;
        total += entry.size;
        entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
        if (total <= most) return;
        total -= entry.size;
        fs::remove(entry.path, error);
    }
}

// ---- this program -------------------------------------------------------------------------

namespace {

// The notes of a loaded object, which include the linker's digest.
std::string build_id(const dl_phdr_info& object) {
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type != PT_NOTE) continue;
        const auto* at = reinterpret_cast<const char*>(object.dlpi_addr + part.p_vaddr);
        const char* const end = at + part.p_memsz;
        const auto padded = [](uint32_t size) { return (size + 3u) & ~3u; };
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const char* const name = at + sizeof note;
            const char* const content = name + padded(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0)
                return {content, note.n_descsz};
            at = content + padded(note.n_descsz);
        }
    }
    return {};
}

struct OwnObject {
    uint64_t address;
    std::string id;
};

int look_at(dl_phdr_info* object, size_t, void* result) {
    OwnObject& own = *static_cast<OwnObject*>(result);
    for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        const uint64_t begin = object->dlpi_addr + part.p_vaddr;
        if (part.p_type != PT_LOAD || own.address < begin || own.address >= begin + part.p_memsz)
            continue;
        own.id = build_id(*object);
        return 1;
    }
    return 0;
}

}  // namespace

std::string own_build() {
    static const char here = 0;
    OwnObject own{reinterpret_cast<uint64_t>(&here), {}};
    dl_iterate_phdr(&look_at, &own);
    // Linker options can omit it.
    static const std::string answer =
        own.id.empty() ? file_digest("/proc/self/exe") : digest(own.id);
    return answer;
}

}  // namespace ptosim
