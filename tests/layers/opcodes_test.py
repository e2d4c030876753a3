#!/usr/bin/env python3
"""Facts about one instruction are in isa/instructions/, with its row.

Reads the sources: elsewhere an opcode that computes or moves data may be named only in the files
of ALLOWED, as often as listed, and for the reason there. An opcode of synchronisation (SET_FLAG, ...) is a
part of the machine, and free. Tests and the headers of the C++ API are not read.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("isa", "sim", "traces")
CONTROL = "synchronisation.def"

# File: number of opcodes, and the reason why no trait of the row would do.
ALLOWED = {
    "isa/composite/fifo.cpp": (4, "a FIFO is made of moves: it issues them"),
    "traces/record/recorder.cpp": (1, "the report of a block's threads"),
    "traces/analyse/propose_threads.cpp": (1, "advice about threads"),
    "isa/core/thread_work.cpp": (1, "threads are code of the kernel: their block is issued as one instruction"),
    "isa/intrinsics/vector_program.cpp": (1, "a vector function is made of operations: it is issued as one"),
    "isa/assembly/program/frame_vector.cpp": (2, "raw copies between global memory and UB are transfers"),
    "isa/assembly/program/frame_transfer.cpp": (2, "a frame is saved and restored by transfers"),
    "isa/assembly/bind/handles.cpp": (1, "an operation of handles that is an instruction"),
    "isa/assembly/sync/footprint_boxes.cpp": (2, "a transfer in boxes that advance with a loop"),
    "isa/assembly/bind/instructions.cpp": (8, "written forms of operands that no role tells"),
    "isa/assembly/bind/address_planner.cpp": (1, "tiles that a load fills"),
    "isa/assembly/verify/verifier_memory.cpp": (2, "what a plan does not let overlap"),
    "sim/machine/timing/intrinsic_cost.cpp": (3, "what an intrinsic waits for another one is measured in reductions that chain it"),
    "sim/machine/core/core.cpp": (2, "only two have messages between chips, which send a whole view"),
    "sim/machine/core/completion.cpp": (1, "one takes the atomic mode that is left"),
    "sim/native/tensor_bounds.cpp": (1, "the accesses of a vector function are joined with their neighbours"),
    "sim/machine/core/scalar_instructions.cpp": (2, "hints and printing compute nothing: the scalar unit does them, as it does flags"),
}


def opcodes():
    folder = ROOT / "isa/instructions"
    rows = set()
    for path in folder.glob("*.def"):
        if path.name != CONTROL:
            rows |= set(re.findall(r"^PTO_INSTRUCTION\((\w+),", path.read_text(), re.M))
    return rows


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".def"):
                continue
            name = path.relative_to(ROOT).as_posix()
            if re.search(r"_test\.cpp$|/test_\w+\.h$", name):
                continue
            if not name.startswith("isa/instructions/"):
                yield name, path


def main():
    names = opcodes()
    if len(names) < 100:
        sys.exit(f"only {len(names)} rows found in isa/instructions: is this the source folder?")
    mention = re.compile(r"\bk(" + "|".join(sorted(names)) + r")\b")
    wrong, total = [], 0
    for name, path in sources():
        found = [(path.read_text()[: m.start()].count("\n") + 1, m.group(1))
                 for m in mention.finditer(path.read_text())]
        total += len(found)
        most, _ = ALLOWED.get(name, (0, ""))
        if len(found) != most:
            places = ", ".join(f"{line} {opcode}" for line, opcode in found)
            wrong.append(f"{name}: {len(found)} mentions, {most} allowed: {places}")
    for line in wrong:
        print(line)
    if wrong:
        print("Make it a trait of the row (isa/table/instruction_traits.h), or a function of its family in "
              "isa/instructions/; or correct ALLOWED of this test, with a reason.")
        sys.exit(1)
    print(f"{total} mentions of {len(names)} opcodes outside isa/instructions, all allowed")


if __name__ == "__main__":
    main()
