#include "sim/compile/embed.h"

#include <sstream>

#include "ptosim/kernel_abi.h"
#include "sim/native/image.h"

namespace ptosim {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

// Writes NativeImageHeader, the library, and the list of its sources.
void write_image(std::ostream& text, const ImageFile& image, Arch arch, const std::string& module) {
    const std::string label = image.core == CoreType::kAIC ? ".Laic" : ".Laiv";
    text << "\t.balign 16\n\t.ascii \"" << NativeImageHeader::kMagic << "\"\n\t.long "
         << PTOSIM_ABI_VERSION << "\n\t.byte " << static_cast<unsigned>(image.core) << ", "
         << static_cast<unsigned>(arch) << ", 0, 0\n\t.quad " << label << "_end - " << label
         << "\n\t.quad " << label << "_sources_end - " << label << "_end\n\t.ascii "
         << quoted(module) << "\n\t.zero " << 32 - module.size() << "\n"
         << label << ":\n";
    if (!image.library.empty()) text << "\t.incbin " << quoted(image.library) << "\n";
    text << label << "_end:\n";
    for (const std::string& name : image.sources)
        text << "\t.ascii " << quoted(name) << "\n\t.byte 10\n";
    text << label << "_sources_end:\n\t.balign 16\n";
}

}  // namespace

std::string embedding_text(const std::vector<ImageFile>& images, Arch arch,
                           const std::string& module) {
    std::ostringstream text;
    text << "\t.section ptosim_kernels,\"a\",@progbits\n";
    for (const ImageFile& image : images) write_image(text, image, arch, module);
    text << "\t.section .note.GNU-stack,\"\",@progbits\n";
    return text.str();
}

std::string device_object_mark(const ImageFile& image, Arch arch, const std::string& module) {
    ImageFile mark = image;
    mark.library.clear();
    std::ostringstream text;
    text << "\t.section " << kDeviceObjectSection << ",\"\",@progbits\n";
    write_image(text, mark, arch, module);
    text << "\t.section .note.GNU-stack,\"\",@progbits\n";
    return text.str();
}

std::string registration_text() {
    return "#include \"ptosim/launch.h\"\n"
           "extern \"C\" __attribute__((visibility(\"hidden\"))) const char\n"
           "    __start_ptosim_kernels[], __stop_ptosim_kernels[];\n"
           "extern \"C\" __attribute__((visibility(\"hidden\"), used)) inline const bool\n"
           "    ptosim_output_registered =\n"
           "        (ptosim_register_images(__start_ptosim_kernels, __stop_ptosim_kernels), true);\n";
}

}  // namespace ptosim
