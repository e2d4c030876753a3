// Kernels include it for what Ascend C's header of this name includes.
#pragma once

#include "kernel_operator.h"
