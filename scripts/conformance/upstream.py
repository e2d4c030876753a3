#!/usr/bin/python3
"""Compiles the newest commit of a clone of hw-native-sys/simpler against the simulated chip, and finds the commit since
which something that the platform needs is missing.

    upstream.py CLONE [--ptosim BIN] [--works COMMIT] [--record FILE.json]

`ptosim simpler-setup` reports the missing parts (H32). If it fails for the newest commit, the commits since COMMIT (by
default that of the record) are bisected. Exit codes: 0 it compiles, 1 something is missing, 2 wrong input.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "mpmd" / "upstream.json"
SECONDS = 580  # of one setup


def git(clone, *words):
    result = subprocess.run(["git", "-C", clone, *words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"error: git {' '.join(words)}: {result.stderr.strip()}")
    return result.stdout.strip()


def commit_facts(clone, commit):
    commit_id, date, title = git(clone, "log", "-1", "--format=%h%x00%cs%x00%s", commit).split("\0")
    return {"commit": commit_id, "date": date, "title": title}


def failure_of(clone, commit, ptosim):
    """Why the platform cannot be compiled against this commit; empty: it can."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = pathlib.Path(folder) / "simpler"
        checkout.mkdir()
        archive = subprocess.Popen(["git", "-C", clone, "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "x", "-C", checkout], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            sys.exit(f"error: git archive {commit} failed")
        words = [ptosim, "simpler-setup", "--simpler", checkout]
        try:
            result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"it has not been compiled after {SECONDS} s"
        if result.returncode == 0:
            return ""
        lines = [line for line in result.stderr.splitlines() if "error" in line] or ["it fails without an error"]
        return lines[0].replace(f"{checkout}/", "")


def first_that_fails(clone, works, fails, ptosim):
    """The first commit after `works`, and why it fails; each commit in between either works or fails like `fails`."""
    commits = git(clone, "rev-list", "--first-parent", "--reverse", f"{works}..{fails}").split()
    low, high = 0, len(commits) - 1
    reason = None
    while low < high:
        middle = (low + high) // 2
        why = failure_of(clone, commits[middle], ptosim)
        if why:
            high, reason = middle, why
        else:
            low = middle + 1
    return commits[high], reason


def main():
    parser = argparse.ArgumentParser(usage="upstream.py CLONE [options]", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("clone", type=pathlib.Path)
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--works", help="a commit that is known to work")
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    options = parser.parse_args()
    if not options.ptosim.exists():
        sys.exit(f"error: {options.ptosim} is not there")
    ptosim = options.ptosim.resolve()
    record = json.loads(options.record.read_text()) if options.record.exists() else {}
    newest = git(options.clone, "rev-parse", "HEAD")
    why = failure_of(options.clone, newest, ptosim)
    record["newest"] = commit_facts(options.clone, newest)
    if why:
        works = options.works or record.get("works", {}).get("commit")
        if works is None:
            sys.exit("error: no commit is known to work: --works COMMIT")
        first, reason = first_that_fails(options.clone, works, newest, ptosim)
        record["fails"] = {**commit_facts(options.clone, first), "why": reason or why}
        print("missing since {commit} ({date}, {title}): {why}".format(**record["fails"]))
    else:
        record["works"] = record["newest"]
        record.pop("fails", None)
        print("works: {commit} ({date}, {title})".format(**record["works"]))
    options.record.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
