"""Calls of the simulated device that raise the errors that it reports."""
import ctypes

from acl import get_recent_err_msg, get_soc_name, library, toolkit  # noqa: F401


def call(name, *arguments):
    """Raises RuntimeError with the simulator's message if a call fails."""
    error = getattr(library, name)(*arguments)
    if error != 0:
        message = get_recent_err_msg()
        raise RuntimeError(f"{name} failed ({error})" + (f": {message}" if message else ""))


def pointer_from(name, *arguments):
    """The handle that a call makes."""
    handle = ctypes.c_void_p()
    call(name, ctypes.byref(handle), *arguments)
    return handle


def pointer_from_last(name, *arguments):
    """The same, of a call that has its result as the last argument."""
    handle = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(handle))
    return handle


def cube_cores():
    count = ctypes.c_uint32()
    call("rtGetAiCoreCount", ctypes.byref(count))
    return count.value


def memory():
    """Bytes of device memory: free, total."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("aclrtGetMemInfo", 0, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


library.ptosim_memory_rate.restype = ctypes.c_double


def memory_rate():
    """Bytes a second that device memory moves."""
    return library.ptosim_memory_rate()


library.ptosim_profiled_launches.restype = ctypes.c_char_p
