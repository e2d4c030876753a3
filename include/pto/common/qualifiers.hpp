// Words that a device compiler knows and a host compiler does not: memory spaces, function kinds.
//
// A pointer into any memory is an ordinary pointer here. Global memory can be read and written
// through it; the number in a pointer to on-chip memory is the byte address in its buffer. Scalar
// accesses by pointers to UB are rewritten (pto/common/local_pointer.hpp).
#pragma once

#define __gm__
#ifdef PTOSIM_DEVICE_PASS
#define __ubuf__ __ptosim_ubuf__  // sim/compile/local_pointers.h
#else
#define __ubuf__
#endif
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__

#define __in__
#define __out__
#define __tf__
#define __cce_get_tile_ptr

#ifndef __global__
#define __global__
#endif
#define __aicore__
#define AICORE

#define PTO_INLINE inline
#define PTO_INTERNAL inline
#define PTO_INST inline
#define OP_NAME(name)
#define OP_TYPE(name)
