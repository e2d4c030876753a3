"""One request of `ptosim serve`, and the verdict on it: at most 4 KB, with a reason."""
from __future__ import annotations

import itertools
import json
import os
import time
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

from .cases import Case, cases_of, require_keys, require_kinds, whole
from .chips import Chip
from .device import Options, compiled
from .errors import DeviceLost, Error, Finding, Timeout, misuse
from .files import MOST_TEXT, Files, text_name
from .fitted import cut, fitted
from .kernels import Kernel, is_text
from .result import Result
from .roofline import least_cycles, product_depth
from .runs import RUN_KEYS, Limits, Run, run_case, same_for_all_seeds

KERNEL_KEYS = ("entry", "params", "defines", "includes", "cores", "plan", "assembler", "name")
REQUEST_KEYS = (*KERNEL_KEYS, *RUN_KEYS, "id", "kernel", "blocks", "timeout", "arguments", "args", "cases",
                "seeds", "rtol", "atol", "goldens", "reference", "work")
WORK_KEYS = ("flops", "bytes", "type")
# Errors about a kernel; others with these letters are about the request.
OF_KERNELS = ("I03", "I04", "I65", "I66")


def judge(request: Any, limits: Limits, references: Mapping[str, Any], files: Files,
          folder: Optional[str] = None) -> Dict[str, Any]:
    """The verdict on a request (docs/python.md). Never raises."""
    begin = time.perf_counter()
    identity = None
    try:
        identity = _identity(request)
        try:
            verdict = _judge(request, limits, references, files, folder)
        except Error as error:
            verdict = _of_error(error)
        return fitted({"id": identity, **verdict,
                       "seconds": round(time.perf_counter() - begin, 4)})
    except Exception as error:  # whatever it is, the caller waits for a line
        return no_verdict(error, identity)


def no_verdict(error: Exception, identity: Any = None) -> Dict[str, Any]:
    """In place of one, where something has failed that is not known to be the request's fault."""
    if isinstance(error, Error):
        return fitted({"id": identity, **_of_error(error)})
    return {"id": identity if len(str(identity)) <= 100 else None, "verdict": "error",
            "reason": cut(f"{type(error).__name__}: {error}", 400)}


def _identity(request: Any) -> Any:
    """Raises Error (I61) if no line of JSON can hold it."""
    identity = request.get("id") if isinstance(request, Mapping) else None
    try:
        json.dumps(identity, allow_nan=False)
    except (ValueError, RecursionError):
        raise misuse("the id has a number that is not finite, or is too deep") from None
    return identity


def _is_of_request(error: Error) -> bool:
    return error.code.startswith("I") and error.code not in OF_KERNELS


def _of_error(error: Error) -> Dict[str, Any]:
    """Verdict on a request that cannot be read, or on a kernel that does not compile."""
    if _is_of_request(error):
        verdict = {"verdict": "error", "reason": error.message, "code": error.code}
        return {**verdict, "hint": error.hint} if error.hint else verdict
    return {"verdict": "fail", "reason": error.message, "compiles": _compiles(error),
            "legal": False, "findings": [_short(f) for f in error.findings[:5]]}


def _compiles(error: Error) -> bool:
    """True if the kernel could be compiled in spite of this error: it came later, or does not concern the kernel's
    text."""
    return not error.code.startswith(("K", "H0", "I04"))


def _judge(request: Any, limits: Limits, references: Mapping[str, Any], files: Files,
           folder: Optional[str]) -> Dict[str, Any]:
    if not isinstance(request, Mapping) or request.get("kernel") is None:
        raise misuse("a request is an object with a kernel")
    end = time.monotonic() + limits.request_seconds
    require_keys(request, REQUEST_KEYS, "the request")
    require_kinds(request, "the request")
    blocks = whole(request.get("blocks", 0), "blocks")
    kernel = _kernel(request, files)
    options = limits.options(request, files)
    needed = _needed(request.get("work") or {}, options)
    cases = cases_of(request, references, files)
    kernel = _ready(kernel, options, limits, end)
    runs = []
    for case in cases:
        runs.append(_run_until(end, kernel, options, case, blocks))
        error = runs[-1].error
        if error is not None and _is_of_request(error):
            raise error
        if isinstance(error, Timeout):
            break  # the others would take as long
    return _verdict(needed, kernel, options, runs, folder)


