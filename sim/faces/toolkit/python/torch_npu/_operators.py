"""Operators of the vendor's library that programs compare their kernels with. They compute in float32 on the CPU and round
once, to the nearest even number."""
import torch

__all__ = ["npu_swiglu", "npu_fused_infer_attention_score", "npu_dynamic_mx_quant", "npu_dynamic_quant", "npu_quantize",
           "npu_quant_matmul", "npu_rms_norm", "npu_rotary_mul", "npu_trans_quant_param", "npu_moe_token_permute"]


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


def npu_dynamic_quant(input, *, smooth_scales=None, group_index=None, dst_type=torch.int8, **others):
    """(elements, scales) of rows along the last axis: scale max|x| / 127 (448 for float8_e4m3fn), elements x / scale."""
    largest = {torch.int8: 127, torch.float8_e4m3fn: 448}.get(dst_type)
    if largest is None or group_index is not None or others.get("quant_mode", "pertoken") != "pertoken":
        raise NotImplementedError("npu_dynamic_quant of ptosim's toolkit: dst_type int8 or float8_e4m3fn, no group_index, "
                                  "quant_mode pertoken")
    values = input.cpu().float()
    if smooth_scales is not None:
        values = values * smooth_scales.cpu().float()
    scale = values.abs().amax(-1) / largest
    scaled = values / scale.unsqueeze(-1)
    made = scaled.round().clamp(-128, 127).to(torch.int8) if dst_type == torch.int8 else scaled.to(dst_type)
    return made.to(input.device), scale.to(input.device)


def npu_quantize(input, scales, zero_points, dtype, axis=1, div_mode=True):
    """x / scale + zero point, or x * scale + zero point unless div_mode, as int8 or uint8."""
    lowest, highest, stored = {torch.qint8: (-128, 127, torch.int8), torch.int8: (-128, 127, torch.int8),
                               torch.quint8: (0, 255, torch.uint8)}.get(dtype, (None, None, None))
    if stored is None:
        raise NotImplementedError(f"npu_quantize of ptosim's toolkit: {dtype}; it has qint8 and quint8")
    values, scale = input.cpu().float(), scales.cpu().float()
    shape = [1] * values.dim()
    shape[axis] = -1
    scale = scale.reshape(shape)
    made = values / scale if div_mode else values * scale
    if zero_points is not None:
        made = made + zero_points.cpu().float().reshape(shape)
    return made.round().clamp(lowest, highest).to(stored).to(input.device)


def npu_quant_matmul(x1, x2, scale, *, offset=None, pertoken_scale=None, bias=None, output_dtype=None, **others):
    """(x1 x2 + bias) * scale * pertoken_scale of int8 matrices, whose products are exact."""
    if x1.dtype != torch.int8 or x2.dtype != torch.int8 or scale.dtype == torch.int64 or offset is not None \
            or any(value is not None for value in others.values()):
        raise NotImplementedError("npu_quant_matmul of ptosim's toolkit: int8 operands, scales of float32 or bfloat16, "
                                  "no offset")
    product = (x1.cpu().double() @ x2.cpu().double())
    if bias is not None and bias.dtype == torch.int32:
        product = product + bias.cpu().double()
    made = product.float() * scale.cpu().float()
    if pertoken_scale is not None:
        made = made * pertoken_scale.cpu().float().unsqueeze(-1)
    if bias is not None and bias.dtype != torch.int32:
        made = made + bias.cpu().float()
    if output_dtype in (None, torch.int8):
        made = made.round().clamp(-128, 127)
    return made.to(output_dtype or torch.int8).to(x1.device)


def npu_rms_norm(input, gamma, epsilon=1e-6):
    """(x * rstd * gamma, rstd), rstd: 1 / sqrt(mean of x^2 along gamma's axes + epsilon)."""
    values = input.cpu().float()
    rstd = torch.rsqrt(values.square().mean(tuple(range(-gamma.dim(), 0)), keepdim=True) + epsilon)
    made = values * rstd * gamma.cpu().float()
    return made.to(input.dtype).to(input.device), rstd.to(input.device)


def npu_rotary_mul(input, r1, r2, rotary_mode="half"):
    """x * r1 + rotated x * r2: halves of the last axis are exchanged, the first one negated, or neighbours."""
    if rotary_mode not in ("half", "interleave"):
        raise NotImplementedError(f"npu_rotary_mul of ptosim's toolkit: rotary_mode {rotary_mode}; it has half, interleave")
    values = input.cpu().float()
    if rotary_mode == "half":
        first, second = values.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    else:
        rotated = torch.stack((-values[..., 1::2], values[..., 0::2]), -1).flatten(-2)
    made = values * r1.cpu().float() + rotated * r2.cpu().float()
    return made.to(input.dtype).to(input.device)


def npu_trans_quant_param(scale, offset=None, round_mode=0):
    """Scales of columns as the fix pipe reads them, one in 64 bits (aclnnTransQuantParamV3): the upper 19 bits of
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
