"""Operators in NumPy, by the names of their folders: inputs, attributes, expected outputs, the largest error.

Each function follows the operator's documentation; sums are in float64.
"""
import dataclasses
import inspect
from typing import Any, Callable, Dict, Optional

import numpy as np

from references import operators_attention as attention, operators_elementwise
from references.operators_families import FUNCTIONS, erf, halves, layer, rms, softmax


@dataclasses.dataclass
class Model:
    inputs: Optional[Callable[[np.random.Generator], Dict[str, np.ndarray]]]  # None: from the operator's files
    outputs: Callable[..., Dict[str, np.ndarray]]  # of the inputs by name, and the attributes that it names
    attributes: Dict[str, Any] = dataclasses.field(default_factory=dict)
    rtol: float = 1e-4
    atol: float = 1e-5
    types: Dict[str, str] = dataclasses.field(default_factory=dict)  # that arrays do not have, and of outputs
    shapes: Dict[str, str] = dataclasses.field(default_factory=dict)  # of outputs that the operator does not infer

    def expected(self, values, attributes):
        """`values`: arrays, or lists of them, by name."""
        words = {**wide(values), **attributes}
        known = inspect.signature(self.outputs).parameters.values()
        if all(parameter.kind != parameter.VAR_KEYWORD for parameter in known):
            words = {name: value for name, value in words.items() if name in {parameter.name for parameter in known}}
        return self.outputs(**words)


def wide(value):
    """Arrays of floating-point numbers in float64."""
    if isinstance(value, dict):
        return {name: wide(one) for name, one in value.items()}
    if isinstance(value, list):
        return [wide(one) for one in value]
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def normal(*shapes, kind=np.float32, **named):
    """Inputs by name, of normally distributed values."""
    def make(rng):
        return {name: rng.standard_normal(shape).astype(kind) for name, shape in named.items()}
    return make


def rms_norm(x, gamma, epsilon=1e-6):
    y, rstd = rms(x, gamma, epsilon)
    return {"y": y, "rstd": rstd}


def gemma_rms_norm(x, gamma, epsilon=1e-6):
    y, rstd = rms(x, 1 + gamma, epsilon)
    return {"y": y, "rstd": rstd}


def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    y, rstd = rms(x1 + x2, gamma, epsilon)
    return {"y": y, "rstd": rstd, "x": x1 + x2}


def inplace_add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    y, rstd = rms(x1 + x2, gamma, epsilon)
    return {"x1": y, "rstd": rstd, "x2": x1 + x2}


def layer_norm_v4(x, normalized_shape, gamma, beta, epsilon=1e-5):
    y, mean, rstd = layer(x, gamma, beta, epsilon)
    return {"y": y, "mean": mean, "rstd": rstd}


def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5):
    y, mean, rstd = layer(x1 + x2, gamma, beta, epsilon)
    return {"y": y, "mean": mean, "rstd": rstd}


def deep_norm(x, gx, beta, gamma, alpha=0.3, epsilon=1e-6):
    y, mean, rstd = layer(x * alpha + gx, gamma, beta, epsilon)
    return {"mean": mean, "rstd": rstd, "y": y}


def swi_glu(x):
    a, b = halves(x)
    return {"y": a / (1 + np.exp(-a)) * b}


def glu(x):
    a, b = halves(x)
    return {"y": a / (1 + np.exp(-b))}


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def ge_glu_v2(x, approximate=1):
    a, b = halves(x)
    return {"y": a * gelu_tanh(b), "gelu": gelu_tanh(b)}


def gelu_mul(input, approximate="none"):
    a, b = halves(input)
    return {"output": 0.5 * a * (1 + erf(a / np.sqrt(2))) * b}


def squared_relu(input):
    return {"output": np.maximum(input, 0) ** 2}


def fatrelu_mul(input, threshold):
    a, b = halves(input)
    return {"output": np.where(a > threshold[0], a, 0) * b}


def heaviside(input, values):
    return {"output": np.where(input > 0, 1.0, np.where(input < 0, 0.0, values[0]))}


