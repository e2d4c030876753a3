#!/usr/bin/python3
"""Random legal kernels, run in every way that there is: one answer, and one trace.

    differential.py --ptosim BIN --goldens DIR [--chip NAME] [--seconds N | --seeds FROM:TO] [--keep DIR]

DIR is where the build has written the golden cases (build/goldens). tests/evidence/differential.json lists the comparisons. A kernel
whose ways differ is made smaller, left in DIR of --keep, and told with the line that runs it again. Exit code 1
if there was one.
"""
import argparse
import json
import os
import re
import resource
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import golden_cases  # noqa: E402
import products  # noqa: E402
import subjects  # noqa: E402
from compiled import Library  # noqa: E402
from kernels import Maker  # noqa: E402
from ways import Program, Trial  # noqa: E402

PRODUCTS = 4  # one kernel in so many is a product of matrices
IN_CPP = ("a2a3", "a5")  # architectures that C++ kernels are compiled for
LARGEST = 60000  # bytes of a case's tiles


def ambiguous(case):
    """A list of tiles whose last one the text takes for the scratch tile that is left out."""
    return case.opcode == "TMRGSORT" and case.operands[1] is None and len(case.tiles()) > 3


def expressible(case, program):
    """True if a kernel for vector cores of this chip can have the case as an item."""
    views = [operand for operand in case.operands if operand is not None and operand.kind == "view"]
    return (not ambiguous(case) and case.arch == ("a2a3" if program.generation == "a2a3" else "a5") and case.tiles() and
            case.spaces() <= {"UB"} and program.instructions.attributes(case) is not None and
            all(view.layout in ("ND", "DN", "NZ") and golden_cases.BITS[view.dtype] >= 8 for view in views) and
            all(tile.pad in "0123" for tile in case.tiles()) and "Conv" not in "".join(case.attributes) and
            sum(len(tile.before) for tile in case.tiles()) <= LARGEST)


def pool_of(program, cases, folder):
    """{opcode: [case]} that the chip takes, by --dry-run; and (name, file) of the cases that it refuses."""
    where = os.path.join(folder, "pool")
    os.makedirs(where)
    chosen = [case for case in cases if expressible(case, program)]
    for number, case in enumerate(chosen):
        with open(os.path.join(where, f"p{number}.pto"), "w") as file:
            file.write(subjects.alone(case, f"p{number}", program.arch).pto(program.instructions, False))
    answer = program.call("run", where, "--dry-run", "--chip", program.chip, "--json", "-")
    taken = {os.path.basename(row["file"]) for row in json.loads(answer.stdout) if row["accepted"]}
    pool, refused = {}, []
    for number, case in enumerate(chosen):
        if f"p{number}.pto" in taken:
            pool.setdefault(case.opcode, []).append(case)
        else:
            refused.append((case.name, os.path.join(where, f"p{number}.pto")))
    return pool, refused


def draw(maker, program, number):
    if number % PRODUCTS == PRODUCTS - 1:
        return subjects.Product(products.draw(program, number))
    return subjects.Vector(maker.draw(number))


