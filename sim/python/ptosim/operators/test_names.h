// Included before all sources of tests: names that frames of repositories use without their
// namespaces.
#pragma once

#include "graph/types.h"  // before the next: it has the types of letters

#include "graph/ascend_string.h"

using ge::AscendString;
