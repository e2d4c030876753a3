"""Runs one case of a request of `ptosim serve` in a separate device, and holds its results."""
from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .cases import Case, finite
from .compare import Comparison, compare
from .device import Options, Simulation, _Arguments, _uses
from .errors import DeviceLost, Error, misuse
from .files import Files
from .kernels import Kernel
from .result import Result, result_of

RUN_KEYS = ("chip", "set", "mode", "numerics", "sync", "check", "schedules", "seed", "memory")


@dataclass
class Limits:
    """Limits of one run of a kernel, and of its compilation."""

    seconds: float = 10.0  #: of this host, a run
    compile_seconds: float = 60.0
    request_seconds: float = 300.0  #: a request with all its runs
    memory_mib: int = 2048  #: beyond what an idle device has
    cpu_seconds: int = 60
    file_mib: int = 256
    open_files: int = 64
    sandbox: bool = True  #: of compiled kernels

    def options(self, request: Mapping[str, Any], files: Files) -> Options:
        """Options for the kernel of this request. A request may lower its time, and nothing else."""
        chosen = {key: request[key] for key in RUN_KEYS if request.get(key) is not None}
        if "chip" in chosen:
            chosen["chip"] = files.chip(chosen["chip"])
        chosen.setdefault("check", "all")
        seconds = finite(request.get("timeout", self.seconds), "timeout", 0.001)
        return Options(timeout=min(self.seconds, seconds),
                       memory_mib=self.memory_mib, threads=1, scope=True,
                       limits={"cpu_seconds": self.cpu_seconds, "file_mib": self.file_mib,
                               "open_files": self.open_files}, **chosen)


@dataclass
class Run:
    """Outcome of one case."""

    case: Case
    result: Optional[Result] = None
    comparisons: List[Tuple[int, Comparison]] = field(default_factory=list)
    error: Optional[Error] = None
    refusals: List[str] = field(default_factory=list)
    did: List[str] = field(default_factory=list)
    written: int = 0  #: bytes of its outputs
    digest: str = ""  #: of the outputs that were written

    @property
    def right(self) -> Optional[bool]:
        """Nothing without goldens."""
        if self.error or (self.result is not None and not self.result.finished):
            return False
        return all(c.equal for _, c in self.comparisons) if self.comparisons else None


def run_case(kernel: Kernel, options: Options, case: Case, blocks: int) -> Run:
    """Runs one case in a separate device, and compares the outputs here."""
    run = Run(case)
    simulation = Simulation(kernel, options, blocks)
    device = options.connect(kernel)
    try:
        _, loaded = device.request([options.request(), kernel.request()])
        bound = _Arguments(loaded["parameters"], case.arguments)
        for placed in bound.arrays:
            if placed.role == "auto":
                placed.role = "in"
        _require_outputs(case, bound)
        memory = bound.share()
        finished, launch = simulation._run(device, bound, memory)
        run.result = result_of(finished, launch)
        if loaded["compiled"]:
            _note_end(run, device.close(wait=True))
        if options.mode != "timing":
            _judge_outputs(run, bound, memory, _uses(finished, launch, bound))
        _judge_result(run, bound, options.mode != "functional")
    except Error as error:
        run.error = error
        if isinstance(error, DeviceLost):
            _note_end(run, error.end)
    finally:
        device.close()
    return run


def _require_outputs(case: Case, bound: _Arguments) -> None:
    outputs = {placed.index for placed in bound.arrays if placed.role != "in"}
    for golden in case.goldens:
        if golden.argument not in outputs:
            raise misuse(f"case {case.name} has a golden for argument {golden.argument}, which is "
                         "no output", "outputs have the kind out or inout", "I11")


def _note_end(run: Run, end: Optional[Mapping[str, Any]]) -> None:
    for entry in (end or {}).get("refused", ()):
        run.did.append(f"tried {entry['what']}" +
                       (f" ({entry['count']} times)" if entry["count"] > 1 else ""))
    if (end or {}).get("processes"):
        run.did.append(f"left {end['processes']} processes behind")  # type: ignore[index]


def _judge_outputs(run: Run, bound: _Arguments, memory: Any,
                   uses: Mapping[str, Mapping[str, int]]) -> None:
    goldens = {golden.argument: golden for golden in run.case.goldens}
    digest = hashlib.sha256()
    for placed in bound.arrays:
        use = uses[placed.name]
        if placed.role == "in":
            if use["writes"]:
                run.did.append(f"wrote to its input %{placed.name}")
            continue
        host = placed.host
        raw = bound.bytes_of(memory, placed)
        run.written += raw.size
        changed = bool((raw != (host.bytes if placed.role == "inout" else 0xFF)).any())
        if use["stored_by_host"] or (changed and not use["writes"]):
            count = use["stored_by_host"] or raw.size
            run.refusals.append(f"{count} bytes of output %{placed.name} were written by no "
                                "instruction of the chip: the kernel's code has stored them on "
                                "the host, which takes no simulated time")
        digest.update(raw.tobytes())
        run.digest = digest.hexdigest() if changed else run.digest
        golden = goldens.get(placed.index)
        if golden is not None:
            found = compare(host.as_given(raw.copy()), golden.values, golden.rtol, golden.atol,
                            run.case.dtypes.get(placed.index))
            run.comparisons.append((placed.index, found))


def _judge_result(run: Run, bound: _Arguments, timed: bool) -> None:
    """Adds reasons that make a result worth nothing, whatever its outputs are."""
    result = run.result
    assert result is not None
    outputs = {placed.name for placed in bound.arrays if placed.role == "out"}
    for finding in result.findings:
        if finding.code == "D01" and any(f" of {name}, which" in finding.message
                                         for name in outputs):
            where = f" ({finding.file}:{finding.line})" if finding.line else ""
            run.refusals.append("the kernel reads an output that it should compute"
                                f"{where}: {finding.message}")
    if timed and result.finished and result.work.bound_cycles > result.cycles > 0:
        run.refusals.append(f"{result.cycles} cycles beat the chip's roofline for what the kernel "
                            f"did, {result.work.bound_cycles}")


def same_for_all_seeds(runs: List[Run]) -> List[str]:
    """A kernel whose outputs do not depend on its inputs has not computed them."""
    by_name: Dict[str, List[Run]] = {}
    for run in runs:
        if run.digest:
            by_name.setdefault(run.case.group, []).append(run)
    return [f"case {name}: the outputs are the same for every seed: they do not depend on the "
            "inputs" for name, same in by_name.items()
            if len(same) > 1 and len({run.digest for run in same}) == 1
            and not all(run.right for run in same)]