def attempt(program, kernel, folder):
    """Differences of a kernel in a new folder that holds its C++, too."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    library = Library(program, folder).build([kernel]).get(kernel.name) if program.generation in IN_CPP else None
    return Trial(program, kernel, folder, library).compare()


def kind_of(problem):
    """The way that differs, and the code of its diagnostic if it has one."""
    return problem.split(":")[0], re.findall(r"\[[A-Z]\d\d\]", problem)[:1]


def shrink(program, kernel, problem, folder, limit=80):
    """The smallest kernel found that differs in the same way, and what differs."""
    kind = kind_of(problem)
    left, found = limit, True
    while found:
        found = False
        for candidate in kernel.smaller():
            left -= 1
            if left < 0:
                return kernel, problem
            answer = attempt(program, candidate, os.path.join(folder, "candidate"))
            if answer and kind_of(answer) == kind:
                kernel, problem, found = candidate, answer, True
                break
    return kernel, problem


class Counts:
    def __init__(self):
        self.kernels = self.refused = self.in_cpp = self.products = self.instructions = self.different = 0
        self.opcodes, self.cases = set(), set()

    def add(self, kernel, in_cpp):
        self.kernels += 1
        self.in_cpp += in_cpp
        self.products += not kernel.cases()
        self.instructions += len(kernel.cases())
        self.opcodes |= {case.opcode for case in kernel.cases()}
        self.cases |= {case.name for case in kernel.cases()}


def tell(options, program, kernel, problem, number, folder):
    keep = os.path.join(options.keep, f"{options.chip}-{number}")
    if options.shrink:
        kernel, problem = shrink(program, kernel, problem, folder)
    attempt(program, kernel, keep)
    again = f"differential.py --ptosim {options.ptosim} --goldens {options.goldens} --chip {options.chip} "
    what = " ".join(case.name for case in kernel.cases()) or kernel.kernel
    print(f"seed {number}: {problem}\n  {what}\n  again: {again}--seeds {number}:{number + 1}"
          f"{' --alone' * options.alone}\n  kernel: {keep}", flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--goldens", required=True)
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--seconds", type=float,
                        help="processor time, of this program and all that it starts: go on for so long, from FROM on")
    parser.add_argument("--seeds", default="0:20", help="FROM:TO")
    parser.add_argument("--batch", type=int, default=24, help="kernels in one C++ source")
    parser.add_argument("--alone", action="store_true", help="each golden case in a kernel of its own: seed N is case N")
    parser.add_argument("--keep", default="differential-found", help="folder for kernels whose ways differ")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    parser.add_argument("--verbose", action="store_true", help="tell what is refused, and why")
    return parser.parse_args()


def processor_seconds():
    """Processor time of this program and of all finished programs that it has started."""
    return sum(used.ru_utime + used.ru_stime
               for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    options = parse()
    started = time.time()
    program = Program(options.ptosim, options.chip)
    counts = Counts()
    at, last = map(int, options.seeds.split(":"))
    with tempfile.TemporaryDirectory() as folder:
        pool, refused = pool_of(program, golden_cases.read(options.goldens), folder)
        print(f"{options.chip}: {sum(map(len, pool.values()))} cases of {len(pool)} instructions; {len(refused)} more "
              "are refused", flush=True)
        for name, path in refused if options.verbose else []:
            answer = program.call("run", path, "--dry-run", "--chip", options.chip)
            print(f"  refused: {name}: {(answer.stderr + answer.stdout).splitlines()[0]}", flush=True)
        library, maker = Library(program, folder), Maker(pool, program.arch)
        every = [case for opcode in sorted(pool) for case in pool[opcode]]
        if options.alone:
            last = min(last, len(every))
        while processor_seconds() < options.seconds if options.seconds else at < last:
            numbers = range(at, at + options.batch if options.seconds else min(at + options.batch, last))
            at = numbers[-1] + 1
            kernels = [subjects.alone(every[number], f"k{number}", program.arch) if options.alone else
                       draw(maker, program, number) for number in numbers]
            built = library.build(kernels) if program.generation in IN_CPP else {}
            for number, kernel in zip(numbers, kernels):
                where = os.path.join(folder, "trial")
                shutil.rmtree(where, ignore_errors=True)
                problem = Trial(program, kernel, where, built.get(kernel.name)).compare()
                counts.add(kernel, kernel.name in built)
                if problem and problem.startswith("refused"):
                    counts.refused += 1
                    if options.verbose:
                        print(f"seed {number}: {problem.splitlines()[0]}", flush=True)
                elif problem:
                    counts.different += 1
                    tell(options, program, kernel, problem, number, folder)
    print(f"{options.chip}: {counts.kernels} kernels ({counts.products} products, {counts.in_cpp} also in C++, "
          f"{counts.refused} refused) with {len(counts.cases)} cases of {len(counts.opcodes)} instructions, "
          f"{program.runs} runs in {processor_seconds():.0f} s of processor time ({time.time() - started:.0f} s "
          f"elapsed): {counts.different} differ")
    if options.verbose:
        for name, reason in sorted(library.refused.items()):
            print(f"  not taken by C++: {name}: {reason}")
    return 1 if counts.different else 0


if __name__ == "__main__":
    sys.exit(main())
