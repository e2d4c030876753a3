#include "sim/native/image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

#include "isa/core/diagnostic.h"
#include "ptosim/kernel_abi.h"
#include "sim/native/type_names.h"

namespace ptosim {
namespace {

constexpr std::string_view kSection = "ptosim_kernels";

[[noreturn]] void damaged(const std::string& origin) {
    fail_input("H01", origin + ": its kernels are damaged", "build it again with 'ptosim build'");
}

// The section headers of a 64-bit ELF file. Accesses are checked; damaged files give empty results.
class Elf {
 public:
    explicit Elf(std::span<const std::byte> file) : file_{file} {
        Elf64_Ehdr header;
        if (!is_elf(file) || !read(0, header) || header.e_ident[EI_CLASS] != ELFCLASS64) return;
        for (unsigned i = 0; i < header.e_shnum; ++i) {
            Elf64_Shdr section;
            if (!read(header.e_shoff + uint64_t{i} * sizeof section, section)) return;
            sections_.push_back(section);
        }
        names_ = header.e_shstrndx;
    }
    const std::vector<Elf64_Shdr>& sections() const { return sections_; }
    std::span<const std::byte> content(const Elf64_Shdr& section) const {
        if (section.sh_type == SHT_NOBITS || section.sh_offset > file_.size() ||
            section.sh_size > file_.size() - section.sh_offset)
            return {};
        return file_.subspan(section.sh_offset, section.sh_size);
    }
    std::string_view text(size_t table, uint64_t offset) const {
        if (table >= sections_.size()) return {};
        const std::span<const std::byte> strings = content(sections_[table]);
        if (offset >= strings.size()) return {};
        const char* begin = reinterpret_cast<const char*>(strings.data()) + offset;
        return {begin, strnlen(begin, strings.size() - offset)};
    }
    std::string_view name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }

 private:
    template <class T>
    bool read(uint64_t offset, T& value) const {
        if (offset > file_.size() || sizeof value > file_.size() - offset) return false;
        std::memcpy(&value, file_.data() + offset, sizeof value);
        return true;
    }
    std::span<const std::byte> file_;
    std::vector<Elf64_Shdr> sections_;
    size_t names_ = 0;
};

// Excludes sections that are read-only after relocation, or belong to the loader.
bool holds_statics(const Elf64_Shdr& section, std::string_view name) {
    constexpr uint64_t kWritable = SHF_ALLOC | SHF_WRITE;
    return (section.sh_flags & kWritable) == kWritable && section.sh_size > 0 &&
           (name.starts_with(".data") || name.starts_with(".bss") || name.starts_with(".tdata") ||
            name.starts_with(".tbss")) &&
           !name.starts_with(".data.rel.ro");
}

// True for statics of launch.h and of the compiler's start-up files.
bool is_ours(std::string_view symbol) {
    return symbol.find("6ptosim") != symbol.npos || symbol.find("ptosim_entry_") != symbol.npos ||
           symbol == "__dso_handle" || symbol == "__TMC_END__" || symbol.starts_with("completed.");
}

}  // namespace

