#!/usr/bin/python3
"""The glossary of CONTRIBUTING.md is held: its terms are used, and words that it replaces are not.

Reads comments, string literals and identifiers of isa/, sim/, traces/ and include/.
"""

import glob
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|[^"/]+|.', re.S)


def section(title):
    """The rows of the table under a heading of CONTRIBUTING.md, as lists of cells."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md")) as file:
        text = file.read()
    body = re.split(r"^#+ ", text.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|\n"))]
            for line in body.splitlines() if line.startswith("| ")]
    return rows[1:]


def sources():
    for folder in ("isa", "sim", "traces", "include"):
        for end in ("cpp", "h", "hpp", "def"):
            for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*." + end), recursive=True)):
                name = os.path.relpath(path, ROOT)
                if not name.endswith("_test.cpp"):
                    with open(path) as file:
                        yield name, file.read()


def split(text):
    """Code without comments and strings; comments and strings. Lines keep their numbers."""
    code, prose = [], []
    for match in TOKEN.finditer(text):
        token = match.group()
        blank = re.sub(r"[^\n]", " ", token)
        is_prose = token.startswith(("//", "/*", '"'))
        code.append(blank if is_prose else token)
        prose.append(token if is_prose else blank)
    return "".join(code), "".join(prose)


class Words(unittest.TestCase):
    maxDiff = None
    files = [(name, *split(text)) for name, text in sources()]

    def test_replaced_words_are_not_used(self):
        rows = section("Words that have a better one")
        self.assertGreater(len(rows), 3)
        found = []
        self.assertGreater(len(self.files), 300)
        for kind, pattern, better in rows:
            self.assertIn(kind, ("prose", "name"))
            expression = re.compile(pattern.strip("`").replace(r"\|", "|"))
            for name, code, prose in self.files:
                text = prose if kind == "prose" else code
                found += [f"{name}:{text[:m.start()].count(chr(10)) + 1}: '{m.group()}': {better}"
                          for m in expression.finditer(text)]
        self.assertEqual("\n".join(found), "")

    def test_terms_are_used_and_sorted(self):
        terms = [row[0] for row in section("Glossary")]
        self.assertEqual(terms, sorted(terms, key=str.lower))
        everything = "\n".join(prose.lower() for _, _, prose in self.files)
        unused = [word for term in terms for word in term.split(", ")
                  if not re.search(r"\b" + word.lower().replace(" ", r"[\s/]+"), everything)]
        self.assertEqual(unused, [])


if __name__ == "__main__":
    unittest.main()
