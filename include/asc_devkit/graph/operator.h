// The class that prototypes of operators and checks of support name.
#pragma once

#include <string>

#include "graph/ascend_string.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

class TensorDesc;

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
    // Declared for checks of support, which nothing asks here.
    TensorDesc GetInputDesc(const char* name) const;
    TensorDesc GetInputDesc(uint32_t index) const;
    TensorDesc GetInputDescByName(const char* name) const;
    TensorDesc GetOutputDesc(const char* name) const;
    TensorDesc GetOutputDesc(uint32_t index) const;
    template <class T>
    graphStatus GetAttr(const char*, T&) const {
        return GRAPH_FAILED;
    }

 private:
    std::string name_, type_;
};

}  // namespace ge
