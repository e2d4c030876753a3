"""Runs call_kernel(blocks, stream, x, y, z, n) of the library that it is given on 8 rows of 64, and
prints whether z is 2 x + y."""
import ctypes
import sys

import numpy

BLOCKS, ROWS = 2, 8
acl = ctypes.CDLL("libascendcl.so")
library = ctypes.CDLL(sys.argv[1])
acl.aclInit(None)
rng = numpy.random.default_rng(3)
x, y = (rng.integers(-1000, 1000, (ROWS, 64)).astype("f4") for _ in range(2))
z = numpy.zeros((ROWS, 64), "f4")
device = []
for array in (x, y, z):
    pointer = ctypes.c_void_p()
    acl.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes), 0)
    acl.aclrtMemcpy(pointer, ctypes.c_size_t(array.nbytes), array.ctypes.data_as(ctypes.c_void_p),
                    ctypes.c_size_t(array.nbytes), 1)
    device.append(pointer)
library.call_kernel(BLOCKS, None, *device, ROWS)
acl.aclrtSynchronizeStream(None)
acl.aclrtMemcpy(z.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(z.nbytes), device[2],
                ctypes.c_size_t(z.nbytes), 2)
print("right" if numpy.array_equal(z, 2 * x + y) else "wrong")
for pointer in device:
    acl.aclrtFree(pointer)
