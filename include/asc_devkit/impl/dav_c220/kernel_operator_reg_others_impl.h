// Kernels include this internal header of an older toolkit. What they use of it is in kernel_operator.h.
#pragma once
