"""Runs a corpus on two sides, several kernels at a time, and keeps what came out."""
from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import program
from .entries import Entry
from .made_arguments import ATTEMPTS, Pool, Text, arguments, tries
from .pairs import Pair, judged
from .sides import Outcome, Side
from .store import Store


class Comparison:
    """The two sides of each entry. Results in the store are not computed again."""

    def __init__(self, a: Side, b: Side, store: Store, check: str, timeout: float,
                 tolerance: float):
        self.a, self.b, self.store = a, b, store
        self.check, self.timeout, self.tolerance = check, timeout, tolerance
        self._made = tempfile.TemporaryDirectory(prefix="ptosim-arrays-")
        self._pool = Pool(self._made.name)
        self._parameters: Dict[str, List[Dict[str, Any]]] = {}

    def run(self, entries: Sequence[Entry], jobs: int, progress: bool) -> List[Pair]:
        self.read_parameters(entries)
        found = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
            futures = [threads.submit(self._pair, entry) for entry in entries]
            try:
                for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                    found.append(future.result())
                    if progress:
                        print(f"\r{count} of {len(entries)}", end="", file=sys.stderr, flush=True)
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise
        if progress:
            print("\r", end="", file=sys.stderr)
        return found

    def words_of(self, entry: Entry) -> List[str]:
        """The options of an entry's run, including options that are made up for it."""
        return self._made_words(entry)[0] if entry.is_made_up else entry.words

    def folder_of(self, entry: Entry) -> str:
        """The folder to which these options refer."""
        return self._made.name if entry.is_made_up else entry.folder

    def _pair(self, entry: Entry) -> Pair:
        if entry.is_made_up:
            words, first = self._made_words(entry)
            a = first or self._outcome(self.a, entry, words, self._made.name)
            b = self._outcome(self.b, entry, words, self._made.name)
        else:
            a, b = (self._outcome(side, entry, entry.words, "") for side in (self.a, self.b))
        return judged(entry.name, a, b, self.tolerance)

    def _outcome(self, side: Side, entry: Entry, words: Sequence[str], folder: str) -> Outcome:
        key = side.key(entry, words, self.check)
        known = self.store.result(key) if key else None
        if known is None:
            if folder:
                self._make_files(words)
            known = side.run(entry, words, self.check, self.timeout, folder)
            self.store.keep(key, entry.name, side.text, known)
        return known

    def read_parameters(self, entries: Sequence[Entry]) -> None:
        """Reads the parameters of kernels whose arguments are made up and not known yet."""
        folders = sorted({os.path.dirname(entry.path) for entry in entries if entry.is_made_up
                          and self.store.words(self._words_key(entry)) is None})
        for folder in folders:
            done = subprocess.run([self.a.program, "run", "--dry-run", folder, "--json", "-"],
                                  capture_output=True, text=True, env=program.environment())
            try:
                listed = json.JSONDecoder().raw_decode(done.stdout)[0]
            except ValueError:
                continue  # each of its kernels says itself what is wrong
            for found in listed:
                kernels = [kernel for kernel in found.get("kernels", ()) if kernel["launchable"]]
                if kernels:
                    self._parameters[os.path.abspath(found["file"])] = kernels[0]["parameters"]

    def _words_key(self, entry: Entry) -> str:
        with open(entry.path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def _made_words(self, entry: Entry) -> Tuple[List[str], Optional[Outcome]]:
        """The first with which A runs without findings, else the first with which it runs; and the
        outcome if it has just been run."""
        key = self._words_key(entry)
        known = self.store.words(key)
        if known is not None:
            return known, None
        with open(entry.path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        parameters = self._parameters.get(entry.path) or _signature(source)
        text = Text(source)
        decides = any(one["kind"] == "scalar" or one["dtype"] in ("i32", "i64")
                      for one in parameters)
        first: Optional[List[str]] = None
        ran = False
        for group in tries(text, ATTEMPTS if decides else ATTEMPTS[:1]):
            outside = False
            for some, value, found in group:
                words = ["--blocks", "1"]
                for word in arguments(text, parameters, value, self._pool, some, found)[0]:
                    words += ["--arg", word.replace(self._made.name + "/", "")]
                outcome = self._outcome(self.a, entry, words, self._made.name)
                if outcome.state == "ran":
                    self.store.keep_words(key, words)
                    return words, outcome
                if first is None or (outcome.ran and not ran):
                    first, ran = words, outcome.ran
                outside = outside or outcome.code == "G01"
            if not outside:
                break
        assert first is not None
        self.store.keep_words(key, first)
        return first, None

    def _make_files(self, words: Sequence[str]) -> None:
        """Makes the files of the pool that words name, as an earlier process may have made up the words."""
        for word in words:
            name = word.partition("=")[2]
            if name.endswith(".npy"):
                dtype, count, value = name[:-4].split("-", 2)
                self._pool.file(dtype, int(count), None if value == "None" else int(value))


def _signature(source: str) -> List[Dict[str, Any]]:
    """The parameters of the first function of a text that --dry-run refuses."""
    for alias, pointer in re.findall(r"^(!\w+)\s*=\s*(!pto\.ptr<.*>)", source, re.M):
        source = re.sub(re.escape(alias) + r"\b", pointer, source)
    function = re.search(r"func\.func (?!private)[^(]*\((.*?)\)\s*(?:attributes|->|\{)", source, re.S)
    found = re.findall(r"%([\w$.\-]+)\s*:\s*(?:!pto\.ptr<(\w+)[^>]*>|(\w+))",
                       function[1] if function else "")
    return [{"name": name, "kind": "pointer" if element else "scalar", "dtype": element or scalar,
             "elements": 0} for name, element, scalar in found]


def part_of(entries: Sequence[Entry], shard: str) -> List[Entry]:
    """Part I of N, from 1: entries are dealt out by their names."""
    number, _, count = shard.partition("/")
    return [entry for entry in entries
            if int(hashlib.sha256(entry.name.encode()).hexdigest(), 16) % int(count)
            == int(number) - 1]
