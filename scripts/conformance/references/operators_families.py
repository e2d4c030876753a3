"""Operators in NumPy that come in families, by the names of their folders; their inputs come from the operators' files.

Each function follows the operator's documentation. Inputs have the names of the definition, optional ones may be absent.
"""
import numpy as np


def erf(x):
    import math
    return np.vectorize(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


def halves(x, axis=-1):
    return np.split(x, 2, axis)


def quantised(x, least=-128, most=127):
    return np.clip(np.rint(x), least, most)


def per_row(x, most=127):
    """Values and scales of rows that are quantised by their largest absolute value."""
    scale = np.abs(x).max(-1, keepdims=True) / most
    return np.rint(x / scale), scale[..., 0]


# --- Lists of tensors, each on its own

UNARY = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "copy": lambda x: x, "cos": np.cos, "cosh": np.cosh,
    "erf": erf, "erfc": lambda x: 1 - erf(x), "exp": np.exp, "expm1": np.expm1, "log": np.log, "log10": np.log10,
    "log1p": np.log1p, "log2": np.log2, "neg": np.negative, "reciprocal": lambda x: 1 / x, "sigmoid": sigmoid, "sign": np.sign,
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
}
BINARY = {"maximum": np.maximum, "minimum": np.minimum, "mul": np.multiply, "div": np.divide, "pow": np.power, "sub": np.subtract,
          "add": np.add}


def each(function):
    return lambda x: {"y": [function(one) for one in x]}


def each_pair(function):
    def make(x1, x2, alpha=None):
        return {"y": [function(a, b if alpha is None else b * alpha.reshape(-1)[0]) for a, b in zip(x1, x2)]}
    return make


def each_scalar(function):
    return lambda x, scalar: {"y": [function(one, scalar.reshape(-1)[0]) for one in x]}


def each_scalars(function):
    return lambda x, scalars: {"y": [function(one, scalar) for one, scalar in zip(x, scalars.reshape(-1))]}


def addc(function):
    def make(x1, x2, x3, scalar=None, scalars=None):
        factors = scalars.reshape(-1) if scalars is not None else [scalar.reshape(-1)[0]] * len(x1)
        return {"y": [a + s * function(b, c) for a, b, c, s in zip(x1, x2, x3, factors)]}
    return make


def foreach_lerp(x1, x2, weight):
    weights = weight if isinstance(weight, list) else [weight.reshape(-1)[0]] * len(x1)
    return {"y": [a + w * (b - a) for a, b, w in zip(x1, x2, weights)]}


def foreach_norm(x, scalar):
    order = scalar.reshape(-1)[0]
    return {"y": [np.linalg.norm(one.reshape(-1), order).reshape(1) for one in x]}


def foreach():
    made = {f"foreach_{name}": each(function) for name, function in UNARY.items()}
    made["foreach_zero_inplace"] = lambda x: {"x": [np.zeros_like(one) for one in x]}
    made["foreach_norm"] = foreach_norm
    made["foreach_lerp_list"] = made["foreach_lerp_scalar"] = foreach_lerp
    made["foreach_pow_scalar_and_tensor"] = lambda x, scalar: {"y": [np.power(scalar.reshape(-1)[0], one) for one in x]}
    for name, function in BINARY.items():
        made[f"foreach_{name}_list"] = each_pair(function)
        made[f"foreach_{name}_scalar"] = each_scalar(function)
        made[f"foreach_{name}_scalar_list"] = each_scalars(function)
    for ending in ("scalar", "scalar_list", "list"):
        made[f"foreach_addcdiv_{ending}"] = addc(np.divide)
        made[f"foreach_addcmul_{ending}"] = addc(np.multiply)
    return made


# --- Normalisation


def rms(x, gamma, epsilon):
    rstd = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    return x * rstd * gamma, rstd


def layer(x, gamma=1.0, beta=0.0, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + epsilon)
    return (x - mean) * rstd * gamma + beta, mean, rstd


def add_rms_norm_cast(x1, x2, gamma, epsilon=1e-6):
    y, rstd = rms(x1 + x2, gamma, epsilon)
    return {"y1": y, "y2": y, "rstd": rstd, "x": x1 + x2}


def add_rms_norm_dynamic_quant(x1, x2, gamma, smooth_scale1=None, smooth_scale2=None, beta=None, epsilon=1e-6):
    y, _ = rms(x1 + x2, gamma, epsilon)
    y = y if beta is None else y + beta
    y1, scale1 = per_row(y if smooth_scale1 is None else y * smooth_scale1)
    made = {"y1": y1, "scale1": scale1, "x": x1 + x2}
    if smooth_scale2 is not None:
        made["y2"], made["scale2"] = per_row(y * smooth_scale2)
    return made


