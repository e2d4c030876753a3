// Flags between pipes and cores, for tiles.
#pragma once

#include "pto/common/issue.hpp"

#include "cce/flags.hpp"
