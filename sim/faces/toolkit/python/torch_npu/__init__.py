"""A stand-in for torch_npu: PyTorch's device `npu` on the simulator. Its tensors lie in simulated device memory,
kernels get their `data_ptr()`, and operators run on the CPU with copies there and back. `import torch` alone finds it,
too (an entry point of torch.backends)."""
import ctypes
import enum


def _autoload():
    """PyTorch calls this at the end of its import. It does nothing, because importing this module does it all. It is
    defined before the import of PyTorch, as programs may import this module first."""


import torch  # noqa: E402

from . import _acl, _build, _extensions, _state  # noqa: E402

__version__ = "2.10.0"


def _start():
    if _state.backend is not None:
        return
    _state.backend = _build.backend()
    _extensions.install(_state.backend._name)
    _state.backend.ptosim_torch_stream.restype = ctypes.c_void_p
    _state.backend.ptosim_torch_set_stream.argtypes = [ctypes.c_void_p]
    _state.backend.ptosim_torch_operator_bytes.restype = ctypes.c_double
    torch.utils.rename_privateuse1_backend("npu")
    _state.backend.ptosim_torch_start()
    from . import npu as device_module
    torch._register_device_module("npu", device_module)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True,
                                                         for_storage=True)


_start()
from . import npu, profiler  # noqa: E402,F401
from ._operators import *  # noqa: E402,F401,F403


class Format(enum.IntEnum):
    """aclFormat."""
    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    FRACTAL_NZ = 29


def npu_format_cast(input, acl_format):
    """The tensor in another format of its memory: FRACTAL_NZ, or ND for any other."""
    if (acl_format == Format.FRACTAL_NZ) == (get_npu_format(input) == Format.FRACTAL_NZ):
        return input
    if acl_format != Format.FRACTAL_NZ:
        return input.cpu().to(input.device)
    rows, columns, width = 16, input.shape[-1] if input.dim() else 1, 32 // input.element_size()
    if input.dim() < 2 or input.shape[-2] % rows or columns % width:
        raise NotImplementedError(f"npu_format_cast of ptosim's toolkit: a tensor of {tuple(input.shape)} in "
                                  f"FRACTAL_NZ; its last dimensions must be multiples of {rows} and {width}")
    boxes = input.cpu().unflatten(-1, (columns // width, width)).unflatten(-3, (input.shape[-2] // rows, rows))
    boxes = boxes.movedim(-2, -4).contiguous()
    made = boxes.reshape(input.shape).to(input.device)
    extents = [word for shape in (made.shape, boxes.shape)
               for word in ((ctypes.c_int64 * len(shape))(*shape), len(shape))]
    _state.backend.ptosim_torch_set_format(ctypes.c_void_p(made.untyped_storage()._cdata), int(acl_format), *extents)
    return made


def get_npu_format(tensor):
    """Format.FRACTAL_NZ if npu_format_cast has made it, else Format.ND."""
    if not tensor.is_npu:
        return int(Format.ND)
    return _state.backend.ptosim_torch_format(ctypes.c_void_p(tensor.untyped_storage().data_ptr()))


class _C:
    @staticmethod
    def _npu_getCurrentRawStream(device=None):
        return npu.current_stream(device).npu_stream


def __getattr__(name):
    raise AttributeError(
        f"torch_npu of ptosim's toolkit has no '{name}': it has the device, and operators of "
        "PyTorch run on the CPU; those of the vendor's library are not there")