def prepared(request: Mapping[str, Any], limits: Limits, files: Files,
             end: float) -> Tuple[Kernel, Options]:
    """The kernel of a request, compiled if it is C++, and how it runs."""
    kernel, options = _kernel(request, files), limits.options(request, files)
    return _ready(kernel, options, limits, end), options


def _ready(kernel: Kernel, options: Options, limits: Limits, end: float) -> Kernel:
    """Compiled, and with the options of compiled kernels, if it is no .pto text."""
    if kernel.is_text:
        return kernel
    options.sandbox, options.scope = limits.sandbox, False
    return _compiled(kernel, options, limits, end) if kernel.is_source else kernel


def _kernel(request: Mapping[str, Any], files: Files) -> Kernel:
    """The kernel of a text, or of a file that the server may hand out. Raises Error (I61, I68)."""
    source = request["kernel"]
    fields = {key: request[key] for key in KERNEL_KEYS if request.get(key) is not None}
    if "name" in fields:
        fields["name"] = text_name(str(fields["name"]))
    includes = fields.get("includes", [])
    if not isinstance(includes, list) or not all(isinstance(one, str) for one in includes):
        raise misuse("'includes' of the request is not a list of folders")
    if includes:
        fields["includes"] = [files.folder(one, "a folder of includes") for one in includes]
    if is_text(source):
        if len(source) > MOST_TEXT:
            raise misuse(f"the kernel's text has more than {MOST_TEXT} letters")
        return Kernel(source, **fields)
    return Kernel(files.path(source, "the kernel"), **fields)


def _compiled(kernel: Kernel, options: Options, limits: Limits, end: float) -> Kernel:
    """Compiles the kernel. Raises Error (I64) if the compiler could read files other than the kernel's."""
    left = max(end - time.monotonic(), 0.001)
    made = compiled(kernel, options, min(limits.compile_seconds, left))
    if made.reads_all_files:
        raise misuse("the compiler cannot be confined on this system, which has no Landlock",
                     "send .pto text, or start the server with --no-sandbox if you trust whoever "
                     "asks", "I64")
    return made


def _run_until(end: float, kernel: Kernel, options: Options, case: Case, blocks: int) -> Run:
    left = end - time.monotonic()
    if left > 0:
        return run_case(kernel, options.changed(timeout=min(options.timeout or left, left)), case,
                        blocks)
    return Run(case, error=Timeout([Finding(
        code="I65", category="input", message="the request has used up its time before this run",
        hint="fewer seeds or cases, or a server with a longer --request-timeout")]))


def _needed(work: Mapping[str, Any], options: Options) -> Dict[str, Any]:
    """The least work of the task, checked."""
    require_keys(work, WORK_KEYS, "its work")
    needed: Dict[str, Any] = {key: whole(work[key], f"{key} of work")
                              for key in ("flops", "bytes") if key in work}
    if work.get("type"):
        needed["type"] = str(work["type"])
        product_depth(Chip(*options.chip_words()), needed["type"])
    return needed


