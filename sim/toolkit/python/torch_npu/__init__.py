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


def npu_dynamic_mx_quant(input, *, axis=-1, round_mode="rint", dst_type=296, block_size=32, scale_alg=0,
                         dst_type_max=0.0):
    """(elements, scales) of blocks of 32 along the last axis: scale 2^(floor(log2(max|x|)) - 2), elements x / scale as
    float4_e2m1, two in a byte (aclnnDynamicMxQuant, scaleAlg 0). Scales are float8_e8m0 in pairs: (..., blocks / 2, 2),
    a pair that is not whole filled with zero."""
    if (dst_type, block_size, scale_alg, round_mode) != (296, 32, 0, "rint") or dst_type_max != 0.0 or \
            axis not in (-1, input.dim() - 1) or input.shape[-1] % 2:
        raise NotImplementedError("npu_dynamic_mx_quant of ptosim's toolkit has dst_type 296 (float4_e2m1), block_size 32, "
                                  "scale_alg 0, round_mode rint and the last axis, of an even length")
    values = input.cpu().float()
    blocks = -(-values.shape[-1] // block_size)
    padded = torch.nn.functional.pad(values, (0, blocks * block_size - values.shape[-1]))
    grouped = padded.unflatten(-1, (blocks, block_size))
    # frexp has the mantissa in [0.5, 1).
    exponents = (torch.frexp(grouped.abs().amax(-1)).exponent - 1 - 2).clamp(-127, 127)
    exponents = torch.where(grouped.abs().amax(-1) == 0, torch.full_like(exponents, -127), exponents)
    scaled = torch.ldexp(grouped.double(), -exponents.unsqueeze(-1).double())
    steps = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=torch.float64)
    halfway = (steps[1:] + steps[:-1]) / 2
    magnitude = scaled.abs()
    code = torch.bucketize(magnitude, halfway)  # on a tie the lower one: that is even, or the one above it is
    tie = (code < 7) & (magnitude == halfway[code.clamp(max=6)]) & (code % 2 == 1)
    code = (code + tie.long() + 8 * torch.signbit(scaled).long()).to(torch.uint8)
    code = code.flatten(-2)[..., :values.shape[-1]]
    pairs = torch.nn.functional.pad((exponents + 127).to(torch.uint8), (0, blocks % 2))
    return ((code[..., 0::2] | code[..., 1::2] << 4).to(input.device),
            pairs.unflatten(-1, (-1, 2)).to(input.device))


def npu_trans_quant_param(scale, offset=None, round_mode=0):
    """Scales of columns as the unit behind L0C reads them, one in 64 bits (aclnnTransQuantParamV3): the upper 19 bits of
    the float32, of the offset 9 bits from bit 37, and bit 46. round_mode 1 rounds to these 19 bits, 0 cuts."""
    if scale.dtype != torch.float32 or round_mode not in (0, 1):
        raise ValueError(f"npu_trans_quant_param takes scales in float32 and round_mode 0 or 1, not {scale.dtype} and "
                         f"{round_mode}")
    bits = scale.cpu().contiguous().view(torch.int32).to(torch.int64) & 0xFFFFFFFF
    if round_mode == 1:
        bits = bits + 0xFFF + (bits >> 13 & 1)
    packed = (bits & 0xFFFFE000) | 1 << 46
    if offset is not None:
        packed = packed | (torch.round(offset.cpu()).clamp(-256, 255).to(torch.int64) & 0x1FF) << 37
    return packed.to(scale.device)


def npu_moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """(tokens in the order of their experts, the row of each (token, expert) there): aclnnMoeTokenPermute. indices are the
    experts of a token, or a row of them. Of a positive num_out_tokens as many rows are kept; a negative one drops rows."""
    if padded_mode:
        raise NotImplementedError("npu_moe_token_permute of ptosim's toolkit has no padded_mode")
    experts = indices.cpu()
    order = torch.argsort(experts.flatten(), stable=True)
    rows = torch.argsort(order, stable=True).to(torch.int32)
    kept = num_out_tokens or order.numel()
    taken = order[:kept] // (experts.shape[1] if experts.dim() == 2 else 1)
    return tokens.cpu()[taken].to(tokens.device), rows.to(tokens.device)


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
    made = boxes.movedim(-2, -4).contiguous().reshape(input.shape).to(input.device)
    sizes = (ctypes.c_int64 * made.dim())(*made.shape)
    _state.backend.ptosim_torch_set_format(ctypes.c_void_p(made.untyped_storage().data_ptr()), int(acl_format), sizes,
                                           made.dim())
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
