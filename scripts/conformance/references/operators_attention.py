"""Attention, products of groups and other operators whose own files state no inputs that suit them: inputs and expected
outputs in NumPy, by the documents of the operators."""
import numpy as np

from references.operators_families import softmax


def heads(x, count):
    batch, rows, width = x.shape
    return x.reshape(batch, rows, count, width // count).transpose(0, 2, 1, 3)


def attention(query, key, value, num_heads=1, scale_value=1.0):
    """Without a mask, for tensors of batch, rows, heads times width."""
    q, k, v = (heads(one[0] if isinstance(one, list) else one, num_heads) for one in (query, key, value))
    y = softmax(q @ k.transpose(0, 1, 3, 2) * scale_value) @ v
    return {"attention_out": y.transpose(0, 2, 1, 3).reshape(query.shape)}


def attention_inputs(rows, keys, listed):
    def make(rng):
        made = {name: rng.standard_normal((2, count, 128)).astype(np.float16)
                for name, count in (("query", rows), ("key", keys), ("value", keys))}
        return {name: [array] if listed and name != "query" else array for name, array in made.items()}
    return make


def grouped_matmul(x, weight):
    return {"y": [one @ of for one, of in zip(x, weight)]}


def grouped_matmul_inputs(rng):
    return {"x": [rng.standard_normal((rows, 64)).astype(np.float16) for rows in (32, 48)],
            "weight": [rng.standard_normal((64, 128)).astype(np.float16) for _ in range(2)]}


def quant_batch_matmul(x1, x2, scale):
    return {"y": (x1.astype(np.int64) @ x2.astype(np.int64)) * np.asarray(scale, np.uint64).astype(np.uint32).view(np.float32)}


def quant_batch_matmul_inputs(rng):
    """Scales are bits of f32 in 64 bits."""
    return {"x1": rng.integers(-16, 16, (64, 128)).astype(np.int8), "x2": rng.integers(-16, 16, (128, 64)).astype(np.int8),
            "scale": rng.uniform(0.01, 0.02, 64).astype(np.float32).view(np.uint32).astype(np.uint64)}


def scatter_elements(var, indices, updates, axis=0):
    y = var.copy()
    np.put_along_axis(y, indices, updates, axis)
    return {"var": y}


def scatter_elements_inputs(rng):
    return {"var": rng.standard_normal((32, 16)).astype(np.float32),
            "indices": np.stack([rng.permutation(32)[:8] for _ in range(16)], 1).astype(np.int64),
            "updates": rng.standard_normal((8, 16)).astype(np.float32)}


def lightning_indexer(**_):
    raise NotImplementedError("the order of equal scores")


def lightning_indexer_inputs(rng):
    return {"query": rng.standard_normal((1, 4, 64, 128)).astype(np.float16), "key": rng.standard_normal((1, 256, 1, 128)).astype(np.float16),
            "weights": rng.standard_normal((1, 4, 64)).astype(np.float16)}


def routing_inputs(rng):
    return {"x": rng.standard_normal((32, 64)).astype(np.float32), "expert_idx": rng.integers(0, 8, (32, 2)).astype(np.int32)}
