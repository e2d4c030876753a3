#pragma once
#include "pto/common/pto_instr.hpp"
