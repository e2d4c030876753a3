"""An implementation by ptosim: each case as an instruction of a `.pto` kernel, run by the whole program.

The variable PTOSIM names the program. Operands that a kernel for vector cores cannot hold are left out:
in L1, L0 and the like (the unit tests of isa/semantics compare them with the golden cases), and views of convolutions.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "differential"))
import golden_cases  # noqa: E402
import subjects  # noqa: E402
from differential import expressible  # noqa: E402
from kernels import Kernel  # noqa: E402
from ways import Program, Trial  # noqa: E402

CHIPS = {"a2a3": "ascend910b1", "a5": "ascend950pr"}
TOGETHER = 40  # cases in one kernel
ROLES = {"in/out": "inout", "scratch": "tmp"}
answers = {}


def key(case):
    return case["name"], case["arch"], case["profile"]


def operand_of(record):
    if record is None:
        return None
    role = ROLES.get(record["role"], record["role"])
    if record["kind"] == "scalar":
        return golden_cases.Scalar(record["dtype"], record["bits"])
    if record["kind"] == "view":
        return golden_cases.View(role, record["dtype"], record["layout"], tuple(record["shape"]),
                                 tuple(record["strides"]), record["before"], b"")
    return golden_cases.Tile(role, record["space"], record["dtype"], record["rows"], record["cols"], record["layout"],
                             record["fractal"], *record["valid"], record["pad"], record["before"], b"")


def case_of(record):
    profile = "" if record["profile"] == "ieee" else record["profile"]
    return golden_cases.Case(record["name"], record["instruction"], record["arch"], profile, record["attributes"],
                             [operand_of(operand) for operand in record["operands"]])


def run(program, records, folder):
    """Fills `answers`; one by one if together they do not run."""
    items = [subjects.alone(case_of(record), "k", program.arch).kernel.steps[0] for record in records]
    kernel = subjects.Vector(Kernel("k", program.arch, 1, items, records[0]["profile"]))
    with tempfile.TemporaryDirectory(dir=folder) as where:
        way = Trial(program, kernel, where).run("run", "auto.pto", "--sync", "auto")
    if way.code != 0 or None in way.outputs.values():
        if len(records) > 1:
            for record in records:
                run(program, [record], folder)
        return
    for number, (record, item) in enumerate(zip(records, items)):
        answer = {}
        for index in item.stored():
            at = kernel.arrays.outputs[number, index][0]
            answer[index] = way.outputs["out"][at:at + len(record["operands"][index]["before"])]
        for index in item.views():
            answer[index] = way.outputs[f"view{number}_{index}.npy"][:len(record["operands"][index]["before"])]
        answers[key(record)] = answer


def start(records):
    groups = {}
    programs = {arch: Program(os.environ.get("PTOSIM", "ptosim"), chip) for arch, chip in CHIPS.items()}
    for record in records:
        if record["arch"] in programs and expressible(case_of(record), programs[record["arch"]]):
            groups.setdefault((record["arch"], record["profile"]), []).append(record)
    with tempfile.TemporaryDirectory() as folder:
        for (arch, _), members in groups.items():
            for at in range(0, len(members), TOGETHER):
                run(programs[arch], members[at:at + TOGETHER], folder)


def compute(case):
    return answers.get(key(case))
