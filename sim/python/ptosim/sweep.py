"""Sweeps over chips, chip parameters, kernels and kernel parameters (`ptosim sweep`)."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import program
from .errors import misuse


@dataclass
class Sweep:
    """The points of a sweep: a row for each, by column."""

    rows: List[Dict[str, Any]]
    file: str  #: the results in SQLite, which another sweep() continues

    def frame(self) -> Any:
        """A pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows)

    def best(self, column: str = "cycles") -> Dict[str, Any]:
        """The row with the least value. Raises Error (I61) if there is none."""
        rows = [row for row in self.rows if isinstance(row.get(column), (int, float))]
        if not rows:
            raise misuse(f"no point has a number in the column '{column}'")
        return min(rows, key=lambda row: row[column])

    def __len__(self) -> int:
        return len(self.rows)


def _value(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def sweep(plan: Union[str, "os.PathLike[str]", Mapping[str, Any], None] = None, *,
          kernel: Any = None, arguments: Sequence[str] = (), chips: Sequence[str] = (),
          set: Optional[Mapping[str, Any]] = None, params: Optional[Mapping[str, Any]] = None,
          blocks: Any = None, run: Optional[Mapping[str, Any]] = None,
          changes: Sequence[Mapping[str, Any]] = (), search: Any = None,
          out: Optional[str] = None, jobs: Optional[int] = None) -> Sweep:
    """Runs a plan (docs/running.md): a file, a dictionary, or the kernel, chips, `set` and
    `params` of one, with `arguments` as `ptosim run` takes them. Each of `changes` of the chip is
    compared with it, alone and with all others; `search` is True, or the kernel's parameters with
    the values among which each point chooses. `out` keeps the results: runs
    that are there already are not repeated. Raises Error for a plan that cannot be used.
    
    >>> ptosim.sweep(kernel="gemm.pto", chips=["ascend910b1"], params={"TM": [64, 128]},
    ...              arguments=["zeros=512x512xf16", ...]).frame()
    """
    with tempfile.TemporaryDirectory(prefix="ptosim-") as folder:
        if plan is None:
            if kernel is None:
                raise misuse("sweep() needs a plan or a kernel")
            entry: Dict[str, Any] = {"file": os.path.abspath(os.fspath(kernel)),
                                     "arguments": list(arguments)}
            if params:
                entry["params"] = dict(params)
            if blocks is not None:
                entry["blocks"] = blocks
            if search:
                entry["search"] = search if search is True else dict(search)
            plan = {"chips": list(chips) or ["ascend910b1"], "kernels": [entry]}
            if set:
                plan["set"] = dict(set)
            if changes:
                plan["changes"] = [dict(change) for change in changes]
            if run:
                plan["run"] = dict(run)
        if isinstance(plan, Mapping):
            path = os.path.join(folder, "plan.json")
            Path(path).write_text(json.dumps(plan))
        else:
            path = os.fspath(plan)
        results = out or os.path.join(folder, "results.sweep")
        words = ["sweep", path, "--out", results]
        if jobs is not None:
            words += ["--jobs", str(jobs)]
        program.call(words, accept=(0, 1))
        table = os.path.join(folder, "points.csv")
        program.call(["sweep", "report", results, "--csv", table])
        with open(table, newline="") as file:
            rows = [{key: _value(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]
    return Sweep(rows, os.path.abspath(results) if out else "")
