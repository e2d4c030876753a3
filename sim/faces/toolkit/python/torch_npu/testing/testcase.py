"""unittest's TestCase, and the comparison that tests of operators on the device use."""
import unittest

import torch


def _on_cpu(values):
    return values.detach().cpu() if isinstance(values, torch.Tensor) else torch.as_tensor(values)


class TestCase(unittest.TestCase):
    def assertRtolEqual(self, x, y, prec=1e-4, prec16=1e-3, message=None):
        """Every element of `x` and `y` differs by no more than `prec` (of 16-bit floats: `prec16`), either
        absolutely or as a part of the larger one."""
        x, y = _on_cpu(x), _on_cpu(y)
        self.assertEqual(x.shape, y.shape, message)
        self.assertEqual(x.dtype, y.dtype, message)
        bound = prec16 if x.dtype in (torch.float16, torch.bfloat16) else prec
        first, second = x.double(), y.double()
        difference = (first - second).abs()
        same = (first == second) | (first.isnan() & second.isnan())
        allowed = bound * torch.maximum(first.abs(), second.abs()).clamp(min=1)
        close = same | (difference.isfinite() & (difference <= allowed))
        if not bool(close.all()):
            self.fail(message or f"{int((~close).sum())} of {close.numel()} elements differ by more than {bound:g}; "
                                 f"the largest difference is {difference[~close].max().item():g}")


def run_tests():
    unittest.main(module="__main__")
