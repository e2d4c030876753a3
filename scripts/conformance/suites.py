"""What the scripts that run public suites share: their options, and the page that a table goes to."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = {
    "ptosim": {"default": str(ROOT / "build" / "ptosim"), "help": "the program"},
    "only": {"help": "files whose path contains this"},
    "commit": {"default": "", "help": "for a checkout without .git"},
    "json": {"help": "write the results"},
    "markdown": {"help": "write the table, between its marks if it has them"},
}


def add_options(parser, *names, **other):
    """Options of the table above; `other`: what one of them says here instead."""
    for name in names:
        parser.add_argument("--" + name, **{**OPTIONS[name], **other.get(name, {})})


def parser_of(text, *names, **other):
    """A parser that a module's text describes."""
    parser = argparse.ArgumentParser(description=text.split("\n\n", maxsplit=1)[0])
    add_options(parser, *names, **other)
    return parser


def program(name):
    """The path of a program, or the end with an error."""
    found = shutil.which(name)
    if not found:
        sys.exit(f"error: no program {name}; scripts/build.sh makes it")
    return str(pathlib.Path(found).resolve())


def commit_of(checkout, given=""):
    if given or not (pathlib.Path(checkout) / ".git").exists():
        return given or "unknown commit"
    done = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True,
                          text=True)
    return done.stdout.strip() or "unknown commit"


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def put(text, file, mark):
    """Writes the table; in an existing page, only between its two marks."""
    path = pathlib.Path(file)
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    if path.exists() and begin in (page := path.read_text()) and end in page:
        text = page[: page.index(begin)] + begin + text + page[page.index(end) :]
    path.write_text(text)
