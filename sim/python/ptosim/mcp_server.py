"""ptosim mcp: tools for agents by the Model Context Protocol, with its official Python SDK."""
from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import tempfile
import time
from typing import Any, Dict, List, NoReturn, Optional, Tuple

import numpy as np

from . import worker
from .cases import cases_of, require_kinds, whole
from .chips import Chip, chips
from .device import Simulation
from .errors import Error, misuse
from .files import Files
from .fitted import cut
from .program import call
from .result import Result
from .runs import Limits
from .verdict import judge, prepared

MOST_TEXT = 4000  # letters of an answer; what is left out is named
MOST_RECORDINGS = 32  # the oldest go first
RESOURCES = {"agent.json": "application/json", "report.md": "text/markdown",
             "report.json": "application/json", "summary.txt": "text/plain"}
INSTRUCTIONS = """Simulates kernels of Ascend NPUs: bits, cycles, findings. A kernel is .pto text or C++ text (or a path, if
the server was started with --root). `arguments` has one entry for each parameter of the kernel, in order: a number, null,
or {"kind": "rand"|"zeros"|"out", "shape": [rows, columns], "dtype": "f32"}, or {"kind": "in", "in": {"values": [...],
"shape": [...]}}. To make a wrong kernel right: `check` until the verdict is pass, `explain` codes of findings. To make a
slow kernel fast: `advise`, change what its first entry says, `compare` the two."""


class Tools:
    """Tools of the server. Answers are small; recordings are resources."""

    def __init__(self, limits: Limits, files: Files):
        self.limits, self.files = limits, files
        self._folder = tempfile.TemporaryDirectory(prefix="ptosim-mcp-")
        self._numbers = itertools.count(1)
        self._kept: List[str] = []

    def check(self, kernel: str, arguments: List[Any], blocks: int = 0, chip: str = "ascend910b1",
              numerics: str = "ieee", goldens: Optional[Dict[str, Any]] = None, rtol: float = 0.0,
              atol: float = 0.0, seeds: Optional[List[int]] = None) -> Dict[str, Any]:
        """Judge a kernel under every checker: races, flags, memory, and its outputs if `goldens` are given by argument
        ({"2": {"values": [...], "shape": [...]}}). The verdict is pass, fail, refused, unjudged (no golden) or error,
        with a reason and the findings, each with its line and remedy."""
        request: Dict[str, Any] = {"kernel": kernel, "arguments": arguments, "blocks": blocks,
                                   "chip": chip, "numerics": numerics, "rtol": rtol, "atol": atol,
                                   "seeds": seeds or [1]}
        if goldens:
            request["goldens"] = goldens
        return judge(request, self.limits, {}, self.files)

    def run(self, kernel: str, arguments: List[Any], blocks: int = 0, chip: str = "ascend910b1",
            numerics: str = "ieee") -> Dict[str, Any]:
        """Run a kernel once: cycles, time with its range, its bottleneck, pipes of the slowest core, and its
        recording as resources (report.md and others)."""
        result, name = self._recorded(kernel, arguments, blocks, chip, numerics)
        lanes = result.json.get("cores", ())
        slowest = max(lanes, key=lambda core: core.get("finished", 0), default={})
        return {"cycles": result.cycles, "time_us": round(result.time_us, 3),
                "range_percent": result.json.get("time_basis", {}).get("range_percent"),
                "instructions": result.instructions, "blocks": result.blocks,
                "bottleneck": cut(result.bottleneck, 600), "slowest_core": slowest,
                "findings": [cut(str(one), 400) for one in result.findings[:3]],
                "resources": self._links(name)}

    def advise(self, kernel: str, arguments: List[Any], blocks: int = 0,
               chip: str = "ascend910b1") -> Dict[str, Any]:
        """List changes that make a kernel faster, best first, each with its line and the cycles it saves; waits by
        cause; how busy each pipe is."""
        _, name = self._recorded(kernel, arguments, blocks, chip, "ieee")
        with open(os.path.join(self._folder.name, name, "agent.json")) as file:
            return {**json.load(file), "resources": self._links(name)}

    def compare(self, before: str, after: str, arguments: List[Any], blocks: int = 0,
                chip: str = "ascend910b1", numerics: str = "ieee") -> Dict[str, Any]:
        """Run two variants of a kernel with the same arguments: cycles of both, whether the outputs are the same bit for
        bit, findings of each under every checker."""
        told: Dict[str, Any] = {}
        outputs = []
        for name, kernel in (("before", before), ("after", after)):
            result = self._run(kernel, arguments, blocks, chip, numerics, check="all")
            told[name] = {"cycles": result.cycles, "time_us": round(result.time_us, 3),
                          "findings": [f"{one.code} line {one.line}: {cut(one.message, 200)}"
                                       for one in result.findings[:5]],
                          "bottleneck": cut(result.bottleneck, 300)}
            outputs.append([np.asarray(one) for one in result.outputs])
        cycles = [told[name]["cycles"] for name in ("before", "after")]
        told["change_percent"] = round(100 * (cycles[1] - cycles[0]) / cycles[0], 2) if cycles[0] else None
        told["same_bits"] = len(outputs[0]) == len(outputs[1]) and all(
            one.tobytes() == other.tobytes() for one, other in zip(*outputs))
        return told

    def explain(self, code: str) -> str:
        """Explain the code of a finding or error, such as E05, and list the instructions whose rules report it."""
        return _page(("isa", code))

    def instruction(self, name: str) -> str:
        """An instruction or operation of the language (TADD, pto.tadd, alloc_tile, scf.for): an example, operands,
        attributes, types by architecture, rules, and its call in C++."""
        return _page(("isa", name))

    def describe_chip(self, name: str = "", parameters: str = "clusters") -> Dict[str, Any]:
        """The chips that there are; or of one, the parameters whose path holds a text ("aiv.ub", "memory"), with
        values and where they come from."""
        if not name:
            return {"chips": chips()}
        found = {path: fields for path, fields in Chip(self.files.chip(name)).parameters.items()
                 if parameters in path}
        shown = dict(itertools.islice(found.items(), 12))
        return {"chip": name, "parameters": {path: {key: fields[key] for key in ("value", "grade", "source")
                                                    if key in fields} for path, fields in shown.items()},
                "in_all": len(found)}

    # ---- recordings

    def recording(self, name: str, file: str) -> str:
        if name not in self._kept or file not in RESOURCES:
            raise misuse(f"unknown recording {name}/{file}", "run and advise name theirs")
        with open(os.path.join(self._folder.name, name, file)) as opened:
            return opened.read()

    @staticmethod
    def _links(name: str) -> List[str]:
        return [f"ptosim://recordings/{name}/{file}" for file in RESOURCES]

    def _recorded(self, kernel: str, arguments: List[Any], blocks: int, chip: str,
                  numerics: str) -> Tuple[Result, str]:
        name = f"r{next(self._numbers)}"
        result = self._run(kernel, arguments, blocks, chip, numerics,
                           trace=os.path.join(self._folder.name, name),
                           trace_formats="agent,report,json,summary")
        self._kept.append(name)
        for old in self._kept[:-MOST_RECORDINGS]:
            for base, _, files in os.walk(os.path.join(self._folder.name, old), topdown=False):
                for file in files:
                    os.unlink(os.path.join(base, file))
                os.rmdir(base)
        del self._kept[:-MOST_RECORDINGS]
        return result, name

    def _run(self, kernel: str, arguments: List[Any], blocks: int, chip: str, numerics: str,
             check: str = "none", **recording: Any) -> Result:
        request = {"kernel": kernel, "arguments": arguments, "chip": chip, "numerics": numerics,
                   "check": check}
        require_kinds(request, "the call")
        (case,) = cases_of(request, {}, self.files)
        made, options = prepared(request, self.limits, self.files,
                                 time.monotonic() + self.limits.request_seconds)
        if not made.is_text and self.limits.sandbox and recording:
            raise misuse("compiled kernels are not recorded in the sandbox",
                         "use check and compare, send .pto text, or start the server with --no-sandbox")
        simulation = Simulation(made, options.changed(**recording), whole(blocks, "blocks"))
        return simulation(*case.arguments)


