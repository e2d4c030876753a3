// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "adv_api/math/sin.h"
