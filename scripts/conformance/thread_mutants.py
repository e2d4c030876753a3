"""Removes synchronisation from asc-devkit's examples of threads, a call at a time, and checks the programs with all checkers.

An item is a program with its scenario and the line of the removed call; line 0 is the program as it is, which must have no
finding. Lines that the scenario does not reach are left out: the program reports them, with a print beside each call of
threads. A wait of a pipe is removed without its notification.
"""
import re

import suites
from suites import Suite, options

CALL = re.compile(r"\b(asc_syncthreads\(\)|asc_threadfence\w*\(\)|asc_sync_wait\([^;]*\)|asc_sync_data_barrier\([^;]*\))\s*;")
OF_THREADS = re.compile(r"\b(asc_syncthreads|asc_threadfence\w*)\(\)\s*;")
FINDING = re.compile(r"\[([A-Z]\d\d)\]$", re.M)
THREADS, HYBRID = "examples/03_simt_api/", "examples/05_simd_simt_hybrid/"
FEATURES, PRACTICES = THREADS + "02_features/01_api_features/", THREADS + "03_best_practices/"
# Sources, the options of their scenarios, and the arguments of the programs.
PROGRAMS = (
    (PRACTICES + "00_memory_optimizations/matrix_transpose_practice/matrix_transpose.asc",
     [f"-DSCENARIO_NUM={n}" for n in (4, 5, 6, 7)], ""),
    (FEATURES + "02_atomic_operation/histogram/histogram.asc", [""], ""),
    (FEATURES + "02_atomic_operation/atomic_add_perf/atomic_add_perf.asc", ["-DSCENARIO_NUM=4"], ""),
    (FEATURES + "01_sync_instruction/memory_fence/sync_barrier.asc", [""], ""),
    (FEATURES + "01_sync_instruction/memory_fence/memory_fence.asc", [""], ""),
    (FEATURES + "00_memory_access/insert_hash_table/insert_hash_table.asc", [""], ""),
    (HYBRID + "00_introduction/simd_simt_gather_and_adds/gather_and_adds.asc", [""], ""),
    (HYBRID + "02_best_practices/simd_simt_integer_fast_div/integer_div.asc", [f"-DSCENARIO_NUM={n}" for n in (0, 1)], ""),
)


class Mutants(Suite):
    repository = "asc-devkit"
    options = options("ptosim only json csv commit resume retry work!", jobs=1, timeout=300)
    columns = ("program", "line", "call", "state", "reason")
    key, state, reason = ("program", "line"), "state", "reason"
    good = ("found", "clean")

    def items(self):
        for source, scenarios, arguments in PROGRAMS:
            text = (self.given.checkout / source).read_text(encoding="utf-8")
            for scenario in scenarios:
                program = " ".join(word for word in (source.rsplit("/", 1)[-1], scenario, arguments) if word)
                yield program, "0", source, scenario, arguments, ""
                for call in CALL.finditer(text):
                    line = text[:call.start()].count("\n") + 1
                    yield program, str(line), source, scenario, arguments, call.group(0)

    def name_of(self, item):
        return item[:2]

    def built_and_run(self, name, source, scenario, arguments, text):
        """The exit status of the program of this text, and its output."""
        place = self.given.work / re.sub(r"\W+", "_", name)
        place.mkdir(parents=True, exist_ok=True)
        original = self.given.checkout / source
        changed = place / original.name
        changed.write_text(text, encoding="utf-8")
        kind = [] if source.startswith(HYBRID) else ["--enable-simt"]
        status, output = suites.run(
            [self.given.ptosim, "build", "--arch", "a5", *kind, "--ascendc", self.given.checkout, *scenario.split(), "-I",
             original.parent, "-I", original.parent / "scripts", changed, "-o", place / "app"], place, self.given.timeout)
        if status != 0:
            return None, output
        data = original.parent / "scripts" / "gen_data.py"
        if data.exists():
            suites.run(["python3", data], place, self.given.timeout)
        return suites.run([place / "app", *arguments.split()], place, self.given.timeout,
                          suites.with_path("/usr/bin", PTOSIM_CHIP="ascend950pr", PTOSIM_CHECK="all"))

    def reaches(self, program, source, scenario, arguments, line):
        """True unless the program's prints show that no thread comes to the call."""
        known = self.reached.get(program)
        if known is None:
            text = (self.given.checkout / source).read_text(encoding="utf-8")

            def marked(call):
                number = text[:call.start()].count("\n") + 1
                return f'{call.group(0)} printf("at line {number}\\n");'

            status, output = self.built_and_run(program + " reached", source, scenario, arguments, OF_THREADS.sub(marked, text))
            known = {int(n) for n in re.findall(r"at line (\d+)", output)} if status is not None else None
            self.reached[program] = known = known if known is not None else set()
        return line in known

    def prepare(self):
        self.reached = {}

    def run(self, item):
        program, line, source, scenario, arguments, call = item
        result = {"program": program, "line": line, "call": call, "reason": ""}
        text = (self.given.checkout / source).read_text(encoding="utf-8")
        if call:
            if OF_THREADS.match(call) and not self.reaches(program, source, scenario, arguments, int(line)):
                return result | {"state": "unreached"}
            at = next(m for m in CALL.finditer(text) if text[:m.start()].count("\n") + 1 == int(line))
            text = text[:at.start()] + ";" + text[at.end():]
        status, output = self.built_and_run(f"{program} {line}", source, scenario, arguments, text)
        codes = sorted(set(FINDING.findall(output)))
        if status is None:
            return result | {"state": "build", "reason": output.strip().splitlines()[-1][:120]}
        if call:
            return result | {"state": "found" if codes else "missed", "reason": " ".join(codes)}
        return result | {"state": "flagged" if codes else "clean" if status == 0 else "failed", "reason": " ".join(codes)}

    def summary(self):
        rows = [row for row in self.results.values() if row["line"] != "0"]
        found = sum(row["state"] == "found" for row in rows)
        reached = sum(row["state"] in ("found", "missed") for row in rows)
        clean = [row for row in self.results.values() if row["line"] == "0"]
        return (f"{found} of {reached} removed calls found; {sum(row['state'] == 'clean' for row in clean)} of {len(clean)} "
                "programs without a finding as they are")
