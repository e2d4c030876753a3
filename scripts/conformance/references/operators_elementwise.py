"""Operators that compute each element on its own, in NumPy, by the names of their folders.

Each function follows the operator's documentation. Arguments have the names of the definition.
"""
import numpy as np

from references.operators_families import erf, sigmoid


def of_x(function):
    return lambda x: {"y": function(x)}


def of_pair(function):
    return lambda x1, x2: {"y": function(x1, x2)}


def bessel(order):
    """The modified Bessel function of an order by its integral, which a sum over equal angles gives exactly, times exp(-|x|)."""
    def make(x):
        angles = (np.arange(512) + 0.5) * np.pi / 512
        return np.mean(np.exp(x[..., None] * np.cos(angles) - np.abs(x)[..., None]) * np.cos(order * angles), -1)
    return make


def inverse_erf(x):
    y = np.zeros_like(x)
    for _ in range(60):  # of Newton's method
        y = y - (erf(y) - x) * np.sqrt(np.pi) / 2 * np.exp(np.minimum(y * y, 50))
    return np.where(np.abs(x) < 1, y, np.sign(x) * np.inf)


def softplus(x, beta=1.0, threshold=20.0):
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


def guarded(function):
    """0 where the first argument is."""
    return lambda a, b: np.where(a == 0, 0, a * function(np.where(a == 0, 1, b)))


def reduced(values, reduction):
    return values if reduction == "none" else np.reshape(values.mean() if reduction == "mean" else values.sum(), -1)


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(x):
    return SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0)))


def log_add_exp(x1, x2, base=-1.0, scale=1.0, shift=0.0):
    if base > 0:
        raise NotImplementedError("base")
    return {"y": np.logaddexp(x1 * scale + shift, x2 * scale + shift)}


def cross_entropy_of_logits(predict, target):
    return np.maximum(predict, 0) - predict * target + np.log1p(np.exp(-np.abs(predict)))


def cross_entropy_v2(predict, target, weight=None, pos_weight=None, reduction="mean"):
    loss = (1 - target) * predict + (1 if pos_weight is None else 1 + (pos_weight - 1) * target) * softplus(-predict, threshold=np.inf)
    return {"loss": reduced(loss if weight is None else loss * weight, reduction)}


def fake_quant(x, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    least, most = (1 if narrow_range else 0), 2 ** num_bits - 1
    scale = (max - min) / (most - least)
    zero = np.clip(np.floor(least - min / scale + 0.5), least, most)
    low, high = (least - zero) * scale, (most - zero) * scale
    return {"y": np.floor((np.clip(x, low, high) - low) / scale + 0.5) * scale + low}


def first(array):
    return array.reshape(-1)[0]


def momentum(var, accum, lr, grad, momentum, use_nesterov=False):
    accum = accum * first(momentum) + grad
    step = grad + accum * first(momentum) if use_nesterov else accum
    return {"var": var - first(lr) * step}


def adagrad(var, accum, lr, grad, update_slots=True):
    accum = accum + grad * grad if update_slots else accum
    return {"var": var - first(lr) * grad / np.sqrt(accum)}


def adadelta(var, accum, accum_update, lr, rho, epsilon, grad):
    accum = first(rho) * accum + (1 - first(rho)) * grad * grad
    return {"var": var - first(lr) * grad * np.sqrt(accum_update + first(epsilon)) / np.sqrt(accum + first(epsilon))}


def adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_nesterov=False):
    one, two = first(beta1), first(beta2)
    rate = first(lr) * np.sqrt(1 - first(beta2_power)) / (1 - first(beta1_power))
    m, v = one * m + (1 - one) * grad, two * v + (1 - two) * grad * grad
    return {"var": var - rate * (one * m + (1 - one) * grad if use_nesterov else m) / (np.sqrt(v) + first(epsilon))}


def rms_prop(var, ms, mom, lr, rho, momentum, epsilon, grad):
    ms = first(rho) * ms + (1 - first(rho)) * grad * grad
    return {"var": var - (first(momentum) * mom + first(lr) * grad / np.sqrt(ms + first(epsilon)))}


def glu_grad(**values):
    (a, b), out = np.split(values["self"], 2, values.get("dim", -1)), values["grad_out"]
    gate = sigmoid(b)
    return {"out": np.concatenate((out * gate, out * a * gate * (1 - gate)), values.get("dim", -1))}


def by_scipy(name, part=None):
    """A special function; the first or second part of its result."""
    def make(x):
        from scipy import special
        made = getattr(special, name)(x)
        return made if part is None else made[part]
    return make


def keras_momentum(var, accum, lr, grad, momentum, use_nesterov=False):
    accum = accum * first(momentum) - first(lr) * grad
    return {"var": var + (accum * first(momentum) - first(lr) * grad if use_nesterov else accum)}


UNARY = {"acosh": np.arccosh, "asinh": np.arcsinh, "cosh": np.cosh, "sinh": np.sinh, "tan": np.tan, "rint": np.rint,
         "reciprocal": lambda x: 1 / x, "inv": lambda x: 1 / x, "signbit": np.signbit, "bessel_i0e": bessel(0),
         "bessel_i1e": bessel(1), "erfinv": inverse_erf, "complex_abs": np.abs,
         "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6, "softsign": lambda x: x / (1 + np.abs(x)),
         "relu6": lambda x: np.clip(x, 0, 6), "selu": selu, "dawsn": by_scipy("dawsn"), "expint": by_scipy("expi"),
         "fresnel_sin": by_scipy("fresnel", 0), "fresnel_cos": by_scipy("fresnel", 1), "ndtri": by_scipy("ndtri"),
         "spence": by_scipy("spence")}
