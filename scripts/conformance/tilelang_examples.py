"""Runs examples of tile-ai/tilelang-ascend unmodified on the toolkit: its code generator writes C++, bisheng compiles it, and
the example compares the result with PyTorch.

CHECKOUT has the code generator built (scripts/tilelang_env.sh does it); --python has torch. Run are the examples that name
target="pto", and with --all the others, too. Other rows of the table stay.
"""
import re

import suites
from suites import ROOT, Suite, flag, many, one, options, place


class Examples(Suite):
    repository = "tile-ai/tilelang-ascend"
    options = options("toolkit! python!", all=flag("examples of any target"), only=many("WORD"), chip=one("ascend910b1"), jobs=2,
                      results=place("folder of logs", default="tilelang_results"),
                      csv=ROOT / "tests" / "conformance_tilelang_examples.csv",
                      seconds=one(300, "of processors, for one example"))
    columns = ("example", "chip", "result", "seconds", "reason")
    good = None
    key = ("example", "chip")
    state = "result"
    stays = whole = sorts = True

    def prepare(self):
        self.folder = self.given.checkout / "examples"
        self.variables = suites.toolkit_environment(self.given.toolkit, [self.given.checkout], PTOSIM_CHIP=self.given.chip)

    def items(self):
        return [str(file.relative_to(self.folder)) for file in sorted(self.folder.rglob("*.py"))
                if self.given.all or re.search(r"target=['\"]pto['\"]", file.read_text(encoding="utf-8"))]

    def name_of(self, item):
        return item, self.given.chip

    def run(self, item):
        place, file = self.given.results / item.replace("/", "_"), self.folder / item
        place.mkdir(parents=True, exist_ok=True)
        # In its folder, from which the generator's include paths start.
        code, used = suites.run_limited([self.given.python, file], file.parent, self.variables, place / "log", self.given.seconds)
        # The first error of the simulator or the compiler, else of Python.
        reason = ("not done within the limit of time" if code is None else f"ended by signal {-code}" if code < 0 else ""
                  if code == 0 else suites.reason_of(
                      (place / "log").read_text(errors="replace"), r"(?:^|: )error: (.+)$", r"^(\w*(?:Error|Exception)\b.*)$",
                      longest=140, folders=r"\S*/", nothing="no message"))
        return {**dict(zip(self.key, self.name_of(item))), "result": "passes" if code == 0 else "fails",
                "seconds": round(used), "reason": reason}
