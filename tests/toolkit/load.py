"""Loads the libraries it is given, one after another, and prints what their kernels write: as
programs do that compile at run time. Device memory is there before the first library."""
import ctypes
import sys

acl = ctypes.CDLL("libascendcl.so")
out, rows = ctypes.c_void_p(), (ctypes.c_float * 256)()
acl.aclInit(None)
acl.aclrtMalloc(ctypes.byref(out), 1024, 0)
for name in sys.argv[1:]:
    acl.aclrtMemset(out, 1024, 0, 1024)
    ctypes.CDLL(name).call_kernel(2, None, out)
    acl.aclrtSynchronizeStream(None)
    acl.aclrtMemcpy(rows, 1024, out, 1024, 2)
    print(*(int(rows[64 * row]) for row in range(4)))
acl.aclrtFree(out)
