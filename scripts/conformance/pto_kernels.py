"""Runs the C++ kernels of a checkout of huawei-csl/pto-kernels, unmodified, and compares their results with numpy.

Every case is a kernel function with inputs of ours (numpy's default generator, seeded by the case's name) and the mathematics
of its name as expected result, in double precision. Inputs are small whole numbers where the result is then exact: such cases
are compared bit for bit. The rest have a tolerance of the kernel's output type. With --check all checkers are on. Meaning of
the states: cpp.py. Cases: references/pto_kernels.py.
"""
from cpp import Kernels
from references.pto_kernels import CASES, CSRC


class Checkout(Kernels):
    repository = "huawei-csl/pto-kernels"
    cases, includes = CASES, [CSRC]
