#!/usr/bin/python3
"""Habits of prose that make readers stumble occur rarely: in Markdown, comments, docstrings and messages.

    prose_test.py [--list KIND]     the latter prints the passages that count, of "Markdown", "C++", ...

CONTRIBUTING.md ("Style") describes the habits. Bounds are occurrences in 10,000 words, and for headless openings
per cent of the blocks. A kind that has not been rewritten yet has the bounds of today, so that it gets no worse.
"""
import os
import re
import sys
import unittest

import checkout

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADLESS = re.compile(r"(What|Which|Whether|Those|That of|Where|How|Who|Of |As |The same|Likewise|For what)\b(?!.*\?$)")
HABITS = {
    "what is": r"\bwhat (is|has|an?|the|it|they|was|are|can|follows|does)\b",
    "says": r"\bsays?\b",
    "those that": r"\bthose (that|of|who|which|in|with|where)\b",
    "behind": r"\bbehind\b",
    "beside": r"\bbeside\b",
    "stands": r"\bstands?\b",
    "so many": r"\bso many\b",
    "of its own": r"\bof (its|their|his) own\b",
    "is told": r"\b(is|are|be|was|were) told\b",
    "is no": r"\b(is|are) no [a-z]+\b",
}
STYLE = {"headless": 2, "what is": 6, **{name: 2 for name in HABITS if name != "what is"}}
KINDS = {"Markdown": (".md",), "C++": (".cpp", ".h", ".hpp", ".def"), "Python": (".py",), "TypeScript": (".ts",),
         "messages": (".cpp", ".h", ".tsv")}
# "headless" is in per cent of blocks. A page of Markdown asks questions in its headings, which do not count.
BOUNDS = {
    "Markdown": STYLE,
    "C++": {**STYLE, "headless": 1, "what is": 2, "those that": 3},
    "Python": {**STYLE, "headless": 1, "what is": 3, "those that": 3.5},
    "TypeScript": STYLE,
    # Text in literals of the program and in the catalogue of codes: messages, help, reports.
    "messages": {**STYLE, "those that": 6},
}
GENERATED = ("LICENSE",)


def paragraphs(text):
    """(line, text) of the paragraphs and table cells of Markdown, without code and examples of what to avoid."""
    text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    text = re.sub(r"~~.*?~~", "", text)
    line = 1
    for part in re.split(r"(\n\s*\n|\n(?=- |\d\. |\|))", text):
        words = " ".join(part.split()).lstrip("-|# ")
        if words and not words.strip("|-: ") == "":
            yield line, words
        line += part.count("\n")


def comments(text, mark):
    """(line, text) of the blocks of consecutive comment lines."""
    block, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        found = re.match(mark, line)
        if found:
            start = start if block else number
            block.append(found[1])
        elif block:
            yield start, " ".join(block)
            block = []


def literals(text):
    """(line, text) of string literals; adjacent ones are one text."""
    text = re.sub(r"^\s*(//|#include).*$", "", text, flags=re.M)
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
        yield text.count("\n", 0, found.start()) + 1, " ".join(words.replace("\\n", " ").split())


def messages(path, text):
    if path == "isa/core/diagnostics.tsv":
        return [(number, line.split("\t")[-1]) for number, line in enumerate(text.splitlines(), 1)]
    shown = path.startswith(("isa/", "sim/", "traces/")) and "_test" not in path and "/test" not in path
    return literals(text) if shown and not path.endswith(".tsv") else []


def blocks_of(path, text, kind=None):
    if kind == "messages":
        found = messages(path, text)
    elif path.endswith(".md"):
        found = paragraphs(text)
    elif path.endswith(".py"):
        docstrings = [(text.count("\n", 0, m.start()) + 1, " ".join(m[1].split())) for m in re.finditer(r'"""(.*?)"""', text, re.S)]
        found = [*comments(text, r"\s*#\s?(.*)"), *docstrings]
    else:
        found = comments(text, r"\s*//+\s?(.*)")
    return [(line, words) for line, words in found if len(words.split()) > 2]


def blocks_of_kind(kind):
    """(path, line, text) of all blocks in tracked files of a kind."""
    for path in checkout.files():
        if path.endswith(KINDS[kind]) and path not in GENERATED and "/dist/" not in path and os.path.exists(os.path.join(ROOT, path)):
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                for line, words in blocks_of(path, file.read(), kind):
                    yield path, line, words


def is_headless(kind, path, words):
    return bool(HEADLESS.match(words)) and not (kind == "Markdown" and words.endswith("?"))


def measured(kind):
    """The occurrences of each habit, and how many words there are."""
    found = list(blocks_of_kind(kind))
    words = sum(len(text.split()) for _, _, text in found)
    result = {name: 10000 * sum(len(re.findall(pattern, text, re.I)) for _, _, text in found) / max(1, words)
              for name, pattern in HABITS.items()}
    result["headless"] = 100 * sum(is_headless(kind, path, text) for path, _, text in found) / max(1, len(found))
    return result, words


class Prose(unittest.TestCase):
    def test_the_patterns_find_the_habits(self):
        for name, text in (("what is", "What is left of it"), ("says", "The row says so"), ("those that", "those that wait"),
                           ("behind", "the slot behind it"), ("beside", "beside the pipe"), ("stands", "it stands there"),
                           ("so many", "so many cycles"), ("of its own", "a clock of its own"), ("is told", "it is told"),
                           ("is no", "it is no chip")):
            self.assertRegex(text.lower(), HABITS[name])
        self.assertRegex("Whether it waits", HEADLESS)
        self.assertEqual(list(literals('x("what is"\n  " left");  // "no"\n')), [(1, "what is left"), (2, "no")])
        self.assertEqual([text for _, text in paragraphs("a b c\n```text\nwhat is\n```\n\nd ~~what is~~ e f\n")], ["a b c", "d e f"])

    def test_habits_are_rare(self):
        for kind, bounds in BOUNDS.items():
            found, words = measured(kind)
            self.assertGreater(words, 0, kind)
            for name, bound in bounds.items():
                with self.subTest(kind=kind, habit=name):
                    self.assertLessEqual(round(found[name], 1), bound, f"tests/layers/prose_test.py --list {kind!r} shows where")

    def test_terms_of_the_glossary_are_sorted(self):
        with open(os.path.join(ROOT, "CONTRIBUTING.md")) as file:
            rows = re.findall(r"^\| ([^|]+) \|", file.read().split("## Glossary")[1], re.M)
        terms = [row for row in rows if row != "term"]
        self.assertEqual(terms, sorted(terms, key=str.lower))
        self.assertLessEqual(len(terms), 25)


def main():
    if "--list" in sys.argv:
        kind = sys.argv[sys.argv.index("--list") + 1]
        for path, line, text in blocks_of_kind(kind):
            hits = [name for name, pattern in HABITS.items() if re.search(pattern, text, re.I)]
            hits += ["headless"] if is_headless(kind, path, text) else []
            if hits:
                print(f"{path}:{line}: {', '.join(hits)}: {text[:160]}")
        found, words = measured(kind)
        print(words, "words;", ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
        return
    unittest.main()


if __name__ == "__main__":
    main()
