"""ptosim check of several kernels and folders: each in a separate process, and one summary."""
from __future__ import annotations

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence

from .. import program
from ..errors import misuse
from .entries import Entry, entries_of, located
from .runs import Comparison
from .sides import Side, first_error
from .store import Store

# Options that apply to a single kernel only.
_ALONE = ("--emit", "--scope", "--golden", "--dry-run")
_VERDICTS = {0: "clean", 1: "findings", 2: "refused"}
_TIMEOUT = 600.0


@dataclass
class Checked:
    """One kernel: its exit code, and the output of the command."""

    entry: Entry
    code: int
    text: str = ""  #: standard error
    result: Dict[str, Any] = field(default_factory=dict)  #: the result JSON
    report: str = ""  #: in the format that was asked for

    @property
    def verdict(self) -> str:
        return _VERDICTS.get(self.code, "error")


@dataclass
class Choice:
    """The words of the command line except the kernels."""

    words: List[str]  #: for each kernel
    jobs: int = os.cpu_count() or 1
    json: str = ""
    format: str = "text"
    report: str = ""
    trace: str = ""

    @property
    def has_arguments(self) -> bool:
        return any(word == "--arg" or word.startswith("--arg=") for word in self.words)

    @classmethod
    def of(cls, words: Sequence[str]) -> "Choice":
        choice = cls([])
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            name, equals, value = word.partition("=")
            if name in _ALONE:
                raise misuse(f"{name} is for one kernel", "call ptosim check for each")
            if name not in ("--jobs", "--json", "--format", "--report", "--trace"):
                choice.words.append(word)
                continue
            value = value if equals else waiting.pop(0)
            setattr(choice, name[2:], int(value) if name == "--jobs" else value)
        return choice


def main(words: List[str]) -> int:
    """`words`: the kernels, `--`, and the options."""
    at = words.index("--")
    entries, choice = entries_of(words[:at]), Choice.of(words[at + 1:])
    if any(entry.command for entry in entries):
        raise misuse("programs of a list cannot be checked", "ptosim exec --check all -- COMMAND")
    checked = _check_all(entries, choice)
    out = sys.stderr if choice.json == "-" or (choice.format != "text" and not choice.report) \
        else sys.stdout
    for one in checked:
        if one.code and choice.format == "text" and not choice.report:
            print(f"== {one.entry.name}\n{one.text.rstrip()}\n", file=sys.stderr)
    print(_summary(checked), file=out)
    made_up = sum(entry.is_made_up for entry in entries)
    if made_up and not choice.has_arguments:
        print(f"arguments of {made_up} of them were made up: a line '// run: --arg ...' in a kernel "
              "sets them", file=out)
    if choice.json:
        _write(choice.json, json.dumps([{"file": one.entry.name, "verdict": one.verdict, **one.result}
                                        for one in checked], indent=1) + "\n")
    if choice.format != "text" or choice.report:
        _write(choice.report or "-", merged([one.report for one in checked], choice.format))
    codes = {one.code for one in checked}
    return 3 if codes - {0, 1, 2} else 1 if 1 in codes else 2 if 2 in codes else 0


def _check_all(entries: Sequence[Entry], choice: Choice) -> List[Checked]:
    side = Side("")
    arguments = Comparison(side, side, Store(":memory:"), "all", _TIMEOUT, 0.0)
    given = choice.has_arguments
    if not given:
        arguments.read_parameters(entries)

    def check(entry: Entry) -> Checked:
        own = [] if given else located(arguments.words_of(entry), arguments.folder_of(entry))
        return _check(entry, side.program, own, choice)

    with concurrent.futures.ThreadPoolExecutor(choice.jobs) as threads:
        return list(threads.map(check, entries))


def _check(entry: Entry, ptosim: str, own: Sequence[str], choice: Choice) -> Checked:
    with tempfile.TemporaryDirectory(prefix="ptosim-check-") as made:
        result, report = (os.path.join(made, name) for name in ("result.json", "report"))
        # Options of the command line come last, because the last one counts.
        words = [ptosim, "check", os.path.relpath(entry.path), *own, *choice.words, "--json", result]
        if choice.format != "text" or choice.report:
            words += ["--format", choice.format, "--report", report]
        if choice.trace:
            words += ["--trace", os.path.join(os.path.abspath(choice.trace),
                                             entry.name.strip("/").replace("/", "_"))]
        try:
            done = subprocess.run(words, capture_output=True, text=True,
                                  timeout=_TIMEOUT, env=program.environment())
        except subprocess.TimeoutExpired:
            return Checked(entry, 3, f"error: no end after {_TIMEOUT:g} s")
        checked = Checked(entry, done.returncode, done.stderr)
        try:
            with open(result) as file:
                checked.result = json.load(file)
        except (OSError, ValueError):
            pass  # it has not run
        try:
            with open(report) as file:
                checked.report = file.read()
        except OSError:
            pass
        return checked


def _summary(checked: Sequence[Checked]) -> str:
    rows = [("verdict", "findings", "cycles", "kernel")]
    for one in checked:
        found = len(one.result.get("diagnostics", ()))
        rows.append((one.verdict, str(found or ""), str(one.result.get("cycles", "")),
                     one.entry.name + (f"  {first_error(one.text)}" if one.code > 1 else "")))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{a.ljust(widths[0])}  {b.rjust(widths[1])}  {c.rjust(widths[2])}  {d}"
             for a, b, c, d in rows]
    counts = [(sum(one.verdict == verdict for one in checked), verdict)
              for verdict in (*_VERDICTS.values(), "error")]
    lines.append(f"{len(checked)} kernels: " +
                 ", ".join(f"{count} {verdict}" for count, verdict in counts if count))
    return "\n".join(lines)


def merged(reports: Sequence[str], form: str) -> str:
    """Reports of kernels as one of the same format."""
    there = [report for report in reports if report.strip()]
    if form == "json":
        return json.dumps([one for report in there for one in json.loads(report)], indent=1) + "\n"
    if form == "sarif":
        return json.dumps(_merged_sarif([json.loads(report) for report in there]), indent=1) + "\n"
    if form == "junit":
        suites = xml.etree.ElementTree.Element("testsuites")
        for report in there:
            suites.extend(xml.etree.ElementTree.fromstring(report))
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + \
            xml.etree.ElementTree.tostring(suites, encoding="unicode") + "\n"
    return "".join(there)


def _merged_sarif(logs: Sequence[Any]) -> Any:
    """One run with the results of all, and each rule once: code scanning keeps one run of a tool."""
    first: Optional[Any] = None
    for log in logs:
        if first is None:
            first = log
            first["runs"][0].pop("automationDetails", None)  # it names one kernel
            continue
        run, more = first["runs"][0], log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        numbers = {rule["id"]: number for number, rule in enumerate(rules)}
        for rule in more["tool"]["driver"]["rules"]:
            if rule["id"] not in numbers:
                numbers[rule["id"]] = len(rules)
                rules.append(rule)
        for found in more["results"]:
            if "ruleIndex" in found:
                found["ruleIndex"] = numbers[found["ruleId"]]
            run["results"].append(found)
    return first if first is not None else {"version": "2.1.0", "runs": []}


def _write(path: str, text: str) -> None:
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise misuse(f"{path}: {error.strerror}", code="I02") from None
