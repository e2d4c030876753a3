// Every tile instruction.
#pragma once

#include "pto/common/debug.h"
#include "pto/common/pto_tile.hpp"
#include "pto/fifo/multi_pipe.hpp"
#include "pto/fifo/pipe.hpp"
#include "pto/instructions/convert.hpp"
#include "pto/instructions/elementwise.hpp"
#include "pto/instructions/image.hpp"
#include "pto/instructions/implementation_names.hpp"
#include "pto/instructions/indexed.hpp"
#include "pto/instructions/matrix.hpp"
#include "pto/instructions/memory.hpp"
#include "pto/instructions/moves.hpp"
#include "pto/instructions/prefetch_async.hpp"
#include "pto/instructions/print.hpp"
#include "pto/instructions/sync_all.hpp"
#include "pto/instructions/with_scalar.hpp"
