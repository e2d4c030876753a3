#!/usr/bin/python3
"""Runs the scene tests of a checkout of hw-native-sys/simpler on the simulator, unmodified.

    conformance.py simpler-programs CHECKOUT --ptosim BIN --python PYTHON [--arch a2a3|a5] [--runtime NAME]
                                    [--level 2|3|4] [--only TEXT] [--manual] [--device] [--upstream]
                                    [--system NAME] [--seconds N]
                                    [--json FILE [--resume]] [--record SUITE [--compare FILE]] [--same-bytes]
                                    [--beside-upstream PYTHON]

`ptosim simpler-setup` goes before; PYTHON has simpler and torch. Each test_*.py below examples/ and tests/st that
names the platform and the runtime is run as a script, with its own golden. Cases that it leaves to be asked for
(manual) are run where it has no others, and with --manual everywhere. --device runs the tests that are for the device
alone, by the device's own name (a2a3, a5). --level 3 runs tests of several chips, --level 4 tests of two nodes. The
second node is a daemon (simpler.remote_l3_worker) that this script starts, or a rank of mpirun (PATH has it, PYTHON has
mpi4py); --system gives their chips one clock. --upstream runs the tests on
simpler's own simulator, which PYTHON must have then, for comparison. With --same-bytes each test is run three times
with --trace, the third time next to programs that take all processors: all files have to be the same, byte for byte.

With --beside-upstream each test is run on both simulators in turns, twice: with `ptosim exec`, on simpler's own (in
this PYTHON, which has it), and once more. The second time finds all kernels compiled; so does the first, unless the
folders mpmd/kernels and mpmd/orchestrations of the simulator's cache and build/cache/kernels of simpler were removed
before. Seconds are elapsed and processor seconds of all processes that the test starts.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from suites import put


def for_device(text, arch):
    return f'"platforms": ["{arch}"]' in text and f'"{arch}sim"' not in text


def of_nodes(text, arch, runtime):
    return "scene_level(SceneTestLevel.NETWORK1)" in text and f'platforms(["{arch}"])' in text and f'"{runtime}"' in text


def tests(checkout, arch, runtime, level=2, device=False):
    for top in ("examples", "tests/st"):
        for path in sorted((checkout / top).rglob("test_*.py")):
            text = path.read_text(errors="replace")
            chosen = for_device(text, arch) if device else f'"{arch}sim"' in text
            if level == 4 and of_nodes(text, arch, runtime):
                yield path.relative_to(checkout)
            elif "@scene_test" in text and f'runtime="{runtime}"' in text and f"level={level}" in text and chosen:
                yield path.relative_to(checkout)


# Options that simpler's own checks use for tests of its collectors, by their folder below dfx/.
RECORDED = {"chip_swimlane": ["--enable-chip-swimlane", "--enable-dep-gen"], "dep_gen": ["--enable-dep-gen"],
            "pmu": ["--enable-pmu", "2"], "args_dump": ["--dump-args"], "scope_stats": ["--enable-scope-stats"]}


def same_bytes(options, path):
    """Result of run() for the test, failed if files of three runs differ."""
    with tempfile.TemporaryDirectory() as folder:
        first = None
        for number in range(3):
            trace = pathlib.Path(folder) / "trace"  # the same path: files name each other
            shutil.rmtree(trace, ignore_errors=True)
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                    for _ in range(2 * os.cpu_count() if number == 2 else 0)]
            try:
                outcome = run(options, path, ["--trace", str(trace)])
            finally:
                for process in busy:
                    process.kill()
            if not outcome["passed"]:
                return outcome
            files = {str(file.relative_to(trace)): file.read_bytes() for file in trace.rglob("*") if file.is_file()}
            first = first or files
            differ = sorted(name for name in first.keys() | files.keys() if first.get(name) != files.get(name))
            if differ:
                return {**outcome, "passed": False, "why": f"run {number + 1} differs in {', '.join(differ)}"}
        return {**outcome, "why": f"{len(first)} files of {sum(map(len, first.values()))} bytes, three times the same"}


class Daemon:
    """The second node of tests of level 4, and what these read of it in their environment."""

    def __init__(self, options, start):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([*start, "-m", "simpler.remote_l3_worker", "--port", str(port)],
                                        cwd=options.checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        for _ in range(300):  # until it listens
            with socket.socket() as peer:
                if peer.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        self.environment = {"NETWORK1_REMOTE_ENDPOINT": f"127.0.0.1:{port}", "NETWORK1_REMOTE_DEVICES": "0-1",
                            "NETWORK1_LOCAL_IP": "127.0.0.1", "NETWORK1_MPI_PYTHON": options.python,
                            "RUN_DIR": self.folder.name}

    def __enter__(self):
        return self.environment

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.folder.cleanup()


def run(options, path, exec_options=(), upstream=None):
    """Outcome of the test, in seconds of this host; on simpler's own simulator, if upstream is the Python of it."""
    upstream = upstream or (options.python if options.upstream else None)
    clock = ["--system", options.system] if options.system else []
    start = [upstream] if upstream else [str(options.ptosim), "exec", *clock, *exec_options, "--", options.python]
    platform = options.arch if options.device else f"{options.arch}sim"
    devices = {2: "0", 3: "0-3", 4: "0-1"}[options.level]
    text = (options.checkout / path).read_text(errors="replace")
    smoke = RECORDED.get(path.parent.name if path.parent.parent.name == "dfx" else "", [])
    # A test that runs as a script runs its cases, but not its own test_run().
    for_pytest = "__main__" not in text or re.search(r"^from (?:\.|examples\.|tests\.)|^    def test_", text, re.M)
    if options.level == 4:
        folder = options.checkout
        commands = [[*start, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path), "--level", "4", "--platform",
                     options.arch, "--device", devices, "--max-parallel", "1"]]
        with Daemon(options, start) as more:
            return outcome_of_first(options, commands, folder, options.arch, more)
    if not smoke and not for_pytest:
        folder = (options.checkout / path).parent
        script = [*start, path.name, "-p", platform, "-d", devices]
    else:
        folder = options.checkout
        script = [*start, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path),
                  "--platform", platform, "--device", devices, *smoke]
    asked_for = ["include"] if options.manual or smoke else ["exclude", "include"]
    return outcome_of_first(options, [[*script, "--manual", which] for which in asked_for], folder, platform)


