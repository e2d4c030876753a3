#!/usr/bin/python3
"""Breaks a kernel by taking out one of its flag operations.

    mutate.py KERNEL.pto --list                  number its flag operations
    mutate.py KERNEL.pto --remove WHICH [-o OUT] write the kernel without that operation

WHICH is a number of --list, or the text of the operation ("wait_flag[<PIPE_V>, <PIPE_MTE3>"), with
"@2" after it for its second occurrence. The line becomes a comment, so that all others keep their
numbers. broken.json names the mutations that the tests use, and the expected findings of each.
"""

import argparse
import re
import sys

FLAG_OPERATION = re.compile(
    r"^\s*pto\.((?:set|wait)_(?:flag(?:_dyn)?|intra_block)\b|sync\.(?:set|wait)\b|barrier\b).*")


def flag_operations(lines):
    """Indices of the lines that hold a flag operation."""
    return [i for i, line in enumerate(lines) if FLAG_OPERATION.match(line)]


def find(lines, which):
    """Index of the line that `which` names; ValueError if there is none."""
    operations = flag_operations(lines)
    if which.isdigit():
        if not 1 <= int(which) <= len(operations):
            raise ValueError(f"no flag operation {which}: there are {len(operations)}")
        return operations[int(which) - 1]
    text, _, nth = which.partition("@")
    matches = [i for i in operations if text in lines[i]]
    if not matches or int(nth or 1) > len(matches):
        raise ValueError(f"{len(matches)} flag operations match '{text}'")
    if not nth and len(matches) > 1:
        numbers = ", ".join(f"line {i + 1}" for i in matches)
        raise ValueError(f"'{text}' is ambiguous: {numbers}; say which with @1, @2, ...")
    return matches[int(nth or 1) - 1]


def remove(source, which):
    """The kernel text without the flag operation that `which` names."""
    lines = source.splitlines()
    i = find(lines, which)
    indent = lines[i][: len(lines[i]) - len(lines[i].lstrip())]
    lines[i] = f"{indent}// removed: {lines[i].strip()}"
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel")
    parser.add_argument("--list", action="store_true", help="number the flag operations")
    parser.add_argument("--remove", metavar="WHICH", help="a number, or text[@occurrence]")
    parser.add_argument("-o", metavar="OUT", help="write here instead of to standard output")
    options = parser.parse_args()
    with open(options.kernel) as file:
        source = file.read()
    if options.remove is None:
        lines = source.splitlines()
        for number, i in enumerate(flag_operations(lines), 1):
            print(f"{number:3}  line {i + 1:3}  {lines[i].strip()}")
        return
    try:
        text = remove(source, options.remove)
    except ValueError as error:
        sys.exit(f"mutate.py: {options.kernel}: {error}")
    if options.o:
        with open(options.o, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