def _verdict(needed: Mapping[str, Any], kernel: Kernel, options: Options, runs: List[Run],
             folder: Optional[str]) -> Dict[str, Any]:
    results = [run.result for run in runs if run.result is not None]
    errors = [run.error for run in runs if run.error is not None]
    refusals = [reason for run in runs for reason in run.refusals]
    for run in runs:
        refusals += _below_least(needed, kernel, options, run)
    refusals += same_for_all_seeds(runs)
    findings = _distinct([f for e in errors for f in e.findings] +
                         [f for r in results for f in r.findings])
    wrong = [run for run in runs if run.right is False]
    stopped = [f for r in results if not r.finished for f in r.findings]
    state = "refused" if refusals else "fail" if errors or findings or wrong else \
        "pass" if runs and all(run.right for run in runs) else "unjudged"
    verdict: Dict[str, Any] = {
        "verdict": state, "reason": _reason(state, refusals, errors, stopped, findings, wrong),
        "compiles": all(_compiles(error) for error in errors),
        "legal": not any(e.category in ("illegal", "unsupported", "input") and
                         not isinstance(e, (Timeout, DeviceLost)) for e in errors),
        "races": sum(f.category == "race" for f in findings),
        "findings": [_short(f) for f in findings[:5]], "findings_in_all": len(findings),
        "cases": [_case(run, options.mode != "functional") for run in runs],
    }
    if refusals:
        verdict["refused"] = list(dict.fromkeys(refusals))[:3]
    did = list(dict.fromkeys(what for run in runs for what in run.did))
    if did:
        verdict["did"] = [cut(what, 120) for what in did[:8]]
    if results and options.mode != "functional":
        verdict.update(_time(max(results, key=lambda r: r.cycles)))
    verdict["scope"] = _scope(kernel, options, runs, results)
    if folder is not None and results:
        verdict["whole"] = _keep(folder, results)
    return verdict


def _below_least(needed: Mapping[str, Any], kernel: Kernel, options: Options,
                 run: Run) -> List[str]:
    """Returns the reasons to refuse a run that did less than its task needs, by the request's `work`; or that took less
    time than the chip needs for that, or to write the outputs. The bound is computed here, because native code could
    have forged the report of its device."""
    result = run.result
    if result is None or not result.finished or options.mode == "functional":
        return []
    found = []
    flops, moved = needed.get("flops", 0), needed.get("bytes", 0)
    if result.work.flops < flops:
        found.append(f"the task needs {flops} flops, and the kernel did {result.work.flops} in "
                     "products")
    done = result.work.global_read_bytes + result.work.global_write_bytes
    if done < moved:
        found.append(f"the task moves at least {moved} bytes, and the kernel moved {done}")
    if needed or not kernel.is_text:
        least = least_cycles(Chip(*options.chip_words()), {
            **needed, "written": run.written if run.right else 0})
        if result.cycles < least:
            found.append(f"{result.cycles} cycles beat the chip's roofline for the task, {least}")
    return found


def _reason(state: str, refusals: List[str], errors: List[Error], stopped: List[Finding],
            findings: List[Finding], wrong: List[Run]) -> str:
    """One sentence: what explains the others first. Outputs of a run that was `stopped` are wrong
    because it was."""
    if state == "refused":
        return refusals[0]
    if errors:
        return errors[0].message
    if stopped:
        return _located(stopped[0])
    for run in wrong:
        for index, found in run.comparisons:
            if not found:
                also = f"; found: {_located(findings[0])}" if findings else ""
                return f"case {run.case.name}, argument {index}: {found}{also}"
    if findings:
        return _located(findings[0])
    return {"pass": "every case is right, and nothing was found",
            "unjudged": "no finding, but no golden to compare with"}[state]


def _located(finding: Finding) -> str:
    return (f"{finding.file}:{finding.line}: " if finding.line else "") + finding.message


def _distinct(findings: List[Finding]) -> List[Finding]:
    seen: Dict[Tuple[Any, ...], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.code, finding.file, finding.line, finding.operand), finding)
    return list(seen.values())


def _short(finding: Finding) -> Dict[str, Any]:
    short: Dict[str, Any] = {"code": finding.code, "category": finding.category,
                             "message": cut(finding.message, 240)}
    if finding.line:
        short["line"] = finding.line
        short["source"] = cut(finding.source.strip(), 120)
    if finding.notes:
        short["notes"] = [cut(note, 160) for note in finding.notes[:2]]
    if finding.hint:
        short["hint"] = cut(finding.hint, 160)
    if finding.count > 1:
        short["count"] = finding.count
    return short