def outcome_of_first(options, commands, folder, platform, more=()):
    """Outcome of the first command that runs something."""
    # torch computes the goldens: its threads would wait for each other where other programs run.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **dict(more)}
    for command in commands:
        begin, used = time.monotonic(), processor_seconds()
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                                    timeout=options.seconds, env=environment)
            outcome = outcome_of(result.stdout + result.stderr, result.returncode, platform)
        except subprocess.TimeoutExpired:
            outcome = {"passed": False, "why": f"not done after {options.seconds:g} s"}
        outcome |= {"seconds": round(time.monotonic() - begin, 1),
                    "processor_seconds": round(processor_seconds() - used, 1)}
        if outcome["passed"] is not None:
            break
    return outcome


def processor_seconds():
    """Processor time of all processes that have been started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def beside_upstream(options, path):
    """Result of run() for the test, and in "other" the result of upstream's simulator; each with its second run."""
    runs = {None: [], options.beside_upstream: []}
    for _ in range(2):
        for upstream, outcomes in runs.items():
            if all(outcome["passed"] for outcome in outcomes):
                outcomes.append(run(options, path, upstream=upstream))
    # The run that counts is the last: one that fails then has failed.
    ours, other = ({**outcomes[-1], "first": outcomes[0]} for outcomes in runs.values())
    return {**ours, "other": other}


def outcome_of(output, code, platform):
    """Outcome from the output of a script or pytest; "passed" is None if the test has nothing for the platform."""
    passed = len(re.findall(r"^\s+(?:\S+::\S+|L3 \S+ \(.*\):) PASSED", output, re.M))
    passed += sum(map(int, re.findall(r"^(?:=+ )?(?:.*, )?(\d+) passed", output, re.M)))
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)(?: - )?(.*)|^\s+(?:\S+::\S+|L3 \S+ \(.*\):) FAILED()(.*)",
                        output, re.M)
    nothing_to_run = 5  # of pytest
    # A traceback of pytest shows the line with the message that no cases have matched.
    if passed == 0 and not failed and (code in (0, nothing_to_run) or "No cases matched" in output):
        return {"passed": None, "why": f"has nothing for {platform}"}
    error = re.search(r"^.*(?:error|Error): .*$", output, re.M)
    why = error.group(0) if error else "".join(failed[0]) if failed else output.strip()[-200:]
    return {"passed": code == 0 and passed > 0 and not failed, "cases": passed + len(failed), "cases_passed": passed,
            "why": why.strip()[:240] if code or failed else ""}


WORDS = {True: "passes", False: "fails", None: "-"}


def told(path, outcome):
    text = (f"{WORDS[outcome['passed']]} {path} ({outcome.get('cases_passed', 0)} of {outcome.get('cases', 0)} cases, "
            f"{outcome['seconds']:g} s, {outcome['processor_seconds']:g} s of processors) {outcome['why']}")
    return text + (f"\n  upstream: {told('', outcome['other'])}" if "other" in outcome else "")


