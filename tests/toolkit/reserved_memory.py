"""Reserved addresses and memory that is mapped to them, by ctypes: prints codes and bytes for toolkit_test.py."""
import ctypes
import os

ACL = ctypes.CDLL(os.path.join(os.environ["ASCEND_HOME_PATH"], "lib64", "libascendcl.so"))
SIZE = 2 << 20


def call(name, *arguments):
    return getattr(ACL, name)(*arguments)


def new(name, size):
    made = ctypes.c_void_p()
    rest = (ctypes.c_size_t(0), None, ctypes.c_uint64(0)) if name == "aclrtReserveMemAddress" else (None, ctypes.c_uint64(0))
    return call(name, ctypes.byref(made), ctypes.c_size_t(size), *rest), made


def mapped(range_, handle, size=SIZE):
    return call("aclrtMapMem", range_, ctypes.c_size_t(size), ctypes.c_size_t(0), handle, ctypes.c_uint64(0))


def put(range_, text):
    call("aclrtMemcpy", range_, ctypes.c_size_t(8), text, ctypes.c_size_t(8), 1)


def get(range_):
    room = ctypes.create_string_buffer(8)
    call("aclrtMemcpy", room, ctypes.c_size_t(8), range_, ctypes.c_size_t(8), 2)
    return room.raw.decode()


call("aclInit", None)
call("aclrtSetDevice", 0)
number = ctypes.c_int64()
print("cores", [call("aclGetDeviceCapability", 0, what, ctypes.byref(number)) or number.value for what in (0, 1, 2)])
granularity = ctypes.c_size_t()
print(call("aclrtMemGetAllocationGranularity", None, 0, ctypes.byref(granularity)), granularity.value)
print("sizes", new("aclrtReserveMemAddress", 100)[0], new("aclrtMallocPhysical", SIZE + 1)[0])
(_, here), (_, there) = new("aclrtReserveMemAddress", SIZE), new("aclrtReserveMemAddress", SIZE)
(_, one), (_, two) = new("aclrtMallocPhysical", SIZE), new("aclrtMallocPhysical", SIZE)
print("map", mapped(here, one), mapped(here, two), mapped(there, one), mapped(there, two, 2 * SIZE), call("aclrtReleaseMemAddress", here))
put(here, b"of one..")
print("unmap", call("aclrtUnmapMem", here), call("aclrtUnmapMem", here))
print("two", mapped(here, two))
put(here, b"of two..")
print("elsewhere", mapped(there, one), get(there), get(here))
print("exchange", call("aclrtUnmapMem", here), call("aclrtUnmapMem", there), mapped(here, one), mapped(there, two), get(here), get(there))
print("free", call("aclrtFreePhysical", one), call("aclrtUnmapMem", here), call("aclrtFreePhysical", one), call("aclrtFreePhysical", one))
print("release", call("aclrtReleaseMemAddress", here), call("aclrtUnmapMem", there), call("aclrtReleaseMemAddress", there),
      call("aclrtFreePhysical", two), call("aclrtReleaseMemAddress", there))
print("end", call("aclrtResetDevice", 0), call("aclFinalize"))