bool is_elf(std::span<const std::byte> file) {
    return file.size() > SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

std::vector<NativeImage> read_images(std::span<const std::byte> section,
                                     const std::string& origin) {
    std::vector<NativeImage> images;
    size_t at = 0;
    while (section.size() - at >= sizeof(NativeImageHeader)) {
        NativeImageHeader header;
        std::memcpy(&header, section.data() + at, sizeof header);
        if (std::memcmp(header.magic, NativeImageHeader::kMagic, sizeof header.magic) != 0)
            damaged(origin);
        if (header.abi != PTOSIM_ABI_VERSION)
            fail_input("H01",
                       origin + ": its kernels were built for version " +
                           std::to_string(header.abi) +
                           " of the kernel ABI, and this simulator has version " +
                           std::to_string(PTOSIM_ABI_VERSION),
                       "build it again with the 'ptosim build' of this simulator");
        at += sizeof header;
        const uint64_t left = section.size() - at;
        if (header.size > left || header.sources > left - header.size || header.core > 1 ||
            header.arch >= kArchCount)
            damaged(origin);
        NativeImage image;
        image.core = static_cast<CoreType>(header.core);
        image.arch = static_cast<Arch>(header.arch);
        image.module.assign(header.module, strnlen(header.module, sizeof header.module));
        image.bytes.assign(section.begin() + static_cast<ptrdiff_t>(at),
                           section.begin() + static_cast<ptrdiff_t>(at + header.size));
        std::istringstream list(std::string(
            reinterpret_cast<const char*>(section.data()) + at + header.size, header.sources));
        for (std::string line; std::getline(list, line);) image.sources.push_back(line);
        images.push_back(std::move(image));
        at += (header.size + header.sources + 15) / 16 * 16;
        if (at > section.size()) break;
    }
    return images;
}

static std::vector<NativeImage> images_of_section(std::string_view content, std::string_view name,
                                                  const std::string& origin) {
    const Elf elf(std::as_bytes(std::span(content)));
    std::vector<NativeImage> images;
    for (const Elf64_Shdr& section : elf.sections())
        if (elf.name(section) == name)
            for (NativeImage& image : read_images(elf.content(section), origin))
                images.push_back(std::move(image));
    return images;
}

std::vector<NativeImage> read_elf_images(std::string_view content, const std::string& origin) {
    return images_of_section(content, kSection, origin);
}

std::vector<NativeImage> read_device_object_marks(std::string_view content, const std::string& origin) {
    return images_of_section(content, kDeviceObjectSection, origin);
}

std::vector<std::string> undefined_symbols(std::string_view library) {
    const Elf elf(std::as_bytes(std::span(library)));
    std::vector<std::string> symbols;
    for (const Elf64_Shdr& section : elf.sections()) {
        if (section.sh_type != SHT_DYNSYM) continue;
        const std::span<const std::byte> table = elf.content(section);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            const std::string_view name = elf.text(section.sh_link, symbol.st_name);
            if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                !name.empty())
                symbols.emplace_back(name);
        }
    }
    return symbols;
}

std::vector<uint64_t> function_offsets(std::span<const std::byte> library) {
    const Elf elf(library);
    std::vector<uint64_t> offsets;
    for (const Elf64_Shdr& section : elf.sections()) {
        if (section.sh_type != SHT_SYMTAB) continue;
        const std::span<const std::byte> table = elf.content(section);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF) offsets.push_back(symbol.st_value);
        }
    }
    std::sort(offsets.begin(), offsets.end());
    return offsets;
}

std::vector<ImageObject> objects_of(std::span<const std::byte> library) {
    const Elf elf(library);
    std::vector<ImageObject> objects;
    for (const Elf64_Shdr& section : elf.sections()) {
        if (section.sh_type != SHT_SYMTAB) continue;
        const std::span<const std::byte> table = elf.content(section);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
                symbol.st_shndx >= elf.sections().size() || symbol.st_shndx == SHN_UNDEF)
                continue;
            const std::string name(elf.text(section.sh_link, symbol.st_name));
            objects.push_back({symbol.st_value, symbol.st_size, readable_type(name.c_str()),
                               (elf.sections()[symbol.st_shndx].sh_flags & SHF_WRITE) == 0});
        }
    }
    std::sort(objects.begin(), objects.end(),
              [](const ImageObject& a, const ImageObject& b) { return a.offset < b.offset; });
    return objects;
}

bool has_writable_data(std::span<const std::byte> library) {
    const Elf elf(library);
    std::vector<bool> statics;
    for (const Elf64_Shdr& section : elf.sections())
        statics.push_back(holds_statics(section, elf.name(section)));
    for (const Elf64_Shdr& section : elf.sections()) {
        if (section.sh_type != SHT_SYMTAB) continue;
        const std::span<const std::byte> table = elf.content(section);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            if (type != STT_OBJECT && type != STT_TLS) continue;
            if (symbol.st_shndx >= statics.size() || !statics[symbol.st_shndx]) continue;
            if (!is_ours(elf.text(section.sh_link, symbol.st_name))) return true;
        }
    }
    return false;
}

}  // namespace ptosim
