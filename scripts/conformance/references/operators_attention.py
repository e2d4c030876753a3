"""Attention, products of groups and other operators whose own files state no inputs that suit them: inputs and expected
outputs in NumPy, by the documents of the operators."""
import numpy as np

from references.operators_families import rms, softmax


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


def grouped_matmul_add(x, weight, group_list, y):
    """Groups of the common axis, each added to its rows of y."""
    parts = [x[begin:end].T @ weight[begin:end] for begin, end in zip((0, *group_list), group_list)]
    return {"y": y + np.concatenate(parts)}


def grouped_matmul_add_inputs(rng):
    return {"x": rng.standard_normal((96, 32)).astype(np.float16), "weight": rng.standard_normal((96, 64)).astype(np.float16),
            "group_list": np.array([32, 96], np.int64), "y": rng.standard_normal((64, 64)).astype(np.float32)}


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


def index_scores(query, key, weights):
    """Scores of batch, query and key: weighted sums over the heads of products without those below 0."""
    products = np.maximum(np.einsum("bqgd,bkd->bqgk", query, key[:, :, 0]), 0)
    return np.einsum("bqg,bqgk->bqk", weights, products)


def lightning_indexer(query, key, weights, sparse_count=2048, sparse_mode=3):
    """Positions of the highest scores, from the highest on, then -1. A query sees the keys up to its own (mode 3)."""
    scores = index_scores(query, key, weights)
    batch, queries, keys = scores.shape
    indices = np.full((batch, queries, 1, sparse_count), -1)
    for b in range(batch):
        for q in range(queries):
            seen = keys - queries + q + 1 if sparse_mode == 3 else keys
            order = np.argsort(-scores[b, q, :seen], kind="stable")[:sparse_count]
            indices[b, q, 0, :len(order)] = order
    return {"sparse_indices": indices}


def lightning_indexer_inputs(rng):
    """Small integers, whose scores are exact, until no two keys of a query have one score."""
    while True:
        query = np.zeros((1, 4, 64, 128))
        key = np.zeros((1, 256, 1, 128))
        query[..., 0] = 1
        key[0, :, 0, 0] = 4 * (rng.permutation(256) + 1)
        query[..., 1:4] = rng.integers(-1, 2, query[..., 1:4].shape)
        key[..., 1:4] = rng.integers(-1, 2, key[..., 1:4].shape)
        weights = rng.integers(1, 3, (1, 4, 64)).astype(np.float64)
        if all(len(np.unique(row)) == 256 for row in index_scores(query, key, weights)[0]):
            return {name: array.astype(np.float16) for name, array in
                    (("query", query), ("key", key), ("weights", weights))}


def rope_of_pairs(x, cos, sin):
    x = np.concatenate((x[..., ::2], x[..., 1::2]), -1)
    a, b = np.split(x, 2, -1)
    return x * cos + np.concatenate((-b, a), -1) * sin


def mla_prolog(token_x, weight_dq, weight_uq_qr, weight_uk, weight_dkv_kr, rmsnorm_gamma_cq, rmsnorm_gamma_ckv, rope_sin, rope_cos,
               cache_index, kv_cache, kr_cache, rmsnorm_epsilon_cq=1e-5, rmsnorm_epsilon_ckv=1e-5):
    """Caches in pages, whose rows the index numbers."""
    heads, width, latent = weight_uk.shape
    x = token_x.reshape(-1, token_x.shape[-1])
    sin, cos = (one.reshape(len(x), -1) for one in (rope_sin, rope_cos))
    q = (rms(x @ weight_dq, rmsnorm_gamma_cq, rmsnorm_epsilon_cq)[0] @ weight_uq_qr).reshape(len(x), heads, -1)
    key = x @ weight_dkv_kr
    rows = cache_index.reshape(-1)
    kv, kr = (cache.reshape(-1, cache.shape[-1]).copy() for cache in (kv_cache, kr_cache))
    kv[rows] = rms(key[:, :latent], rmsnorm_gamma_ckv, rmsnorm_epsilon_ckv)[0]
    kr[rows] = rope_of_pairs(key[:, latent:], cos, sin)
    return {"query": np.einsum("tnd,ndc->tnc", q[..., :width], weight_uk), "kv_cache": kv, "kr_cache": kr,
            "query_rope": rope_of_pairs(q[..., width:], cos[:, None], sin[:, None])}


def mla_prolog_inputs(rng):
    """bf16, two tokens, eight heads."""
    def bf16(*shape, scale=1.0):
        bits = (rng.standard_normal(shape) * scale).astype(np.float32).view(np.uint32)
        return ((bits + 0x8000) >> 16).astype(np.uint16)
    angle = rng.uniform(0, 6, (2, 1, 64)).astype(np.float32)
    waves = {name: ((wave(angle).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)
             for name, wave in (("rope_sin", np.sin), ("rope_cos", np.cos))}
    return {"token_x": bf16(2, 1, 7168), "weight_dq": bf16(7168, 1536, scale=7168 ** -0.5),
            "weight_uq_qr": bf16(1536, 8 * 192, scale=1536 ** -0.5), "weight_uk": bf16(8, 128, 512, scale=128 ** -0.5),
            "weight_dkv_kr": bf16(7168, 576, scale=7168 ** -0.5), "rmsnorm_gamma_cq": bf16(1536), "rmsnorm_gamma_ckv": bf16(512),
            **waves, "cache_index": np.array([[5], [130]], np.int64), "kv_cache": bf16(2, 128, 1, 512),
            "kr_cache": bf16(2, 128, 1, 64)}


MLA_TYPES = dict.fromkeys(("token_x", "weight_dq", "weight_uq_qr", "weight_uk", "weight_dkv_kr", "rmsnorm_gamma_cq",
                           "rmsnorm_gamma_ckv", "rope_sin", "rope_cos", "kv_cache", "kr_cache"), "bf16")


def scatter(var, indices, updates, axis):
    """Each batch has its position along the axis."""
    y = var.copy()
    for at, begin in enumerate(indices):
        to = [slice(None)] * (var.ndim - 1)
        to[axis % var.ndim - 1] = slice(begin, begin + updates.shape[axis])
        y[(at, *to)] = updates[at]
    return {"var": y}


def scatter_inputs(rng):
    return {"var": rng.standard_normal((4, 2, 16, 32)).astype(np.float32), "indices": np.array([5, 0, 14, 9], np.int32),
            "updates": rng.standard_normal((4, 2, 2, 32)).astype(np.float32)}


def top_k(x, k):
    order = np.argsort(-x, -1, kind="stable")[..., :int(np.reshape(k, -1)[0])]
    return {"values": np.take_along_axis(x, order, -1), "indices": order}


def grouped_rows(rng):
    return {"x": rng.standard_normal((64, 256)).astype(np.float16), "smooth_scales": rng.uniform(0.5, 2, (4, 128)).astype(np.float32),
            "group_index": np.array([10, 24, 40, 64], np.int32)}


def routing_inputs(rng):
    return {"x": rng.standard_normal((32, 64)).astype(np.float32), "expert_idx": rng.integers(0, 8, (32, 2)).astype(np.int32)}
