"""ptosim compare: two toolchains over many kernels."""
from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from typing import Any, Callable, List, NoReturn, Optional, Sequence

from .. import program
from ..errors import misuse
from .bisect import Builds, bisect
from .entries import Entry, entries_of
from .pairs import DIFFERENCES, REGRESSIONS, Pair, document, junit, sorted_pairs, table
from .runs import Comparison, part_of
from .sides import Side
from .store import Store
from .trend_page import page

WRONG = 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise misuse(message, "'ptosim compare --help' lists the options", "I00")


def parser() -> argparse.ArgumentParser:
    made = _Parser("ptosim compare", description=__doc__)
    made.add_argument("a", metavar="A", nargs="?", help="KEY=VALUE words of the one side; '': defaults")
    made.add_argument("b", metavar="B", nargs="?", help="of the other")
    made.add_argument("corpus", metavar="CORPUS", nargs="*",
                      help="kernels, folders of kernels, .json lists of kernels and programs")
    made.add_argument("--out", metavar="FILE", default="compare.sqlite",
                      help="keep results there (default: %(default)s)")
    made.add_argument("--jobs", metavar="N", type=_whole, default=os.cpu_count() or 1,
                      help="kernels to run at a time (default: the number of processors)")
    made.add_argument("--check", metavar="LIST", default="none",
                      help="checkers, as of ptosim check (default: %(default)s)")
    made.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=60.0,
                      help="that a run may take (default: 60)")
    made.add_argument("--tolerance", metavar="PERCENT", type=float, default=0.0,
                      help="by which cycles may differ (default: 0)")
    made.add_argument("--strict", action="store_true",
                      help="every difference is a regression, those for the better, too")
    made.add_argument("--all", action="store_true", help="list kernels that are the same, too")
    made.add_argument("--json", metavar="FILE", help="the table for programs; -: standard output")
    made.add_argument("--junit", metavar="FILE", help="a test for each kernel")
    made.add_argument("--label", metavar="NAME", help="keep this run for trends under a name")
    made.add_argument("--html", metavar="FILE", help="a page of all labelled runs in --out")
    made.add_argument("--shard", metavar="I/N", type=_shard, help="run part I of N only")
    made.add_argument("--slurm", metavar="N", type=_whole, help="run N shards as an array of Slurm")
    made.add_argument("--launcher-option", metavar="WORD", action="append", default=[],
                      help="one word for sbatch; repeatable")
    made.add_argument("--bisect", metavar=("REPO", "GOOD", "BAD"), nargs=3,
                      help="find the first commit of REPO with a regression; {} in B is its folder")
    made.add_argument("--build", metavar="COMMAND", default="",
                      help="with --bisect: what makes a commit's folder {} fit for B")
    made.add_argument("--builds", metavar="DIR", help="with --bisect: where folders of commits are kept")
    return made


