#!/usr/bin/python3
"""No code but the table of traits (isa/arch.*) compares architectures: it asks for a trait instead.

Tests may name the architecture that they run on.
"""

import glob
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COMPARISON = re.compile(r"[=!]= *(?:ptosim::)?Arch::k|\bArch::k\w+ *[=!]=|"
                        r"case +(?:ptosim::)?Arch::k|is_a5\(arch")


class Architectures(unittest.TestCase):
    def test_the_pattern_finds_comparisons(self):
        for line in ("if (arch == Arch::kA5)", "arch != ptosim::Arch::kA2A3", "Arch::kA5 == arch",
                     "case Arch::kKirin:"):
            self.assertRegex(line, COMPARISON)

    def test_code_asks_for_traits(self):
        found, files = [], 0
        for folder in ("isa", "sim", "traces", "include"):
            for end in ("cpp", "h", "hpp", "def"):
                for path in glob.glob(os.path.join(ROOT, folder, "**", "*." + end), recursive=True):
                    name = os.path.relpath(path, ROOT)
                    if name.startswith("isa/arch.") or name.endswith("_test.cpp"):
                        continue
                    files += 1
                    with open(path) as file:
                        found += [f"{name}:{number}: {line.strip()}"
                                  for number, line in enumerate(file, 1) if COMPARISON.search(line)]
        self.assertEqual(found, [], "ask for a trait of isa/core/arch.def instead")
        self.assertGreater(files, 300)


if __name__ == "__main__":
    unittest.main()
