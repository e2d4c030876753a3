"""Every #include of ours keeps to rooms.tsv: a row has a folder, its allowed includes, and its content.

A room may include itself and what its row lists: another room (isa/core), one of its headers
(sim/machine/event/cycle.h) or several (isa/instructions/*.def), all rooms of a floor (sim/machine/*). Rooms must not include each other in a circle. libraries.tsv lists the rooms that may
include the headers of a library. Unit tests and their helpers (test_*.h, *_test.cpp) may include
whatever their program links.
"""

import fnmatch
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("isa", "sim", "traces", "include")
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".def", ".inc", ".in"}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
OF_TESTS = re.compile(r"(^test_|_test\.|_test_main\.)")
ROOMS, LIBRARIES = "tests/layers/rooms.tsv", "tests/layers/libraries.tsv"


def table_rows(root, name):
    """The cells of each row of a table."""
    for line in (root / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def listed(text):
    return [word.strip() for word in text.split(",") if word.strip()]


class Table:
    """Rooms, what each may include, and which libraries each may use."""

    def __init__(self, root):
        self.may = {}  # room: [pattern or room]
        self.where = {}  # room: its content
        for room, may, content in table_rows(root, ROOMS):
            self.where[room] = content
            self.may[room] = listed(may)
        self.libraries = {}  # prefix of the include: rooms
        for header, rooms in table_rows(root, LIBRARIES):
            self.libraries[header] = listed(rooms)

    def room_of(self, path):
        """The room with the longest name that holds the path."""
        best = ""
        for room in self.may:
            if (path == room or path.startswith(room + "/")) and len(room) > len(best):
                best = room
        return best

    def allowed(self, room, path):
        target = self.room_of(path)
        if target == room:
            return True
        return any(target == may or fnmatch.fnmatchcase(path, may) for may in self.may[room])

    def below(self, room):
        return [r for r in self.may if r != room and any(fnmatch.fnmatchcase(r, may) for may in self.may[room])]

    def circle(self):
        """Rooms that include each other in a circle, or None."""
        done, way = set(), []

        def visit(room):
            if room in way:
                return way[way.index(room):] + [room]
            if room in done:
                return None
            way.append(room)
            for other in self.below(room):
                found = visit(other)
                if found:
                    return found
            way.pop()
            done.add(room)
            return None

        for room in self.may:
            found = visit(room)
            if found:
                return found
        return None

    def may_text(self, room):
        return ", ".join(self.may[room]) or "nothing of ours"


def resolve(root, including, name):
    """The path in the project that an include means; None: it is not ours."""
    for path in (Path(name), Path("include") / name, including.parent / name):
        if (root / path).is_file():
            return path.as_posix()
    return None


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2)


# Files that may read and write JSON by the library itself: dump_json takes any text, and text that was read as JSON is
# UTF-8; each user of the library's parser or printer compiles them anew.
DUMPS = ("sim/files/json.cpp", "sim/machine/model/")


def check_dumps(root, path):
    name = path.as_posix()
    if name.startswith(DUMPS) or path.suffix not in (".cpp", ".h"):
        return []
    return [f"{name}:{number}: read and write JSON by parse_json() and dump_json() of sim/files/json.h"
            for number, line in enumerate((root / path).read_text().splitlines(), 1)
            if re.search(r"\.dump\(|[jJ]son::parse\(", line)]


def check_file(table, root, path):
    """Problems of one file, a sentence each."""
    name = path.as_posix()
    room = table.room_of(name)
    if not room:
        return [f"{name}: its folder has no row in {ROOMS}: add one with its content and what it may include"]
    wrong = []
    for number, included in includes(root / path):
        target = resolve(root, path, included)
        where = f"{name}:{number}"
        if target is not None and table.room_of(target) and not table.allowed(room, target):
            wrong.append(
                f"{where}: {room} must not include {target} of {table.room_of(target)}.\n"
                f"    {room} holds: {table.where[room]}\n"
                f"    and may include: {table.may_text(room)}\n"
                f"    Move what needs it to a room that may, move what both need to a room below "
                f"both, or call it through an interface there.")
        for header, rooms in table.libraries.items():
            if target is None and included.startswith(header) and room not in rooms:
                wrong.append(f"{where}: {room} must not include <{included}>; "
                             f"only {', '.join(rooms)} may ({LIBRARIES}).")
    return wrong


def source_files(root):
    for top in SOURCES:
        for path in sorted((root / top).rglob("*")):
            relative = path.relative_to(root)
            hidden = {"node_modules", "dist"} & set(relative.parts)
            if path.is_file() and path.suffix in SUFFIXES | {""} and not hidden:
                yield relative


def check(root):
    table = Table(root)
    wrong = []
    circle = table.circle()
    if circle:
        wrong.append(f"{ROOMS}: these rooms may include each other in a circle: "
                     + " -> ".join(circle))
    for room in table.may:
        if not (root / room).is_dir():
            wrong.append(f"{ROOMS}: there is no folder {room}")
        for other in table.may[room]:
            if other not in table.may and not any(root.glob(other)):
                wrong.append(f"{ROOMS}: {room} may include {other}, which is not there")
    for path in source_files(root):
        if not OF_TESTS.search(path.name):
            wrong += check_file(table, root, path) + check_dumps(root, path)
    return wrong


def main():
    wrong = check(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    print("\n".join(wrong))
    if wrong:
        sys.exit(f"{len(wrong)} violations of the layers")


if __name__ == "__main__":
    main()
