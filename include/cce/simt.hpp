// Threads within kernels of cores: cce::async_invoke, with which libraries and compilers start a
// function of one thread on the core's vector unit.
#pragma once

#include <tuple>
#include <type_traits>

#include "cce/local_array.hpp"
#include "cce/unsupported.hpp"

#if !defined(__NPU_DEVICE__) && !defined(__NPU_HOST__)
using ROUND = ::pto::ptosim_detail::VectorRounding;
#endif

namespace pto::ptosim_detail {
constexpr bool saturates(VectorSaturationCode mode) { return mode == VectorSaturationCode::RS_ENABLE_VALUE; }
}
#define PTO_DETAIL_SATURATION ::pto::ptosim_detail::VectorSaturationCode

#include "cce/thread_halves.hpp"

namespace pto::ptosim_detail {
template <auto Function_, class Arguments_>
void run_thread_function(const void* arguments) {
    std::apply(Function_, *static_cast<const Arguments_*>(arguments));
}
// Arrays of UB become pointers, as parameters by value do.
template <auto Function_, class... Arguments_>
void run_threads(const dim3& threads, Arguments_... arguments) {
    using Tuple_ = std::tuple<Arguments_...>;
    const Tuple_ values(arguments...);
    const ptosim_identity* const self = ptosim_self();
    ptosim_thread_block block{};
    block.shape = {{self->blocks, 1, 1}, {threads.x, threads.y, threads.z}, local_top<256>()};
    block.run = &run_thread_function<Function_, Tuple_>;
    block.arguments = &values;
    block.within_kernel = 1;
    ptosim_run_threads(&block);
}
}  // namespace pto::ptosim_detail

#ifdef __NPU_HOST__
// The library has it for kernels only, and its other functions name it.
enum class __RoundMode;
template <__RoundMode Mode_>
constexpr ROUND __internal_get_round() {
    constexpr ROUND kModes[] = {ROUND::R, ROUND::F, ROUND::C, ROUND::A, ROUND::Z, ROUND::O, ROUND::H};
    return kModes[static_cast<int>(Mode_)];
}
#endif

namespace cce {
template <auto Function_, class... Arguments_>
void async_invoke(dim3 threads, Arguments_&&... arguments) {
    ::pto::ptosim_detail::run_threads<Function_>(threads, arguments...);
}
}  // namespace cce

// sim/compile/device_words.h renames functions of threads with the names of other functions.
namespace __asc_simt_vf {
inline void ptosim_thread___trap() { ptosim_thread_stop("trap()", nullptr, 0); }
}
using namespace __asc_simt_vf;

// The library's function prints by a function of the device's compiler, so this one replaces it.
namespace AscendC::Simt {
template <class... Arguments_>
PTO_DETAIL_OF_THREAD void PRINTF(const char* format, Arguments_... arguments) {
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    ::pto::ptosim_detail::thread_print(format, arguments...);
#endif
}
using ::printf;
}  // namespace AscendC::Simt
