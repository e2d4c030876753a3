// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "utils/tiling/template_argument.h"