def _whole(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


_whole.__name__ = "whole number above 0"


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise ValueError
    return value


def _shard(text: str) -> str:
    number, _, count = text.partition("/")
    if not 1 <= int(number) <= int(count):
        raise ValueError
    return text


def main(words: List[str]) -> int:
    choice = parser().parse_args(words)
    if choice.html and choice.b is None:
        return _write_page(choice)
    if not choice.corpus:
        raise misuse("ptosim compare needs A, B and a CORPUS", "'ptosim compare --help'", "I00")
    entries = entries_of(choice.corpus)
    if choice.shard:
        entries = part_of(entries, choice.shard)
    store = Store(_of_shard(choice.out, choice.shard) if choice.shard else choice.out)
    if choice.bisect:
        return _bisect(choice, entries, store)
    a, b = Side(choice.a), Side(choice.b)
    if choice.slurm:
        _on_slurm(choice, words, store)
    pairs = sorted_pairs(_comparison(choice, a, b, store).run(entries, choice.jobs,
                                                              sys.stderr.isatty()))
    if choice.shard:
        return 0
    return _tell(choice, pairs, store)


def _comparison(choice: Any, a: Side, b: Side, store: Store) -> Comparison:
    return Comparison(a, b, store, choice.check, choice.timeout, choice.tolerance)


def _tell(choice: Any, pairs: Sequence[Pair], store: Store) -> int:
    text = json.dumps(document(pairs, choice.a, choice.b), indent=1) + "\n"
    print(text if choice.json == "-" else table(pairs, choice.all), end="" if choice.json == "-" else "\n")
    if choice.json and choice.json != "-":
        _write(choice.json, text)
    if choice.junit:
        _write(choice.junit, junit(pairs, _wrong(choice)))
    if choice.label:
        store.keep_run(choice.label, choice.a, choice.b,
                       [(pair.kernel, pair.verdict, pair.a, pair.b) for pair in pairs])
    if choice.html:
        _write_page(choice)
    return WRONG if any(pair.verdict in _wrong(choice) for pair in pairs) else 0


def _wrong(choice: Any) -> Sequence[str]:
    return DIFFERENCES if choice.strict else REGRESSIONS


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise misuse(f"{path}: {error.strerror}", code="I02") from None


def _write_page(choice: Any) -> int:
    runs = Store(choice.out).runs()
    if not runs:
        raise misuse(f"{choice.out} holds no labelled run", "--label NAME keeps one", "I01")
    _write(choice.html, page(runs))
    return 0


def _of_shard(path: str, shard: str) -> str:
    return f"{path}.shard-{shard.replace('/', '-of-')}"


def _on_slurm(choice: Any, words: Sequence[str], store: Store) -> None:
    """Runs the shards and takes over their results; runs kernels that a shard has left out here."""
    own = list(words)
    at = own.index("--slurm") if "--slurm" in own else None
    if at is None:
        raise misuse("--slurm and its number are two words", code="I00")
    del own[at:at + 2]
    script = " ".join(shlex.quote(word) for word in (sys.executable, "-m", "ptosim", "compare", *own))
    wrapped = (f"PTOSIM_PROGRAM={shlex.quote(program.path())} "
               f"PYTHONPATH={shlex.quote(os.pathsep.join(filter(None, sys.path)))} "
               f"exec {script} --shard \"$SLURM_ARRAY_TASK_ID/{choice.slurm}\"")
    done = subprocess.run(["sbatch", "--wait", f"--array=1-{choice.slurm}",
                           *choice.launcher_option, "--wrap", wrapped])
    if done.returncode != 0:
        print(f"warning: sbatch ended with {done.returncode}", file=sys.stderr)
    for number in range(1, choice.slurm + 1):
        path = _of_shard(choice.out, f"{number}/{choice.slurm}")
        if os.path.exists(path):
            store.take_from(path)
            os.unlink(path)


def _bisect(choice: Any, entries: List[Entry], store: Store) -> int:
    repository, good, bad = choice.bisect
    if "{}" not in choice.b:
        raise misuse("--bisect needs {} in B, for the folder of a commit",
                     "such as 'ptosim={}/build/ptosim' or 'headers={}/include'", "I00")
    folder = choice.builds or os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "ptosim-builds")
    os.makedirs(folder, exist_ok=True)
    a = Side(choice.a)
    last: List[Pair] = []

    def is_bad(place: str) -> bool:
        b = Side(choice.b.replace("{}", shlex.quote(place)))
        pairs = sorted_pairs(_comparison(choice, a, b, store).run(entries, choice.jobs, False))
        worse = any(pair.verdict in _wrong(choice) for pair in pairs)
        if worse:
            last[:] = pairs
        return worse

    commits = bisect(Builds(os.path.abspath(repository), os.path.abspath(folder), choice.build),
                     good, bad, is_bad)
    print("the first bad commit:" if len(commits) == 1 else "one of these, which do not build:")
    print("\n".join(f"  {commit}" for commit in commits))
    print(table(last, False))
    return 0
