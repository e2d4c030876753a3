// Device images as text for the assembler, and their registration.
#pragma once

#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// A library of kernels of one core type that becomes an image (sim/native/image.h).
struct ImageFile {
    CoreType core = CoreType::kAIV;
    std::string library;
    std::vector<std::string> sources;  // that it was compiled from
};

// Assembly that embeds the images of one source.
std::string embedding_text(const std::vector<ImageFile>& images, Arch arch,
                           const std::string& module);

// Assembly that marks an object that is linked to an image later: its core type, sources and module.
std::string device_object_mark(const ImageFile& image, Arch arch, const std::string& module);

// C++ that registers the images with the simulator when the output is loaded: once, however many
// objects of the output bring it along.
std::string registration_text();

}  // namespace ptosim
