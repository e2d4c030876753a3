// SIMT functions of C310, which this simulator does not run: a library's may be declared, a call is an
// error of the compiler that names them.
#pragma once

#include "cce/unsupported.hpp"

namespace pto::ptosim_detail {
struct ThreadIndex {
    uint32_t x, y, z;
};
}  // namespace pto::ptosim_detail
inline constexpr pto::ptosim_detail::ThreadIndex threadIdx{}, blockDim{};

namespace cce {

struct dim3 {
    uint32_t x = 1, y = 1, z = 1;
};
template <auto Function_, class... Arguments_>
void async_invoke(dim3, Arguments_&&...) {
    static_assert(pto::ptosim_detail::kSupported<Arguments_...>,
                  "cce::async_invoke: ptosim does not simulate SIMT functions");
}

}  // namespace cce
