#!/usr/bin/python3
"""Writes goldens.txt and goldens.bin: the expected results of instructions, by numpy and exact fractions.

    /usr/bin/python3 isa/semantics/make_goldens.py FOLDER

Needs numpy, nothing of ptosim. The build calls it for its tests; inputs have seeds, and another
numpy may draw other inputs from them, with the outputs to match. FOLDER also gets golden_counts.def,
from which the coverage page is made; scripts/regenerate.sh copies it to isa/semantics when the
number of cases has changed.

Cases of one family are next to its rows: every isa/instructions/FAMILY_goldens.py is found by its
name. Cases here cover several families; the other files here contain the parts of cases.

goldens.txt has one case per block:

    case NAME OPCODE ARCH key=value,...
    tile ROLE SPACE DTYPE ROWS COLS LAYOUT FRACTAL VALID_ROWS VALID_COLS PAD BEFORE AFTER
    view ROLE DTYPE LAYOUT s0,s1,s2,s3,s4 t0,t1,t2,t3,t4 BEFORE AFTER
    scalar DTYPE BITS
    none

PAD is a number of Pad, 4:BITS for a pattern. ARCH is "a5", or "a5/a5" to run under the numeric profile after the slash. "none" is for instructions that no generation has: they are run, but not asked for legality.

BEFORE and AFTER are "offset:length" in goldens.bin: the bytes of the operand before and after the
instruction, whole physical tiles. What must not be written is filled with 0xA5; in goldens.bin,
runs of that byte are packed: 16-bit counts of literal bytes, which follow, and of 0xA5 bytes.
"""
import importlib
import pathlib
import sys

import numpy as np

import goldens_a5
import goldens_arithmetic
import goldens_forms
import goldens_fused
import goldens_indexed
import goldens_modes
import goldens_moves
import goldens_options
import goldens_orders
import goldens_paths
import goldens_profiles
import goldens_types
from goldens_cases import Book

# Cases across families, before and after the families' cases. The last one varies the first case of instructions.
BASIC = (goldens_arithmetic, goldens_moves, goldens_fused, goldens_indexed)
FURTHER = (goldens_forms, goldens_profiles, goldens_types, goldens_paths, goldens_modes, goldens_a5,
           goldens_orders, goldens_options)
INSTRUCTIONS = pathlib.Path(__file__).resolve().parent.parent / "instructions"


def families():
    sys.path.append(str(INSTRUCTIONS))
    return [importlib.import_module(path.stem) for path in sorted(INSTRUCTIONS.glob("*_goldens.py"))]


def main(folder):
    book = Book()
    for part in (*BASIC, *families(), *FURTHER):
        part.add_cases(book)
    book.write(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_goldens.py FOLDER")
    np.seterr(all="ignore")
    main(sys.argv[1])
