// Kind of a C++ source, derived from its words.
#pragma once

#include <string>

#include "sim/compile/build.h"

namespace ptosim {

struct SourceKind {
    bool has_kernels = false;
    bool aic = false, aiv = false;  // core types for which its kernels are compiled
    // It neither tests its core type nor uses tiles of the cube, or of the vector unit.
    bool idle_aic = false, idle_aiv = false;
    // It uses only the vector unit, has nothing for the cube core, and reads no sub-block.
    bool vector_only = false;
};

// A source has kernels if they are marked, launched, or written with the device's headers. `cores` is the user's
// choice.
SourceKind classify(const std::string& text, BuildOptions::Cores cores);

}  // namespace ptosim
