// Device images: what `ptosim build` embeds into an executable or library, one shared library per
// core type and source file, in the section `ptosim_kernels`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// Stands before each image in the section; the image and the list of its sources follow, padded
// to 16 bytes together.
struct NativeImageHeader {
    static constexpr char kMagic[9] = "PTOSIMK1";

    char magic[8];
    uint32_t abi;  // PTOSIM_ABI_VERSION of the headers it was compiled with
    uint8_t core;  // CoreType
    uint8_t arch;  // Arch
    uint8_t reserved[2];
    uint64_t size;     // of the image
    uint64_t sources;  // bytes of the list after it: the files it was compiled from, one a line
    char module[32];   // names the source file: what PTOSIM_MODULE was in its passes
};
static_assert(sizeof(NativeImageHeader) == 64);

struct NativeImage {
    CoreType core = CoreType::kAIV;
    Arch arch = Arch::kA2A3;
    std::string module;
    std::vector<std::string> sources;
    std::vector<std::byte> bytes;
};

// The images of a section's bytes. `origin` names the file in messages. Throws DiagnosticError
// (H01) if they are damaged or of another version of the ABI.
std::vector<NativeImage> read_images(std::span<const std::byte> section, const std::string& origin);
// The images of an ELF file's content, without running anything of it; empty if it has none.
std::vector<NativeImage> read_elf_images(std::string_view content, const std::string& origin);
// Marks of the objects that an object file was joined from: images without bytes. The section has this name.
inline constexpr std::string_view kDeviceObjectSection = "ptosim_device_object";
std::vector<NativeImage> read_device_object_marks(std::string_view content, const std::string& origin);
bool is_elf(std::span<const std::byte> file);

// The symbols that a shared library expects from elsewhere and cannot do without.
std::vector<std::string> undefined_symbols(std::string_view library);

// Whether a shared library has writable data of its own, which then every core needs a copy of.
// What launch.h keeps for the registration of kernels does not count.
bool has_writable_data(std::span<const std::byte> library);

}  // namespace ptosim
