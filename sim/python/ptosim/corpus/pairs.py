"""Pairs of results of two sides: the changes of each kernel, the worst first."""
from __future__ import annotations

import collections
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Sequence
from xml.sax.saxutils import quoteattr

from .sides import Outcome

# The worst first. Those before `mended` are regressions.
VERDICTS = {
    "broken": "ran on A, and not on B",
    "findings": "B has findings that A has not",
    "bits": "other outputs",
    "slower": "more cycles on B than the tolerance",
    "fails otherwise": "runs on neither, for different reasons",
    "mended": "runs on B, and not on A, or without findings that A has",
    "faster": "fewer cycles on B than the tolerance",
    "fails": "runs on neither, for the same reason",
    "same": "the same bits, findings and cycles, within the tolerance",
}
REGRESSIONS = ("broken", "findings", "bits", "slower")
DIFFERENCES = tuple(verdict for verdict in VERDICTS if verdict not in ("same", "fails"))


@dataclass
class Pair:
    """A kernel on both sides."""

    kernel: str
    a: Outcome
    b: Outcome
    verdict: str = ""
    why: str = ""

    @property
    def change(self) -> float:
        """Change of the cycles, in percent of A's."""
        return 100.0 * (self.b.cycles - self.a.cycles) / self.a.cycles if self.a.cycles else 0.0


def judged(kernel: str, a: Outcome, b: Outcome, tolerance: float) -> Pair:
    pair = Pair(kernel, a, b)
    new = sorted(set(b.findings) - set(a.findings))
    gone = sorted(set(a.findings) - set(b.findings))
    if not a.ran or not b.ran:
        if a.ran != b.ran:
            pair.verdict, pair.why = ("broken", f"{b.state}: {b.message}") if a.ran else \
                ("mended", f"was {a.state}: {a.message}")
        else:
            same = (a.state, a.message) == (b.state, b.message)
            pair.verdict = "fails" if same else "fails otherwise"
            pair.why = a.message if same else f"{a.message} -> {b.message}"
    elif new:
        pair.verdict, pair.why = "findings", ", ".join(new)
    elif a.outputs != b.outputs:
        other = [str(i) for i, (one, two) in enumerate(zip(a.outputs, b.outputs)) if one != two]
        pair.verdict, pair.why = "bits", "output " + ", ".join(other) if other else "other outputs"
    elif pair.change > tolerance:
        pair.verdict = "slower"
    elif gone:
        pair.verdict, pair.why = "mended", "gone: " + ", ".join(gone)
    elif pair.change < -tolerance:
        pair.verdict = "faster"
    else:
        pair.verdict = "same"
    return pair


def sorted_pairs(pairs: Sequence[Pair]) -> List[Pair]:
    order = list(VERDICTS)
    return sorted(pairs, key=lambda pair: (order.index(pair.verdict), -pair.change, pair.kernel))


def table(pairs: Sequence[Pair], everything: bool) -> str:
    """One line a kernel; kernels that are the same, or fail alike, are only counted."""
    shown = [pair for pair in pairs if everything or pair.verdict not in ("same", "fails")]
    rows = [("verdict", "cycles of A", "of B", "change", "kernel", "")]
    for pair in shown:
        cycles = [str(side.cycles) if side.ran else side.state for side in (pair.a, pair.b)]
        change = f"{pair.change:+.1f} %" if pair.a.ran and pair.b.ran else ""
        rows.append((pair.verdict, *cycles, change, pair.kernel, pair.why))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = ["  ".join(word.ljust(width) if i in (0, 4) else word.rjust(width)
                       for i, (word, width) in enumerate(zip(row, widths))) + f"  {row[5]}"
             for row in rows] if shown else []
    counts = collections.Counter(pair.verdict for pair in pairs)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return "\n".join([*(line.rstrip() for line in lines), f"{len(pairs)} kernels: {summary}"])


def document(pairs: Sequence[Pair], a: str, b: str) -> Dict[str, Any]:
    return {"format": "ptosim compare 1", "a": a, "b": b,
            "kernels": [{**asdict(pair), "change_percent": round(pair.change, 3)}
                        for pair in pairs]}


def junit(pairs: Sequence[Pair], wrong: Sequence[str]) -> str:
    """A test a kernel; `wrong` verdicts are failures, what else runs on neither side is skipped."""
    failed = sum(pair.verdict in wrong for pair in pairs)
    skipped = sum(pair.verdict.startswith("fails") and pair.verdict not in wrong for pair in pairs)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="ptosim compare" tests="{len(pairs)}" failures="{failed}" '
             f'skipped="{skipped}">']
    for pair in pairs:
        text = f"{pair.verdict}: {pair.why or f'{pair.a.cycles} -> {pair.b.cycles} cycles'}"
        inner = f"<failure message={quoteattr(text)}/>" if pair.verdict in wrong else \
            f"<skipped message={quoteattr(text)}/>" if pair.verdict.startswith("fails") else ""
        lines.append(f'<testcase name={quoteattr(pair.kernel)} time="{pair.b.seconds}">{inner}'
                     "</testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"
