// Prototypes of operators for graphs, which op_host includes and no tiling reads: REG_OP and its chain declare nothing else.
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

struct IgnoredPrototype {
    const IgnoredPrototype& part() const { return *this; }
};
}  // namespace ge

#define REG_OP(name) [[maybe_unused]] static const ::ge::IgnoredPrototype ignored_prototype_##name = ::ge::IgnoredPrototype()
#define INPUT(...) part()
#define OPTIONAL_INPUT(...) part()
#define DYNAMIC_INPUT(...) part()
#define OUTPUT(...) part()
#define DYNAMIC_OUTPUT(...) part()
#define ATTR(...) part()
#define REQUIRED_ATTR(...) part()
#define DATATYPE(...) part()
#define GRAPH(...) part()
#define DYNAMIC_GRAPH(...) part()
#define OP_END_FACTORY_REG(...) part();
