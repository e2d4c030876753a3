"""Result of a run."""
from __future__ import annotations

import dataclasses
import functools
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import arrays, html, program
from .compare import Comparison, Writer, compare as compare_arrays
from .errors import Error, Finding, misuse
from .kernels import Kernel
from .measures import Lane, Work, lanes_of

Rerun = Callable[..., Dict[str, Any]]
REPORTS = ("md", "json", "summary", "html")


class FindingsError(AssertionError):
    """Raised by Result.check(); the text shows the findings with their source lines."""


@dataclass
class Result:
    """Cycles, findings and outputs of one run. All cycles are of the core clock."""

    chip: str
    kernel: str
    cycles: int  #: from the launch to the end of its last block
    time_us: float
    instructions: int  #: issued
    finished: bool  #: false: an error or a deadlock stopped it
    findings: List[Finding]
    bottleneck: str  #: sentences
    work: Work
    assumed: List[str]  #: parameters that the time rests on, and that no one has measured
    notes: List[str]  #: defaults that were chosen
    printed: List[str]  #: by the kernel
    summary: str  #: as the command line prints it
    json: Dict[str, Any]  #: the result JSON (docs/formats.md)
    #: What goes unnoticed on a device, and decides nothing: an access beyond an array, for one,
    #: where the pages that hold it do not end. With the checker `bounds` they are findings.
    warnings: List[Finding] = field(default_factory=list)
    outputs: List[Any] = field(default_factory=list)  #: arrays that the kernel wrote
    output_names: List[str] = field(default_factory=list)
    uses: Dict[str, Dict[str, int]] = field(default_factory=dict)  #: array: reads, writes
    trace: Optional[str] = None  #: folder of the recording
    blocks: int = 0
    exit_code: int = 0  #: what `ptosim run` would return
    seconds: float = 0.0  #: that the run took here, with all that is around it
    _dtypes: List[str] = field(default_factory=list, repr=False)
    _rerun: Optional[Rerun] = field(default=None, repr=False)
    _folder: Optional[program.Folder] = field(default=None, repr=False)

    @functools.cached_property
    def lanes(self) -> List[Lane]:
        """The cores with the times of their pipes."""
        return lanes_of(self.json["cores"])

    # ---- judging ------------------------------------------------------------------------

    @property
    def ok(self) -> bool:
        """It ran to its end, and nothing was found."""
        return self.finished and not self.findings

    @property
    def unrecorded(self) -> List[str]:
        """Sources whose scalar accesses the checkers did not receive, so that races and caches were checked without
        them."""
        return list(self.json.get("unrecorded", []))

    @property
    def scope(self) -> Dict[str, Any]:
        """With the option scope: lines, branches, loops and flags of the kernel that the run has reached, and those not
        reached ("result: scope" in docs/formats.md)."""
        return dict(self.json.get("scope", {}))

    @property
    def advice(self) -> List[Dict[str, Any]]:
        """Proposed changes, the most worth first ("Advice" in docs/formats.md): of runs of up to 50,000 instructions,
        and of runs with trace=."""
        return list(self.json.get("advice", []))

    def check(self) -> "Result":
        """Raises FindingsError unless ok; returns itself."""
        if not self.ok:
            raise FindingsError(self.findings_text() if self.findings else "\n".join(
                filter(None, ("the kernel did not end", self.findings_text()))))
        return self

    def findings_text(self) -> str:
        """All findings, then all warnings, as the command line prints them, with their source lines: `error:` or
        `warning:` marks each."""
        return "\n".join(str(finding) for finding in (*self.findings, *self.warnings))

    def output(self, which: Any = 0) -> Any:
        """An output by its position among the outputs, or by the parameter's name."""
        return self.outputs[self._position(which)]

    def _position(self, which: Any) -> int:
        """Position of an output among the outputs. Raises Error (I61)."""
        name = which.lstrip("%") if isinstance(which, str) else which
        if isinstance(name, str) and name in self.output_names:
            return self.output_names.index(name)
        if isinstance(name, int) and 0 <= name < len(self.outputs):
            return name
        listed = ", ".join(f"{i} ({name})" for i, name in enumerate(self.output_names))
        raise misuse(f"unknown output {which!r}",
                     f"outputs are {listed}" if listed else
                     "the run has none: it keeps no data, or no instruction writes to an array")

    def compare(self, golden: Any, output: Any = 0, rtol: float = 0.0, atol: float = 0.0,
                writer: bool = True) -> Comparison:
        """Compares an output with its golden, of the same shape: bit for bit, or |x - g| <= atol + rtol |g|. With
        `writer`, finds the instruction that wrote the first different element, by running the kernel again, which gives
        the same bits. Raises Error (I13) if the shapes differ."""
        index = self._position(output)
        array = self.outputs[index]
        dtype = self._dtypes[index] if self._dtypes else None
        found = compare_arrays(array, golden, rtol, atol, dtype)
        if found.first is not None and writer and self._rerun is not None:
            shape = arrays._numpy_view(array).shape
            element = 0
            for position, extent in zip(found.first, shape):
                element = element * extent + position
            bits = arrays.BITS[dtype] if dtype else 8 * arrays._numpy_view(array).dtype.itemsize
            done = self._rerun(watch=(self.output_names[index], element * bits // 8))
            told = (done.get("writers") or [None])[0]
            found.writer = Writer(**told) if told else None
        return found

    # ---- looking ------------------------------------------------------------------------

    def recording(self) -> str:
        """The folder of the recording: that of `trace`, or one in a temporary folder, made by
        running the kernel again."""
        if self.trace is None:
            if self._rerun is None:
                raise misuse("this run was not recorded", "give it trace=FOLDER")
            self._folder = program.Folder()
            self._rerun(trace=self._folder.name, trace_formats="none")
            self.trace = self._folder.name
        return self.trace

    def report(self, format: str = "md") -> str:
        """Report on the use of time (`ptosim report`): md, json, summary; html is the interactive page."""
        if format not in REPORTS:
            raise misuse(f"unknown report '{format}'", "reports are " + ", ".join(REPORTS))
        folder = self.recording()
        if format == "html":
            path = os.path.join(folder, "report.html")
            program.call(["report", folder, "--html", path])
            return Path(path).read_text()
        return program.call(["report", folder, "--format", format]).stdout

    def swimlane(self) -> str:
        """The swimlane as SVG text."""
        folder = self.recording()
        path = os.path.join(folder, "swimlane.svg")
        program.call(["report", folder, "--svg", path])
        return Path(path).read_text()

    def frame(self, what: str = "lanes") -> Any:
        """A pandas.DataFrame: "lanes" (a row per core and pipe), "findings", "warnings" or
        "launches"."""
        import pandas
        return pandas.DataFrame(self.records(what))

    def records(self, what: str = "lanes") -> List[Dict[str, Any]]:
        """The rows of frame(), without pandas."""
        if what == "lanes":
            return [{"lane": lane.name, "pipe": name, **dataclasses.asdict(pipe)}
                    for lane in self.lanes for name, pipe in lane.pipes.items()]
        if what in ("findings", "warnings"):
            return [dataclasses.asdict(finding) for finding in getattr(self, what)]
        if what == "launches":
            return list(self.json.get("launches", []))
        raise misuse(f"unknown frame '{what}'",
                     "frames are lanes, findings, warnings, launches")

    def save(self, path: Any) -> None:
        """Writes the result JSON."""
        Path(path).write_text(json.dumps(self.json, indent=2) + "\n")

    def __str__(self) -> str:
        return self.summary + self.findings_text()

    def __repr__(self) -> str:
        state = "ok" if self.ok else f"{len(self.findings)} findings" if self.finished else \
            "did not end"
        if self.warnings:
            state += f", {len(self.warnings)} warnings"
        return (f"<ptosim.Result {self.kernel} on {self.chip}: {self.cycles} cycles = "
                f"{self.time_us:.3f} us, {state}>")

    def _repr_html_(self) -> str:
        return html.result(self)


def _warnings(fields: Dict[str, Any], kernels: Sequence[Kernel]) -> List[Finding]:
    texts = {kernel.path: kernel.text().splitlines() for kernel in kernels}
    return [Finding.warning(warning, texts.get((warning.get("location") or {}).get("file", ""), ()))
            for warning in fields.get("warnings", ())]


def _summary(text: str, findings: int, warnings: int) -> str:
    """The summary counts findings and warnings as one: here each gets its line."""
    both = re.compile(rf"^findings( +){findings + warnings}$", re.M)
    lines = rf"findings\g<1>{findings}\nwarnings\g<1>{warnings}"
    return both.sub(lines, text) if warnings else text


def result_of(finished: Dict[str, Any], launch: Dict[str, Any],
              kernels: Sequence[Kernel] = ()) -> Result:
    """From the answers of a worker; warnings show lines of `kernels`. Raises Error for a kernel
    that the chip cannot have run."""
    fields = finished["result"]
    findings = [Finding.of(finding) for finding in fields["diagnostics"]]
    warnings = _warnings(fields, kernels) if fields.get("warnings") else []
    if finished["exit_code"] == 2:
        raise Error(findings)
    known = {f.name for f in dataclasses.fields(Work)}
    work = {key: value for key, value in fields["work"].items() if key in known}
    return Result(
        chip=fields["chip"], kernel=fields["kernel"], cycles=fields["cycles"],
        time_us=fields["time_us"], instructions=fields["instructions"],
        finished=launch.get("finished", True), findings=findings,
        bottleneck=finished["bottleneck"], work=Work(**work),
        assumed=fields["assumed"], notes=finished["notes"], printed=launch.get("printed", []),
        summary=_summary(finished["summary"], len(findings), len(warnings)), json=fields,
        warnings=warnings, blocks=launch.get("blocks", 0), exit_code=finished["exit_code"])


def diff(a: Result, b: Result) -> "Difference":
    """Differences of two runs: cycles, pipes, findings, outputs."""
    return Difference(a, b)


@dataclass
class Difference:
    """Difference of b from a. True if anything but the names differs."""

    a: Result
    b: Result

    @property
    def cycles(self) -> int:
        return self.b.cycles - self.a.cycles

    @property
    def ratio(self) -> float:
        """b's cycles over a's."""
        return self.b.cycles / self.a.cycles if self.a.cycles else float("nan")

    @property
    def pipes(self) -> Dict[str, Tuple[int, int]]:
        """Busy cycles of all cores by pipe, a's and b's, where they differ."""
        sums: List[Dict[str, int]] = [{}, {}]
        for total, result in zip(sums, (self.a, self.b)):
            for lane in result.lanes:
                for name, pipe in lane.pipes.items():
                    key = f"{lane.name[:3]} {name}"
                    total[key] = total.get(key, 0) + pipe.busy
        return {key: (sums[0].get(key, 0), sums[1].get(key, 0)) for key in {**sums[0], **sums[1]}
                if sums[0].get(key, 0) != sums[1].get(key, 0)}

    @property
    def new_findings(self) -> List[Finding]:
        known = {(f.code, f.file, f.line, f.operand) for f in self.a.findings}
        return [f for f in self.b.findings if (f.code, f.file, f.line, f.operand) not in known]

    @property
    def outputs(self) -> List[Comparison]:
        """b's outputs compared with a's."""
        return [compare_arrays(y, x) for x, y in zip(self.a.outputs, self.b.outputs)]

    def __bool__(self) -> bool:
        return bool(self.cycles or self.pipes or self.new_findings or
                    not all(self.outputs) or len(self.a.findings) != len(self.b.findings))

    def __str__(self) -> str:
        lines = [f"cycles: {self.a.cycles} -> {self.b.cycles} ({100 * (self.ratio - 1):+.1f} %)"]
        lines += [f"busy {key}: {x} -> {y}" for key, (x, y) in self.pipes.items()]
        lines += [f"new: {finding.message} [{finding.code}]" for finding in self.new_findings]
        for name, found in zip(self.b.output_names, self.outputs):
            if not found:
                lines.append(f"output {name}: {found}")
        return "\n".join(lines)
