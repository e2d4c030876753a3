"""One side of a comparison: a version of ptosim with the options, headers and assembler that it runs kernels with."""
from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional, Sequence

from .. import program
from ..errors import misuse
from ..kernels import has_text_name
from .entries import Entry

OPTIONS = ("chip", "sync", "assembler", "plan", "numerics", "mode")  # of `ptosim run`
KEYS = ("ptosim", *OPTIONS, "set", "headers", "ascendc", "ptoas", "kernels")


@dataclass
class Outcome:
    """Outcome of one kernel on one side."""

    state: str  #: ran, finding, refused, error, timeout
    code: str = ""
    message: str = ""
    cycles: int = 0
    outputs: List[str] = field(default_factory=list)  #: hashes
    findings: List[str] = field(default_factory=list)  #: "G04 line 12"
    seconds: float = 0.0

    @property
    def ran(self) -> bool:
        return self.state in ("ran", "finding")

    def text(self) -> str:
        return json.dumps(asdict(self))


class Side:
    """From words such as `ptosim=build/ptosim chip=ascend910b2 set=clusters=8 sync=insert`. Raises Error (I61, I01)."""

    def __init__(self, text: str):
        self.text = text
        self.fields: Dict[str, List[str]] = {}
        self.environment: Dict[str, str] = {}
        for word in shlex.split(text):
            key, equals, value = word.partition("=")
            if key.startswith("env.") and equals:
                self.environment[key[4:]] = value
            elif key in KEYS and equals:
                self.fields.setdefault(key, []).append(value)
            else:
                raise misuse(f"'{word}' is not an option of a side of the comparison",
                             "KEY=VALUE: " + ", ".join((*KEYS, "env.NAME")))
        self.program = os.path.abspath(self._one("ptosim") or program.path())
        if not os.access(self.program, os.X_OK):
            raise misuse(f"{self.program} is not a program", code="I01")
        self.options = [word for key in OPTIONS if key in self.fields
                        for word in (f"--{key}", self.fields[key][-1])]
        self.options += [word for value in self.fields.get("set", ()) for word in ("--set", value)]
        for key, variable in (("headers", "PTOSIM_PTO_HEADERS"), ("ascendc", "PTOSIM_ASCENDC")):
            if key in self.fields:
                self.environment[variable] = self._folder(key)
        self.translator = shlex.split(self._one("ptoas"))
        self.kernels = self._folder("kernels") if "kernels" in self.fields else ""
        self.identity = self._identity()

    def _one(self, key: str) -> str:
        return self.fields.get(key, [""])[-1]

    def _folder(self, key: str) -> str:
        path = os.path.abspath(self._one(key))
        if not os.path.isdir(path):
            raise misuse(f"{key}={path} is not a folder", code="I01")
        return path

    def _identity(self) -> str:
        """Digest of everything that results depend on except the kernel: program, chips, headers, assembler."""
        digest = hashlib.sha256(_file_hash(self.program).encode())
        for chip in (self._one("chip"),) if self._one("chip") else ("ascend910b1", "ascend950pr"):
            done = subprocess.run([self.program, "chips", chip, "--json", "-"], capture_output=True)
            digest.update(done.stdout)
        for variable in ("PTOSIM_PTO_HEADERS", "PTOSIM_ASCENDC"):
            if variable in self.environment:
                digest.update(folder_hash(self.environment[variable]).encode())
        for word in self.translator:
            digest.update((_file_hash(word) if os.path.isfile(word) else word).encode())
        digest.update(json.dumps([self.options, sorted(self.environment)]).encode())
        return digest.hexdigest()

    def path_of(self, entry: Entry) -> str:
        """Its kernel: that of the corpus, or of the same name among this side's own."""
        return os.path.join(self.kernels, entry.name) if self.kernels else entry.path

    def key(self, entry: Entry, words: Sequence[str], check: str) -> str:
        """Names a result: two results of one key are the same. Empty of a program whose files are not known."""
        digest = hashlib.sha256(self.identity.encode())
        digest.update(json.dumps([list(words), check, entry.command]).encode())
        if entry.path:
            path = self.path_of(entry)
            digest.update((_file_hash(path) if os.path.isfile(path) else "none").encode())
        elif entry.inputs:
            for path in entry.inputs:
                digest.update(_file_hash(os.path.join(entry.folder, path)).encode())
        else:
            return ""
        return digest.hexdigest()

    def run(self, entry: Entry, words: Sequence[str], check: str, timeout: float,
            folder: str = "") -> Outcome:
        """Runs a kernel with these words, in `folder` or its own; or a program."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="ptosim-compare-") as own:
            result = os.path.join(own, "result.json")
            environment = {**program.environment(), **self.environment, "PTOSIM_JSON": result}
            try:
                if entry.command:
                    command = [word.replace("{ptosim}", self.program).replace("{json}", result)
                               for word in entry.command]
                    environment.update(self._variables())
                else:
                    environment.pop("PTOSIM_JSON")
                    path = self._translated(entry, own, timeout)
                    command = [self.program, "run", path, "--threads", "1", "--no-advice", "--check",
                               check, *self.options, *words, "--json", result]
                done = subprocess.run(command, cwd=folder or entry.folder, env=environment,
                                      capture_output=True, text=True, timeout=timeout,
                                      stdin=subprocess.DEVNULL)
                outcome = _outcome(done, result, bool(entry.command))
            except subprocess.TimeoutExpired:
                outcome = Outcome("timeout", message=f"no end after {timeout:g} s")
            except _Untranslated as error:
                outcome = Outcome("refused", message=str(error))
            except OSError as error:
                outcome = Outcome("error", message=str(error))
        outcome.outputs += [_file_hash(os.path.join(entry.folder, name)) for name in entry.outputs]
        outcome.seconds = round(time.monotonic() - begin, 3)
        return outcome

    def _variables(self) -> Dict[str, str]:
        """The options of this side, for programs."""
        names = {"chip": "PTOSIM_CHIP", "numerics": "PTOSIM_NUMERICS", "sync": "PTOSIM_SYNC",
                 "mode": "PTOSIM_MODE"}
        found = {names[key]: self._one(key) for key in names if key in self.fields}
        if "set" in self.fields:
            found["PTOSIM_SET"] = ";".join(self.fields["set"])
        return found

    def _translated(self, entry: Entry, folder: str, timeout: float) -> str:
        path = self.path_of(entry)
        if not self.translator or not has_text_name(path):
            return path
        made = os.path.join(folder, os.path.basename(path)[:-4] + ".cpp")
        done = subprocess.run([*self.translator, path, "-o", made], capture_output=True, text=True,
                              timeout=timeout, env={**program.environment(), **self.environment})
        if done.returncode != 0 or not os.path.isfile(made):
            raise _Untranslated("the assembler: " + first_error(done.stderr))
        return made


class _Untranslated(Exception):
    pass


def _outcome(done: "subprocess.CompletedProcess[str]", result: str, is_program: bool) -> Outcome:
    message = first_error(done.stderr)
    code = message.rpartition("[")[2].rstrip("]") if message.endswith("]") else ""
    found: Optional[Dict[str, Any]] = None
    try:
        with open(result) as file:
            found = json.load(file)
    except (OSError, ValueError):
        pass
    state = {0: "ran", 1: "finding", 2: "refused"}.get(done.returncode, "error")
    if state == "finding" and found is None and not is_program:
        state = "error"
    if found is None:
        return Outcome(state, code, "" if state == "ran" else message)
    findings = [f"{one['code']} line {one.get('location', {}).get('line', 0)}"
                for one in found.get("diagnostics", ())]
    return Outcome(state, code, "" if state == "ran" else message, found.get("cycles", 0),
                   [one["sha256"] for one in found.get("outputs", ())], sorted(set(findings)))


def first_error(text: str) -> str:
    """The most informative line of a program's errors, without the kernel's name."""
    lines = [line.strip() for line in text.strip().splitlines()]
    for line in lines:
        if "error" in line:
            return line[line.index("error"):][:300]
    return lines[-1][:300] if lines else "no message"


def _file_hash(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return "missing"


def folder_hash(folder: str) -> str:
    """Hash of every file in it and below."""
    digest = hashlib.sha256()
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            path = os.path.join(base, name)
            digest.update(f"{os.path.relpath(path, folder)}\0{_file_hash(path)}\n".encode())
    return digest.hexdigest()
