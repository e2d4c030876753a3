#!/usr/bin/python3
"""The GitHub Action on the example repository next to this file: its steps, in bash with the variables of GitHub.

    action_test.py --ptosim BIN
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

PTOSIM = ""
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
WAIT = "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"


@unittest.skipIf(yaml is None, "needs python3-yaml")
class Action(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, "repository")
        shutil.copytree(HERE, self.folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        with open(os.path.join(ROOT, ".github", "actions", "check", "action.yml")) as file:
            self.action = yaml.safe_load(file)
        with open(os.path.join(HERE, "workflow.yml")) as file:
            (self.used,) = [step["with"] for step in yaml.safe_load(file)["jobs"]["check"]["steps"] if "with" in step]

    def run_steps(self, **inputs):
        """The steps that have a script. Exit code of the last one, and the outputs of each by its id."""
        given = {name: fields.get("default") for name, fields in self.action["inputs"].items()}
        given.update({**self.used, **inputs})
        self.assertNotIn(None, given.values())
        outputs = {}

        def value(expression):
            kind, *rest = expression.split(".")
            return given[rest[0]] if kind == "inputs" else outputs[rest[0]][rest[2]] if kind == "steps" else \
                {"github.action_path": os.path.join(ROOT, ".github", "actions", "check")}[expression]

        code = 0
        for number, step in enumerate(self.action["runs"]["steps"]):
            if "run" not in step:
                continue
            names = {name: os.path.join(self.folder, f".{number}.{name}") for name in ("OUTPUT", "STEP_SUMMARY")}
            environment = {**os.environ, **{f"GITHUB_{name}": path for name, path in names.items()},
                           "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
            for name, text in step["env"].items():
                environment[name] = re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: value(found[1]), text)
            for path in names.values():
                open(path, "w").close()
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                                  cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
            code = done.returncode
            with open(names["OUTPUT"]) as file:
                outputs[step.get("id", str(number))] = dict(line.rstrip("\n").split("=", 1) for line in file)
            if code:
                break
        return code, outputs

    def findings(self):
        with open(os.path.join(self.folder, "ptosim.sarif")) as file:
            (run,) = json.load(file)["runs"]
        return [(found["ruleId"], found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
                for found in run["results"]]

    def test_a_repository_without_findings(self):
        code, outputs = self.run_steps(ptosim=PTOSIM)
        self.assertEqual((code, outputs["check"]), (0, {"sarif": "ptosim.sarif", "code": "0"}))
        self.assertEqual(self.findings(), [])

    def test_a_finding_fails_the_job_after_the_upload(self):
        path = os.path.join(self.folder, "kernels", "vadd.pto")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace(WAIT, "", 1))
        code, outputs = self.run_steps(ptosim=PTOSIM)
        self.assertEqual((code, outputs["check"]["code"]), (1, "1"))
        self.assertIn(("E01", "kernels/vadd.pto"), self.findings())
        uploads = [i for i, step in enumerate(self.action["runs"]["steps"]) if "upload-sarif" in step.get("uses", "")]
        fails = [i for i, step in enumerate(self.action["runs"]["steps"]) if 'exit "$CODE"' in step.get("run", "")]
        self.assertLess(uploads[0], fails[0])


if __name__ == "__main__":
    at = sys.argv.index("--ptosim")
    PTOSIM = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
