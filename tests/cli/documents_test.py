#!/usr/bin/python3
"""Documents agree with the sources."""
import glob
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "layers"))
import checkout  # noqa: E402

# Paths in texts that are not files of this repository: made by the build or a run, examples, files of other projects.
FOREIGN_PATHS = {
    "build": r"build/docs/\w+\.md|(instructions|operations|cpp_api)\.md",
    "runs": r"(report|program)\.md|(pmu|results|numbers|kernel_details|op_statistic|OpBasicInfo|PipeUtilization|L2Cache)\.csv|(TOOLKIT/)?set_env\.sh",
    "examples": r"(data|file|net|YOURS)\.py|\w*FAMILY\w*\.py|\S*/\w*FAMILY\w*\.py",
    "other projects": r"tests/script/run_st\.py|tests/st/\S+|tools/benchmark_rounds\.sh|(scripts/)?gen_data\.py|test/test\.py|"
                      r"(incore_profile|jit_util_flash|validate_all_examples|golden|test_spmd_paged_attention_highperf)\.py|"
                      r"run_(host_vpto|block_|causal_)\w+\.(py|sh)|\w*_compile_and_run\.py",
}


def sources():
    for folder in ("isa", "sim", "traces"):
        for pattern in ("**/*.cpp", "**/*.h"):
            for path in glob.glob(os.path.join(ROOT, folder, pattern), recursive=True):
                if not path.endswith("_test.cpp") and "test_" not in os.path.basename(path):
                    yield path


