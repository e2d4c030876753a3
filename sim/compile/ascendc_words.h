// Words of Ascend C in preprocessed text that a macro cannot implement: the system's workspace, and functions of the
// scalar unit.
#pragma once

#include <string>
#include <string_view>

#include "sim/compile/token_text.h"

namespace ptosim {

// Replaces __kfc_workspace__, which marks the parameter that GetSysWorkSpacePtr() returns.
inline constexpr std::string_view kWorkspaceMark = "__ptosim_workspace__";
// Replaces __inout_pipe__(S) (include/cce/language.hpp), which marks a function of the scalar unit.
inline constexpr std::string_view kScalarMark = "__ptosim_pipe_S";

// Replaces __simd_vf__, which marks a function whose operations on vector registers form one vector function.
inline constexpr std::string_view kVectorFunctionMark = "__ptosim_simd_vf__";
// The statement at the begin of such a function.
inline constexpr std::string_view kVectorFunctionBegin =
    " const ::pto::ptosim_detail::VectorFunction ptosim_vector_function{::pto::ptosim_detail::here()};";
// The token of the opening brace of the function marked by such a word; kNone if it has no body here.
size_t function_body(const TokenText& text, size_t mark);

bool is_workspace_mark(const TokenText& text, size_t i);

// Statements at the begin of a kernel whose parameter list marks a workspace: the marked argument becomes the system's
// workspace, and the parameter becomes the user's, which follows it in memory. Empty without a mark. If the headers of
// Matmul are included (`clears`), the cube core of a cluster clears the messages for which its vector cores wait, as
// the device's compiler does.
std::string workspace_setup(const TokenText& text, size_t list, bool clears);

// A function such as __inout_pipe__(S) T LocalTensor<T>::GetValue(uint32_t index) const { ... }
struct ScalarFunction {
    size_t body = TokenText::kNone;  // token of its opening brace; kNone: it accesses no element of a tensor
    std::string call;                // call of scalar_access() (include/cce/tensor_access.hpp) to insert
};
ScalarFunction scalar_function_of(const TokenText& text, size_t mark);

// A function of Ascend C's headers that is defined at the token `i`, into whose body a call of this simulator's headers is
// inserted: moves of tensors through queues (include/cce/tensor_queues.hpp), sizes of tensors and buffers, copies of
// whole blocks, work buffers (include/cce/tensor_bounds.hpp).
struct ObservedFunction {
    size_t body = TokenText::kNone;  // token of its opening brace; kNone: no such function
    std::string call;
};
ObservedFunction observed_function_at(const TokenText& text, size_t i);

}  // namespace ptosim
