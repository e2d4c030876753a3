"""A page with the labelled runs of a store: the number of kernels that run, and the cycles of the ones that changed."""
from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Sequence

from .pairs import REGRESSIONS

_STYLE = """body { font: 14px sans-serif; margin: 2em; max-width: 70em } table { border-collapse: collapse }
td, th { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd } td:first-child, th:first-child
{ text-align: left } svg { vertical-align: middle } .bad { color: #b00 }"""
WIDTH, HEIGHT = 240, 36


def line(values: Sequence[float], labels: Sequence[str]) -> str:
    """A small plot: one point a run."""
    least, most = min(values), max(values)
    span = (most - least) or 1.0
    step = WIDTH / max(len(values) - 1, 1)
    points = [(4 + i * step, 4 + HEIGHT * (most - value) / span) for i, value in enumerate(values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(label)}: {value:g}</title>'
                   "</circle>" for (x, y), value, label in zip(points, values, labels))
    return (f'<svg width="{WIDTH + 8}" height="{HEIGHT + 8}"><polyline points="{path}" fill="none" '
            f'stroke="#06c"/>{dots}</svg>')


def page(runs: List[Dict[str, Any]]) -> str:
    labels = [run["label"] for run in runs]
    rows = []
    for run in runs:
        pairs = run["pairs"]
        ran = sum(pair["b"]["state"] in ("ran", "finding") for pair in pairs)
        worse = sum(pair["verdict"] in REGRESSIONS for pair in pairs)
        cycles = sum(pair["b"]["cycles"] for pair in pairs)
        rows.append(f"<tr><td>{escape(run['label'])}</td><td>{escape(run['time'])}</td>"
                    f"<td>{len(pairs)}</td><td>{ran}</td><td{' class=bad' if worse else ''}>{worse}"
                    f"</td><td>{cycles}</td><td>{escape(run['b'] or '(defaults)')}</td></tr>")
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>ptosim compare</title>'
            f"<style>{_STYLE}</style><h1>Runs</h1><table><tr><th>run</th><th>time</th><th>kernels"
            "</th><th>run on B</th><th>regressions</th><th>cycles of B</th><th>B</th></tr>"
            f"{''.join(rows)}</table><h1>Kernels whose cycles on B have changed</h1><table>"
            f"<tr><th>kernel</th><th>first</th><th>last</th><th>{escape(labels[0])} to "
            f"{escape(labels[-1])}</th></tr>{_changed(runs)}</table></html>\n")


def _changed(runs: List[Dict[str, Any]]) -> str:
    found: Dict[str, Dict[str, int]] = {}
    for run in runs:
        for pair in run["pairs"]:
            if pair["b"]["cycles"]:
                found.setdefault(pair["kernel"], {})[run["label"]] = pair["b"]["cycles"]
    changed = []
    for kernel, cycles in found.items():
        values = list(cycles.values())
        if len(set(values)) > 1:
            changed.append((abs(values[-1] / values[0] - 1), kernel, values, list(cycles)))
    return "".join(f"<tr><td>{escape(kernel)}</td><td>{values[0]}</td><td>{values[-1]}</td>"
                   f"<td>{line(values, labels)}</td></tr>"
                   for _, kernel, values, labels in sorted(changed, reverse=True))