def name_of(path):
    return re.sub(r"^(examples|tests/st)/.*/test_(\w+)\.py$", r"\1: \2", path)


def markdown(options, results):
    """A table: one line per test, and what upstream's own simulator made of it where --compare tells."""
    compared = json.loads(options.compare.read_text()) if options.compare else {}
    lines = ["| test | outcome | cases | seconds |" + (" upstream's simulator | seconds |" if compared else ""),
             "|---|---|---|---|" + ("---|---|" if compared else "")]
    for path, outcome in results.items():
        cells = [name_of(path),
                 WORDS[outcome["passed"]] + (f": {outcome['why']}" if outcome["why"] else ""),
                 f"{outcome.get('cases_passed', 0)} of {outcome.get('cases', 0)}", f"{outcome['seconds']:g}"]
        if compared:
            other = compared.get(path)
            cells += [WORDS[other["passed"]], f"{other['seconds']:g}"] if other else ["not run", ""]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def beside_markdown(results):
    """A table with a line for each test: both simulators' outcomes, and the seconds of their first and second run."""
    names = ("ptosim", "upstream")
    lines = ["| test | " + " | ".join(f"{name} | first run s (processor s) | second" for name in names) + " |",
             "|---|" + "---|---|---|" * len(names)]
    pairs = {path: (outcome, outcome["other"]) for path, outcome in results.items()}
    for path, pair in pairs.items():
        cells = [name_of(path)]
        for outcome in pair:
            cells += [WORDS[outcome["passed"]] + (f": {outcome['why']}" if outcome["why"] else "")]
            cells += [f"{each['seconds']:g} ({each['processor_seconds']:g})" for each in (outcome["first"], outcome)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    both = [pair for pair in pairs.values() if all(outcome["passed"] for outcome in pair)]
    if both:
        cells = [f"**median of the {len(both)} that both pass**"]
        for outcomes in zip(*both):
            cells.append("")
            for each in ([outcome["first"] for outcome in outcomes], outcomes):
                elapsed, used = (statistics.median(outcome[what] for outcome in each)
                                 for what in ("seconds", "processor_seconds"))
                cells.append(f"**{elapsed:.1f} ({used:.1f})**")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="conformance.py simpler-programs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--arch", default="a2a3", choices=("a2a3", "a5"))
    parser.add_argument("--runtime", default="tensormap_and_ringbuffer")
    parser.add_argument("--level", type=int, default=2, choices=(2, 3, 4), help="3: of several chips, 4: of two nodes")
    parser.add_argument("--system", metavar="NAME", help="one clock for the chips of levels 3 and 4")
    parser.add_argument("--only", help="paths that hold this text")
    parser.add_argument("--manual", action="store_true", help="run cases that are left to be asked for, too")
    parser.add_argument("--device", action="store_true", help="the tests that are for the device alone")
    parser.add_argument("--upstream", action="store_true", help="on simpler's own simulator")
    parser.add_argument("--same-bytes", action="store_true", help="compare the files of three runs")
    parser.add_argument("--beside-upstream", metavar="PYTHON", help="in turns with simpler's own simulator, in PYTHON")
    parser.add_argument("--seconds", type=float, default=600, help="a test that takes longer has failed")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--record", metavar="SUITE", help="put the table into tests/evidence/SUITE.json")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FILE", help="a --json of --upstream, for the table")
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    options = parser.parse_args()
    options.checkout, options.ptosim = options.checkout.resolve(), options.ptosim.resolve()
    found = [path for path in tests(options.checkout, options.arch, options.runtime, options.level, options.device)
             if not options.only or options.only in str(path)]
    if not found:
        sys.exit(f"error: there is no such test in {options.checkout}")
    results = {}
    if options.resume and options.json and options.json.exists():
        results = json.loads(options.json.read_text())
    for path in found:
        if str(path) in results:
            continue
        how = same_bytes if options.same_bytes else beside_upstream if options.beside_upstream else run
        results[str(path)] = outcome = how(options, path)
        print(told(path, outcome), flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    outcomes = {str(path): results[str(path)] for path in found}
    if options.record:
        put(beside_markdown(outcomes) if options.beside_upstream else markdown(options, outcomes), options.record,
            f"{options.arch}, {options.runtime}")
    for_platform = [outcome["passed"] for outcome in outcomes.values() if outcome["passed"] is not None]
    print(f"{sum(for_platform)} of {len(for_platform)} tests pass")
    sys.exit(0 if all(for_platform) else 1)


if __name__ == "__main__":
    main()
