"""The first commit of a repository with a regression: `git bisect`, with builds that are kept."""
from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from typing import Callable, List, Optional

from ..errors import misuse

SKIPPED = 125


class Builds:
    """A checkout of each commit and its build by the build command, in a folder that stays."""

    def __init__(self, repository: str, folder: str, command: str):
        self.repository, self.folder, self.command = repository, folder, command

    def of(self, commit: str) -> Optional[str]:
        """The folder of a commit; None if it does not build."""
        place = os.path.join(self.folder, commit)
        done = os.path.join(place, ".ptosim-built")
        if os.path.exists(done):
            return place
        if not os.path.isdir(place):
            git(self.repository, "worktree", "add", "--force", "--detach", place, commit)
        if self.command:
            with open(os.path.join(self.folder, f"{commit}.log"), "w") as log:
                built = subprocess.run(self.command.replace("{}", shlex.quote(place)), shell=True,
                                       cwd=place, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            if built.returncode != 0:
                return None
        with open(done, "w"):
            pass
        return place


def git(repository: str, *words: str) -> str:
    done = subprocess.run(["git", "-C", repository, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise misuse(f"git {' '.join(words)}: {(done.stderr.strip() or 'failed').splitlines()[-1]}",
                     "it needs a repository and two of its commits", "I02")
    return done.stdout.strip()


def bisect(builds: Builds, good: str, bad: str, is_bad: Callable[[str], bool]) -> List[str]:
    """Commits that may be the first bad one: one, or several next to each other that do not build. `is_bad` is asked
    about folders of builds. Raises Error if GOOD is bad or BAD is not."""
    repository = builds.repository
    ends = [git(repository, "rev-parse", f"{name}^{{commit}}") for name in (good, bad)]
    for name, commit, expected in ((good, ends[0], False), (bad, ends[1], True)):
        place = builds.of(commit)
        if place is None:
            raise misuse(f"{name} does not build", f"{builds.folder}/{commit}.log", "I02")
        if is_bad(place) != expected:
            raise misuse(f"{name} {'shows no regression' if expected else 'shows a regression'}",
                         "GOOD must be like A, and BAD must not")
    with tempfile.TemporaryDirectory(prefix="ptosim-bisect-") as own:
        tree = os.path.join(own, "tree")
        git(repository, "worktree", "add", "--force", "--detach", tree, ends[1])
        try:
            text = git(tree, "bisect", "start", ends[1], ends[0])
            while "is the first bad commit" not in text and "only skipped commits left" not in text:
                commit = git(tree, "rev-parse", "HEAD")
                place = builds.of(commit)
                word = "skip" if place is None else "bad" if is_bad(place) else "good"
                print(f"{word:4} {git(tree, 'log', '-1', '--format=%h %s')}", file=sys.stderr,
                      flush=True)
                done = subprocess.run(["git", "-C", tree, "bisect", word], capture_output=True,
                                      text=True)  # it ends with 2 where only skipped ones are left
                text = done.stdout + done.stderr
            return _named(text, tree)
        finally:
            subprocess.run(["git", "-C", tree, "bisect", "reset"], capture_output=True)
            git(repository, "worktree", "remove", "--force", tree)


def _named(text: str, tree: str) -> List[str]:
    lines = text.splitlines()
    if "is the first bad commit" in text:
        commits = [line.split()[0] for line in lines if "is the first bad commit" in line]
    else:
        commits = [word for line in lines for word in line.split() if len(word) == 40]
    return [git(tree, "log", "-1", "--format=%h %an, %as: %s", commit) for commit in commits]
