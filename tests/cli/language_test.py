#!/usr/bin/python3
"""The documents of the language are true: examples parse, attributes are spelled as the reader takes them, pages are up
to date.

language_test.py --ptosim BIN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import command_line

sys.dont_write_bytecode = True
PTOSIM = "ptosim"
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LANGUAGE = os.path.join(ROOT, "isa", "assembly", "language")
CHIPS = {"a2a3": "ascend910b1", "a5": "ascend950pr"}


def ptosim(*words):
    return subprocess.run([PTOSIM, *words], capture_output=True, text=True, timeout=300)


def shown(word):
    result = ptosim("isa", word, "--json", "-")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def names_of(macro, text):
    """The names in the rows of assembly_operations.def that a macro makes."""
    rows = re.findall(rf'^{macro}\(((?:"[^"]*"\s*)+),', text, re.M)
    return " ".join("".join(re.findall(r'"([^"]*)"', row)) for row in rows).split()


class Language(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = json.loads(ptosim("isa", "--json", "-").stdout)
        cls.instructions = [row for row in cls.all if row["kind"] == "instruction"]
        with open(os.path.join(LANGUAGE, "assembly_operations.def")) as file:
            text = file.read()
        cls.operations = names_of("OPERATION", text) + names_of("GRAMMAR", text)
        cls.forms = names_of("INSTRUCTION_FORM", text)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def dry_run(self, text, *words):
        path = os.path.join(self.folder, "k.pto")
        with open(path, "w") as file:
            file.write(text)
        result = ptosim("run", "--dry-run", path, "--json", path + ".json", *words)
        found = {"diagnostics": [], "warnings": []}
        if os.path.exists(path + ".json"):
            with open(path + ".json") as file:
                found = json.load(file)
        return result, found

    def test_the_examples_are_accepted(self):
        for arch, chip in CHIPS.items():
            with open(os.path.join(LANGUAGE, f"examples_{arch}.pto")) as file:
                result, found = self.dry_run(file.read(), "--chip", chip)
            self.assertEqual(result.returncode, 0, result.stderr)
            # Only features of no architecture, and features that the assembler lacks, are accepted with a warning.
            for warning in found["warnings"]:
                if warning["code"] == "K12":
                    self.assertIn("the assembler has no operation", warning["message"])
            found["warnings"] = [w for w in found["warnings"] if w["code"] != "K12"]
            self.assertEqual({w["code"] for w in found["warnings"]} - {"P01"}, set(), result.stderr)
            nowhere = sum(not any(row["types"].values()) and bool(row["operands"]) and
                          row["name"] in result.stderr for row in self.instructions)
            self.assertEqual(len(found["warnings"]), nowhere)
            refused = [k["name"] for k in found["kernels"] if not k["launchable"]]
            self.assertEqual(refused, ["verified_only"] if arch == "a2a3" else [])

    def test_every_instruction_has_an_example_of_itself(self):
        for row in self.instructions:
            if row["name"] in ("VECTOR_FUNCTION", "THREADS"):  # made of operations: see pto.vecscope; of code
                continue
            with self.subTest(row["name"]):
                self.assertRegex(row["example"], r"^(%[\w, %]+ = )?pto\." + re.escape(row["assembly"])
                                 + r"\b")

    def test_every_operation_has_an_example_of_itself(self):
        self.assertGreater(len(self.operations), 150)
        for name in self.operations:
            with self.subTest(name):
                row = shown(name)
                other = {"call": "func.call", "return": "func.return"}.get(name, name)
                self.assertRegex(row["example"], r"^(%[\w, %]+ = )?" + f"({re.escape(name)}|{other})" + r"\b")
                result, _ = self.dry_run(ptosim("isa", name, "--example").stdout)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_code_of_the_catalogue_can_be_asked_for(self):
        with open(os.path.join(ROOT, "isa", "core", "diagnostics.tsv")) as file:
            rows = re.findall(r"^([A-Z]\d\d)\t.*\t(.*)$", file.read(), re.M)
        self.assertGreater(len(rows), 150)
        self.assertEqual(len({code for code, _ in rows}), len(rows))
        for code, meaning in rows[::20] + [row for row in rows if row[0] in ("E05", "S04")]:
            with self.subTest(code):
                self.assertIn(f"{code}: {meaning}\n", ptosim("isa", code.lower()).stdout)
        named = shown("S04")
        self.assertEqual((named["kind"], named["name"]), ("code", "S04"))
        for name in named["instructions"]:
            self.assertTrue(any("S04" in rule["codes"] for rule in shown(name)["legality"]), name)
        self.assertIn("TADD", named["instructions"])

    def test_what_has_a_form_of_its_own_is_an_instruction(self):
        self.assertGreater(len(self.forms), 10)
        self.assertLessEqual(set(self.forms), {"pto." + row["assembly"] for row in self.instructions})

    def test_attributes_are_spelled_as_the_reader_takes_them(self):
        """Every attribute with every value, in the example of its instruction."""
        functions, cases = {"a2a3": [], "a5": []}, {}
        for row in self.instructions:
            text = ptosim("isa", row["name"], "--example").stdout
            arch = "a5" if '"a5"' in text.split("\n")[0] else "a2a3"
            # Both ways to write operands take a dictionary after the inputs.
            bare = re.sub(r" \{[^}]*\}", "", row["example"])
            if "ins(" not in bare:
                continue
            for attribute in row["attributes"]:
                for value in attribute["values"].split():
                    words = attribute["values"]
                    if "VALUE" not in attribute["form"] or not re.match(r"[\w ]+$", words) or \
                            words.startswith(("a ", "the ", "blocks")):
                        continue
                    given = attribute["form"].replace("VALUE", value)
                    line = bare.replace(" :", f" {{{given}}} :", 1)
                    name = f"k{len(cases)}"
                    body = text[text.index("\n") + 1:text.rindex("}")].replace(row["example"], line)
                    body = re.sub(r"func\.func @\w+", f"func.func @{name}", body, count=1)
                    cases[name] = f"{row['name']} {given}"
                    functions[arch].append(body)
        self.assertGreater(len(cases), 200)
        for arch, bodies in functions.items():
            head = f'module attributes {{pto.target_arch = "{"a3" if arch == "a2a3" else arch}"}} {{\n'
            result, found = self.dry_run(head + "".join(bodies) + "}\n")
            wrong = [f"{d['message']}: {d.get('source', d)}" for d in found["diagnostics"]
                     if d["code"] in ("K01", "K09") and "has no attribute" in d["message"] or
                     "is not a value" in d["message"]]
            self.assertEqual(wrong, [])
            self.assertIn("kernels", found, result.stderr[:2000])

    def test_names_in_every_spelling(self):
        for word in ("TADD", "tadd", "pto.tadd"):
            self.assertEqual(shown(word)["name"], "TADD")
        for word in ("alloc_tile", "pto.alloc_tile"):
            self.assertEqual(shown(word)["name"], "pto.alloc_tile")
        self.assertEqual(shown("scf.for")["name"], "scf.for")
        self.assertEqual(shown("TASSIGN")["kind"], "other")
        for wrong, right in (("alloc_tle", "alloc_tile"), ("pto.taddd", "pto.tadd"), ("scf.fro", "scf.for"),
                             ("pto.alloc_tiles", "pto.alloc_tile")):
            result = ptosim("isa", wrong)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"did you mean '{right}'?", result.stderr)

    def test_instructions_have_their_call_in_cpp(self):
        self.assertEqual(shown("TADD")["cpp"],
                         [{"call": "TADD(dst, src0, src1)", "template_parameters": "", "only_for": ""}])
        self.assertIn("TCVT(dst, src, mode)", [call["call"] for call in shown("tcvt")["cpp"]])
        without = [row["name"] for row in self.instructions if not row["cpp"]]
        # Flags between cores are other functions in C++; the rest exists in the assembly only.
        self.assertEqual(without, [
            "CROSS_SET", "CROSS_WAIT", "INTRA_SET", "INTRA_WAIT", "TADDRELU", "TQUANT_MX",
            "TCONCATIDX", "VECTOR_FUNCTION", "THREADS"])

    def test_the_coverage_of_time_case_by_case(self):
        page = ptosim("isa", "--coverage").stdout.split("# Coverage of time\n")[1]
        cases = re.findall(r"^## (\w+)\n\n(\d+) cases", page, re.M)
        self.assertEqual([chip for chip, _ in cases], ["ascend910b1", "ascend910b4", "ascend950pr", "kirin9030"])
        chips = json.loads(ptosim("isa", "--coverage", "--json", "-").stdout)
        self.assertEqual([(chip["chip"], str(sum(len(case["types"]) for case in chip["time"]))) for chip in chips],
                         cases)
        one = json.loads(ptosim("isa", "--coverage", "--chip", cases[1][0], "--json", "-").stdout)
        self.assertEqual(one, chips[1])

    def test_the_coverage_of_one_instruction(self):
        chips = json.loads(ptosim("isa", "--coverage", "--json", "-").stdout)
        for word in ("TADD", "pto.tadd"):
            one = json.loads(ptosim("isa", word, "--coverage", "--json", "-").stdout)
            self.assertEqual(one, [{**chip, "time": [case for case in chip["time"] if case["instruction"] == "TADD"]}
                                   for chip in chips])
            self.assertTrue(all(chip["time"] for chip in one))
        text = ptosim("isa", "TADD", "--coverage", "--chip", "ascend950pr").stdout
        (case,) = {case["grade"] for chip in one if chip["chip"] == "ascend950pr" for case in chip["time"]}
        self.assertRegex(text, rf"^TADD\nascend950pr\n  {case}: .*f32.*; rests on ")
        self.assertNotIn("TSUB", text)
        for words, told in ((("scf.for", "--coverage"), "'scf.for' is not an instruction"),
                            (("TADDD", "--coverage"), "TADDD"),
                            (("TADD", "--markdown"), "--markdown is the page of all"),
                            (("--example",), "--example needs an OP")):
            result = ptosim("isa", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(told, result.stderr)

    def test_a_chip_is_refused_without_coverage(self):
        for words in ((), ("TADD",), ("--json", "-")):
            result = ptosim("isa", *words, "--chip", "ascend910b1")
            self.assertEqual(result.returncode, 2)
            self.assertIn("--coverage", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_help(self):
        self.assertEqual(ptosim("help").stdout, ptosim("--help").stdout)
        for command in re.findall(r"^  (\w+) ", ptosim("help").stdout.split("Subcommands:")[1], re.M):
            self.assertEqual(ptosim("help", command).stdout, ptosim(command, "--help").stdout)
        wrong = ptosim("help", "rnu")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown command 'rnu'; did you mean 'run'?", wrong.stderr)


class Page(unittest.TestCase):
    def test_every_key_of_a_tile_is_on_the_language_page(self):
        with open(os.path.join(ROOT, "docs", "kernels.md")) as file:
            page = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.pto")
            for field, kind in (("wrong=1", "fields are ([^\n]*)"), ("blayout=wrong", "is one of: ([^\n]*)"),
                                ("slayout=wrong", "is one of: ([^\n]*)"), ("pad=wrong", "is one of: ([^\n]*)"),
                                ("compact=wrong", "is one of: ([^\n]*)")):
                with open(path, "w") as file:
                    file.write("func.func @k() {\n%t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32, "
                               f"{field}>\nreturn\n}}\n")
                said = re.search(kind, ptosim("run", "--dry-run", path).stderr)[1]
                for word in said.split():
                    self.assertTrue(f"`{word}`" in page, f"{field}: `{word}`")


class CommandLine(unittest.TestCase):
    def test_options_of_the_guides_exist(self):
        """The first cells of tables in docs/ name options of a command, or of pytest's plugin."""
        commands = re.findall(r"^  ([\w-]+) ", ptosim("help").stdout.split("Subcommands:")[1], re.M)
        text = "".join(ptosim(command, "--help").stdout for command in commands) + ptosim("sweep", "report", "--help").stdout
        options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))
        named = {}
        for page in sorted(os.listdir(os.path.join(ROOT, "docs"))):
            if page.endswith(".md") and page != "evidence.md":
                with open(os.path.join(ROOT, "docs", page)) as file:
                    for cell in re.findall(r"^\|([^|]*)\|", file.read(), re.M):
                        for word in re.findall(r"(?<![\w-])--[a-z][\w-]*", cell):
                            named.setdefault(word, page)
        self.assertGreater(len(named), 40)
        self.assertEqual({word: page for word, page in named.items()
                          if word not in options and not word.startswith("--ptosim-")}, {})

    def test_every_command_is_in_the_guide(self):
        with open(os.path.join(ROOT, "docs", "running.md")) as file:
            page = file.read().split("\n## ")[0]
        commands = re.findall(r"^  ([\w-]+) ", ptosim("help").stdout.split("Subcommands:")[1], re.M)
        self.assertEqual([name for name in commands if name != "help" and not re.search(rf"`(ptosim )?{name}\b", page)], [])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
