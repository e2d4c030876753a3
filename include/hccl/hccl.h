/* The first header that hosts include. Collectives are not among the calls: kernels move the data. */
#ifndef PTOSIM_HCCL_H
#define PTOSIM_HCCL_H

#include "hccl/hccl_comm.h"

#endif
