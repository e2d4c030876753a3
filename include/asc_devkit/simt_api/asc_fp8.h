// The library's header leaves its functions to the device's compiler in kernels of threads; their
// bodies are in the library, too.
#pragma once
#include_next "simt_api/asc_fp8.h"
#ifdef __NPU_COMPILER_INTERNAL_PURE_SIMT__
#define __ASCENDC_INCLUDE_INTERNAL_HEADERS__
#include "impl/simt_api/asc_fp8_impl.h"
#undef __ASCENDC_INCLUDE_INTERNAL_HEADERS__
#endif
