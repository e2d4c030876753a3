// Device images: `ptosim build` embeds one shared library for each core type and source file into an executable or
// library, in the section `ptosim_kernels`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// Precedes each image in the section. The image and the list of its sources follow, together padded to 16 bytes.
struct NativeImageHeader {
    static constexpr char kMagic[9] = "PTOSIMK1";

    char magic[8];
    uint32_t abi;  // PTOSIM_ABI_VERSION of its headers
    uint8_t core;  // CoreType
    uint8_t arch;  // Arch
    uint8_t reserved[2];
    uint64_t size;     // of the image
    uint64_t sources;  // bytes of the following list of source files, one per line
    char module[32];   // identifies the source file: PTOSIM_MODULE of its passes
};
static_assert(sizeof(NativeImageHeader) == 64);

struct NativeImage {
    CoreType core = CoreType::kAIV;
    Arch arch = Arch::kA2A3;
    std::string module;
    std::vector<std::string> sources;
    std::vector<std::byte> bytes;
};

// Reads the images in a section's bytes. `origin` names the file in messages. Throws DiagnosticError (H01) if they are
// damaged or have another version of the ABI.
std::vector<NativeImage> read_images(std::span<const std::byte> section, const std::string& origin);
// Reads the images in an ELF file without running its code; empty if it has none.
std::vector<NativeImage> read_elf_images(std::string_view content, const std::string& origin);
// Marks of the objects that an object file was joined from: images without bytes. The section has this name.
inline constexpr std::string_view kDeviceObjectSection = "ptosim_device_object";
std::vector<NativeImage> read_device_object_marks(std::string_view content, const std::string& origin);
bool is_elf(std::span<const std::byte> file);

// The symbols that a shared library needs from elsewhere.
std::vector<std::string> undefined_symbols(std::string_view library);

// Begins of the functions of a shared library, in order; empty if it is stripped.
std::vector<uint64_t> function_offsets(std::span<const std::byte> library);

// An object of a shared library: constants, or a static.
struct ImageObject {
    uint64_t offset = 0, size = 0;
    std::string name;  // demangled
    bool constant = false;
};
// Its objects by offset; empty if it is stripped.
std::vector<ImageObject> objects_of(std::span<const std::byte> library);

// True if a shared library has writable data, of which every core then needs a copy. Data of launch.h for the
// registration of kernels does not count.
bool has_writable_data(std::span<const std::byte> library);

}  // namespace ptosim
