#include "sim/native/library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/files/output_file.h"
#include "sim/native/accesses.h"

namespace ptosim {
namespace {

// Libraries register their kernels while they are loaded, one library at a time.
std::mutex loading;
std::vector<ptosim_entry>* registering = nullptr;
std::vector<ptosim_assembly>* registering_assemblies = nullptr;

// An unused path of an open file, because the loader takes equal names for one library.
std::string fresh_path(int file) {
    static unsigned count = 0;
    std::string path = "/proc/self/fd";
    for (unsigned bits = count++, i = 0; i < 24; ++i, bits >>= 1) path += bits & 1 ? "//." : "/.";
    return path + "/" + std::to_string(file);
}

// A file without a name that holds these bytes; -1 and the reason on failure.
std::pair<int, std::string> memory_file(const std::vector<std::byte>& bytes) {
    const SizeSignalHeld held;
    const int file = memfd_create("ptosim-kernel", MFD_CLOEXEC);
    if (file < 0) return {-1, "no memory file"};
    size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t n = write(file, bytes.data() + written, bytes.size() - written);
        if (n <= 0) {
            const std::string why = n < 0 ? std::strerror(errno) : "out of memory";
            close(file);
            return {-1, why};
        }
        written += static_cast<size_t>(n);
    }
    return {file, ""};
}

bool expects(const std::vector<std::byte>& library, std::string_view symbol) {
    const std::vector<std::string> symbols =
        undefined_symbols({reinterpret_cast<const char*>(library.data()), library.size()});
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

}  // namespace

void make_symbols_known() {
    static const bool once = [] {
        Dl_info own{};
        if (dladdr(&registering, &own) != 0 && own.dli_fname != nullptr)
            dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
        return true;
    }();
    static_cast<void>(once);
}
}  // namespace ptosim

void ptosim_register_entry(const ptosim_entry* entry) {
    if (ptosim::registering != nullptr) ptosim::registering->push_back(*entry);
}

void ptosim_register_assembly(const ptosim_assembly* kernel) {
    if (ptosim::registering_assemblies != nullptr)
        ptosim::registering_assemblies->push_back(*kernel);
}

namespace ptosim {

NativeLibrary::NativeLibrary(NativeImage image, std::string origin)
    : image_{std::move(image)},
      origin_{std::move(origin)},
      copied_{has_writable_data(image_.bytes)},
      asks_for_identity_{expects(image_.bytes, "ptosim_self")},
      locates_accesses_{expects(image_.bytes, kAccessSymbol)},
      reports_accesses_{locates_accesses_ || expects(image_.bytes, "ptosim_report_access")} {
    make_symbols_known();
    copies_[0] = load();
}

NativeLibrary::~NativeLibrary() {
    for (auto& [core, copy] : copies_) {
        if (copy.handle != nullptr) dlclose(copy.handle);
        if (copy.file >= 0) close(copy.file);
    }
    if (symbols_ >= 0) close(symbols_);
}

std::string NativeLibrary::symbol_file() {
    if (symbols_ < 0) symbols_ = memory_file(image_.bytes).first;
    return symbols_ < 0 ? ""
                        : "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(symbols_);
}

// Loads from a file without a name, because the loader takes each for a separate library.
NativeLibrary::Copy NativeLibrary::load() const {
    const auto fail = [&](const std::string& why) {
        fail_input("H01", origin_ + ": its kernels cannot be loaded: " + why,
                   "build it again with 'ptosim build'");
    };
    const auto [file, unwritten] = memory_file(image_.bytes);
    if (file < 0) fail(unwritten);
    Copy copy;
    {
        const std::lock_guard lock(loading);
        registering = &copy.entries;
        registering_assemblies = &copy.assemblies;
        copy.handle = dlopen(fresh_path(file).c_str(), RTLD_LAZY | RTLD_LOCAL);
        registering = nullptr;
        registering_assemblies = nullptr;
    }
    const char* error = copy.handle == nullptr ? dlerror() : nullptr;
    const std::string why = error != nullptr ? error : "";
    if (locates_accesses_ && copy.handle != nullptr)
        copy.file = file;
    else
        close(file);
    if (copy.handle == nullptr) fail(why);
    link_map* loaded = nullptr;
    if (dlinfo(copy.handle, RTLD_DI_LINKMAP, &loaded) == 0) copy.base = loaded->l_addr;
    return copy;
}

std::optional<NativeLibrary::Data> NativeLibrary::data_at(uint64_t address) {
    if (!objects_) objects_ = objects_of(image_.bytes);
    for (const auto& [core, copy] : copies_) {
        const uint64_t offset = address - copy.base;
        const auto next = std::upper_bound(
            objects_->begin(), objects_->end(), offset,
            [](uint64_t at, const ImageObject& object) { return at < object.offset; });
        if (next == objects_->begin()) continue;
        const ImageObject& object = *std::prev(next);
        if (offset - object.offset >= object.size) continue;
        const uint64_t base = object.constant ? copies_.begin()->second.base : copy.base;
        return Data{{reinterpret_cast<const std::byte*>(base + object.offset), object.size},
                    &object.name,
                    offset - object.offset};
    }
    return {};
}

const std::vector<std::string>& NativeLibrary::texts() {
    if (!texts_.empty()) return texts_;
    for (const std::string& name : image_.sources) {
        std::string& text = texts_.emplace_back();
        try {
            text = read_text(name);
        } catch (const DiagnosticError&) {  // findings then show no line
        }
    }
    return texts_;
}

const ptosim_entry& NativeLibrary::entry(size_t index, unsigned core) {
    const unsigned key = copied_ ? core : 0;
    auto found = copies_.find(key);
    if (found == copies_.end()) found = copies_.emplace(key, load()).first;
    return found->second.entries[index];
}

}  // namespace ptosim