class Documents(unittest.TestCase):
    def test_tables_outlive_exit_handlers(self):
        # A host's results are written by an exit handler: thread-local objects are gone by then,
        # and function statics that were made after it was registered. Instructions compute in
        # thread-local scratch (launches are refused then); the reader of .pto text and
        # `ptosim build` run before; the stack of crash handlers and the registration of
        # a host's thread end with it. Plain numbers and pointers have
        # no destructor, nor have the records of calls of operators.
        may = ("isa/semantics/", "isa/instructions/", "isa/assembly/",
               "isa/numeric/format_oracle.h",
               "sim/native/crash_guard.cpp", "sim/compile/source_kind.cpp", "sim/compile/compile_cache.cpp",
               "sim/faces/host/acl_launches.cpp", "sim/faces/host/host_threads.cpp",
               "sim/python/ptosim/operators/aclnn/")
        kept = re.compile(r"^.*\bthread_local (?!bool |int |unsigned |timer_t |\w+\* ).*$|^[ \t]*static (?:const )?(?:std::(?:map|set|unordered_\w+|"
                          r"vector|deque|list|string|function|shared_ptr|unique_ptr)\b[^()&*\n]*"
                          r"|auto) \w+(?: = .*|[{;].*)$", re.M)
        found = []
        for path in sources():
            name = os.path.relpath(path, ROOT)
            with open(path) as file:
                found += [f"{name}: {m.group().strip()}" for m in kept.finditer(file.read())
                          if not name.startswith(may)]
        self.assertEqual(found, [], "see 'Statics are never destroyed' in CONTRIBUTING.md")

    def test_every_code_is_in_the_catalogue(self):
        with open(os.path.join(ROOT, "isa", "core", "diagnostics.tsv")) as file:
            known = set(re.findall(r"^([A-Z][0-9]{2})\t", file.read(), re.M))
        used = {}
        for path in sources():
            with open(path) as file:
                for code in re.findall(r'"([A-Z][0-9]{2})"|\[([A-Z][0-9]{2})\]', file.read()):
                    used.setdefault(code[0] or code[1], os.path.relpath(path, ROOT))
        self.assertEqual({c: p for c, p in used.items() if c not in known}, {})

    def test_every_code_of_instructions_has_a_test(self):
        with open(os.path.join(ROOT, "isa", "core", "diagnostics.tsv")) as file:
            text = file.read()
        tests = ""
        for folder in ("isa", "sim", "tests"):
            for pattern in ("**/*_test.cpp", "**/*_test.py"):
                for path in glob.glob(os.path.join(ROOT, folder, pattern), recursive=True):
                    with open(path) as file:
                        tests += file.read()
        for title in ("Instructions (illegal)", "Data (undefined)",
                      "Choices of the profile (undefined; only with `--check choices`)"):
            codes = re.findall(rf"^([A-Z][0-9]{{2}})\t{re.escape(title)}\t", text, re.M)
            self.assertGreater(len(codes), 4)
            # Quoted, with or without text after the code: "S04", "S04 2".
            self.assertEqual([c for c in codes if not re.search(rf'"{c}\b', tests)], [])

    def test_functions_of_the_map_are_in_their_files(self):
        with open(os.path.join(ROOT, "docs", "internals.md")) as file:
            rows = re.findall(r"^\|[^|]*\| `([\w:]+)` \| `([\w/.]+)` \|$", file.read(), re.M)
        self.assertGreater(len(rows), 12)
        for function, path in rows:
            with open(os.path.join(ROOT, path)) as file:
                text = file.read()
            whole = function if "semantics::" not in function else function.split("::")[1]
            self.assertRegex(text, re.escape(whole) + r"\(", path)

        with open(os.path.join(ROOT, "docs", "internals.md")) as file:
            named = set(re.findall(r"`((?:[A-Z]\w+)::\w+)`", file.read()))
        all_text = ""
        for path in sources():
            with open(path) as file:
                all_text += file.read()
        missing = [name for name in named if name.split("::")[1] not in all_text]
        self.assertEqual(missing, [])

    def test_files_that_a_change_touches_exist(self):
        with open(os.path.join(ROOT, "CONTRIBUTING.md")) as file:
            table = file.read().split("## To add\n")[1].split("\n## ")[0]
        paths = set(re.findall(r"`((?:\w+/)+[\w*.-]+)`", table))
        self.assertGreater(len(paths), 40)
        self.assertEqual([path for path in paths if "NAME" not in path and "FAMILY" not in path
                          and not glob.glob(os.path.join(ROOT, path))], [])

    def test_variables_that_are_read_are_known_and_described(self):
        known = set()
        for path in ("variables.cpp", "options.def"):
            with open(os.path.join(ROOT, "sim/session", path)) as file:
                known |= set(re.findall(r'"(PTOSIM_\w+)"', file.read()))
        read = set()
        for path in sources():
            with open(path) as file:
                read |= set(re.findall(r'"(PTOSIM_[A-Z_]+)"', file.read()))
        with open(os.path.join(ROOT, "docs", "running.md")) as file:
            described = set(re.findall(r"`(PTOSIM_[A-Z_]+)`", file.read()))
        self.assertGreater(len(read), 20)
        self.assertEqual((read - known, described - known), (set(), set()))

    def test_folders_of_the_map_exist(self):
        with open(os.path.join(ROOT, "CONTRIBUTING.md")) as file:
            rooms = file.read().split("## The rooms, in the order of data flow")[1].split("\n## ")[0]
        folders = re.findall(r"`((?:isa|sim|traces|include)[\w/]*)`", rooms)
        self.assertGreater(len(folders), 25)
        self.assertEqual([name for name in folders if not os.path.isdir(os.path.join(ROOT, name))], [])

    def test_paths_in_texts_exist(self):
        """Scripts, tables and pages that guides and notes of evidence name, without their fenced examples."""
        listed = checkout.files()
        ends = {path[at:] for path in listed for at in [0] + [i + 1 for i, c in enumerate(path) if c == "/"]}
        named = re.compile(r"(?<![\w/.*<>{}|-])[\w/.-]+\.(?:md|py|sh|csv)\b(?![\w*(])")
        foreign = re.compile("|".join(FOREIGN_PATHS.values()))
        texts = []
        for page in ["README.md", "CONTRIBUTING.md", *sorted(set(glob.glob("docs/*.md", root_dir=ROOT)) - {"docs/evidence.md"})]:
            with open(os.path.join(ROOT, page)) as file:
                texts += [(page, span) for span in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S))]
        for page in sorted(glob.glob("tests/evidence/*.json", root_dir=ROOT)):
            with open(os.path.join(ROOT, page)) as file:
                texts += [(page, re.sub(r"```.*?```", "", note["text"], flags=re.S)) for note in json.load(file).get("notes", [])]
        paths = [(page, path) for page, text in texts for path in named.findall(text)]
        self.assertGreater(len(paths), 100)
        self.assertEqual([(page, path) for page, path in paths if path not in ends and not foreign.fullmatch(path)], [])

    def test_sizes_of_the_shelf(self):
        """README, CONTRIBUTING and the guides stay short; READMEs of rooms only point to docs/."""
        def words(*path):
            with open(os.path.join(ROOT, *path)) as file:
                return len(file.read().split())
        guides = [name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md") and name != "evidence.md"]
        self.assertLessEqual(len(guides), 11)
        self.assertLessEqual(sum(words("docs", name) for name in guides), 30000)
        self.assertLessEqual(words("README.md"), 1800)
        self.assertLessEqual(words("CONTRIBUTING.md"), 3000)
        pages = [path for path in checkout.files() if path.endswith("/README.md")]
        self.assertEqual([page for page in pages if words(page) > 150], [])

    def test_tables_of_a_report_become_rows(self):
        sys.path.insert(0, os.path.join(ROOT, "scripts"))
        import evidence
        text = "# One\n\n| a | b |\n|---|--:|\n| `x` | [1](y.md) |\n| p \\| q | 2 |\n\n<!-- two: begin -->\n| c |\n|---|\n| 3 |\n"
        self.assertEqual(evidence.tables(text), [("One", ["a", "b"], [["x", "1"], ["p | q", "2"]]), ("two", ["c"], [["3"]])])
        self.assertEqual(evidence.filled("{rows:tests/conformance_gym.csv} suites").split(" ")[1], "suites")

    def test_the_page_of_evidence_is_current(self):
        done = subprocess.run([os.path.join(ROOT, "scripts", "evidence.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_links_lead_somewhere(self):
        pages = [path for path in checkout.files() if path.endswith(".md")]
        self.assertGreater(len(pages), 15)
        for page in pages:
            with open(os.path.join(ROOT, page)) as file:
                text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", text):
                self.assertTrue(os.path.exists(os.path.join(ROOT, os.path.dirname(page), target)),
                                f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