@functools.lru_cache(maxsize=1024)
def _page(words: Tuple[str, ...]) -> str:
    if words[1].startswith("-"):
        raise misuse(f"'{cut(words[1], 40)}' is not a name")
    text = call(words).stdout
    return text if len(text) <= MOST_TEXT else \
        text[:MOST_TEXT] + f"\n... {len(text) - MOST_TEXT} more letters: ptosim {' '.join(words)}\n"


def make_server(tools: Tools) -> Any:
    """A server of the SDK's second version, or of its first. Raises Error (I02) without it."""
    try:
        try:
            from mcp.server.mcpserver import MCPServer as Server  # type: ignore[import-not-found]
        except ImportError:
            from mcp.server.fastmcp import FastMCP as Server  # type: ignore[import-not-found]
    except ImportError as error:
        raise misuse(f"ptosim mcp needs the Python SDK of the Model Context Protocol: {error}",
                     "pip install mcp, for the python3 that runs it", "I02") from None
    server = Server("ptosim", instructions=INSTRUCTIONS)
    for tool in (tools.check, tools.run, tools.advise, tools.compare, tools.explain,
                 tools.instruction, tools.describe_chip):
        server.tool()(_said(tool))
    server.resource("ptosim://recordings/{name}/{file}",
                    description="A file of a recording that run or advise has made")(_said(tools.recording))
    return server


def _said(tool: Any) -> Any:
    """Turns an Error into the command line's message, which contains the remedy."""
    @functools.wraps(tool)
    def wrapped(*words: Any, **named: Any) -> Any:
        try:
            return tool(*words, **named)
        except Error as error:
            raise ValueError(cut(str(error), MOST_TEXT)) from None

    return wrapped


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise misuse(message, "'ptosim mcp --help' lists the options", "I00")


def parser() -> argparse.ArgumentParser:
    made = _Parser("ptosim mcp", description=__doc__)
    defaults = Limits()
    made.add_argument("--root", metavar="DIR",
                      help="calls may name files below it (default: none, they hold texts)")
    made.add_argument("--timeout", metavar="SECONDS", type=float, default=defaults.seconds,
                      help="that a run may take (default: %(default)s)")
    made.add_argument("--memory", metavar="MIB", type=int, default=defaults.memory_mib,
                      help="that a run may take (default: %(default)s)")
    made.add_argument("--no-sandbox", action="store_true",
                      help="trust compiled kernels with this machine")
    return made


def main(words: List[str]) -> int:
    choice = parser().parse_args(words)
    if choice.root is not None and not os.path.isdir(choice.root):
        raise misuse(f"{choice.root} is not a folder", code="I01")
    limits = Limits(seconds=choice.timeout, memory_mib=choice.memory, sandbox=not choice.no_sandbox)
    server = make_server(Tools(limits, Files(choice.root)))
    worker.warm()
    server.run()
    return 0
