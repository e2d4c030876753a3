// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "utils/std/tuple.h"
