// PTO_PREFETCH: brings a tensor nearer to the cores, from the host. The simulated second-level
// cache is warm for whatever is read again, so there is nothing to do.
#pragma once

#include "pto/pto-inst.hpp"

namespace pto {

template <bool UseSdma_ = true, int AivCores_ = -1, class Stream>
void PTO_PREFETCH(void*, uint64_t, Stream) {}

}  // namespace pto
