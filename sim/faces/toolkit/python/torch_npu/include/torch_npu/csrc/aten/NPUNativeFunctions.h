// C++ extensions include it, and need the files below. It has no operators of the vendor's library.
#pragma once

#include <ATen/ATen.h>

#include "torch_npu/csrc/core/npu/NPUFormat.h"
#include "torch_npu/csrc/framework/utils/OpPreparation.h"
