// Where installed toolkits have the header of asc-devkit.
#pragma once

#include "adv_api/matmul/matmul_intf.h"
