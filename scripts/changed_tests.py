#!/usr/bin/env python3
"""Prints the tests that a change can reach, as a pattern for ctest -R; nothing if it can reach all.

    changed_tests.py [BASE]

The change is all that differs from the commit BASE, files that are not committed included. Default: the commit where
this branch left main, or on main the last commit. A source reaches its room, and the rooms that
tests/layers/rooms.tsv lists as its users; tests/layers/tests.tsv lists the tests of each room. A changed test is run,
and so are the tests of layers and the kernels.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ("kernels", "layers", "names", "opcodes", "architectures", "prose", "imports", "paths", "documents", "changed")
SCRIPT_TEST = re.compile(r"ptosim_script_test\((\w+)\s+(\S+\.py)")
WHOLE = ("CMakeLists.txt", "tests/CMakeLists.txt", "isa/CMakeLists.txt", "sim/CMakeLists.txt", "traces/CMakeLists.txt")


def rows(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def rooms():
    """Each room with the rooms that it may include by name; none for rooms that may include whole floors."""
    table = {row[0]: [word.strip() for word in row[1].split(",")] for row in rows(ROOT / "tests/layers/rooms.tsv")}
    return {room: [] if any(word.endswith("/*") for word in uses) else uses for room, uses in table.items()}


def tests_of_rooms():
    """Patterns of tests, and their rooms."""
    for patterns, places, *_ in rows(ROOT / "tests/layers/tests.tsv"):
        yield [p.strip() for p in patterns.split(",")], [p.strip() for p in places.split(",")]


def script_tests():
    """The script of each test that is one, with the folder of the test."""
    for build in sorted((ROOT / "tests").rglob("CMakeLists.txt")):
        for name, script in SCRIPT_TEST.findall(build.read_text()):
            script = script.replace("${PROJECT_SOURCE_DIR}", str(ROOT)).replace("${KERNELS}", str(ROOT / "tests/kernels"))
            yield name, (build.parent / script).resolve().relative_to(ROOT).as_posix()


def within(path, place):
    return place == "." or path == place or path.startswith(place.rstrip("/") + "/")


def room_of(path, table):
    return max((room for room in table if within(path, room)), key=len, default=None)


def reached_places(path, table):
    """The room or folder of a changed file, and the rooms that use it."""
    room = room_of(path, table)
    if room is None or path.endswith("_test.cpp"):
        return {path}
    return {path, room} | {user for user, uses in table.items() if room in uses}


def reached_tests(changed):
    """Patterns of the tests that these files reach; None: all."""
    if any(path in WHOLE for path in changed):
        return None
    table = rooms()
    places = set().union(*(reached_places(path, table) for path in changed)) if changed else set()
    found = set(ALWAYS)
    for patterns, of in tests_of_rooms():
        if any(within(place, room) for place in places for room in of):
            found.update(patterns)
    scripts = list(script_tests())
    for path in changed:
        own = {name for name, script in scripts if script == path}
        folder = str(Path(path).parent)
        if not own and path.startswith("tests/"):
            own = {name for name, script in scripts if within(script, folder)}
        found |= own
    return found


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed_files(base):
    if not base:
        branch = "".join(git("rev-parse", "--abbrev-ref", "HEAD"))
        left = "".join(git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main"))
        base = "HEAD" if branch == "main" or not left else left
    if not git("rev-parse", "--verify", "--quiet", base + "^{commit}"):
        sys.exit(f"error: unknown commit '{base}'\n  help: --changed compares commits of a checkout of git")
    listed = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    return sorted({path for path in listed if path})


if __name__ == "__main__":
    tests = reached_tests(changed_files(sys.argv[1] if len(sys.argv) > 1 else ""))
    if tests is not None:
        print("^(" + "|".join(sorted(tests)) + ")$")
