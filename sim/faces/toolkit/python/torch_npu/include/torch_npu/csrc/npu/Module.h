// C++ extensions include it, and need the files below.
#pragma once

#include <Python.h>

#include "torch_npu/csrc/core/npu/DeviceUtils.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
