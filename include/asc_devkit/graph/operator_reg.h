// Prototypes of operators (REG_OP) for graphs. Definitions of operators include this header for ge::Operator only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/error_codes.h"
#include "graph/operator.h"

namespace ge {
using std::function;
using std::map;
using std::string;
using std::vector;
}  // namespace ge
