#!/usr/bin/python3
"""Runs the model kernels of a checkout of PTOAS (v0.60) on ptosim, with arguments made up here.

    scripts/conformance.py models CHECKOUT [--ptosim BIN] [--only TEXT] [--sync auto,insert]
                                           [--limit N] [--check LIST] [--json FILE]
                                           [--record SUITE]

The kernels are the .pto files under test/samples/{Qwen3*,Deepseek*}: verbatim output of PyPTO for
models. They come without arguments, so the arguments follow from the text:

  * Sizes and values as sim/python/ptosim/corpus/made_arguments.py makes them up.
  * One block on the chip of the file's target.

A kernel has run if one of these attempts comes to its end without a finding (but those of --check); if that takes longer
than 60 s, without data (--mode timing), which is reported. With several --sync modes the run is made in
each, and all outputs must be the same, bit for bit. The mode `emitted`, after `insert`, runs the
text that --emit wrote: it must take the same cycles, and --emit of it must give itself. With --check,
the checkers watch the runs of the last mode (LIST as for `ptosim check`): their findings
are listed in the JSON and decide nothing. With --goldens, where the checkout has a numpy
golden (NAME_golden.py that writes one), inputs and expected outputs are those of that script, run
from the checkout; outputs must be within this tolerance, in each mode: bf16 2^-8, f32 1e-3 relative
to the largest element, i8 1, other integers equal.
"""

import collections
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

from suites import parser_of, program, put

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sim" / "python"))
from ptosim.corpus.made_arguments import ATTEMPTS, MOST, NUMPY, SOME, Pool, Text, arguments, tries  # noqa: E402

TIME_LIMIT = 60  # seconds for one run; a longer one is repeated without data
LONGER = 600  # seconds for a golden's script, and for a run without data
CHIPS = {"a5": "ascend950pr", "a3": "ascend910b1"}
FINDINGS = {"race", "undefined", "sync"}


def first_line(text):
    for line in text.splitlines():
        if "error" in line or "[" in line and line.endswith("]"):
            return re.sub(r"^\S*?:(\d+:\d+): ", r"\1: ", line.strip())[:300]
    return text.strip().splitlines()[-1][:300] if text.strip() else "no message"


def run(ptosim, path, chip, words, sync, mode="full", check=None, emit=None):
    command = ["nice", "-n", "19", ptosim, "run", str(path), "--chip", chip, "--blocks", "1",
               "--threads", "1", "--sync", sync, "--mode", mode, "--json", "-",
               "--check", check or "none"]
    for word in words:
        command += ["--arg", word]
    if emit:
        command += ["--emit", str(emit)]
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=TIME_LIMIT if mode == "full" else LONGER)
    except subprocess.TimeoutExpired:
        if mode == "full":
            return run(ptosim, path, chip, words, sync, "timing", check, emit)
        return None, f"no end after {LONGER} s"
    found = json.loads(done.stdout)["diagnostics"] if check and done.returncode == 1 else []
    if done.returncode != 0 and not (found and all(d["category"] in FINDINGS for d in found)):
        return None, first_line(done.stderr)
    result = json.loads(done.stdout)
    result["mode"] = mode
    return result, ""


def attempts(ptosim, path, chip, parameters, sync, pool):
    """The first attempt that comes to an end: its value and result; or all messages."""
    text = Text(path.read_text())
    messages = []
    values = ATTEMPTS if any(p["kind"] == "scalar" or p["dtype"] in ("i32", "i64")
                             for p in parameters) else ATTEMPTS[:1]
    for group in tries(text, values):
        for some, value, found in group:
            words, _ = arguments(text, parameters, value, pool, some, found)
            result, message = run(ptosim, path, chip, words, sync)
            if result is not None:
                return (value, found), words, result, ""
            messages.append(f"{value}: {message}")
        if not any("[G01]" in message for message in messages):
            break
    return None, [], None, "; ".join(dict.fromkeys(messages))


def hashes(result):
    return [output["sha256"] for output in result["outputs"]]


# --- Goldens of the checkout -----------------------------------------------------------------------

HOST_TYPES = {"f32": "float", "bf16": "bfloat16_t", "f16": "half", "i8": "int8_t", "i32": "int32_t",
              "i64": "int64_t", "u8": "uint8_t", "i16": "int16_t", "u32": "uint32_t"}


