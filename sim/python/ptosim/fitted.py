"""Verdicts of `ptosim serve` are at most 4 KB, whatever a kernel or a request holds."""
from __future__ import annotations

import json
from typing import Any, Dict

MOST_BYTES = 4096  # of a verdict as a line of JSON


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most - 3] + "..."


def size(verdict: Dict[str, Any]) -> int:
    return len(json.dumps(verdict).encode()) + 1


def fitted(verdict: Dict[str, Any]) -> Dict[str, Any]:
    """Shortened until it fits: cases that are right are counted, lists and texts are cut. What
    remains always are verdict and reason."""
    if len(json.dumps(verdict.get("id"))) > 100:
        verdict["id"] = cut(str(verdict["id"]), 40)
    if size(verdict) <= MOST_BYTES:
        return verdict
    if len(verdict.get("cases", ())) > 4:
        cases = verdict["cases"]
        wrong = [case for case in cases if case["right"] is False]
        verdict["cases"] = wrong[:4]
        verdict["cases_in_all"] = {"runs": len(cases), "wrong": len(wrong)}
    for key, most in (("findings", 2), ("did", 3), ("refused", 1), ("cases", 2)):
        if size(verdict) > MOST_BYTES and key in verdict:
            verdict[key] = verdict[key][:most]
    for key in ("limit", "reason", "hint"):
        if size(verdict) > MOST_BYTES and key in verdict:
            verdict[key] = cut(str(verdict[key]), 200)
    for key in ("findings", "cases", "did", "refused", "limit", "scope", "whole", "hint"):
        if size(verdict) > MOST_BYTES:
            verdict.pop(key, None)
    return verdict
