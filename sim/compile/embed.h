// Generates assembly with device images, and code for their registration.
#pragma once

#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// A library of kernels of one core type, to be embedded as an image (sim/native/image.h).
struct ImageFile {
    CoreType core = CoreType::kAIV;
    std::string library;
    std::vector<std::string> sources;  // from which it was compiled
};

// Assembly that embeds the images of one source.
std::string embedding_text(const std::vector<ImageFile>& images, Arch arch,
                           const std::string& module);

// Assembly that marks an object that is linked to an image later: its core type, sources and module.
std::string device_object_mark(const ImageFile& image, Arch arch, const std::string& module);

// C++ code that registers the images with the simulator when the output is loaded: once, even if several objects of the
// output contain it.
std::string registration_text();

}  // namespace ptosim
