"""An implementation by the CPU simulation of a checkout of hw-native-sys/pto-isa, compiled with g++.

The variable PTO_ISA names the checkout, CASES (if it is there) how many cases to take at most, PTOSIM the program, whose
instruction table gives the C++ of a case. A case that does not compile is left out; one that crashes has an
empty answer.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "differential"))
sys.path.insert(0, HERE)
import subjects  # noqa: E402
from differential import expressible  # noqa: E402
from golden_cases import BITS  # noqa: E402
from ways import Program  # noqa: E402
from with_ptosim import CHIPS, case_of, key  # noqa: E402
from write_cpp import CPP_TYPES, HEAD, write_cpp  # noqa: E402

TOGETHER = 60  # cases in one source
FLAGS = ["-std=c++20", "-O0", "-w", "-D__CPU_SIM", "-pthread", "-include", "cstdint", "-include", "cstring",
         "-include", "algorithm", "-include", "thread"]
MAIN = """
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char** words) {
    const int which = std::atoi(words[1]);
    std::vector<std::vector<char>> arrays;
    for (int i = 2; words[i] != nullptr; ++i) {
        std::FILE* file = std::fopen(words[i], "rb");
        std::vector<char> bytes(std::atoi(words[++i]) + 4096);
        if (file != nullptr && std::fread(bytes.data(), 1, bytes.size(), file) == 0) return 3;
        if (file != nullptr) std::fclose(file);
        arrays.push_back(std::move(bytes));
    }
    NPU_MEMORY_INIT(NPUArch::ARCH_HERE);
    switch (which) {
CALLS_HERE
    }
    int i = 2;
    for (auto& bytes : arrays) {
        std::FILE* file = std::fopen(words[i], "wb");
        std::fwrite(bytes.data(), 1, std::atoi(words[i + 1]), file);
        std::fclose(file);
        i += 2;
    }
}
"""
answers = {}


class Batch:
    """Cases that are one program."""

    def __init__(self, program, records, folder):
        self.program, self.folder = program, folder
        self.kernels = {}
        for number, record in enumerate(records):
            kernel = subjects.alone(case_of(record), f"k{number}", program.arch)
            lines, unwritten = write_cpp(kernel.kernel, kernel.arrays, program.instructions, False)
            if not unwritten:
                self.kernels[number] = (record, kernel, lines)

    def source(self):
        lines, owner, calls = HEAD.splitlines(), {}, []
        for number, (_, kernel, body) in self.kernels.items():
            for line in body:
                lines.append(line)
                owner[len(lines)] = number
            views = [kernel.kernel.steps[0].case.operands[index].dtype for index in kernel.kernel.steps[0].views()]
            words = ["(int8_t*)arrays[0].data()", "(int8_t*)arrays[1].data()",
                     *(f"({CPP_TYPES[dtype]}*)arrays[{2 + at}].data()" for at, dtype in enumerate(views))]
            calls.append(f"        case {number}: k{number}({', '.join(words)}); break;")
        arch = "A2A3" if self.program.arch == "a3" else "A5"
        return "\n".join(lines) + MAIN.replace("CALLS_HERE", "\n".join(calls)).replace("ARCH_HERE", arch), owner

    def compile(self, include):
        """Returns the path of the program; cases that do not compile are left out."""
        while self.kernels:
            text, owner = self.source()
            source, out = os.path.join(self.folder, "cases.cpp"), os.path.join(self.folder, "cases")
            with open(source, "w") as file:
                file.write(text)
            answer = subprocess.run(["g++", *FLAGS, "-I", include, source, "-o", out], capture_output=True, text=True)
            if answer.returncode == 0:
                return out
            wrong = {owner[int(line)] for line in re.findall(r"cases\.cpp:(\d+):", answer.stderr) if int(line) in owner}
            if not wrong:
                print(answer.stderr[:2000], file=sys.stderr)
                return None
            for number in wrong:
                del self.kernels[number]
        return None

    def run(self, path):
        for number, (record, kernel, _) in self.kernels.items():
            item = kernel.kernel.steps[0]
            total, views = kernel.arrays.data(0)
            names = [os.path.join(self.folder, name) for name in ("in", "out", *(f"view{i}" for i in range(len(views))))]
            contents = [total.tobytes(), bytes(kernel.arrays.output_slice), *(data.tobytes() for data in views.values())]
            words = []
            for name, content in zip(names, contents):
                with open(name, "wb") as file:
                    file.write(content)
                words += [name, str(len(content))]
            try:
                code = subprocess.run([path, str(number), *words], capture_output=True, timeout=60).returncode
            except subprocess.TimeoutExpired:
                code = -1
            answer = {}
            if code == 0:
                read = [open(name, "rb").read() for name in names]
                for index in item.stored():
                    at = kernel.arrays.outputs[0, index][0]
                    answer[index] = read[1][at:at + len(record["operands"][index]["before"])]
                for place, index in enumerate(item.views()):
                    answer[index] = read[2 + place][:len(record["operands"][index]["before"])]
            answers[key(record)] = answer


def headers(folder):
    """A copy in which g++ 12 takes static_assert(false) in a template that is not used."""
    include = os.path.join(folder, "include")
    shutil.copytree(os.path.join(os.environ["PTO_ISA"], "include"), include)
    for root, _, files in os.walk(os.path.join(include, "pto", "cpu")):
        for name in files:
            path = os.path.join(root, name)
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
            if "static_assert(false," in text:
                with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                    file.write(text.replace("static_assert(false,", "static_assert(sizeof(char) == 1,"))
    return include


def start(records):
    programs = {arch: Program(os.environ.get("PTOSIM", "ptosim"), chip) for arch, chip in CHIPS.items()}
    chosen = [record for record in records if record["arch"] in programs and record["profile"] == "ieee" and
              expressible(case_of(record), programs[record["arch"]]) and
              not any(o and BITS[o["dtype"]] < 8 for o in record["operands"])]
    chosen = chosen[:int(os.environ.get("CASES", len(chosen)))]
    with tempfile.TemporaryDirectory() as folder:
        include = headers(folder)
        for arch, program in programs.items():
            members = [record for record in chosen if record["arch"] == arch]
            for at in range(0, len(members), TOGETHER):
                batch = Batch(program, members[at:at + TOGETHER], folder)
                path = batch.compile(include)
                if path:
                    batch.run(path)
                print(f"{arch}: {min(at + TOGETHER, len(members))} of {len(members)} cases", file=sys.stderr, flush=True)


def compute(case):
    return answers.get(key(case))
