// Copies between the layouts of convolutions.
#pragma once

#include <span>

#include "isa/core/convolution.h"
#include "isa/core/execution.h"

namespace ptosim::semantics {

// Every element that `to` names = the element of `from` with the same group, image, channel and
// position. Channels that the source does not have become zero; filters that it does not have, too,
// if `clear_filters`, else they are left. `size` is that of an element, 1, 2, 4 or 8 bytes.
void copy_convolution(size_t size, std::byte* target, std::span<const ConvAxis> to,
                      const std::byte* source, std::span<const ConvAxis> from, ConvBlocks blocks,
                      bool clear_filters);

// A TLOAD or TTRANS whose attributes give the shape of a convolution tile; false if they do not.
bool load_convolution(const Execution& e);
bool transpose_convolution(const Execution& e);

}  // namespace ptosim::semantics
