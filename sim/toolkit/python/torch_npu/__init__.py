"""A stand-in for torch_npu: PyTorch's device `npu` on the simulator. Tensors of it lie in simulated
device memory, kernels get their `data_ptr()`, and operators run on the CPU with copies there and
back. `import torch` alone finds it, too (an entry point of torch.backends)."""
import ctypes
import pathlib


def _autoload():
    """What PyTorch calls at the end of its import. There is nothing left to do: importing this module does
    it all. It stands before the import of PyTorch, as programs may import this module first."""


import torch  # noqa: E402

from . import _acl, _build, _state  # noqa: E402

__version__ = "2.10.0"


def _start():
    if _state.backend is not None:
        return
    # Extensions are linked with libtorch_npu, and rely on it for what PyTorch has in this library.
    python = pathlib.Path(torch.__file__).resolve().parent / "lib" / "libtorch_python.so"
    ctypes.CDLL(str(python), mode=ctypes.RTLD_GLOBAL)
    _state.backend = _build.backend()
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
from . import npu  # noqa: E402


def npu_swiglu(input, dim=-1):
    """silu(a) * b of the two halves of a dimension."""
    first, second = input.chunk(2, dim)
    return torch.nn.functional.silu(first) * second


def npu_fused_infer_attention_score(query, key, value, *, num_heads=1, scale=1.0, input_layout="BSH",
                                    num_key_value_heads=0, atten_mask=None, pre_tokens=2147483647,
                                    next_tokens=2147483647, sparse_mode=0):
    """softmax(query key^T scale) value of each head, in float32; `atten_mask` is true where nothing is looked
    at. As on the device, the window of pre_tokens and next_tokens means nothing without a mask."""
    if input_layout not in ("BSH", "BNSD") or sparse_mode not in (0, 1):
        raise NotImplementedError(f"npu_fused_infer_attention_score of ptosim's toolkit: input_layout {input_layout}, "
                                  f"sparse_mode {sparse_mode}; it has BSH and BNSD, 0 and 1")
    groups = num_key_value_heads or num_heads

    def heads(tensor, count):
        split = tensor.unflatten(-1, (count, -1)).transpose(1, 2) if input_layout == "BSH" else tensor
        return split.float().repeat_interleave(num_heads // count, dim=1)

    scores = heads(query, num_heads) @ heads(key, groups).transpose(-1, -2) * scale
    if atten_mask is not None:
        scores = scores.masked_fill(atten_mask.bool(), float("-inf"))
    out = (torch.softmax(scores, -1) @ heads(value, groups)).to(query.dtype)
    if input_layout == "BSH":
        out = out.transpose(1, 2).flatten(2)
    return out, torch.zeros(1, device=query.device)


def npu_format_cast(input, acl_format):
    """The tensor: its format stays ND."""
    return input


class _C:
    @staticmethod
    def _npu_getCurrentRawStream(device=None):
        return npu.current_stream(device).npu_stream


def __getattr__(name):
    raise AttributeError(
        f"torch_npu of ptosim's toolkit has no '{name}': it has the device, and operators of "
        "PyTorch run on the CPU; those of the vendor's library are not there")
