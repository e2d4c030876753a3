// Where installed toolkits have the header of asc-devkit.
#pragma once

#include "tiling/platform/platform_ascendc.h"

#include "adv_api/tiling_api.h"