def moe_gating_top_k_softmax(x, k):
    p = softmax(x)
    chosen = np.argsort(-p, -1, kind="stable")[:, :k]
    rows = np.arange(x.shape[0])[:, None] + np.arange(k)[None, :] * x.shape[0]
    return {"y": np.take_along_axis(p, chosen, -1), "expert_idx": chosen, "row_idx": rows}


def moe_gating_top_k(x, k, norm_type=0, **_):
    p = 1 / (1 + np.exp(-x)) if norm_type == 1 else softmax(x)
    chosen = np.argsort(-p, -1, kind="stable")[:, :k]
    y = np.take_along_axis(p, chosen, -1)
    return {"y": y / (y.sum(-1, keepdims=True) + 1e-20) if norm_type == 1 else y, "expert_idx": chosen}


def rotary_position_embedding(x, cos, sin, mode=0):
    a, b = halves(x)
    return {"y": x * cos + np.concatenate((-b, a), -1) * sin}


def interleave_rope(x, cos, sin):
    paired = np.concatenate((x[..., ::2], x[..., 1::2]), -1)
    return rotary_position_embedding(paired, cos, sin)


def dynamic_quant(x):
    scale = np.abs(x).max(-1) / 127
    return {"scale": scale}


def ascend_quant_v2(x, scale, offset):
    return {"y": np.clip(np.rint(x.astype(np.float32) * scale.astype(np.float32) + offset.astype(np.float32)), -128, 127)}


def mse_loss_v2(input, target, reduction="mean"):
    return {"output": (input - target) ** 2}


def smooth_l1_loss(predict, label, sigma=1.0):
    d = np.abs(predict - label)
    return {"loss": np.where(d < sigma, 0.5 * d * d / sigma, d - 0.5 * sigma)}


def logit(input, eps=-1.0):
    return {"output": np.log(input / (1 - input))}


def gather_elements_v2(x, index, dim=0):
    return {"y": np.take_along_axis(x, index, dim)}


def moe_init_routing(x, row_idx, expert_idx, active_num):
    order = np.argsort(expert_idx.reshape(-1), kind="stable")
    rows = row_idx.reshape(-1)[order]
    inverse = np.empty_like(rows)
    inverse[rows] = np.arange(rows.size)
    return {"expanded_x": x[rows % x.shape[0]], "expanded_row_idx": inverse,
            "expanded_expert_idx": expert_idx.reshape(-1)[order]}


def mat_mul_v3(x1, x2, **_):
    return {"y": x1 @ x2}


def moe_compute_expert_tokens(sorted_experts, num_experts):
    return {"total_rows_before_expert": np.searchsorted(sorted_experts, np.arange(num_experts), side="right")}


def hard_swish_grad_v2(**values):
    grad, own = values["gradOutput"], values["self"]
    return {"out": grad * np.where(own < -3, 0, np.where(own > 3, 1, own / 3 + 0.5))}


def scaled_masked_softmax_v2(x, mask, scale=1.0):
    return {"y": softmax(np.where(mask, -10000.0, x * scale))}


def feeds_repeat(feeds, feeds_repeat_times, output_feeds_size):
    y = np.repeat(feeds, feeds_repeat_times, 0)
    return {"y": np.concatenate((y, np.zeros((output_feeds_size - len(y), *feeds.shape[1:]))))}


def routing_inputs(rng):
    return {"x": rng.standard_normal((32, 64)).astype(np.float32),
            "row_idx": np.arange(64, dtype=np.int32).reshape(2, 32).T.copy(),
            "expert_idx": rng.integers(0, 8, (32, 2)).astype(np.int32)}


def special(rng):
    x = rng.standard_normal((16, 512)).astype(np.float32)
    x[::3, ::5], x[1::3, ::7], x[2::3, ::4] = np.inf, np.nan, -np.inf
    return {"x": x}