def add_rms_norm_quant(x1, x2, gamma, scales1, scales2=None, zero_points1=0, zero_points2=0, beta=0, epsilon=1e-6, div_mode=True):
    y = rms(x1 + x2, gamma, epsilon)[0] + beta

    def quant(scales, zeros):
        return quantised((y / scales if div_mode else y * scales) + zeros)
    made = {"y1": quant(scales1, zero_points1), "x": x1 + x2}
    if scales2 is not None:
        made["y2"] = quant(scales2, zero_points2)
    return made


def rms_norm_dynamic_quant(x, gamma, smooth_scales=1.0, beta=0.0, epsilon=1e-6):
    y, scale = per_row((rms(x, gamma, epsilon)[0] + beta) * smooth_scales)
    return {"y": y, "scale": scale}


def rms_norm_quant(x, gamma, beta, scale, offset, epsilon=1e-6):
    """By aclnnRmsNormQuant.md, which divides; the operator's README multiplies."""
    return {"y": quantised((rms(x, gamma, epsilon)[0] + beta) / scale.reshape(-1)[0] + offset.reshape(-1)[0])}


def ada_layer_norm(x, scale, shift, weight=1.0, bias=0.0, epsilon=1e-5):
    y, mean, rstd = layer(x, weight, bias, epsilon)
    scale, shift = (one if one.ndim == x.ndim else one[:, None] for one in (scale, shift))
    return {"out": y * (1 + scale) + shift, "mean": mean, "rstd": rstd}


def ada_layer_norm_quant(x, scale, shift, weight=1.0, bias=0.0, smooth_scales=1.0, epsilon=1e-5):
    out, rows = per_row(ada_layer_norm(x, scale, shift, weight, bias, epsilon)["out"] * smooth_scales)
    return {"out": out, "quant_scale": rows}


def inplace_add_layer_norm(x1, x2, gamma, beta, bias=0.0, epsilon=1e-5, additional_output=False):
    y, mean, rstd = layer(x1 + x2 + bias, gamma, beta, epsilon)
    made = {"x1": y, "mean": mean, "rstd": rstd}
    return {**made, "x2": x1 + x2 + bias} if additional_output else made


def quantize_add_layer_norm(x1, x2, gamma, beta, bias, scales, zero_points=0.0, epsilon=1e-5, additional_output=False):
    x = x1 + x2 + bias
    made = {"y": quantised(layer(x, gamma, beta, epsilon)[0] / scales + zero_points)}
    return {**made, "x": x} if additional_output else made


def dua_quantize_add_layer_norm(x1, x2, gamma, beta, bias, scales1, scales2, zero_points1=0.0, zero_points2=0.0, epsilon=1e-5,
                                additional_output=False):
    x = x1 + x2 + bias
    y = layer(x, gamma, beta, epsilon)[0]
    made = {"y1": quantised(y / scales1 + zero_points1), "y2": quantised(y / scales2 + zero_points2)}
    return {**made, "x": x} if additional_output else made


def layer_norm_quant(x, gamma, beta, scale, offset=0.0, epsilon=1e-5, quant_mode=0):
    y = layer(x, gamma, beta, epsilon)[0]
    if quant_mode == 0:
        return {"result": quantised(y * scale.reshape(-1)[0] + np.reshape(offset, -1)[0])}
    result, rows = per_row(y)
    return {"result": result, "scale_out": rows}


def layer_norm_gradient(dy, x, rstd, mean, gamma):
    """Gradients of x, gamma and beta; rows as in rstd."""
    width = gamma.size
    dy, x = dy.reshape(-1, width), x.reshape(-1, width)
    rstd, mean, gamma = rstd.reshape(-1, 1), mean.reshape(-1, 1), gamma.reshape(-1)
    normal = (x - mean) * rstd
    inner = dy * gamma
    dx = rstd * (inner - inner.mean(-1, keepdims=True) - normal * (inner * normal).mean(-1, keepdims=True))
    return dx, (dy * normal).sum(0), dy.sum(0)


def layer_norm_grad_v3(dy, x, rstd, mean, gamma):
    dx, dgamma, dbeta = layer_norm_gradient(dy, x, rstd, mean, gamma)
    return {"pd_x": dx, "pd_gamma": dgamma, "pd_beta": dbeta}


