/* Communicators by the names of their groups (HcomGetCommHandleByGroup, ...): declared with the
 * others. */
#ifndef PTOSIM_HCOM_H
#define PTOSIM_HCOM_H

#include "hccl/hccl_comm.h"

#endif