WIDE = {"x": (32, 1024), "gamma": (1024,)}
HALF = {"rtol": 2e-3, "atol": 2e-3}
MODELS = {
    "rms_norm": Model(normal(**WIDE), rms_norm),
    "gemma_rms_norm": Model(normal(**WIDE), gemma_rms_norm),
    "add_rms_norm": Model(normal(x1=(32, 1024), x2=(32, 1024), gamma=(1024,)), add_rms_norm),
    "add_rms_norm_bias": Model(normal(x1=(32, 1024), x2=(32, 1024), gamma=(1024,)), add_rms_norm),
    "inplace_add_rms_norm": Model(normal(x1=(32, 1024), x2=(32, 1024), gamma=(1024,)), inplace_add_rms_norm),
    "layer_norm_v4": Model(lambda rng: {**normal(x=(32, 512))(rng), "normalized_shape": np.array([512], np.int32),
                                        **normal(gamma=(512,), beta=(512,))(rng)}, layer_norm_v4),
    "add_layer_norm": Model(normal(x1=(32, 512), x2=(32, 512), gamma=(512,), beta=(512,)), add_layer_norm),
    "deep_norm": Model(normal(x=(32, 512), gx=(32, 512), beta=(512,), gamma=(512,)), deep_norm),
    "swi_glu": Model(normal(x=(32, 1024)), swi_glu),
    "glu": Model(normal(x=(32, 1024)), glu),
    "ge_glu_v2": Model(normal(x=(32, 1024)), ge_glu_v2),
    "gelu_mul": Model(normal(input=(32, 1024)), gelu_mul),
    "squared_relu": Model(normal(input=(32, 1024)), squared_relu),
    "fatrelu_mul": Model(lambda rng: {**normal(input=(32, 1024))(rng), "threshold": np.array([0.25], np.float32)},
                         fatrelu_mul),
    "heaviside": Model(lambda rng: {**normal(input=(32, 1024))(rng), "values": np.array([0.5], np.float32)}, heaviside),
    "is_finite": Model(special, lambda x: {"y": np.isfinite(x).astype(np.uint8)}),
    "is_inf": Model(special, lambda x: {"y": np.isinf(x).astype(np.uint8)}),
    "moe_gating_top_k_softmax": Model(normal(x=(64, 64)), moe_gating_top_k_softmax, {"k": 4}),
    "moe_gating_top_k": Model(normal(x=(32, 256)), moe_gating_top_k, {"k": 8, "norm_type": 1, "renorm": 0}),
    "moe_init_routing": Model(routing_inputs, moe_init_routing, {"active_num": 64}),
    "moe_compute_expert_tokens": Model(lambda rng: {"sorted_experts": np.sort(rng.integers(0, 16, 256)).astype(np.int32)},
                                       moe_compute_expert_tokens, {"num_experts": 16}),
    "rotary_position_embedding": Model(normal(x=(2, 8, 4, 128), cos=(1, 8, 1, 128), sin=(1, 8, 1, 128)),
                                       rotary_position_embedding),
    "interleave_rope": Model(normal(x=(4, 16, 8, 64), cos=(4, 1, 8, 64), sin=(4, 1, 8, 64), kind=np.float16), interleave_rope,
                             rtol=4e-3, atol=8e-3),
    "dynamic_quant": Model(normal(x=(32, 512), kind=np.float16), dynamic_quant, rtol=1e-3),
    "ascend_quant_v2": Model(normal(x=(32, 512), scale=(512,), offset=(512,)), ascend_quant_v2, atol=1),
    "mse_loss_v2": Model(normal(input=(32, 512), target=(32, 512)), mse_loss_v2, {"reduction": "none"}),
    "smooth_l1_loss": Model(normal(predict=(32, 512), label=(32, 512)), smooth_l1_loss),
    "logit": Model(lambda rng: {"input": rng.uniform(0.05, 0.95, (32, 512)).astype(np.float32)}, logit, rtol=1e-3),
    "hard_swish_grad_v2": Model(normal(gradOutput=(32, 512), self=(32, 512)), hard_swish_grad_v2),
    "gather_elements_v2": Model(lambda rng: {**normal(x=(64, 32))(rng),
                                             "index": rng.integers(0, 64, (48, 32)).astype(np.int32)}, gather_elements_v2,
                                {"dim": 0}, shapes={"y": "48x32"}),
    "feeds_repeat": Model(lambda rng: {**normal(feeds=(4, 48, 7))(rng), "feeds_repeat_times": np.array([3, 0, 4, 2], np.int32)},
                          feeds_repeat, {"output_feeds_size": 12}),
    "mat_mul_v3": Model(normal(x1=(128, 256), x2=(256, 128), kind=np.float16), mat_mul_v3, rtol=4e-3, atol=2e-2),
    "scaled_masked_softmax_v2": Model(lambda rng: {**normal(x=(2, 4, 32, 128))(rng),
                                                   "mask": rng.random((2, 4, 32, 128)) < 0.3}, scaled_masked_softmax_v2,
                                      {"scale": 0.5}),
}
HEADS = {"num_heads": 1, "scale_value": 0.088388}
MODELS.update({
    "incre_flash_attention": Model(attention.attention_inputs(1, 128, True), attention.attention, HEADS, **HALF),
    "prompt_flash_attention": Model(attention.attention_inputs(128, 128, False), attention.attention, HEADS, **HALF),
    "grouped_matmul": Model(attention.grouped_matmul_inputs, attention.grouped_matmul, rtol=4e-3, atol=2e-2,
                            shapes={"y": "32x128;48x128"}),
    "grouped_matmul_add": Model(attention.grouped_matmul_add_inputs, attention.grouped_matmul_add, rtol=2e-3, atol=2e-3),
    "quant_batch_matmul_v3": Model(attention.quant_batch_matmul_inputs, attention.quant_batch_matmul, {"dtype": 1}, rtol=2e-3, atol=2e-3,
                                   types={"y": "f16"}),
    "scatter_elements_v2": Model(attention.scatter_elements_inputs, attention.scatter_elements),
    "cast": Model(normal(x=(32, 256)), lambda x: {"y": x}, {"dst_type": 1}, rtol=1e-3, atol=1e-6),
    "lightning_indexer": Model(attention.lightning_indexer_inputs, attention.lightning_indexer),
    "mla_prolog": Model(attention.mla_prolog_inputs, attention.mla_prolog, {"cache_mode": "PA_BSND"}, rtol=2e-2, atol=3e-2,
                        types=attention.MLA_TYPES),
    "scatter": Model(attention.scatter_inputs, attention.scatter, {"reduce": "update", "axis": -2}),
    "top_k_v2": Model(lambda rng: {"x": rng.permutation(8 * 512).reshape(8, 512).astype(np.float32), "k": np.array([16], np.int32)},
                      attention.top_k),
    "gather_v2": Model(lambda rng: {**normal(x=(64, 32))(rng), "indices": rng.integers(0, 64, 48).astype(np.int32),
                                    "axis": np.array([0], np.int64)},
                       lambda x, indices, axis: {"y": np.take(x, indices, int(axis[0]))}),
    "swi_glu_quant": Model(attention.grouped_rows, FUNCTIONS["swi_glu_quant"], {"quant_mode": "dynamic"}, rtol=1e-3, atol=1),
    "moe_init_routing_v3": Model(attention.routing_inputs, FUNCTIONS["moe_init_routing_v3"],
                                 {"active_num": 64, "expert_capacity": 8, "expert_num": 8, "expert_tokens_num_type": 1,
                                  "expert_tokens_num_flag": "true", "active_expert_range": "0,8", "row_idx_type": 1}),
    "moe_init_routing_v2": Model(attention.routing_inputs, FUNCTIONS["moe_init_routing_v2"], {"expert_num": 8}),
})
MODELS.update({name: Model(None, function) for name, function in
               {**operators_elementwise.FUNCTIONS, **FUNCTIONS}.items() if name not in MODELS})
