"""Many kernels in one C++ source: compiling takes most of the time that one run takes."""
import os
import re

from write_cpp import HEAD


class Library:
    """Kernels that C++ cannot express, or that do not compile, are left out: `unwritten` and `refused` name the
    cases."""

    def __init__(self, program, folder):
        self.program, self.folder, self.unwritten, self.refused = program, folder, set(), {}

    def build(self, kernels):
        """{name of a kernel: path of a library that has it}"""
        built = {}
        for core in ("aiv", "aic", "mix"):
            functions = {}
            for kernel in kernels:
                if kernel.core != core or {case.name for case in kernel.cases()} & self.refused.keys():
                    continue
                lines, unwritten = kernel.cpp(self.program.instructions)
                self.unwritten |= set(unwritten)
                if not unwritten:
                    functions[kernel.name] = lines
            built.update(self.compile(core, functions))
        return built

    def compile(self, core, functions):
        source, library = (os.path.join(os.path.abspath(self.folder), f"{core}.{ending}") for ending in ("cpp", "so"))
        while functions:
            text, owner, cases = self.text(functions)
            with open(source, "w") as file:
                file.write(text)
            answer = self.program.call("build", source, "-o", library, "--arch", self.program.generation, "-O0",
                                       "--core", core)
            if answer.returncode == 0:
                return {name: library for name in functions}
            wrong = {int(line) for line in re.findall(rf"{core}\.cpp:(\d+):\d+: ", answer.stderr)} & owner.keys()
            if not wrong:
                raise RuntimeError(answer.stderr[:3000])
            for line in wrong:
                functions.pop(owner[line], None)
                if line in cases:
                    self.refused.setdefault(cases[line], self.reason(answer.stderr, f"{core}.cpp:{line}:"))
        return {}

    @staticmethod
    def reason(text, place):
        """The error that follows the mention of a place."""
        found = re.search("error: (.*)", text[text.find(place):])
        return found.group(1)[:160] if found else "?"

    @staticmethod
    def text(functions):
        """The source, {line: kernel}, {line: case}"""
        lines, owner, cases = HEAD.splitlines(), {}, {}
        for name, body in functions.items():
            case = None
            for line in body:
                lines.append(line)
                owner[len(lines)] = name
                if line.lstrip().startswith("// "):
                    case = line.split(": ", 1)[1]
                elif case:
                    cases[len(lines)] = case
        return "\n".join(lines) + "\n", owner, cases
