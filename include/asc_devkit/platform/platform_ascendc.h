// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "tiling/platform/platform_ascendc.h"
