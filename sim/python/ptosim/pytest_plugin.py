"""The pytest plugin: kernels as tests (docs/python.md, "In pytest").

pip installs it by itself; from a checkout: pytest -p ptosim.pytest_plugin.
"""
from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import pytest

from . import result as results
from .arrays import Out, inout, out
from .compare import Comparison
from .debug import Debugging, debug
from .device import Simulation, is_array, simulate
from .errors import Error

MOST_FINDINGS = 10
# Options of simulate() that the debugger takes, too.
_DEBUGGED = ("chip", "set", "blocks", "warm", "entry", "params", "defines", "includes", "cores", "plan", "assembler", "name",
             "sync", "numerics", "check", "memory", "seed", "max_instructions", "max_cycles")
_RUNS = pytest.StashKey["Runs"]() if hasattr(pytest, "StashKey") else "_ptosim_runs"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ptosim", "kernels on a simulated chip")
    group.addoption("--ptosim-chip", metavar="NAME", default="ascend910b1",
                    help="chip, unless a kernel names one (default: ascend910b1)")
    group.addoption("--ptosim-check", metavar="LIST", default="all",
                    help="checkers, as ptosim run --check (default: all)")
    group.addoption("--ptosim-trace", metavar="DIR",
                    help="keep the recording of each failed test in a folder of DIR")
    group.addoption("--ptosim-baseline", metavar="FILE",
                    help="fail tests that take more cycles than FILE records")
    group.addoption("--ptosim-tolerance", metavar="PERCENT", type=float, default=0.0,
                    help="increase of cycles over the baseline that still passes (default: 0)")
    group.addoption("--ptosim-write-baseline", action="store_true",
                    help="write the cycles of this session to the baseline instead")
    group.addoption("--ptosim-debug", action="store_true",
                    help="open the debugger's console at the first finding of each test")
    group.addoption("--ptosim-timeout", metavar="SECONDS", type=float, default=60.0,
                    help="stop a kernel after this time (default: 60)")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line(
        "markers", "ptosim(rtol=0, atol=0, findings=False, cycles_tolerance=None, **options): "
        "tolerances of goldens, whether findings are allowed, by how many percent cycles may "
        "grow, and options of simulate()")
    config.addinivalue_line("markers", "ptosim_chips(*names): run the test on each of these chips")
    config._ptosim_cycles = {}
    config._ptosim_baseline = _baseline(config)


def pytest_generate_tests(metafunc: Any) -> None:
    chips = [name for mark in metafunc.definition.iter_markers("ptosim_chips")
             for name in mark.args]
    if chips and "ptosim" in metafunc.fixturenames:
        metafunc.parametrize("ptosim", chips, indirect=True)


def _place(nodeid: str) -> str:
    return re.sub(r"[^\w.-]+", "_", nodeid)


class Runs:
    """The fixture: simulate(), with the settings of pytest's options and markers.

    Call it with a kernel and options of ptosim.simulate(): call the result with the kernel's arguments, and it returns
    its Result. Findings fail the test at once (Result.check), unless @pytest.mark.ptosim(findings=True). expect()
    compares an output with its golden.
    """

    out = staticmethod(out)
    inout = staticmethod(inout)

    def __init__(self, node: Any, chip: Optional[str]):
        self._node = node
        config = node.config
        marks: Dict[str, Any] = {}
        for mark in reversed(list(node.iter_markers("ptosim"))):
            marks.update(mark.kwargs)
        self.rtol, self.atol = marks.pop("rtol", 0.0), marks.pop("atol", 0.0)
        self.findings = bool(marks.pop("findings", False))
        self.growth = marks.pop("cycles_tolerance", None)
        self.options: Dict[str, Any] = {
            "chip": chip or config.getoption("--ptosim-chip"),
            "check": config.getoption("--ptosim-check"),
            "timeout": config.getoption("--ptosim-timeout"), **marks}
        self.results: List[results.Result] = []

    def __call__(self, kernel: Any, **options: Any) -> "Run":
        chosen = {**self.options, **options}
        return Run(self, simulate(kernel, **chosen), self._debugging(kernel, chosen))

    def _debugging(self, kernel: Any, options: Mapping[str, Any]) -> Optional[Debugging]:
        if not self._node.config.getoption("--ptosim-debug"):
            return None
        return debug(kernel, **{key: value for key, value in options.items() if key in _DEBUGGED})

    def debug(self, debugging: Debugging, arguments: Sequence[Any]) -> None:
        """Reads commands from the terminal, which pytest captures otherwise."""
        capture = self._node.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        try:
            debugging(*arguments)
        finally:
            if capture is not None:
                capture.resume_global_capture()

    simulate = __call__

    def expect(self, result: results.Result, golden: Any, output: Any = 0,
               rtol: Optional[float] = None, atol: Optional[float] = None) -> Comparison:
        """Fails unless an output equals its golden, within the tolerances of the marker."""
        __tracebackhide__ = True
        found = result.compare(golden, output, self.rtol if rtol is None else rtol,
                               self.atol if atol is None else atol)
        if not found:
            pytest.fail(f"{result.kernel}: output {output}: {found}", pytrace=False)
        return found

    @property
    def cycles(self) -> int:
        """Cycles of all runs of this test."""
        return sum(result.cycles for result in self.results)


