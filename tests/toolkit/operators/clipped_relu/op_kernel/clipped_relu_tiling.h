#pragma once

#include <cstdint>

#include "ascendc/host_api/tiling/template_argument.h"

struct ClippedReluTiling {
    uint32_t total;
    float limit;
};

// The kernel's template: whether there is a limit, and the elements of a row.
ASCENDC_TPL_ARGS_DECL(ClippedRelu,
                      ASCENDC_TPL_BOOL_DECL(LIMITED, 0, 1),
                      ASCENDC_TPL_UINT_DECL(ROW, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, 64, 128, 256));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_BOOL_SEL(LIMITED, 0, 1),
                                     ASCENDC_TPL_UINT_SEL(ROW, ASCENDC_TPL_UI_LIST, 64, 128, 256)));
