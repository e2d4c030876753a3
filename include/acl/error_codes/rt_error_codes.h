/* CANN's header of the runtime's error codes, which are all in acl.h here. */
#ifndef PTOSIM_RT_ERROR_CODES_H
#define PTOSIM_RT_ERROR_CODES_H

#include "acl/acl.h"

#endif
