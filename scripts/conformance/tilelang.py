"""Runs kernels of ours on the device library of a checkout of tile-ai/tilelang-ascend, the one that its PTO backend writes
calls of, and compares with numpy.

The kernels are in tilelang_kernels.cpp; src/tl_templates/pto/common.h of the checkout is compiled as it is, for a2a3 and for
a5. Meaning of the states: cpp.py. Cases: references/tilelang.py.
"""
from cpp import Kernels
from references.tilelang import CASES


class Library(Kernels):
    repository = "tile-ai/tilelang-ascend"
    cases, includes, mark = CASES, ["src"], "tilelang"
