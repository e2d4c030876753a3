// Prototypes of operators (REG_OP) for graphs. Definitions of operators include this header for ge::Operator only.
#pragma once

#include "graph/error_codes.h"
#include "graph/operator.h"
