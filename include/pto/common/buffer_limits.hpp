// Sizes of on-chip memories in bytes; a build may define others (hw-native-sys/pto-isa
// include/pto/common/buffer_limits.hpp).
#pragma once

#include "pto/common/type.hpp"

#define PTO_UBUF_ALIGN_BYTES 32u
#define PTO_CBUF_ALIGN_BYTES 32u
#define PTO_L0A_ALIGN_BYTES 32u
#define PTO_L0B_ALIGN_BYTES 32u
#define PTO_L0C_ALIGN_BYTES 32u
#define PTO_BIAS_ALIGN_BYTES 32u
#define PTO_FBUF_ALIGN_BYTES 32u

#ifndef PTO_CBUF_SIZE_BYTES
#define PTO_CBUF_SIZE_BYTES (512u * 1024u)
#endif
#ifndef PTO_L0A_SIZE_BYTES
#define PTO_L0A_SIZE_BYTES (64u * 1024u)
#endif
#ifndef PTO_L0B_SIZE_BYTES
#define PTO_L0B_SIZE_BYTES (64u * 1024u)
#endif
#ifdef PTO_NPU_ARCH_A2A3
#ifndef PTO_UBUF_SIZE_BYTES
#define PTO_UBUF_SIZE_BYTES (192u * 1024u)
#endif
#ifndef PTO_L0C_SIZE_BYTES
#define PTO_L0C_SIZE_BYTES (128u * 1024u)
#endif
#ifndef PTO_BIAS_SIZE_BYTES
#define PTO_BIAS_SIZE_BYTES 1024u
#endif
#ifndef PTO_FBUF_SIZE_BYTES
#define PTO_FBUF_SIZE_BYTES (2u * 1024u)
#endif
#else
#ifndef PTO_UBUF_SIZE_BYTES
#define PTO_UBUF_SIZE_BYTES (256u * 1024u)
#endif
#ifndef PTO_L0C_SIZE_BYTES
#define PTO_L0C_SIZE_BYTES (256u * 1024u)
#endif
#ifndef PTO_BIAS_SIZE_BYTES
#define PTO_BIAS_SIZE_BYTES (4u * 1024u)
#endif
#ifndef PTO_FBUF_SIZE_BYTES
#define PTO_FBUF_SIZE_BYTES (4u * 1024u)
#endif
#endif
#ifndef PTO_SCALE_SIZE_BYTES
#define PTO_SCALE_SIZE_BYTES (4u * 1024u)
#endif

namespace pto::ptosim_detail {

template <TileType Location_>
inline constexpr size_t capacity = Location_ == TileType::Vec       ? PTO_UBUF_SIZE_BYTES
                                   : Location_ == TileType::Mat     ? PTO_CBUF_SIZE_BYTES
                                   : Location_ == TileType::Left    ? PTO_L0A_SIZE_BYTES
                                   : Location_ == TileType::Right   ? PTO_L0B_SIZE_BYTES
                                   : Location_ == TileType::Acc     ? PTO_L0C_SIZE_BYTES
                                   : Location_ == TileType::Bias    ? PTO_BIAS_SIZE_BYTES
                                   : Location_ == TileType::Scaling ? PTO_FBUF_SIZE_BYTES
                                                                    : PTO_SCALE_SIZE_BYTES;

}  // namespace pto::ptosim_detail
