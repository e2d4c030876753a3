#!/usr/bin/env python3
"""Makes the reference pages that come from the tables of the program.

    reference_pages.py PROGRAM FOLDER [--api PAGE]     PAGE: what scripts/api_list.py has made

The build runs it (target reference_pages); an installation has the pages in share/doc/ptosim.
"""
import argparse
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE_OF_CODES = "| code | category | title | meaning |\n|---|---|---|---|\n"


def printed(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(path):
    return [line.split("\t") for line in (ROOT / path).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def cell(text):
    return text.replace("|", "\\|")


NOTES = {
    "Data (undefined)": "The instruction is legal, but no source defines its result for these elements. `ptosim isa OP` describes the "
    "result here. Reported once for each place in the kernel.",
    "Choices of the profile (undefined; only with `--check choices`)": "The result is correct, but depends on a rule for which sources "
    "differ, leave a choice to the hardware, or are silent. For comparisons with hardware or another simulator; reported once for each "
    "place, with the rule that decides.\n\nWithout a separate code: writes through one name of bytes while another pipe reads them by "
    "another name are E01, E02 and E03; reserved bits of tf32, hf32 and 6-bit floats cannot occur, because no tile has such a type.",
}


def diagnostics():
    """The catalogue of codes by group."""
    text = ("# Codes of errors and findings\n\nEvery error has a stable code, printed in brackets after its message. Checks come "
            "before effects: a refused\ninstruction has changed nothing. `ptosim run` exits with 2 for *illegal*, *unsupported* and "
            "*input*, and with 1 for\n*undefined*, *race*, *sync* and *deadlock*. Titles are the names of rules in SARIF.\n")
    group = None
    for code, heading, category, title, meaning in rows("isa/core/diagnostics.tsv"):
        if heading != group:
            group = heading
            note = NOTES.get(heading, "")
            text += f"\n## {heading}\n\n{note + chr(10) * 2 if note else note}{TABLE_OF_CODES}"
        text += f"| {code} | {category} | {cell(title)} | {cell(meaning)} |\n"
    return text


def fields():
    """The fields of the files that a run writes, by file and object."""
    text = "# Fields of JSON files\n\nThe files themselves: docs/formats.md. A field marked `?` is left out if it does not apply.\n"
    current = None
    for thing, field, optional, kind, meaning in rows("traces/fields.tsv"):
        if thing != current:
            current = thing
            text += f"\n## {thing}\n\n| field | type | meaning |\n|---|---|---|\n"
        text += f"| `{field}`{'?' if optional == 'yes' else ''} | {kind} | {cell(meaning)} |\n"
    return text


def commands(program):
    """The help of all commands, and of the programs of the toolkit."""
    listed = printed(program, "help").split("Subcommands:")[1]
    text = "# Commands and options\n\nMade from `--help`. Guide: docs/running.md.\n"
    for name in re.findall(r"^  ([a-z][\w-]*) ", listed, re.M):
        text += f"\n## ptosim {name}\n\n```text\n{printed(program, name, '--help').strip()}\n```\n"
    text += f"\n## ptosim sweep report\n\n```text\n{printed(program, 'sweep', 'report', '--help').strip()}\n```\n"
    for name, words in (("bisheng", ["--help"]), ("ptoas", ["--help"]), ("msprof", ["op", "--help"])):
        text += f"\n## {name}\n\n{printed(program, 'as', name, *words).strip()}\n"
    return text


def assembler():
    head, *rest = rows("isa/assembly/verify/assembler_rules.tsv")
    text = ("# Rules of the assembler\n\nRules of the verifiers in hw-native-sys/PTOAS v0.60. Each row breaks one rule; `here` is the "
            "code with which ptosim\nrefuses it, or the reason why it accepts it. Operands are given in turn.\n\n")
    text += "| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|\n"
    return text + "".join("| " + " | ".join(cell(value) for value in row) + " |\n" for row in rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--api", type=Path)
    options = parser.parse_args()
    coverage, _, time_coverage = printed(options.program, "isa", "--coverage").partition("# Coverage of time\n")
    pages = {
        "instructions": printed(options.program, "isa", "--markdown"),
        "operations": printed(options.program, "isa", "--operations"),
        "architectures": printed(options.program, "isa", "--architectures"),
        "open_rules": printed(options.program, "isa", "--open-rules"),
        "coverage": coverage,
        "timing_coverage": "# Coverage of time\n" + time_coverage,
        "checkers": "# Checkers\n\nGuide: docs/checking.md.\n\n" + printed(options.program, "isa", "--checkers"),
        "diagnostics": diagnostics(),
        "fields": fields(),
        "commands": commands(options.program),
        "assembler": assembler(),
    }
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (options.folder / f"{name}.md").write_text(text, encoding="utf-8")
    if options.api:
        shutil.copyfile(options.api, options.folder / "cpp_api.md")


if __name__ == "__main__":
    main()
