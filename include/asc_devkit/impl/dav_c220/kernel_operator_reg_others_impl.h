// The header of asc-devkit, at its path in installed toolkits.
#pragma once

#include "basic_api/dav_c220/kernel_operator_reg_others_impl.h"
