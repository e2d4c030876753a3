"""A stand-in for pyACL: calls of the device's runtime from Python, as the toolkit's `libascendcl` has them. Like there,
a call returns its result and its error code (0: none), or the code alone; handles and pointers are numbers."""
import ctypes
import os
import types

# PYTHON = C ARGUMENTS: `>` one that the call makes. p: pointer or handle, z: size, i: number.
_CALLS = """
init = aclInit p?
finalize = aclFinalize
rt.set_device = aclrtSetDevice i
rt.reset_device = aclrtResetDevice i
rt.get_device = aclrtGetDevice >i
rt.get_device_count = aclrtGetDeviceCount >i
rt.get_run_mode = aclrtGetRunMode >i
rt.synchronize_device = aclrtSynchronizeDevice
rt.create_context = aclrtCreateContext >p i
rt.destroy_context = aclrtDestroyContext p
rt.set_context = aclrtSetCurrentContext p
rt.get_context = aclrtGetCurrentContext >p
rt.malloc = aclrtMalloc >p z i
rt.free = aclrtFree p
rt.malloc_host = aclrtMallocHost >p z
rt.free_host = aclrtFreeHost p
rt.memcpy = aclrtMemcpy p z p z i
rt.memcpy_async = aclrtMemcpyAsync p z p z i p
rt.memset = aclrtMemset p z i z
rt.memset_async = aclrtMemsetAsync p z i z p
rt.create_stream = aclrtCreateStream >p
rt.destroy_stream = aclrtDestroyStream p
rt.synchronize_stream = aclrtSynchronizeStream p
rt.stream_wait_event = aclrtStreamWaitEvent p p
rt.create_event = aclrtCreateEvent >p
rt.destroy_event = aclrtDestroyEvent p
rt.record_event = aclrtRecordEvent p p
rt.synchronize_event = aclrtSynchronizeEvent p
rt.event_elapsed_time = aclrtEventElapsedTime >f p p
"""
_TYPES = {"p": ctypes.c_void_p, "z": ctypes.c_size_t, "i": ctypes.c_int32, "f": ctypes.c_float}


def toolkit():
    """The toolkit's folder."""
    folder = os.environ.get("ASCEND_HOME_PATH")
    if not folder or not os.path.exists(os.path.join(folder, "lib64", "libascendcl.so")):
        raise ImportError("this package needs ptosim's toolkit: 'source FOLDER/set_env.sh', which "
                          "'ptosim toolkit FOLDER' makes")
    return folder


library = ctypes.CDLL(os.path.join(toolkit(), "lib64", "libascendcl.so"), mode=ctypes.RTLD_GLOBAL)
library.aclGetRecentErrMsg.restype = library.aclrtGetSocName.restype = ctypes.c_char_p


def _call(words):
    function, signature = getattr(library, words[0]), words[1:]
    kinds = [_TYPES[word.strip(">?")] for word in signature]
    function.argtypes = [ctypes.POINTER(kind) if word[0] == ">" else kind
                         for word, kind in zip(signature, kinds)]

    inputs = [word for word in signature if word[0] != ">"]
    least, most = sum(not word.endswith("?") for word in inputs), len(inputs)

    def call(*given):
        if not least <= len(given) <= most:
            raise TypeError(f"{words[0]} takes {least if least == most else f'{least} to {most}'} "
                            f"arguments here, and has {len(given)}")
        given = list(given) + [None] * sum(word.endswith("?") for word in signature)
        made, arguments = [], []
        for word, kind in zip(signature, kinds):
            if word[0] == ">":
                made.append(kind())
                arguments.append(ctypes.byref(made[-1]))
            else:
                arguments.append(given.pop(0))
        error = function(*arguments)
        return (*(value.value or 0 for value in made), error) if made else error

    call.__name__ = words[0]
    return call


rt = types.SimpleNamespace()
for _line in filter(None, _CALLS.splitlines()):
    _name, _, _words = _line.partition(" = ")
    if _name.startswith("rt."):
        setattr(rt, _name[3:], _call(_words.split()))
    else:
        globals()[_name] = _call(_words.split())


def get_soc_name():
    """Name of the chip as the device's driver writes it: Ascend910B1."""
    name = library.aclrtGetSocName().decode()
    return "Ascend" + name[6:].upper() if name.startswith("ascend") else name


def get_recent_err_msg():
    return (library.aclGetRecentErrMsg() or b"").decode()


def __getattr__(name):
    raise AttributeError(f"acl of ptosim's toolkit has no '{name}': it has devices, memory, streams "
                         "and events (acl.rt)")