BINARY = {"add": np.add, "mul": np.multiply, "floor_div": np.floor_divide, "equal": np.equal, "less": np.less,
          "less_equal": np.less_equal, "atan2": np.arctan2, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
          "bitwise_xor": np.bitwise_xor, "xdivy": guarded(lambda b: 1 / b), "xlogy": guarded(np.log), "mod": np.fmod,
          "ger": np.outer}
FUNCTIONS = {
    **{name: of_x(function) for name, function in UNARY.items()},
    **{name: of_pair(function) for name, function in BINARY.items()},
    "xlog1py": lambda x, y: {"z": guarded(np.log1p)(x, y)}, "log_add_exp": log_add_exp,
    "complex": lambda real, imag: {"out": real + 1j * imag}, "assign": lambda value: {"ref": value},
    "apply_keras_momentum": keras_momentum, "inplace_apply_momentum": momentum,
    "celu": lambda x, alpha1=1.0, alpha2=1.0, alpha3=1.0: {
        "y": np.where(x >= 0, alpha3 * x, alpha1 * np.expm1(np.minimum(x, 0) / alpha2))},
    "real": lambda input: {"output": np.real(input)}, "polar": lambda abs, angle: {"y": abs * np.exp(1j * angle)},
    "approximate_equal": lambda x1, x2, tolerance=1e-5: {"y": np.abs(x1 - x2) < tolerance},
    "celu_v2": lambda x, alpha=1.0: {"y": np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha))},
    "hard_shrink": lambda lambd=0.5, **v: {"out": np.where(np.abs(v["self"]) <= lambd, 0, v["self"])},
    "hard_sigmoid": lambda input_x, alpha=1 / 6, beta=0.5: {"output_y": np.clip(input_x * alpha + beta, 0, 1)},
    "softplus_v2": lambda x, beta=1.0, threshold=20.0: {"y": softplus(x, beta, threshold)},
    "threshold": lambda x, threshold=0.0: {"y": (x > threshold).astype(np.float64)},
    "relu6_d": lambda x, scale=1.0: {"y": np.clip(x, 0, 6 * scale)},
    "shrink": lambda input_x, lambd=0.5, bias=0.0: {
        "output_y": np.where(input_x < -lambd, input_x + bias, np.where(input_x > lambd, input_x - bias, 0))},
    "softshrink": lambda x, lambd=0.5: {"y": np.sign(x) * np.maximum(np.abs(x) - lambd, 0)},
    "abs_grad": lambda y, dy: {"z": np.sign(y) * dy}, "acos_grad": lambda y, dy: {"z": -dy / np.sqrt(1 - y * y)},
    "inv_grad": lambda x, grad: {"y": -grad * x * x},
    "hard_shrink_grad": lambda gradients, features, lambd=0.5: {"backprops": np.where(np.abs(features) <= lambd, 0, gradients)},
    "hard_sigmoid_grad": lambda grads, input_x, alpha=1 / 6, beta=0.5: {
        "y": np.where((input_x * alpha + beta > 0) & (input_x * alpha + beta < 1), grads * alpha, 0)},
    "hard_swish_grad": lambda **v: {"grad_input": v["grad_output"] * np.where(
        v["self"] <= -3, 0, np.where(v["self"] >= 3, 1, v["self"] / 3 + 0.5))},
    "selu_grad": lambda gradients, outputs: {
        "y": gradients * np.where(outputs > 0, SELU_SCALE, outputs + SELU_SCALE * SELU_ALPHA)},
    "soft_shrink_grad": lambda input_grad, input_x, lambd=0.5: {"output_y": np.where(np.abs(input_x) > lambd, input_grad, 0)},
    "softplus_v2_grad": lambda input_gradients, input_features, beta=1.0, threshold=20.0: {
        "output_backprops": np.where(input_features * beta > threshold, input_gradients,
                                     input_gradients * sigmoid(beta * input_features))},
    "logsigmoid_grad": lambda grads, features: {"backprops": grads * sigmoid(-features)}, "glu_grad": glu_grad,
    "sigmoid_cross_entropy_with_logits": lambda predict, target: {"loss": cross_entropy_of_logits(predict, target)},
    "sigmoid_cross_entropy_with_logits_grad": lambda predict, target, dout: {"gradient": (sigmoid(predict) - target) * dout},
    "sigmoid_cross_entropy_with_logits_v2": cross_entropy_v2,
    "soft_margin_loss": lambda target, reduction="mean", **v: {"loss": reduced(np.log1p(np.exp(-target * v["self"])), reduction)},
    "fake_quant_with_min_max_args": fake_quant,
    "apply_gradient_descent": lambda var, alpha, delta: {"var": var - first(alpha) * delta}, "apply_momentum": momentum,
    "apply_adagrad": adagrad, "apply_adadelta": adadelta, "apply_adam": adam, "apply_rms_prop": rms_prop,
    "accumulate_nv2": lambda x: {"y": sum(x)}, "addr": lambda x1, x2, x3, beta, alpha: {
        "y": first(beta) * x1 + first(alpha) * np.outer(x2, x3)},
    "cross": lambda x1, x2, dim=-1: {"y": np.cross(x1, x2, axis=dim)},
    "confusion_softmax_grad": lambda grad, x: {"y": grad - (grad * x).sum(-1, keepdims=True)},
    "mse_loss_grad": lambda predict, label, dout, reduction="mean": {
        "y": 2 * (predict - label) * dout / (predict.size if reduction == "mean" else 1)},
}
