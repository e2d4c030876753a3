"""The few functions of TensorFlow 1 by which examples of asc-devkit make their data, on numpy: for machines
that lack the package."""
import types

import ml_dtypes
import numpy as np


class Node:
    """A value, computed from the values of placeholders."""

    def __init__(self, compute):
        self.compute = compute


def value(node, given):
    return node.compute(given) if isinstance(node, Node) else np.asarray(node)


def placeholder(_dtype, shape=None):
    del shape
    node = Node(None)
    node.compute = lambda given: np.asarray(given[node])
    return node


def matmul(a, b, transpose_a=False, transpose_b=False):
    def compute(given):
        left, right = value(a, given), value(b, given)
        return np.matmul(np.swapaxes(left, -1, -2) if transpose_a else left,
                         np.swapaxes(right, -1, -2) if transpose_b else right)
    return Node(compute)


def add(a, b):
    return Node(lambda given: value(a, given) + value(b, given))


class Session:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def run(self, node, feed_dict=None):
        return value(node, feed_dict or {})


bfloat16 = types.SimpleNamespace(as_numpy_dtype=ml_dtypes.bfloat16)
compat = types.SimpleNamespace(v1=types.SimpleNamespace(
    disable_eager_execution=lambda: None, placeholder=placeholder, Session=Session,
    global_variables_initializer=lambda: Node(lambda given: None)))
