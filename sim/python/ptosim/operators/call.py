"""ptosim.op: an operator that is called like a function."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from .. import arrays
from ..device import simulate
from ..errors import misuse
from ..result import Result
from .operator import NUMERICS, Operator, Plan, Tensor
from .types import BY_SHORT, stored


class Call:
    """An operator with the options of its runs. `plan` is the launch of the last call: key, blocks, source."""

    def __init__(self, operator: Operator, options: Dict[str, Any]):
        self.operator = operator
        self._options = {"numerics": os.environ.get("PTOSIM_NUMERICS", NUMERICS), **options}
        self.plan: Optional[Plan] = None

    def __call__(self, *inputs: Any, dtypes: Optional[Mapping[str, str]] = None,
                 shapes: Optional[Mapping[str, Sequence[int]]] = None, **attributes: Any) -> Result:
        """Runs the operator with its inputs in the order of its definition; None: an optional input that is left out;
        a list for a list of tensors. Attributes are given by name. Result.outputs are its outputs in order, inputs
        that it changes among them.
        `dtypes` names element types that the arrays do not have (bf16 in uint16); `shapes` gives the shapes of outputs that
        the operator does not infer. Raises Error with the operator's own message if its tiling refuses the inputs.
        """
        self.operator.require_one_rank()
        rows = self.operator.inputs
        if len(inputs) > len(rows):
            names = ", ".join(row["name"] for row in rows)
            raise misuse(f"{self.operator.name} takes {len(rows)} inputs ({names}), but received {len(inputs)}")
        given: Dict[str, Any] = {row["name"]: value for row, value in zip(rows, inputs) if value is not None}
        with tempfile.TemporaryDirectory(prefix="ptosim-op-") as folder:
            tensors = {name: [self._tensor(name, one, dtypes or {}, os.path.join(folder, f"{name}.{i}"))
                              for i, one in enumerate(value if isinstance(value, (list, tuple)) else [value])]
                       for name, value in given.items()}
            self.plan = plan = self.operator.plan(
                tensors, attributes, {name: [tuple(shape)] for name, shape in (shapes or {}).items()})
        words = []
        for argument in plan.arguments:
            if argument.role == "table":
                words.append(argument.words)
            elif argument.role == "out":
                words.append(arrays.out(argument.tensor.shape or (1,), stored(argument.tensor.dtype)))
            else:
                name, _, place = argument.name.partition("[")
                array = given[name][int(place[:-1])] if place else given[name]
                if argument.tensor.logical is not None:
                    array = argument.tensor.placed(arrays._numpy_view(array))
                words.append(arrays.inout(array) if argument.role == "inout" else array)
        workspace = np.zeros(plan.workspace, np.uint8)
        before = os.environ.get("PTOSIM_ASCENDC")
        os.environ["PTOSIM_ASCENDC"] = self.operator.tree.ascendc
        try:
            run = simulate(plan.source, blocks=plan.blocks, includes=plan.includes,
                           defines=dict((*define.split("=", 1), "")[:2] for define in plan.defines), **self._options)
            return run(*words, workspace, plan.tiling_bytes)
        finally:
            if before is None:
                del os.environ["PTOSIM_ASCENDC"]
            else:
                os.environ["PTOSIM_ASCENDC"] = before

    @staticmethod
    def _tensor(name: str, value: Any, dtypes: Mapping[str, str], file: str) -> Tensor:
        array = arrays._numpy_view(value)
        short = dtypes.get(name) or ("bool" if array.dtype == np.dtype(bool) else arrays.dtype_name(array.dtype))
        if short not in BY_SHORT:
            raise misuse(f"'{name}' has elements of type {short}, which operators do not have")
        np.ascontiguousarray(array).tofile(file)
        return Tensor(BY_SHORT[short].number, tuple(array.shape), file=file)


def load(folder: str, parts: Mapping[str, Optional[str]], options: Dict[str, Any]) -> Call:
    chip = options.get("chip", "")
    return Call(Operator(os.fspath(folder), chip if isinstance(chip, str) else "", **parts), options)
