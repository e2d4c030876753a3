// The diagnostic of a launch that exceeds its limits: names the loop in which it is.
#pragma once

#include <span>

#include "sim/machine/core/core_context.h"

namespace ptosim {

// `recent`: recent locations of the core's control flow, in any order. `here`: the last of them.
Diagnostic explain_endless_loop(const CoreContext& core, LaunchWatch::Verdict verdict,
                                std::span<const SourceLocation> recent, SourceLocation here);

}  // namespace ptosim
