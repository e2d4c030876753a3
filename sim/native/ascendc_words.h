// Words of Ascend C in preprocessed text that need more than a macro: the workspace of the system, and functions
// of the scalar unit.
#pragma once

#include <string>
#include <string_view>

#include "sim/native/token_text.h"

namespace ptosim {

// The preprocessor puts it for __kfc_workspace__, which marks the parameter that GetSysWorkSpacePtr() returns.
inline constexpr std::string_view kWorkspaceMark = "__ptosim_workspace__";
// And for __inout_pipe__(S) (include/cce/language.hpp), a function of the scalar unit.
inline constexpr std::string_view kScalarMark = "__ptosim_pipe_S";

// And for __simd_vf__, a function whose operations on vector registers are one vector function.
inline constexpr std::string_view kVectorFunctionMark = "__ptosim_simd_vf__";
// The statement that begins it.
inline constexpr std::string_view kVectorFunctionBegin =
    " const ::pto::ptosim_detail::VectorFunction ptosim_vector_function{::pto::ptosim_detail::here()};";
// The token of the opening brace of the function that such a word marks; kNone if it has no body here.
size_t function_body(const TokenText& text, size_t mark);

bool is_workspace_mark(const TokenText& text, size_t i);

// Statements at the begin of a kernel whose parameter list marks a workspace: it becomes that of the system, and
// the parameter the user's, which follows it in memory. Empty without one. The device's compiler lets the cube
// core of a cluster clear the messages, for which its vector cores wait, where the headers of Matmul are
// included: `clears`.
std::string workspace_setup(const TokenText& text, size_t list, bool clears);

// __inout_pipe__(S) T LocalTensor<T>::GetValue(uint32_t index) const { ... }
struct ScalarFunction {
    size_t body = TokenText::kNone;  // the token of its opening brace; kNone: it accesses no element of a tensor
    std::string call;                // of scalar_access() (include/cce/tensor_access.hpp), for that place
};
ScalarFunction scalar_function_of(const TokenText& text, size_t mark);

// A function of TQueBind<src, dst, depth, mask> that moves a tensor, defined at the token `i`: a call of
// include/cce/tensor_queues.hpp for the begin of its body.
struct QueueFunction {
    size_t body = TokenText::kNone;  // the token of its opening brace; kNone: no such function
    std::string call;
};
QueueFunction queue_function_at(const TokenText& text, size_t i);

}  // namespace ptosim
