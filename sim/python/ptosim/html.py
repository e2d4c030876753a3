"""A result in a notebook: one small piece of HTML that needs nothing else."""
from __future__ import annotations

from html import escape
from typing import List, Protocol, Sequence

from .errors import Error, Finding
from .measures import Lane, Work

MOST_LANES = 12
MOST_FINDINGS = 5
MOST_SWIMLANE_BYTES = 200_000  # larger pictures are left out: report("html") zooms
COLOURS = {"busy": "#2a7", "wait": "#e93", "idle": "#ddd"}


class Shown(Protocol):
    """Fields of a result that its picture needs."""

    chip: str
    kernel: str
    cycles: int
    time_us: float
    bottleneck: str
    work: Work
    findings: List[Finding]
    warnings: List[Finding]

    @property
    def lanes(self) -> Sequence[Lane]: ...

    @property
    def ok(self) -> bool: ...

    def swimlane(self) -> str: ...


def bars(result: Shown) -> str:
    """Shares of busy, wait and idle of each pipe, for the first lanes."""
    rows: List[str] = []
    for lane in result.lanes[:MOST_LANES]:
        for name, pipe in lane.pipes.items():
            whole = max(1, pipe.busy + pipe.wait + pipe.idle)
            parts, x = [], 0.0
            for what, colour in COLOURS.items():
                width = 300 * getattr(pipe, what) / whole
                parts.append(f'<rect x="{x:.1f}" width="{width:.1f}" height="10" '
                             f'fill="{colour}"/>')
                x += width
            rows.append(f"<tr><td>{lane.name}</td><td>{name}</td>"
                        f'<td><svg width="300" height="10">{"".join(parts)}</svg></td>'
                        f"<td>{100 * pipe.busy / whole:.1f} %</td></tr>")
    more = len(result.lanes) - MOST_LANES
    rest = f"<p>and {more} more cores</p>" if more > 0 else ""
    return (f"<table><tr><th>core</th><th>pipe</th><th>busy, waits, idle</th><th>busy</th></tr>"
            f"{''.join(rows)}</table>{rest}")


def swimlane(result: Shown) -> str:
    """The swimlane, if it is small enough; else the shares."""
    try:
        picture = result.swimlane()
    except (Error, OSError):
        return bars(result)
    if len(picture) > MOST_SWIMLANE_BYTES:
        return bars(result)
    start = picture.find("<svg")
    return f'<div style="overflow-x:auto">{picture[start:]}</div>'


def result(result: Shown) -> str:
    state = "ended, no findings" if result.ok else (
        f"{len(result.findings)} findings" if result.findings else "did not end")
    if result.warnings:
        state += f", {len(result.warnings)} warnings"
    findings = "".join(f"<pre>{escape(str(f))}</pre>" for f in (
        *result.findings[:MOST_FINDINGS], *result.warnings[:MOST_FINDINGS]))
    share = (f", {100 * result.work.bound_cycles / result.cycles:.1f} % of the roofline"
             if result.cycles and result.work.bound_cycles else "")
    return (f"<div><b>{escape(result.kernel)}</b> on {escape(result.chip)}: {result.cycles} "
            f"cycles = {result.time_us:.3f} us{share}; {state}"
            f"<p>{escape(result.bottleneck)}</p>{findings}{swimlane(result)}</div>")
