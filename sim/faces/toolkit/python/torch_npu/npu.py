"""`torch.npu`: the simulated device as PyTorch programs see a device. Work is done at the call that
asks for it; events know the simulated time."""
import ctypes
import types

import torch

from . import _acl, _state
from ._graphs import NPUGraph, graph, graph_pool_handle, is_current_stream_capturing  # noqa: F401


def _index(device):
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    index = torch.device(device).index
    return current_device() if index is None else index


# ---- devices

def is_available():
    return True


def is_initialized():
    return True


def init():
    """Nothing to do: the device is made by its first use."""


def device_count():
    """With PTOSIM_SYSTEM the number of its devices; otherwise 1, and npu:1, npu:2, ... are aliases of npu:0."""
    return _state.backend.ptosim_torch_device_count()


def current_device():
    return _state.backend.ptosim_torch_device()


def set_device(device):
    _state.backend.ptosim_torch_set_device(_index(device))


class device:
    """`with torch.npu.device(1):`"""

    def __init__(self, device):
        self.index = _index(device)

    def __enter__(self):
        self.before = current_device()
        set_device(self.index)
        return self

    def __exit__(self, *exception):
        set_device(self.before)
        return False


def get_device_name(device=None):
    return _acl.get_soc_name()


# torch_npu's numbers of chips, by the beginnings of their names: the longest that fits decides.
SOC_VERSIONS = {"Ascend910B1": 220, "Ascend910B2": 221, "Ascend910B2C": 222, "Ascend910B3": 223, "Ascend910B4": 224,
                "Ascend910_93": 250, "Ascend910_95": 260, "Ascend950": 260}


def get_soc_version():
    name = _acl.get_soc_name()
    fits = [begin for begin in SOC_VERSIONS if name.startswith(begin)]
    if not fits:
        raise RuntimeError(f"torch_npu has no number for {name}")
    return SOC_VERSIONS[max(fits, key=len)]


def get_device_capability(device=None):
    return None


def get_device_properties(device=None):
    cubes, total = _acl.cube_cores(), _acl.memory()[1]
    return types.SimpleNamespace(name=_acl.get_soc_name(), total_memory=total, cube_core_num=cubes,
                                 vector_core_num=2 * cubes, multi_processor_count=cubes)


def synchronize(device=None):
    _acl.call("aclrtSynchronizeDevice")


# ---- streams and events

class Stream:
    def __init__(self, device=None, priority=0, *, handle=None):
        self.device = torch.device("npu", _index(device))
        self._handle = handle if handle is not None else _acl.pointer_from("aclrtCreateStream")

    @property
    def npu_stream(self):
        """The handle as a number: 0 for the default stream."""
        return self._handle.value or 0

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self._handle.value)

    device_index = property(lambda self: self.device.index)

    def synchronize(self):
        _acl.call("aclrtSynchronizeStream", self._handle)

    def query(self):
        return True

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def __eq__(self, other):
        return isinstance(other, Stream) and self.npu_stream == other.npu_stream

    def __hash__(self):
        return hash(self.npu_stream)

    def __repr__(self):
        return f"<torch.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


def default_stream(device=None):
    return Stream(device, handle=ctypes.c_void_p(None))


def current_stream(device=None):
    return Stream(device, handle=ctypes.c_void_p(_state.backend.ptosim_torch_stream()))


def set_stream(stream):
    _state.backend.ptosim_torch_set_stream(stream._handle)


# Cores that kernels may use, by aclrtDevResLimitType.
_CUBE_CORES, _VECTOR_CORES = 0, 1


def _set_limit(call, of, cube_num, vector_num):
    for kind, number in ((_CUBE_CORES, cube_num), (_VECTOR_CORES, vector_num)):
        if number > 0:
            _acl.call(call, of, kind, ctypes.c_uint32(number))


