"""Operators from their folders: op_host with a definition and a tiling, op_kernel with kernels."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .call import Call


def op(folder: str, *, ascendc: Optional[str] = None, metadef: Optional[str] = None, opbase: Optional[str] = None,
       **options: Any) -> "Call":
    """The operator of a folder with op_host and op_kernel: op("norm/add_rms_norm")(x1, x2, gamma, epsilon=1e-6).

    `ascendc`, `metadef`, `opbase` are checkouts of asc-devkit, metadef and opbase (else PTOSIM_ASCENDC, PTOSIM_METADEF,
    PTOSIM_OPBASE, or folders next to the operator's repository). Further options: see simulate.
    """
    from .call import load
    return load(folder, {"ascendc": ascendc, "metadef": metadef, "opbase": opbase}, options)
