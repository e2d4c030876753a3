#!/usr/bin/python3
"""`ptosim check` of several kernels: their arguments, one summary, reports in one document, exit codes.

    check_many_test.py --ptosim BIN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

import frame
from compare_test import CPP, KERNEL, VADD, WAIT

PTOSIM = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class CheckMany(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        for name, text in (("k/good.pto", KERNEL), ("k/race.pto", KERNEL.replace(WAIT, "", 1)),
                           ("k/deep/twice.cpp", CPP), ("bare.pto", VADD),
                           ("broken.pto", KERNEL.replace("pto.tadd", "pto.taddd", 1))):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)

    def check(self, *words, code=1):
        path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        done = subprocess.run([PTOSIM, "check", *words], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PATH": path}, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_a_folder_and_a_kernel(self):
        done = self.check("k", "broken.pto")
        self.assertRegex(done.stdout, r"(?m)^clean .*good\.pto$")
        self.assertRegex(done.stdout, r"(?m)^findings .*race\.pto$")
        self.assertRegex(done.stdout, r"(?m)^refused .*broken\.pto  error: .*\[K02\]$")
        self.assertRegex(done.stdout, r"\n4 kernels: ")
        self.assertEqual(len(re.findall("^== ", done.stderr, re.M)),
                         len(re.findall(r"(?m)^(?:findings|refused) ", done.stdout)))

    def test_exit_codes(self):
        self.check("k/good.pto", "bare.pto", code=0)
        self.check("k/good.pto", "broken.pto", code=2)
        self.check("k/good.pto", "broken.pto", "k/race.pto", code=1)
        self.check("k", "--emit", "x.pto", code=2)
        self.check("k/good.pto", "none.pto", code=2)

    def test_the_kernels_are_checked_as_alone(self):
        """The findings and their lines equal the findings of a call for the kernel alone."""
        words = KERNEL.splitlines()[0].split("run: ")[1].split()
        alone = json.loads(self.check("k/race.pto", *words, "--format", "json").stdout)
        several = json.loads(self.check("k/good.pto", "k/race.pto", "--format", "json").stdout)
        place = [(one["code"], one["location"]["line"], one["count"]) for one in alone]
        self.assertEqual([(one["code"], one["location"]["line"], one["count"]) for one in several], place)
        given = json.loads(self.check("k/race.pto", "bare.pto", *words, "--format", "json").stdout)
        self.assertEqual([(one["code"], one["location"]["line"], one["count"]) for one in given], place)

    def test_files_are_where_they_are_named(self):
        """Files of a kernel's line are found next to the kernel, files of the command line in the working folder."""
        np.save(os.path.join(self.folder, "k", "x.npy"), np.zeros((32, 256), np.float32))
        with open(os.path.join(self.folder, "k", "file.pto"), "w") as file:
            file.write(KERNEL.replace("--arg rand=32x256xf32", "--arg in=x.npy", 1))
        with open(os.path.join(self.folder, "known.txt"), "w") as file:
            file.write("E* k/race.pto\nG* k/race.pto\nD* k/race.pto\n")
        self.check("k/file.pto", "k/race.pto", "--suppress", "known.txt", code=0)

    def test_reports_are_one_document(self):
        self.check("k/race.pto", "broken.pto", "k/good.pto", "--format", "sarif", "--report", "all.sarif")
        with open(os.path.join(self.folder, "all.sarif")) as file:
            (run,) = json.load(file)["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual({rules[found["ruleIndex"]] for found in run["results"]}, set(rules))
        self.assertIn("K02", rules)
        places = {found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for found in run["results"]}
        self.assertEqual(places, {"k/race.pto", "broken.pto"})  # as code scanning needs them
        self.check("k/race.pto", "broken.pto", "--format", "junit", "--report", "all.xml")
        suites = xml.etree.ElementTree.parse(os.path.join(self.folder, "all.xml")).getroot()
        self.assertEqual((suites.tag, len(suites)), ("testsuites", 2))
        done = self.check("k", "--json", "-", "--trace", "t", "--jobs", "1", code=1)
        told = json.loads(done.stdout)
        self.assertEqual([one["verdict"] for one in told if one["file"] == "race.pto"], ["findings"])
        self.assertTrue(os.path.isfile(os.path.join(self.folder, "t", "race.pto", "recording.ptosim"))
                        or os.listdir(os.path.join(self.folder, "t", "race.pto")))


if __name__ == "__main__":
    PTOSIM = frame.program()
    unittest.main()