def _case(run: Run, timed: bool) -> Dict[str, Any]:
    entry: Dict[str, Any] = {"name": run.case.name, "right": run.right}
    if run.result is not None and timed:
        entry["cycles"] = run.result.cycles
    if run.error is not None:
        entry["error"] = run.error.code
    for index, found in run.comparisons:
        if not found:
            entry["wrong"] = {"argument": index, "elements": found.mismatches,
                              "of": found.elements, "first": list(found.first or ()),
                              "found": str(found.found), "expected": str(found.expected),
                              "ulps": found.largest_ulps, "unwritten": found.unwritten}
            break
    return entry


def _time(result: Result) -> Dict[str, Any]:
    bound = result.work.bound_cycles
    return {"cycles": result.cycles, "time_us": round(result.time_us, 3),
            "range_percent": result.json.get("time_basis", {}).get("range_percent"),
            "roofline": round(bound / result.cycles, 4) if result.cycles else None,
            "limit": cut(result.bottleneck, 600)}


def _scope(kernel: Kernel, options: Options, runs: List[Run],
           results: List[Result]) -> Dict[str, Any]:
    """The assumptions of this verdict, and the questions that it leaves open."""
    assumed = sorted({path for r in results for path in r.assumed})
    scope: Dict[str, Any] = {
        "chip": results[0].chip if results else str(options.chip), "numerics": options.numerics,
        "mode": options.mode, "check": options.check, "runs": len(runs),
        "instructions": sum(r.instructions for r in results),
        "blocks": sorted({r.blocks for r in results}),
        "schedules": 1 + max([r.json.get("schedules", {}).get("run", 0) for r in results] or [0]),
        "assumed_figures": len(assumed), "assumed": assumed[:3],
        "says_nothing_of": "other shapes, data and schedules; cycles are a model's",
    }
    slowest = max(results, key=lambda r: r.cycles, default=None)
    if slowest is not None and slowest.json.get("time_basis"):
        scope["grades"] = slowest.json["time_basis"]["shares"]
    reached = [r.scope for r in results if r.scope]
    if reached and kernel.is_text:
        first = reached[0]
        missed = _missed(reached)
        for kind in ("line", "branch", "loop", "flag"):
            if first.get(kind, {}).get("all"):
                count = sum(point[2] == kind for point in missed)
                scope[kind] = {"reached": first[kind]["all"] - count, "all": first[kind]["all"]}
        places = _places(missed)
        scope["not_reached"] = places[:12]
        if len(places) > 12:
            scope["more_not_reached"] = len(places) - 12
    elif results:
        scope["not_reached"] = "not known of compiled kernels"
    return scope


Point = Tuple[str, int, str, str]  # file, line, kind, what


def _missed(scopes: List[Mapping[str, Any]]) -> Set[Point]:
    """Points that none of the runs has reached."""
    of_runs = [{(p["file"], p["line"], p["kind"], p.get("what", "")) for p in s["not_reached"]}
               for s in scopes]
    return set.intersection(*of_runs)


def _places(missed: Set[Point]) -> List[str]:
    """Lines that were not reached, as ranges; in lines that were reached, their points that were not."""
    lines = sorted({(file, line) for file, line, kind, _ in missed if kind == "line"})
    found: List[Tuple[str, int, str]] = []
    begin = 0
    for i, (file, line) in enumerate(lines):
        if i + 1 < len(lines) and lines[i + 1] == (file, line + 1):
            continue
        first = lines[begin][1]
        found.append((file, first, f"{file}:{first}" + (f"-{line}" if line > first else "")))
        begin = i + 1
    found += [(file, line, f"{file}:{line} ({what or kind})") for file, line, kind, what in missed
              if kind != "line" and (file, line) not in lines]
    return [text for _, _, text in sorted(found)]


_counter = itertools.count()


def _keep(folder: str, results: List[Result]) -> str:
    path = os.path.join(folder, f"{os.getpid()}-{next(_counter)}.json")
    with open(path, "w") as file:
        json.dump([result.json for result in results], file)
    return path
