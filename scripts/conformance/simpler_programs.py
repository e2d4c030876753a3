"""Runs the scene tests of a checkout of hw-native-sys/simpler on the simulator, unmodified.

`ptosim simpler-setup` goes before; --python has simpler and torch. Each test_*.py below examples/ and tests/st that names
the platform and the runtime is run as a script, with its own golden. Cases that it leaves to be asked for (manual) are run
where it has no others, and with --manual everywhere. --device runs the tests that are for the device alone, by the device's
own name (a2a3, a5). --level 3 runs tests of several chips, --level 4 tests of two nodes. The second node is a daemon
(simpler.remote_l3_worker) that this script starts, or a rank of mpirun (PATH has it, the Python has mpi4py); --system gives
their chips one clock. --upstream runs the tests on simpler's own simulator, which the Python must have then, for comparison.
With --same-bytes each test is run three times with --trace, the third time next to programs that take all processors: all
files have to be the same, byte for byte.

With --beside-upstream each test is run on both simulators in turns, twice: with `ptosim exec`, on simpler's own (in that
PYTHON, which has it), and once more. The second time finds all kernels compiled; so does the first, unless the folders
mpmd/kernels and mpmd/orchestrations of the simulator's cache and build/cache/kernels of simpler were removed before. Seconds
are elapsed and processor seconds of all processes that the test starts.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import suites
from pypto import NOTHING_TO_RUN, OnDevice
from suites import flag, one, options, place

# Options that simpler's own checks use for tests of its collectors, by their folder below dfx/.
RECORDED = {"chip_swimlane": ["--enable-chip-swimlane", "--enable-dep-gen"], "dep_gen": ["--enable-dep-gen"],
            "pmu": ["--enable-pmu", "2"], "args_dump": ["--dump-args"], "scope_stats": ["--enable-scope-stats"]}
DEVICES = {2: "0", 3: "0-3", 4: "0-1"}  # of the levels


def outcome_of(output, code, platform):
    """Outcome from the output of a script or pytest; "passed" is None if the test has nothing for the platform."""
    passed = len(re.findall(r"^\s+(?:\S+::\S+|L3 \S+ \(.*\):) PASSED", output, re.M))
    passed += sum(map(int, re.findall(r"^(?:=+ )?(?:.*, )?(\d+) passed", output, re.M)))
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)(?: - )?(.*)|^\s+(?:\S+::\S+|L3 \S+ \(.*\):) FAILED()(.*)", output, re.M)
    # A traceback of pytest shows the line with the message that no cases have matched.
    if passed == 0 and not failed and (code in (0, NOTHING_TO_RUN) or "No cases matched" in output):
        return {"passed": None, "why": f"has nothing for {platform}"}
    error = re.search(r"^.*(?:error|Error): .*$", output, re.M)
    why = error.group(0) if error else "".join(failed[0]) if failed else output.strip()[-200:]
    return {"passed": code == 0 and passed > 0 and not failed, "cases": passed + len(failed), "cases_passed": passed,
            "why": why.strip()[:240] if code or failed else ""}


class Daemon:
    """The second node of tests of level 4, and its data in their environment."""

    def __init__(self, given, start):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([*start, "-m", "simpler.remote_l3_worker", "--port", str(port)], cwd=given.checkout,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(300):  # until it listens
            with socket.socket() as peer:
                if peer.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        self.environment = {"NETWORK1_REMOTE_ENDPOINT": f"127.0.0.1:{port}", "NETWORK1_REMOTE_DEVICES": "0-1",
                            "NETWORK1_LOCAL_IP": "127.0.0.1", "NETWORK1_MPI_PYTHON": str(given.python),
                            "RUN_DIR": self.folder.name}

    def __enter__(self):
        return self.environment

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.folder.cleanup()


class Tests(OnDevice):
    repository = "hw-native-sys/simpler"
    options = options(
        "ptosim! json record resume only python", arch=one("a2a3", choices=("a2a3", "a5")), seconds=600,
        runtime=one("tensormap_and_ringbuffer"), level=one(2, "3: of several chips, 4: of two nodes", tuple(DEVICES)),
        system={"metavar": "NAME", "help": "one clock for the chips of levels 3 and 4"},
        manual=flag("run cases that are left to be asked for, too"), device=flag("the tests that are for the device alone"),
        upstream=flag("on simpler's own simulator"), same_bytes=flag("compare the files of three runs"),
        beside_upstream={"metavar": "PYTHON", "help": "in turns with simpler's own simulator, in PYTHON"},
        compare=place("a --json of --upstream, for the table"))
    columns = ("test", "outcome", "cases", "seconds")

    def prepare(self):
        self.mark = f"{self.given.arch}, {self.given.runtime}"

    def items(self):
        arch, runtime, level = self.given.arch, self.given.runtime, self.given.level
        for top in ("examples", "tests/st"):
            for path in sorted((self.given.checkout / top).rglob("test_*.py")):
                text = path.read_text(errors="replace")
                chosen = (f'"platforms": ["{arch}"]' in text and f'"{arch}sim"' not in text if self.given.device
                          else f'"{arch}sim"' in text)
                nodes = ("scene_level(SceneTestLevel.NETWORK1)" in text and f'platforms(["{arch}"])' in text
                         and f'"{runtime}"' in text)
                scene = "@scene_test" in text and f'runtime="{runtime}"' in text and f"level={level}" in text
                if level == 4 and nodes or scene and chosen:
                    yield path.relative_to(self.given.checkout)

    def run(self, item):
        how = self.same_bytes if self.given.same_bytes else self.beside if self.given.beside_upstream else self.once
        return {"test": str(item), **how(item)}

    def once(self, path, exec_options=(), upstream=None):
        """Outcome of the test, in seconds of this host; on simpler's own simulator, if upstream is the Python of it."""
        given = self.given
        upstream = upstream or (given.python if given.upstream else None)
        clock = ["--system", given.system] if given.system else []
        start = [upstream] if upstream else [given.ptosim, "exec", *clock, *exec_options, "--", given.python]
        platform = given.arch if given.device or given.level == 4 else f"{given.arch}sim"
        pytest = [*start, "-m", "pytest", "-q", "-p", "no:cacheprovider", path]
        if given.level == 4:
            command = [*pytest, "--level", "4", "--platform", platform, "--device", DEVICES[4], "--max-parallel", "1"]
            with Daemon(given, start) as more:
                return self.outcome_of_first([command], given.checkout, platform, more)
        text = (given.checkout / path).read_text(errors="replace")
        smoke = RECORDED.get(path.parent.name if path.parent.parent.name == "dfx" else "", [])
        # A test that runs as a script runs its cases, but not its own test_run().
        for_pytest = "__main__" not in text or re.search(r"^from (?:\.|examples\.|tests\.)|^    def test_", text, re.M)
        folder, script = (given.checkout / path).parent, [*start, path.name, "-p", platform, "-d", DEVICES[given.level]]
        if smoke or for_pytest:
            folder, script = given.checkout, [*pytest, "--platform", platform, "--device", DEVICES[given.level], *smoke]
        asked_for = ["include"] if given.manual or smoke else ["exclude", "include"]
        return self.outcome_of_first([[*script, "--manual", which] for which in asked_for], folder, platform)

    def outcome_of_first(self, commands, folder, platform, more=()):
        """Outcome of the first command that runs something."""
        # torch computes the goldens: its threads would wait for each other where other programs run.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **dict(more)}
        for command in commands:
            begin = time.monotonic()
            status, output, used = suites.timed(command, folder, self.given.seconds, environment, merged=False)
            outcome = outcome_of(output, status, platform) if status != suites.TIME_LIMIT else {
                "passed": False, "why": f"not done after {self.given.seconds:g} s"}
            outcome |= {"seconds": round(time.monotonic() - begin, 1), "processor_seconds": used}
            if outcome["passed"] is not None:
                break
        return outcome

    def same_bytes(self, path):
        """Outcome of the test, failed if files of three runs differ."""
        with tempfile.TemporaryDirectory() as folder:
            first, trace = None, pathlib.Path(folder) / "trace"  # the same path: files name each other
            for number in range(3):
                shutil.rmtree(trace, ignore_errors=True)
                busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                        for _ in range(2 * os.cpu_count() if number == 2 else 0)]
                try:
                    outcome = self.once(path, ["--trace", str(trace)])
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

    def beside(self, path):
        """Outcome of the test, and in "other" that of upstream's simulator; each with its second run."""
        runs = {None: [], self.given.beside_upstream: []}
        for _ in range(2):
            for upstream, outcomes in runs.items():
                if all(outcome["passed"] for outcome in outcomes):
                    outcomes.append(self.once(path, upstream=upstream))
        # The run that counts is the last: one that fails then has failed.
        ours, other = ({**outcomes[-1], "first": outcomes[0]} for outcomes in runs.values())
        return {**ours, "other": other}

    def told(self, name, result):
        text = (f"{self.state_of(result)} {name} ({result.get('cases_passed', 0)} of {result.get('cases', 0)} cases, "
                f"{result['seconds']:g} s, {result['processor_seconds']:g} s of processors) {result['why']}")
        return text + (f"\n  upstream: {self.told('', result['other'])}" if "other" in result else "")

    def outcome(self, result):
        return self.state_of(result) + (f": {result['why']}" if result["why"] else "")

    def page(self):
        """A table with a line for each test, and upstream's own simulator where --compare has it, or it ran in turns."""
        names = [re.sub(r"^(examples|tests/st)/.*/test_(\w+)\.py$", r"\1: \2", result["test"]) for result in self.reported()]
        if self.given.beside_upstream:
            return self.beside_page(names)
        compared = ({result["test"]: result for result in json.loads(self.given.compare.read_text())} if self.given.compare
                    else None)
        rows = []
        for name, result in zip(names, self.reported()):
            rows.append([name, self.outcome(result), f"{result.get('cases_passed', 0)} of {result.get('cases', 0)}",
                         f"{result['seconds']:g}"])
            if compared is not None:
                other = compared.get(result["test"])
                rows[-1] += [self.state_of(other), f"{other['seconds']:g}"] if other else ["not run", ""]
        more = ("upstream's simulator", "seconds") if compared is not None else ()
        return suites.markdown((*self.columns, *more), rows)

    def beside_page(self, names):
        """Both simulators' outcomes, and the seconds of their first and second run."""
        header = ["test"] + [title for name in ("ptosim", "upstream")
                             for title in (name, "first run s (processor s)", "second")]
        pairs, rows = [(result, result["other"]) for result in self.reported()], []
        for name, pair in zip(names, pairs):
            rows.append([name])
            for outcome in pair:
                rows[-1] += [self.outcome(outcome), *(f"{each['seconds']:g} ({each['processor_seconds']:g})"
                                                      for each in (outcome["first"], outcome))]
        both = [pair for pair in pairs if all(outcome["passed"] for outcome in pair)]
        if both:
            rows.append([f"**median of the {len(both)} that both pass**"])
            for outcomes in zip(*both):
                rows[-1].append("")
                for each in ([outcome["first"] for outcome in outcomes], outcomes):
                    elapsed, used = (statistics.median(outcome[what] for outcome in each)
                                     for what in ("seconds", "processor_seconds"))
                    rows[-1].append(f"**{elapsed:.1f} ({used:.1f})**")
        return suites.markdown(header, rows)
