// How a launch that goes on for too long is reported: which loop it is in.
#pragma once

#include <span>

#include "sim/core/core_context.h"

namespace ptosim {

// `recent`: where the core has issued its last instructions, in any order.
Diagnostic explain_endless_loop(const CoreContext& core, LaunchWatch::Verdict verdict,
                                std::span<const SourceLocation> recent);

}  // namespace ptosim
