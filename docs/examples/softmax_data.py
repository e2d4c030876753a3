import sys
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


x = np.random.default_rng(1).standard_normal((128, 1024)).astype(np.float32)
exact = x.astype(np.float64)  # what results are compared with is computed in more digits
if sys.argv[1] == "make":
    x.tofile("x.bin")
    np.save("x.npy", x)
    np.save("y_expected.npy", softmax(exact).astype(np.float32))
else:
    y = np.fromfile("y.bin", np.float32)
    expected = softmax(exact).ravel() if sys.argv[1] == "softmax" else (exact / (1 + np.exp(-exact))).ravel()[:y.size]
    error = np.abs(y / expected - 1).max()
    print("equal within 1e-6" if error < 1e-6 else f"off by {error}")
