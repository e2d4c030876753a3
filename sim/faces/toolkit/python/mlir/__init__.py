"""A stand-in for MLIR's Python bindings: it builds modules of the dialects `builtin`, `func`, `scf`,
`arith`, `memref` and `pto`, and prints them as `.pto` text. It optimises and verifies nothing: the
reader of that text does.

Where the real bindings are installed (a package `mlir` with `_mlir_libs`), they are used instead.
"""
import os
import sys


def _installed_bindings():
    here = os.path.dirname(os.path.abspath(__file__))
    for entry in sys.path:
        folder = os.path.join(os.path.abspath(entry or "."), "mlir")
        if folder != here and os.path.isdir(os.path.join(folder, "_mlir_libs")):
            return folder
    return None


_real = _installed_bindings()
if _real is not None:
    __path__ = [_real]
    if os.path.exists(os.path.join(_real, "__init__.py")):
        with open(os.path.join(_real, "__init__.py"), encoding="utf-8") as _file:
            exec(compile(_file.read(), _file.name, "exec"))  # as if it had been imported itself


def missing(module, name):
    """The error for a name that a module of the stand-in lacks."""
    return AttributeError(
        f"'{module}' of ptosim's toolkit has no '{name}': it has what builds and prints tile kernels. "
        "Install the bindings of MLIR and PTOAS: where a package 'mlir' with '_mlir_libs' is found, "
        "it is used instead")