def _limit(call, of):
    numbers = []
    for kind in (_CUBE_CORES, _VECTOR_CORES):
        numbers.append(ctypes.c_uint32())
        _acl.call(call, of, kind, ctypes.byref(numbers[-1]))
    return {"cube_core_num": numbers[0].value, "vector_core_num": numbers[1].value}


def set_device_limit(device, cube_num=-1, vector_num=-1):
    _set_limit("aclrtSetDeviceResLimit", _index(device), cube_num, vector_num)


def get_device_limit(device):
    return _limit("aclrtGetDeviceResLimit", _index(device))


def set_stream_limit(stream, cube_num=-1, vector_num=-1):
    _set_limit("aclrtSetStreamResLimit", stream._handle, cube_num, vector_num)


def get_stream_limit(stream):
    return _limit("aclrtGetStreamResLimit", stream._handle)


def reset_stream_limit(stream):
    _acl.call("aclrtResetStreamResLimit", stream._handle)


class stream:
    """`with torch.npu.stream(s):`"""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        self.before = current_stream()
        if self.stream is not None:
            set_stream(self.stream)
        return self

    def __exit__(self, *exception):
        set_stream(self.before)
        return False


StreamContext = stream


class Event:
    """A point of simulated time in a stream."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._handle = _acl.pointer_from("aclrtCreateEvent")
        self._moved = 0.0

    def __del__(self):
        if getattr(self, "_handle", None) is not None and _acl is not None:
            _acl.library.aclrtDestroyEvent(self._handle)

    def record(self, stream=None):
        _acl.call("aclrtRecordEvent", self._handle, (stream or current_stream())._handle)
        self._moved = _state.backend.ptosim_torch_operator_bytes()

    def wait(self, stream=None):
        _acl.call("aclrtStreamWaitEvent", (stream or current_stream())._handle, self._handle)

    def query(self):
        return True

    def synchronize(self):
        _acl.call("aclrtSynchronizeEvent", self._handle)

    def elapsed_time(self, end_event):
        """Milliseconds of simulated time to a later event: of kernels, and of operators, which take
        the time in which memory moves their operands and results. At least a nanosecond, by which
        benchmarks can divide."""
        milliseconds = ctypes.c_float()
        _acl.call("aclrtEventElapsedTime", ctypes.byref(milliseconds), self._handle,
                  end_event._handle)
        operators = (end_event._moved - self._moved) / _acl.memory_rate() * 1e3
        return max(milliseconds.value + operators, 1e-6)


# ---- memory

def empty_cache():
    """Nothing to do: memory of a deleted tensor is freed when the next one is made."""


def mem_get_info(device=None):
    return _acl.memory()


def memory_allocated(device=None):
    free, total = _acl.memory()
    return total - free


memory_reserved = memory_allocated


def max_memory_allocated(device=None):
    raise RuntimeError("torch.npu.max_memory_allocated: ptosim does not keep the maximum; "
                       "memory_allocated() is what is held now")


def reset_peak_memory_stats(device=None):
    """Nothing to do."""


# ---- random numbers: they are made on the CPU

def manual_seed(seed):
    torch.default_generator.manual_seed(int(seed))


manual_seed_all = manual_seed


def seed():
    torch.default_generator.seed()


seed_all = seed


def initial_seed():
    return torch.default_generator.initial_seed()


def get_rng_state(device="npu"):
    return torch.get_rng_state()


def set_rng_state(new_state, device="npu"):
    torch.set_rng_state(new_state)


def _is_in_bad_fork():
    return False


# ---- settings of the vendor's compiler and formats, which change nothing here

config = types.SimpleNamespace(allow_internal_format=False)


def set_compile_mode(jit_compile=False):
    """Nothing to do."""


def get_amp_supported_dtype():
    return [torch.float16, torch.bfloat16]


def is_bf16_supported():
    return True


def __getattr__(name):
    raise AttributeError(
        f"torch.npu of ptosim's toolkit has no '{name}': it has devices, streams, events, graphs, "
        "memory and random numbers; operators run on the CPU")