class Run:
    """A kernel, to be called with its arguments."""

    def __init__(self, runs: Runs, simulation: Simulation, debugging: Optional[Debugging] = None):
        self._runs, self.simulation, self._debugging = runs, simulation, debugging

    def __call__(self, *arguments: Any) -> results.Result:
        __tracebackhide__ = True
        before = [] if self._debugging is None else [copied(value) for value in arguments]
        result = self.simulation(*arguments)
        self._runs.results.append(result)
        if not self._runs.findings and not result.ok:
            if self._debugging is not None:
                self._runs.debug(self._debugging, before)
            pytest.fail(findings_text(result), pytrace=False)
        return result


def copied(value: Any) -> Any:
    """An argument as it was before the run."""
    if isinstance(value, Out):
        return value
    return np.array(value) if is_array(value) else value


def findings_text(result: results.Result) -> str:
    shown = [str(finding) for finding in result.findings[:MOST_FINDINGS]]
    more = len(result.findings) - MOST_FINDINGS
    if more > 0:
        shown.append(f"and {more} more")
    return f"{result.kernel} on {result.chip}: {len(result.findings)} findings\n" + \
        "\n".join(shown)


@pytest.fixture(name="ptosim")
def _fixture(request: Any) -> Iterator[Runs]:
    runs = Runs(request.node, getattr(request, "param", None))
    _stash(request.node)[_RUNS] = runs
    yield runs
    if runs.results:
        for name, value in (("ptosim_cycles", runs.cycles),
                            ("ptosim_chip", runs.results[-1].chip)):
            request.node.user_properties.append((name, value))
        request.config._ptosim_cycles[request.node.nodeid] = runs.cycles
        _hold_to_baseline(request.node, runs)


def _stash(node: Any) -> Any:
    return node.stash if hasattr(node, "stash") else node.__dict__


def _baseline(config: Any) -> Dict[str, int]:
    """Cycles by test. Raises UsageError if the file is not a baseline, or if a baseline is to be
    written without a file name."""
    path = config.getoption("--ptosim-baseline")
    write = config.getoption("--ptosim-write-baseline")
    if not path:
        if write:
            raise pytest.UsageError("--ptosim-write-baseline needs --ptosim-baseline FILE, the "
                                    "file to write")
        return {}
    if write and not os.path.exists(path):
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise pytest.UsageError(f"--ptosim-baseline {path}: no folder {folder}")
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            cycles = json.load(file)["cycles"]
        if not all(type(count) is int for count in cycles.values()):
            raise TypeError
    except OSError as error:
        raise pytest.UsageError(f"--ptosim-baseline {path}: {error.strerror}; "
                                "--ptosim-write-baseline makes one") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        why = f" ({error})" if isinstance(error, ValueError) else ""
        raise pytest.UsageError(f"--ptosim-baseline {path} is not a file of --ptosim-write-baseline, "
                                f'{{"cycles": {{TEST: NUMBER}}}}{why}; remove it to write a new '
                                "one") from None
    return dict(cycles)


def _hold_to_baseline(node: Any, runs: Runs) -> None:
    config = node.config
    if config.getoption("--ptosim-write-baseline"):
        return
    before = config._ptosim_baseline.get(node.nodeid)
    if before is None:
        return
    tolerance = config.getoption("--ptosim-tolerance") if runs.growth is None else runs.growth
    if runs.cycles > before * (1 + tolerance / 100):
        pytest.fail(f"{runs.cycles} cycles, {100 * (runs.cycles / before - 1):+.1f} % over the "
                    f"baseline's {before} ({tolerance:g} % are allowed)", pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    runs = _stash(item).get(_RUNS, None)
    if runs is None or not report.failed or call.when == "setup":
        return
    folder = item.config.getoption("--ptosim-trace")
    if folder and runs.results:
        kept = _keep_trace(runs.results[-1], Path(folder) / _place(item.nodeid))
        report.sections.append(("ptosim trace", kept))


def _keep_trace(result: results.Result, folder: Path) -> str:
    try:
        recorded = result.recording()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(recorded, folder)
    except (Error, OSError) as error:
        return f"could not be recorded: {error}"
    return f"{folder} (ptosim report {folder} --html report.html)"


def pytest_sessionfinish(session: Any) -> None:
    config = session.config
    path = config.getoption("--ptosim-baseline")
    if path and config.getoption("--ptosim-write-baseline"):
        known: Dict[str, int] = {**config._ptosim_baseline, **config._ptosim_cycles}
        with open(path, "w") as file:
            json.dump({"cycles": dict(sorted(known.items()))}, file, indent=2)
            file.write("\n")


def pytest_report_header(config: Any) -> Tuple[str, ...]:
    return (f"ptosim: chip {config.getoption('--ptosim-chip')}, check "
            f"{config.getoption('--ptosim-check')}",)
