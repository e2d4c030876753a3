#pragma once

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(ScaledSumTilingData)
TILING_DATA_FIELD_DEF(uint32_t, perBlock);   // elements of a block, a multiple of a row of UB
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(float, alpha);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScaledSum, ScaledSumTilingData)

}  // namespace optiling
