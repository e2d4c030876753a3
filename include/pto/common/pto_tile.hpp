// Everything that describes operands: shapes, global tensors, tiles.
#pragma once

#include "pto/common/conv_tile.hpp"
#include "pto/common/event.hpp"
#include "pto/common/global_tensor.hpp"
#include "pto/common/shape_2d.hpp"
#include "pto/common/tile.hpp"