def add_layer_norm_grad(dy, x1, x2, rstd, mean, gamma, dsum=0.0):
    dx, dgamma, dbeta = layer_norm_gradient(dy, x1 + x2, rstd, mean, gamma)
    return {"dx": dx.reshape(dy.shape) + dsum, "dgamma": dgamma, "dbeta": dbeta}


def group_norm(x, num_groups, gamma, beta, eps):
    grouped = x.reshape(x.shape[0], num_groups, -1)
    mean = grouped.mean(-1)
    rstd = 1 / np.sqrt(grouped.var(-1) + eps)
    normal = ((grouped - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    shape = (1, x.shape[1]) + (1,) * (x.ndim - 2)
    return normal * gamma.reshape(shape) + beta.reshape(shape), mean, rstd


def group_norm_silu(x, gamma, beta, num_groups, eps=1e-5, activate_silu=True):
    y, mean, rstd = group_norm(x, num_groups, gamma, beta, eps)
    return {"y": y * sigmoid(y) if activate_silu else y, "mean": mean, "rstd": rstd}


def group_norm_swish(x, gamma, beta, num_groups, eps=1e-5, activate_swish=True, swish_scale=1.0):
    y, mean, rstd = group_norm(x, num_groups, gamma, beta, eps)
    return {"y": y * sigmoid(swish_scale * y) if activate_swish else y, "mean": mean, "rstd": rstd}


def batch_norm_v3(x, weight, bias, running_mean, running_var, epsilon=1e-5, momentum=0.1, is_training=True):
    axes = (0,) + tuple(range(2, x.ndim))
    shape = (1, -1) + (1,) * (x.ndim - 2)
    if not is_training:
        rstd = 1 / np.sqrt(running_var + epsilon)
        return {"y": (x - running_mean.reshape(shape)) * (rstd * weight).reshape(shape) + bias.reshape(shape)}
    mean, var = x.mean(axes), x.var(axes)
    count = x.size / x.shape[1]
    rstd = 1 / np.sqrt(var + epsilon)
    return {"y": (x - mean.reshape(shape)) * (rstd * weight).reshape(shape) + bias.reshape(shape),
            "save_mean": mean, "save_rstd": rstd,
            "running_mean": (1 - momentum) * running_mean + momentum * mean,
            "running_var": (1 - momentum) * running_var + momentum * var * count / (count - 1)}


# --- Quantisation


def fake_quant_affine_cachemask(x, scale, zero_point, axis=0, quant_min=0, quant_max=255):
    shape = [1] * x.ndim
    if scale.size > 1:
        shape[axis] = scale.size
    scale, zero_point = scale.reshape(shape), zero_point.reshape(shape)
    q = np.rint(x / scale) + zero_point
    return {"y": (np.clip(q, quant_min, quant_max) - zero_point) * scale, "mask": (q >= quant_min) & (q <= quant_max)}


def group_quant(x, scale, group_index, offset=0.0, dst_type=2):
    group = np.searchsorted(group_index, np.arange(x.shape[0]), side="right")
    return {"y": quantised(x * scale[group] + np.reshape(offset, -1)[0])} if dst_type == 2 else {}


def dequant_bias(x, weight_scale, activate_scale=None, bias=None):
    whole = bias is not None and bias.dtype.kind in "iu"
    y = (x + bias if whole else x) * weight_scale.astype(np.float64)
    y = y if activate_scale is None else y * activate_scale.reshape(-1, 1)
    return {"y": y if bias is None or whole else y + bias}


def situ(x, axis, beta, linear_beta, activate_left):
    gate, up = halves(x, axis) if activate_left else reversed(halves(x, axis))
    up = linear_beta * np.tanh(up / linear_beta) if linear_beta > 0 else up
    return beta * np.tanh(gate / beta) * sigmoid(gate) * up


def situ_glu(x, dim=-1, beta=4.0, linear_beta=25.0, activate_left=True):
    return {"y": situ(x, dim, beta, linear_beta, activate_left)}


def dequant_situ_quant(x, weight_scale=None, activation_scale=None, bias=0.0, quant_scale=1.0, quant_offset=0.0, group_index=None,
                       beta=4.0, linear_beta=25.0, activate_left=True, quant_type="dynamic"):
    if group_index is not None:
        raise NotImplementedError("group_index")
    value = x.astype(np.float64)
    if x.dtype.kind in "iu":
        value = value * weight_scale
        value = value * activation_scale.reshape(activation_scale.shape + (1,) * (x.ndim - activation_scale.ndim)) \
            if x.dtype == np.int32 and activation_scale is not None else value
        value = value + bias
    y = situ(value, -1, beta, linear_beta, activate_left)
    if quant_type != "dynamic":
        return {"y": quantised(y / quant_scale + quant_offset)}
    y, scale = per_row(y * quant_scale)
    return {"y": y, "y_scale": scale}


def swi_glu_quant(x, smooth_scales=1.0, offsets=0.0, group_index=None, activate_left=False, quant_mode="dynamic",
                  group_list_type=0):
    """A group of rows has a row of scales and offsets; groups by their ends (type 0) or their sizes."""
    if group_index is not None:
        sizes = np.diff(group_index, prepend=0) if group_list_type == 0 else group_index
        group = np.repeat(np.arange(len(sizes)), sizes)
        if (sizes < 0).any() or len(group) != len(x):
            raise NotImplementedError("groups that are not all rows")
        smooth_scales, offsets = (one[group].reshape(len(group), -1) if np.ndim(one) else one for one in (smooth_scales, offsets))
    a, b = halves(x) if activate_left else reversed(halves(x))
    y = a * sigmoid(a) * b * smooth_scales
    if quant_mode == "static":
        return {"y": quantised(y + offsets)}
    y, scale = per_row(y)
    return {"y": y, "scale": 1 / scale}


def as_strided(x, size, stride, storage_offset=(0,)):
    """The repository's reference takes the offset in rows."""
    at = np.asarray(storage_offset).reshape(-1)[0] + sum(np.indices(size)[axis] * step for axis, step in enumerate(stride))
    return {"y": x.reshape(-1)[at]}


def quantized_batch_norm(x, mean, var, input_scale, input_zero_point, output_scale, output_zero_point, weight, bias, epsilon):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    value = (x - input_zero_point.reshape(-1)[0]) * input_scale.reshape(-1)[0]
    y = (value - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + epsilon) * weight.reshape(shape) + bias.reshape(shape)
    return {"y": np.rint(y / output_scale.reshape(-1)[0]) + output_zero_point.reshape(-1)[0]}


# --- Matrix products


def product(x1, x2, bias=0.0, adj_x1=False, adj_x2=False):
    return {"y": (np.swapaxes(x1, -1, -2) if adj_x1 else x1) @ (np.swapaxes(x2, -1, -2) if adj_x2 else x2) + bias}


def gemm(a, b, alpha, beta, c, transpose_a=False, transpose_b=False):
    return {"c": alpha.reshape(-1)[0] * ((a.T if transpose_a else a) @ (b.T if transpose_b else b)) + beta.reshape(-1)[0] * c}


# --- Mixtures of experts


def ordered(expert_idx):
    """The pairs of token and choice in the order of experts, and the position of each pair."""
    order = np.argsort(expert_idx.reshape(-1), kind="stable")
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    return order, inverse


def moe_init_routing_v2(x, expert_idx, active_num=0, expert_num=0, drop_pad_mode=0, expert_tokens_count_or_cumsum_flag=0):
    if drop_pad_mode:
        raise NotImplementedError("drop_pad_mode")
    order, inverse = ordered(expert_idx)
    k = expert_idx.shape[1]
    rows = order[:active_num] if active_num else order
    made = {"expanded_x": x[rows // k], "expanded_row_idx": inverse}
    counts = np.bincount(expert_idx.reshape(-1), minlength=max(expert_num, 1))
    if expert_tokens_count_or_cumsum_flag:
        made["expert_tokens_count_or_cumsum"] = np.cumsum(counts) if expert_tokens_count_or_cumsum_flag == 1 else counts
    return made


def moe_init_routing_v3(x, expert_idx, expert_num=0, drop_pad_mode=0, expert_tokens_num_type=0, quant_mode=-1,
                        active_expert_range=(), row_idx_type=0):
    """Without quantisation. Rows behind the active ones have no defined values."""
    if drop_pad_mode or quant_mode != -1 or expert_tokens_num_type != 1:
        raise NotImplementedError("drop_pad_mode, quant_mode or expert_tokens_num_type")
    begin, end = active_expert_range if len(active_expert_range) == 2 else (0, expert_num)
    flat = expert_idx.reshape(-1)
    active = (flat >= begin) & (flat < end)
    order = np.argsort(np.where(active, flat, flat.max() + end + 1), kind="stable")
    count = int(active.sum())
    if row_idx_type == 0:
        rows = np.full(flat.size, -1)
        rows[order[:count]] = np.arange(count)
    elif count == flat.size:
        rows = order
    else:
        raise NotImplementedError("rows of other experts")
    made = {"expanded_row_idx": rows, "expert_tokens_count_or_cumsum": np.bincount(flat[active] - begin, minlength=end - begin)}
    if count == flat.size:
        made["expanded_x"] = x[order // expert_idx.shape[1]]
    return made


def moe_init_routing_v2_grad(grad_expanded_x, expanded_row_idx, top_k, drop_pad_mode=0, active_num=0):
    width = grad_expanded_x.shape[-1]
    flat = grad_expanded_x.reshape(-1, width)
    rows = np.where((expanded_row_idx >= 0)[:, None], flat[np.clip(expanded_row_idx, 0, len(flat) - 1)], 0)
    if active_num and not drop_pad_mode:
        rows = np.where((expanded_row_idx < active_num)[:, None], rows, 0)
    return {"grad_x": rows.reshape(-1, top_k, width).sum(1)}


def moe_finalize_routing_v2(expanded_x, expanded_row_idx, x1=0.0, x2=0.0, bias=None, scales=None, expert_idx=None,
                            drop_pad_mode=0):
    count = expanded_row_idx.size // (scales.shape[1] if scales is not None else 1)
    k = expanded_row_idx.size // count
    width = expanded_x.shape[-1]
    flat = expanded_x.reshape(-1, width)
    rows = expanded_row_idx.reshape(k, count) if drop_pad_mode in (0, 1) else expanded_row_idx.reshape(count, k).T
    y = np.zeros((count, width)) + x1 + x2
    for at in range(k):
        value = np.where((rows[at] >= 0)[:, None], flat[np.clip(rows[at], 0, len(flat) - 1)], 0)
        if bias is not None:
            value = value + bias[expert_idx[:, at]]
        y = y + value * (scales[:, at:at + 1] if scales is not None else 1)
    return {"y": y}


def moe_finalize_routing(expanded_x, x1, bias, scales, expanded_row_idx, expanded_expert_idx, x2=0.0):
    return moe_finalize_routing_v2(expanded_x, expanded_row_idx, x1, x2, bias, scales, expanded_expert_idx)


def moe_token_permute(tokens, indices, num_out_tokens=0):
    order, inverse = ordered(indices)
    k = indices.shape[1] if indices.ndim > 1 else 1
    return {"permute_tokens": tokens[(order[:num_out_tokens] if num_out_tokens > 0 else order) // k], "sorted_indices": inverse}


def moe_token_permute_grad(permuted_output_grad, sorted_indices, num_topk):
    rows = permuted_output_grad[sorted_indices]
    return {"input_grad": rows.reshape(-1, num_topk, rows.shape[-1]).sum(1)}


def moe_token_unpermute(permuted_tokens, sorted_indices, probs=None):
    rows = permuted_tokens[sorted_indices]
    if probs is None:
        return {"unpermuted_tokens": rows}
    return {"unpermuted_tokens": (rows.reshape(*probs.shape, -1) * probs[..., None]).sum(1)}


def moe_token_unpermute_grad(permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs=None):
    grad = np.zeros_like(permuted_tokens)
    if probs is None:
        grad[sorted_indices] = unpermuted_tokens_grad
        return {"permuted_tokens_grad": grad}
    rows = permuted_tokens[sorted_indices].reshape(*probs.shape, -1)
    grad[sorted_indices] = (unpermuted_tokens_grad[:, None] * probs[..., None]).reshape(-1, grad.shape[-1])
    return {"permuted_tokens_grad": grad, "probs_grad": (unpermuted_tokens_grad[:, None] * rows).sum(-1)}


def moe_gating_top_k_softmax_v2(x, k, renorm=0):
    chosen = np.argsort(-x, -1, kind="stable")[..., :k]
    y = np.take_along_axis(softmax(x), chosen, -1)
    return {"y": softmax(np.take_along_axis(x, chosen, -1)) if renorm else y, "expert_idx": chosen}


# --- Rotary embeddings


def turned(x):
    a, b = halves(x)
    return np.concatenate((-b, a), -1)


def apply_rotary_pos_emb(query, key, cos, sin, rotary_mode="half"):
    if rotary_mode != "half":
        raise NotImplementedError(rotary_mode)
    return {"query": query * cos + turned(query) * sin, "key": key * cos + turned(key) * sin}


def rope_with_sin_cos_cache(**values):
    if values["positions"].ndim != 1:
        raise NotImplementedError("positions of three axes")
    cos, sin = (np.concatenate((part, part), -1)[:, None] for part in halves(values["cosSinCache"][values["positions"]]))
    size = values["headSize"]

    def rope(x):
        heads = x.reshape(len(x), -1, size)
        width = cos.shape[-1]
        if not values.get("isNeoxStyle", True):
            raise NotImplementedError("isNeoxStyle")
        head = heads[..., :width] * cos + turned(heads[..., :width]) * sin
        return np.concatenate((head, heads[..., width:]), -1).reshape(x.shape)
    return {"queryOut": rope(values["queryIn"]), "keyOut": rope(values["keyIn"])}


def summed(values, like):
    """The sum over the axes that broadcasting repeats."""
    return values.sum(tuple(at for at, extent in enumerate(like.shape) if extent == 1), keepdims=True)


def rotary_position_embedding_grad(dy, cos, sin, x=None, mode=0):
    if mode != 0:
        raise NotImplementedError("mode")
    a, b = halves(dy * sin)
    made = {"dx": dy * cos + np.concatenate((b, -a), -1)}
    return made if x is None else {**made, "dcos": summed(dy * x, cos), "dsin": summed(dy * turned(x), sin)}


# --- Movement


def circular_pad(x, paddings):
    pairs = paddings.reshape(-1, 2)
    return {"y": np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + [tuple(pair) for pair in pairs], "wrap")}


def pad_gradient(mode):
    """Each element of the padded gradient is added to the element of the input that padding repeats."""
    def make(x, paddings):
        pairs = [tuple(pair) for pair in paddings.reshape(-1, 2)]
        pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
        inner = tuple(extent - sum(pair) for extent, pair in zip(x.shape, pairs))
        sources = np.pad(np.arange(np.prod(inner)).reshape(inner), pairs, mode)
        y = np.zeros(int(np.prod(inner)))
        np.add.at(y, sources.reshape(-1), x.reshape(-1))
        return {"y": y.reshape(inner)}
    return make


def concat(x, concat_dim=0):
    return {"y": np.concatenate(x, concat_dim)}


def stack_ball_query(xyz, center_xyz, xyz_batch_cnt, center_xyz_batch_cnt, max_radius, sample_num):
    points = xyz.T if xyz.shape[0] == 3 and xyz.shape[-1] != 3 else xyz
    found = np.zeros((len(center_xyz), sample_num), np.int32)
    begin = first = 0
    for count, centers in zip(xyz_batch_cnt, center_xyz_batch_cnt):
        for at in range(first, first + centers):
            near = np.flatnonzero(((points[begin:begin + count] - center_xyz[at]) ** 2).sum(-1) < max_radius ** 2)[:sample_num]
            found[at] = near[0] if len(near) else 0
            found[at, :len(near)] = near
        begin, first = begin + count, first + centers
    return {"idx": found}


def fill_diagonal_v2(x, fill_value, wrap=False):
    y = x.copy()
    np.fill_diagonal(y, fill_value.reshape(-1)[0], wrap)
    return {"x": y}


def changed_rows(function):
    def make(x, indices, v):
        y = x.copy()
        function.at(y, indices.reshape(-1), v.reshape(indices.size, *x.shape[1:]))
        return {"y": y}
    return make


def matrix_diag(x):
    return {"y": x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)}


def scatter_nd_update_v2(var, indices, updates):
    y = var.copy()
    y[tuple(np.moveaxis(indices, -1, 0))] = updates
    return {"var": y}


# --- Others


def cross_entropy_loss(input, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0):
    if label_smoothing or weight is not None:
        raise NotImplementedError("label_smoothing or weight")
    log_prob = np.log(softmax(input))
    kept = target != ignore_index
    loss = np.where(kept, -np.take_along_axis(log_prob, np.where(kept, target, 0)[:, None], 1)[:, 0], 0)
    loss = loss.sum() / kept.sum() if reduction == "mean" else loss.sum() if reduction == "sum" else loss
    return {"loss": np.reshape(loss, -1), "log_prob": log_prob}


def mse_loss_grad_v2(predict, label, dout, reduction="mean"):
    return {"y": 2 * (predict - label) * dout / (predict.size if reduction == "mean" else 1)}


def logit_grad(x, dy, eps=-1.0):
    inside = (x >= eps) & (x <= 1 - eps) if eps >= 0 else (x >= 0) & (x <= 1)
    return {"dx": np.where(inside, dy / (x * (1 - x)), 0 if eps >= 0 else np.nan)}


def modulate(x, scale=None, shift=None):
    y = x
    if scale is not None:
        y = y * (1 + (scale if scale.ndim == x.ndim else scale[:, None]))
    if shift is not None:
        y = y + (shift if shift.ndim == x.ndim else shift[:, None])
    return {"y": y}


def modulate_grad(**values):
    grad, x = values["grad_Output"], values["Input"]
    made = {"grad_input": grad}
    if "Scale" in values:
        scale = values["Scale"]
        made = {"grad_input": grad * (1 + (scale if scale.ndim == 3 else scale[:, None])), "grad_scale": (grad * x).sum(1)}
    return {**made, "grad_shift": grad.sum(1)} if "Shift" in values else made


def scaled_masked_softmax_grad_v2(**values):
    y, grad = values["y"], values["yGrad"]
    x = values.get("scale", 1.0) * (grad * y - (grad * y).sum(-1, keepdims=True) * y)
    return {"xGrad": np.where(values["mask"], 0, x) if "mask" in values else x}


def masked_softmax_with_rel_pos_bias(x, relative_pos_bias, atten_mask=None, scale_value=1.0):
    value = x * scale_value
    if atten_mask is not None:
        value = value + atten_mask.reshape((1,) + atten_mask.shape[-3:-2] + (1,) + atten_mask.shape[-2:])
    return {"y": softmax(value + relative_pos_bias.reshape((1,) * (x.ndim - 3) + relative_pos_bias.shape[-3:]))}


def apply_adam_w_v2(var, m, v, grad, step, lr=0.1, beta1=0.1, beta2=0.1, weight_decay=0.1, eps=0.1, maximize=False):
    grad = -grad if maximize else grad
    count = step.reshape(-1)[0]
    var = var * (1 - lr * weight_decay)
    m, v = beta1 * m + (1 - beta1) * grad, beta2 * v + (1 - beta2) * grad * grad
    root = np.sqrt(v / (1 - beta2 ** count)) + eps
    return {"var": var - lr * (m / (1 - beta1 ** count)) / root, "m": m, "v": v}


def lin_space(start, stop, num):
    return {"output": np.linspace(start.reshape(-1)[0], stop.reshape(-1)[0], int(num.reshape(-1)[0]))}


def non_finite_check(tensor_list):
    return {"found_flag": np.array([float(not all(np.isfinite(one).all() for one in tensor_list))])}


def add_all(x1, x2):
    return {"y": sum(a * b for a, b in zip(x1, x2))}


def amp_update_scale(current_scale, growth_tracker, found_inf, growth_factor, backoff_factor, growth_interval):
    if found_inf[0]:
        return {"updated_scale": current_scale * backoff_factor, "updated_growth_tracker": np.zeros_like(growth_tracker)}
    grown = growth_tracker + 1 == growth_interval
    return {"updated_scale": np.where(grown, current_scale * growth_factor, current_scale),
            "updated_growth_tracker": np.where(grown, 0, growth_tracker + 1)}


# --- Reductions along given axes, rows chosen by indices


def along_axes(function):
    def make(x, axes, keep_dims=False):
        return {"y": function(x, tuple(int(axis) for axis in np.reshape(axes, -1)), keep_dims)}
    return make


def layer_norm(x, gamma, beta, begin_norm_axis=0, epsilon=1e-7):
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(variance + epsilon)
    return {"y": (x - mean) * rstd * gamma + beta, "mean": mean, "variance": variance, "rstd": rstd}


def inplace_update(x, indices, v):
    y = x.copy()
    y[indices.reshape(-1)] = v.reshape(indices.size, *x.shape[1:])
    return {"y": y}


def scatter_sub(var, indices, updates):
    made = var.copy()
    np.subtract.at(made, indices, updates)
    return {"var": made}


def inplace_index_fill(x, indices, value, dim):
    made = x.copy()
    np.moveaxis(made, dim, 0)[indices] = value.reshape(-1)[0]
    return {"x": made}


def cosine_similarity(input_x1, input_x2, dim=1, eps=1e-8):
    lengths = [np.maximum(np.sqrt((x * x).sum(dim)), eps) for x in (input_x1, input_x2)]
    return {"output_y": (input_x1 * input_x2).sum(dim) / (lengths[0] * lengths[1])}


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    made = np.moveaxis(x, (batch_dim, seq_dim), (0, 1)).copy()
    for row, length in zip(made, seq_lengths):
        row[:length] = row[:length][::-1].copy()
    return {"y": np.moveaxis(made, (0, 1), (batch_dim, seq_dim))}


FUNCTIONS = {
    **foreach(),
    "reduce_log_sum": along_axes(lambda x, axes, keep: np.log(x.sum(axes, keepdims=keep))),
    "reduce_nansum": along_axes(lambda x, axes, keep: np.nansum(x, axes, keepdims=keep)),
    "euclidean_norm": along_axes(lambda x, axes, keep: np.sqrt((x * x).sum(axes, keepdims=keep))),
    "layer_norm": layer_norm, "layer_norm_v3": layer_norm, "scatter_sub": scatter_sub, "inplace_index_fill": inplace_index_fill,
    "inplace_update": inplace_update, "cosine_similarity": cosine_similarity,
    "reverse_sequence": reverse_sequence, "broadcast_to": lambda x, shape: {"y": np.broadcast_to(x, shape.reshape(-1))},
    "tile_with_axis": lambda x, tiles, axis=1: {"y": np.concatenate([x] * tiles, axis)},
    "slice_last_dim": lambda x, start, end, stride=1: {"y": x[..., start:end:stride]},
    "add_rms_norm_cast": add_rms_norm_cast, "add_rms_norm_dynamic_quant": add_rms_norm_dynamic_quant,
    "add_rms_norm_quant": add_rms_norm_quant, "rms_norm_dynamic_quant": rms_norm_dynamic_quant, "rms_norm_quant": rms_norm_quant,
    "ada_layer_norm": ada_layer_norm, "ada_layer_norm_v2": ada_layer_norm, "ada_layer_norm_quant": ada_layer_norm_quant,
    "inplace_add_layer_norm": inplace_add_layer_norm, "quantize_add_layer_norm": quantize_add_layer_norm,
    "dua_quantize_add_layer_norm": dua_quantize_add_layer_norm, "layer_norm_quant": layer_norm_quant,
    "layer_norm_grad_v3": layer_norm_grad_v3, "add_layer_norm_grad": add_layer_norm_grad, "group_norm_silu": group_norm_silu,
    "group_norm_swish": group_norm_swish, "batch_norm_v3": batch_norm_v3,
    "fake_quant_affine_cachemask": fake_quant_affine_cachemask, "group_quant": group_quant, "dequant_bias": dequant_bias,
    "situ_glu": situ_glu, "dequant_situ_quant": dequant_situ_quant, "swi_glu_quant": swi_glu_quant,
    "batch_mat_mul_v3": product, "gemm_v2": gemm,
    "moe_init_routing_v2": moe_init_routing_v2, "moe_init_routing_v3": moe_init_routing_v3,
    "moe_init_routing_v2_grad": moe_init_routing_v2_grad,
    "moe_finalize_routing_v2": moe_finalize_routing_v2, "moe_finalize_routing": moe_finalize_routing,
    "moe_token_permute": moe_token_permute, "moe_token_permute_grad": moe_token_permute_grad,
    "moe_token_unpermute": moe_token_unpermute, "moe_token_unpermute_grad": moe_token_unpermute_grad,
    "moe_gating_top_k_softmax_v2": moe_gating_top_k_softmax_v2,
    "apply_rotary_pos_emb": apply_rotary_pos_emb, "rope_with_sin_cos_cache": rope_with_sin_cos_cache,
    "circular_pad": circular_pad, "reflection_pad3d_grad": pad_gradient("reflect"), "pad_v4_grad": pad_gradient("reflect"),
    "pad_v3_grad_replicate": pad_gradient("edge"), "pad_v3_grad_replication": pad_gradient("edge"), "concat_dv2": concat,
    "stack_ball_query": stack_ball_query, "fill_diagonal_v2": fill_diagonal_v2, "scatter_nd_update_v2": scatter_nd_update_v2,
    "transpose_v2": lambda x, perm: {"y": np.transpose(x, perm)},
    "inplace_sub": changed_rows(np.subtract), "inplace_add": changed_rows(np.add), "matrix_diag": matrix_diag,
    "rotary_position_embedding_grad": rotary_position_embedding_grad, "quantized_batch_norm": quantized_batch_norm,
    "as_strided": as_strided,
    "angle_v2": lambda x: {"y": np.angle(x)}, "pows": lambda x1, x2: {"y": np.power(x1, x2)}, "mul_addn": add_all,
    "lin_space": lin_space,
    "amp_update_scale": amp_update_scale,
    "non_finite_check": non_finite_check,
    "cross_entropy_loss": cross_entropy_loss, "cross_v2": lambda x1, x2, dim=-1: {"y": np.cross(x1, x2, axis=dim)},
    "mse_loss_grad_v2": mse_loss_grad_v2, "logit_grad": logit_grad, "modulate": modulate, "modulate_grad": modulate_grad,
    "scaled_masked_softmax_grad_v2": scaled_masked_softmax_grad_v2,
    "masked_softmax_with_rel_pos_bias": masked_softmax_with_rel_pos_bias, "apply_adam_w_v2": apply_adam_w_v2,
}
