// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "adv_api/activation/kernel_operator_sigmoid_intf.h"
