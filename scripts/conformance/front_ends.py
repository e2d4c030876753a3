"""Runs one program of each front end by the command that its users type, and records the outcome with the commit.

NAME of --checkout is a front end of tests/front_ends.csv, whose rows have the commands; {ptosim}, {toolkit}, {python}, {work},
{root} and {asc-devkit} in them are replaced. Front ends without a checkout keep their last recorded outcome. A program passes if
its command ends with 0: each compares with its own golden. 'ptosim simpler-setup' must have been run for simpler and PyPTO, and
--python must have their packages.
"""
import datetime
import os
import re
import time

import suites
from suites import ROOT, Suite, many, options


class FrontEnds(Suite):
    places = {}
    options = options("ptosim only python work!", timeout=300,
                      checkout=many("NAME=FOLDER[@COMMIT]", "repeatable; COMMIT: of a folder without .git"))
    table = ROOT / "tests" / "front_ends.csv"
    columns = ("front end", "output", "command", "upstream", "commit", "date", "outcome", "reason", "seconds")
    good = None
    state = "outcome"
    stays = True

    def prepare(self):
        self.commands, self.checkouts = {row["front end"]: row["command"] for row in suites.read_table(self.table)}, {}
        for word in self.given.checkout:
            name, _, rest = word.partition("=")
            folder, _, commit = rest.partition("@")
            if name not in self.commands or not os.path.isdir(folder):
                self.error(f"--checkout {word}: NAME is one of {', '.join(self.commands)}, FOLDER must exist")
            self.checkouts[name] = suites.path(folder), commit
        ascendc = self.checkouts.get("asc-devkit", (None,))[0]
        toolkit = suites.make_toolkit(self.given.ptosim, self.given.work, ascendc)
        self.words = {"ptosim": self.given.ptosim, "python": self.given.python, "work": self.given.work, "root": ROOT,
                      "toolkit": toolkit, "asc-devkit": ascendc or ""}

    def items(self):
        return list(self.commands)

    def outcomes(self, items):
        return super().outcomes([item for item in items if item in self.checkouts])

    def run(self, item):
        command = re.sub(r"\{([\w-]+)\}", lambda found: str(self.words[found[1]]), self.commands[item])
        (folder, commit), began = self.checkouts[item], time.monotonic()
        status, output = suites.run(suites.on_toolkit(self.words["toolkit"], command, strict=False), folder,
                                    self.given.timeout, merged=False)
        (self.given.work / f"{item}.log").write_text(output)
        reason = "" if status == 0 else next(iter(re.findall(r"error: .*|\w*Error: .*", output)), f"ended with {status}")
        return {**self.results[item], "commit": suites.commit_of(folder, commit)[:12],
                "date": datetime.date.today().isoformat(), "outcome": "passes" if status == 0 else "fails",
                "reason": reason[:150], "seconds": f"{time.monotonic() - began:.1f}"}