def golden_script(path, samples):
    base = path.relative_to(samples).parts[0]
    script = samples / base / f"{path.stem}_golden.py"
    return script if script.exists() else None


def describe_for_golden(folder, text, parameters, implicit):
    """The two files from which the checkout's scripts learn what arguments there are."""
    given = {"%" + p["name"]: 0 for p in parameters if p["kind"] == "scalar"}
    lines, outputs = [], []
    for number, p in enumerate(parameters, 1):
        if p["kind"] == "scalar":
            ctype = "int64_t" if p["dtype"] == "i64" else "int32_t"
            if p["dtype"] in ("f32", "f16"):
                lines.append(f"float v{number} = 1.0;")
            else:
                lines.append(f"{ctype} v{number} = 0;")
            continue
        count = max(text.elements("%" + p["name"], given), p["elements"])
        lines.append(f"size_t elemCount_v{number} = {count};")
        lines.append(f"size_t fileSize_v{number} = elemCount_v{number} * "
                     f"sizeof({HOST_TYPES[p['dtype']]});")
        lines.append(f'ReadFile("./v{number}.bin", x);')
        if "%" + p["name"] in text.outputs:
            outputs.append(f"v{number}")
    lines += [f"int32_t s{i} = {value};" for i, value in enumerate(implicit)]
    (folder / "main.cpp").write_text("\n".join(lines) + "\n")
    (folder / "outputs.txt").write_text("\n".join(outputs) + "\n")


