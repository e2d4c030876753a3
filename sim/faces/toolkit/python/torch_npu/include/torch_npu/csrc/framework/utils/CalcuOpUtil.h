// C++ extensions include it, and need the files below.
#pragma once

#include <ATen/ATen.h>

#include "torch_npu/csrc/core/npu/DeviceUtils.h"
#include "torch_npu/csrc/core/npu/NPUFormat.h"
