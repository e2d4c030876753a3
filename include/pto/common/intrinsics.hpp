// The scalar unit below the level of tiles.
#pragma once

#include "pto/common/issue.hpp"

#include "cce/scalar.hpp"
