#pragma once
#include "pto/common/pto_instr.hpp"
#include "pto/common/utils.hpp"