def bf16_values(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def close(dtype, expected, got):
    """None, or how far they are apart."""
    if dtype == "bf16":
        expected, got = bf16_values(expected), bf16_values(got)
        tolerance = 2.0 ** -8
    else:
        tolerance = 1e-3
    if expected.dtype.kind in "iu":
        off = np.abs(expected.astype(np.int64) - got.astype(np.int64)).max(initial=0)
        return None if off <= (1 if dtype == "i8" else 0) else f"off by {off}"
    expected, got = expected.astype(np.float64), got.astype(np.float64)
    if np.isnan(expected).tobytes() != np.isnan(got).tobytes():
        return "NaN at other places"
    scale = np.nanmax(np.abs(expected), initial=0.0)
    off = np.nanmax(np.abs(expected - got), initial=0.0)
    return None if off <= tolerance * max(scale, 1e-30) else f"off by {off:.3g} of {scale:.3g}"


def run_golden(ptosim, path, chip, parameters, implicit, script, modes):
    """'matches' (in all modes), 'no expected output', or the difference."""
    text = Text(path.read_text())
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = pathlib.Path(name)
        describe_for_golden(folder, text, parameters, implicit)
        search = f"{script.parent}:{script.parent.parent}"
        done = subprocess.run(["nice", "-n", "19", sys.executable, str(script)], cwd=folder,
                              env={"PYTHONPATH": search, "PATH": "/usr/bin:/bin",
                                   "SOC_VERSION": "950" if chip == CHIPS["a5"] else "910b"},
                              capture_output=True, text=True, timeout=LONGER)
        if done.returncode != 0:
            return f"its script fails: {done.stderr.strip().splitlines()[-1][:160]}"
        if not list(folder.glob("golden_*.bin")):
            return "no expected output"
        words, outputs = [], []
        for number, p in enumerate(parameters, 1):
            if p["kind"] == "scalar":
                words.append(f"{p['dtype']}={'1' if p['dtype'] in ('f32', 'f16') else '0'}")
                continue
            array = np.fromfile(folder / f"v{number}.bin", NUMPY[p["dtype"]])
            np.save(folder / f"v{number}.npy", array)
            if "%" + p["name"] in text.outputs:
                words.append(f"inout={folder}/v{number}.npy:{folder}/out{number}.npy")
                outputs.append((number, p["dtype"]))
            else:
                words.append(f"in={folder}/v{number}.npy")
        worst = []
        for mode in modes:
            result, message = run(ptosim, path, chip, words, mode)
            if result is None:
                return message
            if result["mode"] == "timing":
                return f"no data after {TIME_LIMIT} s"
            for number, dtype in outputs:
                expected = folder / f"golden_v{number}.bin"
                if not expected.exists():
                    continue
                text_of = close(dtype, np.fromfile(expected, NUMPY[dtype]),
                                np.load(folder / f"out{number}.npy").reshape(-1))
                if text_of:
                    worst.append(f"argument {number - 1}: {text_of}")
        return "; ".join(dict.fromkeys(worst)) or "matches"


# --- All of them -----------------------------------------------------------------------------------


def dry_run(ptosim, samples, names):
    """Result of --dry-run for every kernel, by path."""
    known = {}
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        for name in names:
            file = f"{folder}/{name}.json"
            subprocess.run([ptosim, "run", "--dry-run", str(samples / name), "--json", file],
                           stdout=subprocess.DEVNULL)
            for entry in json.loads(pathlib.Path(file).read_text()):
                known[entry["file"]] = entry
    return known


def run_model(path, samples, entry, modes, ptosim, pool):
    result = {"path": str(path.relative_to(samples)), "state": "refused", "message": "",
              "golden": "", "attempt": None, "cycles": {}, "mode": ""}
    if not entry["accepted"]:
        result["message"] = entry["diagnostics"][0]["message"]
        return result
    parameters = entry["kernels"][0]["parameters"]
    start = time.monotonic()
    value, words, first, message = attempts(ptosim, path, entry["chip"], parameters, modes[0], pool)
    if first is None:
        result["state"], result["message"] = "fails", message
        return result
    result["state"], result["attempt"] = "ran", value
    result["cycles"][modes[0]], result["mode"] = first["cycles"], first["mode"]
    made = pool.folder / "made.pto"
    for mode in modes[1:]:
        if mode == "emitted":
            other, message = run(ptosim, made, entry["chip"], words, "explicit", result["mode"])
        else:
            other, message = run(ptosim, path, entry["chip"], words, mode, emit=made)
        if mode == "emitted" and other is not None:
            message = emits_itself(ptosim, made, entry["chip"], pool.folder / "again.pto")
            if other["cycles"] != result["cycles"]["insert"]:
                message = f"{other['cycles']} cycles, not {result['cycles']['insert']}"
            other = None if message else other
        if other is None:
            result["state"], result["message"] = "fails", f"--sync {mode}: {message}"
        elif other["mode"] != first["mode"]:  # one of them took too long for data
            result["mode"], result["cycles"][mode] = "timing", other["cycles"]
        elif hashes(other) != hashes(first):
            result["state"] = "differs"
            result["message"] = f"--sync {mode} gives other outputs than --sync {modes[0]}"
        else:
            result["cycles"][mode] = other["cycles"]
    result["seconds"] = round(time.monotonic() - start, 2)
    return result


def emits_itself(ptosim, path, chip, again):
    """Problem of the text that --emit makes of a file that it has made, or nothing."""
    done = subprocess.run([ptosim, "run", "--dry-run", path, "--chip", chip, "--sync", "insert",
                           "--emit", again], capture_output=True, text=True, timeout=LONGER)
    if done.returncode != 0:
        return first_line(done.stderr)
    return "" if again.read_bytes() == path.read_bytes() else "emitted once more, it is not the same"


def add_golden(result, path, samples, entry, modes, ptosim):
    """The golden's verdict in each mode, into the result."""
    script = golden_script(path, samples)
    if script is None or result["golden"] or not entry["accepted"]:
        return
    implicit = [1 if name.endswith("block_num") else 0
                for name in re.findall(r"%(__pypto_spmd_\w+):", path.read_text())]
    start = time.monotonic()
    result["golden"] = run_golden(ptosim, path, entry["chip"], entry["kernels"][0]["parameters"],
                                  implicit, script, modes)
    result["golden_seconds"] = round(time.monotonic() - start, 2)


def add_findings(result, path, entry, mode, check, ptosim, pool):
    """Adds the findings of the checkers, with the arguments of the attempt that came to an end."""
    if result["state"] != "ran" or "findings" in result:
        return
    text, parameters = Text(path.read_text()), entry["kernels"][0]["parameters"]
    for some in (SOME, MOST):
        value, found = result["attempt"]
        words, _ = arguments(text, parameters, value, pool, some, found)
        checked, message = run(ptosim, path, entry["chip"], words, mode, result["mode"], check)
        if checked is not None or "[G01]" not in message:
            break
    result["findings"] = [{"code": "", "message": message}] if checked is None else [
        {"code": d["code"], "line": d.get("location", {}).get("line", 0), "count": d["count"],
         "message": d["message"]} for d in checked["diagnostics"]]


def summary(results):
    states = collections.Counter(result["state"] for result in results)
    goldens = [r["golden"] for r in results if r["golden"] not in ("", "no expected output")]
    timed = sum(result["mode"] == "timing" for result in results)
    return (", ".join(f"{count} {state}" for state, count in states.most_common()) +
            f" (of them {timed} without data) of {len(results)}; {sum(g == 'matches' for g in goldens)} of {len(goldens)} goldens "
            "match")


def markdown(results, modes):
    lines = [f"{datetime.date.today()}; `--sync` {', '.join(modes)}: {summary(results)}.", "",
             "| model | kernels | ran | goldens |", "|---|---|---|---|"]
    by_model = collections.defaultdict(list)
    for result in results:
        by_model[result["path"].split("/")[0]].append(result)
    for model, group in sorted(by_model.items()):
        goldens = [r["golden"] for r in group if r["golden"] not in ("", "no expected output")]
        lines.append(f"| {model} | {len(group)} | {sum(r['state'] == 'ran' for r in group)} | "
                     f"{sum(g == 'matches' for g in goldens)} of {len(goldens)} |")
    bad = [r for r in results
           if r["state"] != "ran" or r["golden"] not in ("", "matches", "no expected output")]
    if bad:
        lines += ["", "| kernel | state | why |", "|---|---|---|"]
        for r in bad:
            why = r["message"] or f"golden: {r['golden']}"
            why = why.replace("|", "\\|")
            lines.append(f"| {r['path']} | {r['state']} | {why} |")
    return "\n".join(lines) + "\n"


def main():
    parser = parser_of(__doc__, "ptosim", "only", "json", "record")
    parser.add_argument("checkout")
    parser.add_argument("--sync", default="auto", help="modes, separated by commas")
    parser.add_argument("--limit", type=int, help="so many kernels at most")
    parser.add_argument("--goldens", action="store_true", help="compare with the checkout's, too")
    parser.add_argument("--check", metavar="LIST", help="checkers that watch (all, ...)")
    parser.add_argument("--resume", action="store_true",
                        help="keep what --json has already; with --goldens or --check, add what is "
                             "missing, the quickest first")
    options = parser.parse_args()
    samples = pathlib.Path(options.checkout).resolve() / "test" / "samples"
    names = sorted(path.name for path in samples.iterdir()
                   if re.match(r"(Qwen3|Deepseek)", path.name) and list(path.rglob("*.pto")))
    if not names:
        sys.exit(f"error: no model kernels under {samples}")
    ptosim = program(options.ptosim)
    known = dry_run(ptosim, samples, names)
    chosen = [path for path in sorted(known) if not options.only or options.only in path]
    chosen.sort(key=lambda path: ("AIC" in known[path]["kernels"][0]["cores"]
                                  if known[path]["kernels"] else False, path))
    chosen = chosen[: options.limit]
    modes = options.sync.split(",")
    known_results = {}
    if options.resume and options.json and pathlib.Path(options.json).exists():
        known_results = {result["path"]: result
                         for result in json.loads(pathlib.Path(options.json).read_text())
                         if result["state"] == "ran"}
        chosen.sort(key=lambda path: known_results.get(str(pathlib.Path(path).relative_to(samples)),
                                                       {}).get("seconds", LONGER))
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        for path in map(pathlib.Path, chosen):
            name, entry = str(path.relative_to(samples)), known[str(path)]
            result = known_results.get(name)
            if result is None:
                result = run_model(path, samples, entry, modes, ptosim, Pool(folder))
            if options.goldens:
                add_golden(result, path, samples, entry, modes, ptosim)
            if options.check:
                add_findings(result, path, entry, modes[-1], options.check, ptosim, Pool(folder))
            known_results[name] = result
            codes = collections.Counter(d["code"] for d in result.get("findings", []))
            found = "".join(f" {code}: {count}" for code, count in sorted(codes.items()))
            print(f"{result['state']:8} {result.get('seconds', 0):6.1f} s  {result['path']}  "
                  f"{result['message']} {result['golden']}{found}", flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(
                    json.dumps(list(known_results.values()), indent=1) + "\n")
    results = sorted(known_results.values(), key=lambda result: result["path"])
    print(summary(results))
    if options.record:
        put(markdown(results, modes), options.record, "models")
    sys.exit(any(result["state"] != "ran" for result in results))


if __name__ == "__main__":
    main()
