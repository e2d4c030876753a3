// Two-phase calls of operators (aclnnXGetWorkspaceSize, aclnnX) on the simulated device.
//
// The library libnnopbase.so is these sources and the classes of tensors of a checkout of opbase.
// An executor collects the kernels that the first phase asks for. Each becomes a request to
// `ptosim op --serve`, which runs the operator's own functions and compiles the variant that its
// tiling selects; the second phase launches these variants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_base_rt.h"
#include "acl/operator_calls.h"
#include "opdev/common_types.h"
#include "opdev/op_arg_def.h"

namespace ptosim_aclnn {

using Tensors = std::vector<const aclTensor*>;

// One parameter of a variant.
struct Argument {
    enum Kind : uint8_t { kInput, kOutput, kData, kGroup } kind;
    uint64_t place;  // number of the tensor or of the group, or offset in the data
};

// A compiled variant of an operator with its launch. Plans are never destroyed.
struct Plan {
    using Launch = void (*)(uint32_t blocks, void* stream, void* const* arguments);
    Launch launch = nullptr;
    uint32_t blocks = 1;
    uint64_t workspace = 0;           // bytes
    std::vector<Argument> arguments;  // before the workspace and the tiling data
    std::vector<unsigned char> data;  // tiling data first, then tables of lists
    std::vector<std::string> groups;  // communicators; empty: none
    int server = 0;  // what moves their data, if the call does not state it: a Mover

    // The data follows the kernel's workspace.
    uint64_t data_offset() const { return (workspace + 511) / 512 * 512; }
    uint64_t bytes() const { return data_offset() + data.size(); }
};

struct Shape {
    int dtype;
    std::vector<int64_t> dims;
};

// Arguments of an operator, list by list: an absent parameter is an empty list.
struct Call {
    std::string type;
    std::vector<Tensors> inputs, outputs;
    std::vector<std::string> attributes;  // KIND VALUES, as tiling_driver.cpp reads them
    bool bad_attribute = false;

    explicit Call(const char* op) : type(op) {}
    Call(const char* op, op::OpArgContext& arguments);
    Call(const char* op, op::OpArgList& in, op::OpArgList& out, op::OpArgList& attrs);

 private:
    void add(std::vector<Tensors>& lists, op::OpArgList& arguments);
    void add_attributes(op::OpArgList& arguments);
};

// The words of attributes.
std::string word_of(bool value);
std::string word_of(int64_t value);
std::string word_of(float value);
std::string word_of(const char* text);
std::string word_of(const aclIntArray* list);
std::string word_of(const aclFloatArray* list);
std::string word_of(const aclBoolArray* list);

// Each returns a code of aclnn. A failure is reported with the operator's message.
aclnnStatus plan(const Call& call, const Plan*& made);
aclnnStatus infer(const Call& call, std::vector<Shape>& shapes);

// Servers move the data of kernels between ranks, or the kernels themselves do (kAiCore).
enum Mover : int { kAicpu = 0, kAiCore = 1, kCcu = 2, kUnstated = 3 };

// Launches a variant. `workspace` has plan.bytes() bytes.
aclnnStatus launch(const Plan& plan, const Call& call, int server, void* workspace,
                   aclrtStream stream);

// Plans a call, whose variant the executor then launches.
aclnnStatus add_kernel(aclOpExecutor& executor, Call&& call);

// Fails if a tensor is null or not contiguous. Gives tensors the shape of their views also in
// memory. `where`: of the message.
aclnnStatus accept(Tensors& tensors, const std::string& where, aclOpExecutor& executor);

// Reports an error to standard error, and as the message of aclGetRecentErrMsg().
void report(const std::string& text);

}  // namespace ptosim_aclnn
