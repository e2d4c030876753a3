"""Queries properties of the device and prints the answers: a line for each call."""
import ctypes

acl = ctypes.CDLL("libascendcl.so")
value, code = ctypes.c_int64(), 0
acl.aclInit(None)
for attribute in (101, 102, 201, 204, 302, 1):
    code = acl.aclrtGetDeviceInfo(0, attribute, ctypes.byref(value))
    print(attribute, code, value.value if code == 0 else "-")
print("last", acl.aclrtPeekAtLastError(0), acl.aclrtGetLastError(0), acl.aclrtGetLastError(0))
print("other device", acl.aclrtGetDeviceInfo(1, 101, ctypes.byref(value)))
streams, numbers = [ctypes.c_void_p() for _ in range(2)], []
for stream in streams:
    acl.aclrtCreateStream(ctypes.byref(stream))
for stream in [None, *streams]:
    number, status = ctypes.c_int32(), ctypes.c_int32(-1)
    acl.aclrtStreamGetId(stream, ctypes.byref(number))
    acl.aclrtStreamQuery(stream, ctypes.byref(status))
    numbers.append((number.value, status.value, acl.aclrtSynchronizeStreamWithTimeout(stream, 10)))
print("streams", *numbers)
pointer = ctypes.c_void_p()
print("memory", acl.aclrtMallocWithCfg(ctypes.byref(pointer), ctypes.c_size_t(64), 0, None),
      acl.aclrtFree(pointer))
# Limits of cores: a stream's before the device's, none above the chip's.
limit, limits = ctypes.c_uint32(), []
for function, of, number in (("SetDevice", 0, 6), ("SetStream", streams[0], 4), ("SetStream", streams[1], 99)):
    getattr(acl, f"aclrt{function}ResLimit")(of, 0, ctypes.c_uint32(number))
for stream in [None, *streams]:
    limits.append((acl.aclrtGetStreamResLimit(stream, 0, ctypes.byref(limit)), limit.value))
print("limits", *limits, acl.aclrtSetStreamResLimit(None, 2, ctypes.c_uint32(1)))
print("end", acl.aclrtSynchronizeDeviceWithTimeout(10), acl.aclrtResetDeviceForce(0))
