// The PTO C++ API for the simulator, which a kernel includes.
//
// These headers describe operands, check what can be checked when compiling, and hand each
// instruction to the simulator (ptosim/kernel_abi.h), which knows what it means and how long it
// takes. The names and values are those of hw-native-sys/pto-isa.
#pragma once

#include "pto/comm/pto_comm_inst.hpp"
#include "pto/common/arch_macro.hpp"
#include "pto/common/constants.hpp"
#include "pto/common/device_language.hpp"
#include "pto/common/kernel_meta.hpp"
#include "pto/common/pto_instr.hpp"
#include "pto/common/utils.hpp"
