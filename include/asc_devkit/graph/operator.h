// The class that prototypes of operators and checks of support name.
#pragma once

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class Operator {
 public:
    Operator() = default;
    explicit Operator(const char* type) : type_(type) {}
    Operator(const char* name, const char* type) : name_(name), type_(type) {}
    virtual ~Operator() = default;

    graphStatus GetName(AscendString& name) const {
        name = AscendString(name_.c_str());
        return GRAPH_SUCCESS;
    }
    graphStatus GetOpType(AscendString& type) const {
        type = AscendString(type_.c_str());
        return GRAPH_SUCCESS;
    }

 private:
    std::string name_, type_;
};

}  // namespace ge
