// What a C++ source is for, by its words.
#pragma once

#include <string>

#include "sim/native/build.h"

namespace ptosim {

struct SourceKind {
    bool has_kernels = false;
    bool aic = false, aiv = false;  // for which cores its kernels are compiled
    // Neither asks which core it is nor uses the cube's, or the vector unit's, tiles.
    bool idle_aic = false, idle_aiv = false;
    // Uses the vector unit alone, has nothing for the cube core, and asks for no sub-block.
    bool vector_only = false;
};

// Kernels are marked, launched, or written with the device's headers; `cores` is what was asked
// for.
SourceKind classify(const std::string& text, BuildOptions::Cores cores);

}  // namespace ptosim
