// How a launch that goes on for too long is reported: which loop it is in.
#pragma once

#include <span>

#include "sim/core/core_context.h"

namespace ptosim {

// `recent`: where the control flow of the core has been last, in any order; `here`: the last of
// them.
Diagnostic explain_endless_loop(const CoreContext& core, LaunchWatch::Verdict verdict,
                                std::span<const SourceLocation> recent, SourceLocation here);

}  // namespace ptosim
