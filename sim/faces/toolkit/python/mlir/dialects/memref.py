"""Buffers of general MLIR, of which tile kernels have the type only (`ir.MemRefType`)."""
from .. import missing


def __getattr__(name):
    raise missing(__name__, name)
