"""Launches: one on a fresh chip (simulate), or several on one whose arrays stay there (Device)."""
from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import arrays, kernels, program, worker
from .arrays import Host, Out
from .chips import Chip, chip_words
from .errors import DeviceLost, Error, Finding, misuse
from .kernels import Kernel, Source
from .options import allowed, check_fields, table
from .result import Result, result_of

Line = Dict[str, Any]
POISON = 0xFF  # NaN of every floating-point type, -1 of signed integers
PAGE = 4096  # bytes from whose multiples on a device can map arrays


class Options:
    """Options of a device's runs: those of `ptosim run` that the program's table gives to Python, and limits of the
    device's process. None: the program's default."""

    timeout: Optional[float] = None  #: seconds of this host; then Timeout is raised
    memory_mib: int = 0  #: that the device's process may take; 0: no limit
    sandbox: bool = False  #: confines the code of compiled kernels (docs/python.md)
    limits: Mapping[str, int]  #: cpu_seconds, file_mib, open_files

    def __init__(self, **given: Any) -> None:
        """Raises Error (I61) for unknown options, and for values that are not allowed."""
        _require_names(given)
        vars(self).update(option_defaults())
        self.timeout, self.memory_mib, self.sandbox, self.limits = None, 0, False, {}
        vars(self).update(given)
        check_fields(self, tuple(vars(self)))

    if TYPE_CHECKING:  # the table's options
        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    def changed(self, **changes: Any) -> "Options":
        """A copy with other values."""
        return Options(**{**vars(self), **changes})

    def chip_words(self) -> Tuple[str, List[str]]:
        """Name or file of the chip, and PATH=VALUE words."""
        chip, overrides = chip_words(self.chip, dict(self.set or {}))
        return (os.path.abspath(chip) if os.path.exists(chip) else chip), overrides

    def connect(self, kernel: Optional[Kernel] = None) -> worker.Connection:
        """A new device of this chip, without its options yet; with `kernel` it is for that alone.
        """
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        interpreted = kernel is not None and kernel.is_text and not self.schedules
        return worker.Connection(*self.chip_words(), deadline, interpreted)

    def request(self) -> Line:
        chip, overrides = self.chip_words()
        line: Line = {"op": "open", "memory_mib": self.memory_mib, "sandbox": self.sandbox, **self.limits}
        for row in _run_rows():
            value = getattr(self, row["name"])
            if value is not None:
                line[row["name"]] = os.path.abspath(os.fspath(value)) if row["form"] == "file" else value
        return {**line, "chip": chip, "set": overrides}


def _run_rows() -> List[Line]:
    return [row for row in table() if row["of_run"]]


def option_defaults(group: str = "") -> Dict[str, Any]:
    """Names and defaults of the options of a run, or of one group of them."""
    return {row["name"]: row["default"] for row in _run_rows() if group in ("", row["group"])}


def _option_names() -> Tuple[str, ...]:
    return (*option_defaults(), "timeout", "memory_mib", "sandbox", "limits")


KERNEL_NAMES = ("entry", "params", "defines", "includes", "cores", "plan", "assembler", "name")


def _argument_name(parameter: Line, index: int) -> str:
    return f"argument {index} (%{parameter['name']})"


def _scalar(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, np.integer):
        return int(value)
    return float(value) if isinstance(value, np.floating) else value


def is_array(value: Any) -> bool:
    return isinstance(value, (Out, np.ndarray)) or hasattr(value, "__dlpack__")


@dataclass
class _Placed:
    """An array argument: which parameter, its elements, and where it is in shared memory."""

    index: int
    name: str
    host: Host
    role: str  # in, out, inout, maybe (an output if it has changed), auto
    offset: int = 0
    first: Optional[np.ndarray] = None  # its bytes before the run, if it is read and written


class _Arguments:
    """The arguments of one launch, bound to the kernel's parameters."""

    def __init__(self, parameters: Sequence[Line], given: Sequence[Any]):
        if len(parameters) != len(given):
            names = ", ".join("%" + p["name"] for p in parameters)
            raise misuse(f"the kernel takes {len(parameters)} arguments ({names}), but received "
                         f"{len(given)}")
        self.words: List[Any] = []
        self.arrays: List[_Placed] = []
        for index, (parameter, value) in enumerate(zip(parameters, given)):
            if not parameter["pointer"] or value is None:
                self.words.append(_scalar(value) if not is_array(value) else {"address": 0})
                continue
            if not is_array(value):
                value = np.array(value)
                value.flags.writeable = False  # the caller would not see what is stored into it
                if value.ndim == 0:
                    raise misuse(f"{_argument_name(parameter, index)} is an array, but received "
                                 "a number")
            self.words.append(None)
            self.arrays.append(self._placed(parameter, index, value))
        if any(placed.role != "auto" for placed in self.arrays):
            for placed in self.arrays:
                if placed.role == "auto":
                    placed.role = "in"

    @staticmethod
    def _placed(parameter: Line, index: int, value: Any) -> _Placed:
        role = "auto"
        if isinstance(value, Out):
            role = "inout" if value.keep else "out"
            if value.array is None:
                value = arrays.new_array(value.shape, value.dtype)
            else:
                value = value.array
        expected = "" if parameter["any_type"] else parameter["dtype"]
        host = Host(value, _argument_name(parameter, index), expected)
        if host.elements < parameter["elements"]:
            raise misuse(f"{_argument_name(parameter, index)} has {host.elements} elements, and "
                         f"the kernel's view of it {parameter['elements']}")
        if host.bytes.size == 0:
            raise misuse(f"{_argument_name(parameter, index)} is empty")
        return _Placed(index, parameter["name"] or f"argument {index}", host, role)

    def share(self) -> worker.Memory:
        """Copies all elements into memory that a device can map, each array in separate pages."""
        size = 0
        for placed in self.arrays:
            placed.offset = size
            size += (placed.host.bytes.size + PAGE - 1) // PAGE * PAGE
        memory = worker.Memory(size)
        shared = np.frombuffer(memory.buffer, np.uint8)
        for placed in self.arrays:
            end = placed.offset + placed.host.bytes.size
            if placed.role != "out":  # what that holds is not read
                shared[placed.offset:end] = placed.host.bytes
            shared[end:(end + PAGE - 1) // PAGE * PAGE] = 0  # behind an array a device has zeros
        return memory

    def bytes_of(self, memory: worker.Memory, placed: _Placed) -> np.ndarray:
        end = placed.offset + placed.host.bytes.size
        return np.frombuffer(memory.buffer, np.uint8)[placed.offset:end]


def _require_writable(placed: _Placed, parameter: str) -> None:
    if placed.host.read_only:
        raise misuse(f"{parameter} is an output, and its array is read-only",
                     "give an array that can be written to, or ptosim.out(shape, dtype) for a new "
                     "one")


class _OtherParameters(Exception):
    """A kernel has other parameters than it had before."""


def _require_parameters(loaded: Line, expected: List[Line]) -> None:
    if loaded["parameters"] != expected:
        raise _OtherParameters()


class Simulation:
    """A kernel with the options of its runs: call it with its arguments. Thread-safe."""

    def __init__(self, kernel: Kernel, options: Options, blocks: int = 0, warm: int = 0,
                 poison: bool = True):
        self.kernel, self.options = kernel, options
        self.blocks, self.warm = allowed("blocks", blocks), allowed("warm", warm)
        self.poison = allowed("poison", poison)
        self._roles: Dict[Tuple[Any, ...], Dict[int, str]] = {}
        self._parameters: Optional[List[Line]] = None  # as the last call had them
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> Result:
        """Runs the kernel, one argument per parameter, in order: arrays (NumPy, torch on the CPU,
        DLPack, ml_dtypes), numbers, None for a null pointer, out(...) and inout(...).
        
        If no array is given as out(...) or inout(...), the first call with such arguments finds the
        outputs in a run without data: an array that instructions write and never read is an output,
        and so is one that has changed. Otherwise arrays without out(...) or inout(...) are inputs.
        Outputs are poisoned before the run (unless poison=False), filled, and in Result.outputs.
        
        Raises Error for unusable arguments, Timeout at the deadline, DeviceLost if the kernel
        took its process with it. Findings of the run are in the result.
        """
        begin = time.perf_counter()
        if self.options.sandbox:
            with self._lock:  # once for all threads
                if self.kernel.is_source:
                    self.kernel = compiled(self.kernel, self.options, self.options.timeout)
        try:
            bound, memory, finished, launch = self._call(arguments, self._parameters)
        except _OtherParameters:  # the kernel's file has changed since
            bound, memory, finished, launch = self._call(arguments, None)
        result = result_of(finished, launch, [self.kernel])
        self._take_outputs(result, bound, memory)
        result.uses = _uses(finished, launch, bound)
        result.trace = None if self.options.trace is None else os.fspath(self.options.trace)
        result.seconds = time.perf_counter() - begin
        return result

    def _call(self, arguments: Sequence[Any], expected: Optional[List[Line]]
              ) -> Tuple["_Arguments", worker.Memory, Line, Line]:
        """One run. With `expected` parameters, arguments are bound while the device loads the
        kernel; raises _OtherParameters if it has others."""
        device = self.options.connect(self.kernel)
        try:
            device.send([self.options.request(), self.kernel.request()])
            parameters = expected
            if parameters is None:
                parameters = self._parameters = device.answers(2)[1]["parameters"]
            try:
                bound = _Arguments(parameters, arguments)
                memory = bound.share()
                self._find_roles(bound, memory)
                for placed in bound.arrays:
                    if placed.role in ("out", "inout") and self.options.mode != "timing":
                        _require_writable(placed, f"argument {placed.index} (%{placed.name})")
                    if placed.role in ("inout", "maybe"):
                        placed.first = placed.host.bytes.copy()
            except Error:
                if expected is not None:
                    _require_parameters(device.answers(2)[1], expected)
                raise
            finished, launch = self._run(device, bound, memory, expected=expected)
        finally:
            device.close()
        return bound, memory, finished, launch

    def _lines(self, bound: _Arguments, watch: Optional[Tuple[str, int]],
               read: bool) -> Tuple[List[Line], int]:
        """The requests of one run after `load`, and the position of the launch among them."""
        lines: List[Line] = []
        words = list(bound.words)
        # Addresses are the device's: arrays are allocated one after the other, each aligned, and are named here by
        # their position until the answers are there.
        for placed in bound.arrays:
            size = placed.host.bytes.size
            lines.append({"op": "allocate", "bytes": size, "name": placed.name,
                          "from": placed.offset})
            if placed.role == "out":
                lines[-1]["fill"] = POISON if self.poison else 0
            place = {"array": len([line for line in lines if line["op"] == "allocate"]) - 1}
            words[placed.index] = place
            if watch is not None and watch[0] == placed.name:
                lines.append({"op": "watch", **place, "offset": watch[1]})
        launch = len(lines)
        lines.append({"op": "launch", "kernel": 0, "arguments": words, "blocks": self.blocks,
                      "warm": self.warm})
        for placed in bound.arrays:
            if read and placed.role != "in":
                lines.append({"op": "read", **words[placed.index], "to": placed.offset,
                              "bytes": placed.host.bytes.size})
        lines.append({"op": "finish"})
        return lines, launch

    def _run(self, device: worker.Connection, bound: _Arguments, memory: worker.Memory,
             watch: Optional[Tuple[str, int]] = None, read: bool = True,
             expected: Optional[List[Line]] = None) -> Tuple[Line, Line]:
        """With `expected` parameters the answers to `open` and `load` have not been read yet."""
        read = read and self.options.mode != "timing"
        lines, launch = self._lines(bound, watch, read)
        memory.reusable = False
        device.send([{"op": "memory", "bytes": memory.size}, *lines], memory)
        if expected is not None:
            _require_parameters(device.answers(2)[1], expected)
        answers = device.answers(1 + len(lines))[1:]
        memory.reusable = device.interpreted  # code of a kernel might still be running
        return answers[-1], answers[launch]

    # ---- which arrays are outputs -------------------------------------------------------

    def _find_roles(self, bound: _Arguments, memory: worker.Memory) -> None:
        unknown = [placed for placed in bound.arrays if placed.role == "auto"]
        if not unknown:
            return
        key = (*(None if w is None else str(w) for w in bound.words),
               *((p.index, p.role, p.host.bytes.size) for p in bound.arrays))
        with self._lock:
            known = self._roles.get(key)
        if known is None:
            known = self._probe(bound, memory)
            with self._lock:
                self._roles[key] = known
        for placed in unknown:
            placed.role = known[placed.index]

    def _plain(self, **changes: Any) -> Options:
        """For a further run: without files, other schedules and advice."""
        return self.options.changed(**{**option_defaults("recording"), "schedules": 0, "advice": False, **changes})

    def _probe(self, bound: _Arguments, memory: worker.Memory) -> Dict[int, str]:
        """From a run without data. A kernel that does not end is not judged: nothing of it is
        poisoned."""
        options = self._plain(mode="timing", check="none")
        device = options.connect(self.kernel)
        try:
            device.request([options.request(), self.kernel.request()])
            saved = [placed.role for placed in bound.arrays]
            for placed in bound.arrays:
                placed.role = "inout"
            try:
                finished, launch = self._run(device, bound, memory, read=False)
            finally:
                for placed, role in zip(bound.arrays, saved):
                    placed.role = role
        except Error as error:
            # A crash of the kernel belongs to the run itself; errors of the call would be hidden here.
            if error.code.startswith("I") and not isinstance(error, DeviceLost):
                raise
            return {placed.index: "maybe" for placed in bound.arrays}
        finally:
            device.close()
        if not launch["finished"]:
            return {placed.index: "maybe" for placed in bound.arrays}
        roles = {}
        for placed in bound.arrays:
            use = _uses(finished, launch, bound).get(placed.name, {"reads": 0, "writes": 0})
            wrote, read = use["writes"] > 0, use["reads"] > 0
            roles[placed.index] = ("inout" if wrote and read else "out" if wrote
                                   else "in" if read else "maybe")
        return roles

    # ---- results ------------------------------------------------------------------------

    def _take_outputs(self, result: Result, bound: _Arguments, memory: worker.Memory) -> None:
        for placed in bound.arrays:
            if placed.role == "in" or self.options.mode == "timing":
                continue
            raw = bound.bytes_of(memory, placed)
            if placed.role == "maybe" and np.array_equal(raw, placed.first):
                continue
            _require_writable(placed, f"argument {placed.index} (%{placed.name})")
            result.outputs.append(placed.host.store(raw))
            result.output_names.append(placed.name)
            result._dtypes.append(placed.host.dtype)
        result._rerun = self._again(bound, memory)

    def _again(self, bound: _Arguments, memory: worker.Memory) -> Any:
        """A run with the same arguments: what arrays that are read and written held first is
        kept for it."""
        first = {placed.index: placed.first for placed in bound.arrays
                 if placed.first is not None}

        def rerun(watch: Optional[Tuple[str, int]] = None, **changes: Any) -> Line:
            for placed in bound.arrays:
                if placed.index in first:
                    bound.bytes_of(memory, placed)[:] = first[placed.index]
            options = self._plain(**changes)
            device = options.connect(self.kernel)
            try:
                device.request([options.request(), self.kernel.request()])
                return self._run(device, bound, memory, watch, read=False)[0]
            finally:
                device.close()

        return rerun


def _uses(finished: Line, launch: Line, bound: _Arguments) -> Dict[str, Dict[str, int]]:
    """Number of reads and writes of each array by instructions, by its name, and the bytes that the code of a compiled
    kernel stored by itself, on the host."""
    none = {"reads": 0, "writes": 0, "stored_by_host": 0}
    by_name: Dict[str, Dict[str, int]] = {p.name: dict(none) for p in bound.arrays}
    for use in finished["uses"]:
        if use["name"] in by_name:
            by_name[use["name"]] = {key: use[key] for key in none}
    return by_name


def _require_names(given: Mapping[str, Any], also: Sequence[str] = ()) -> None:
    names = _option_names()
    unknown = set(given) - set(names)
    if unknown:
        raise misuse(f"unknown option {', '.join(sorted(unknown))}",
                     "known are " + ", ".join([*names, *also]))


def simulate(kernel: Union[Kernel, Source], *, blocks: int = 0, warm: int = 0,
             poison: bool = True, **options: Any) -> Simulation:
    """A kernel that is called like a function: simulate("k.pto", blocks=16)(a, b, out).
    
    `kernel` is a .pto file, a C++ source, an output of `ptosim build`, or text of either. `blocks` 0
    is as many as run at once, or 1 if the kernel never reads its block index; `warm` launches
    before the one that counts fill L2. Further options are the fields of Options (chip, set, mode,
    numerics, sync, check, trace, timeout, ...) and of Kernel (entry, params, defines, includes,
    cores, plan, assembler, name). Raises Error (I61) for an unknown option, and for a value that it
    cannot have; the call raises all other errors.
    """
    of_kernel = {key: options.pop(key) for key in KERNEL_NAMES if key in options}
    _require_names(options, KERNEL_NAMES)
    if isinstance(kernel, Kernel) and of_kernel:
        raise misuse("options of the kernel are given, but the kernel is a Kernel already",
                     "give them to Kernel(...)")
    return Simulation(kernels.kernel_of(kernel, **of_kernel), Options(**options), blocks, warm,
                      poison)


# ---- several launches on one device ---------------------------------------------------------


@dataclass
class DeviceArray:
    """Elements on a device."""

    device: "Device"
    address: int
    host: Host
    shape: Tuple[int, ...]


@dataclass
class Launch:
    """One launch of several. Findings of checkers come with the result of all."""

    kernel: str
    cycles: int
    time_us: float
    instructions: int
    blocks: int
    finished: bool
    findings: List[Finding]
    printed: List[str]


class Device:
    """A chip on which arrays stay between launches. Options are the fields of Options.
    
    >>> with ptosim.Device(chip="ascend910b1") as d:
    ...     x, y = d.put(a), d.empty(a.shape, "f32")
    ...     d.launch("k.pto", x, y)
    ...     b = d.get(y)
    >>> d.result.cycles
    
    One thread at a time.
    """

    def __init__(self, **options: Any):
        _require_names(options)
        self.options = Options(**options)
        self.result: Optional[Result] = None
        self._kernels: Dict[str, Tuple[int, str]] = {}
        self._loaded: List[Kernel] = []
        self._names = 0
        self._last: Line = {}
        self._connection = self.options.connect()
        try:
            (self.facts,) = self._connection.request([self.options.request()])
        except BaseException:
            self._connection.close()
            raise

    def put(self, array: Any) -> DeviceArray:
        """A copy of an array's elements on the device."""
        host = Host(array, "the array", "")
        placed = self._allocate(host)
        self._write(placed, host.bytes)
        return placed

    def empty(self, shape: Union[int, Sequence[int]], dtype: Any = "f32",
              poison: bool = True) -> DeviceArray:
        """Elements that are undefined, and poisoned (see out())."""
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        host = Host(arrays.new_array(extents, dtype), "the array", "")
        return self._allocate(host, {"fill": POISON if poison else 0})

    def set(self, to: DeviceArray, array: Any) -> None:
        """Other elements for an array on the device."""
        self._mine(to)
        host = Host(array, "the array", "")
        if host.bytes.size != to.host.bytes.size:
            raise misuse(f"the array on the device has {to.host.bytes.size} bytes, and "
                         f"{host.bytes.size} are given")
        self._write(to, host.bytes)

    def get(self, array: DeviceArray) -> Any:
        """The elements as a new array of the kind that was put."""
        self._mine(array)
        size = array.host.bytes.size
        memory = worker.Memory(size)
        self._connection.request([{"op": "memory", "bytes": memory.size},
                                  {"op": "read", "address": array.address, "to": 0,
                                   "bytes": size}], memory)
        return array.host.as_given(np.frombuffer(memory.buffer, np.uint8)[:size].copy())

    def release(self, array: DeviceArray) -> None:
        self._mine(array)
        self._connection.request([{"op": "release", "address": array.address}])

    def load(self, kernel: Union[Kernel, Source], **options: Any) -> Tuple[int, str]:
        """Loads a kernel before its first launch; returns what launch() takes in its place."""
        key = kernel if isinstance(kernel, str) and not options else ""
        if key in self._kernels:
            return self._kernels[key]
        made = kernels.kernel_of(kernel, **options)
        (answer,) = self._connection.request([made.request()])
        loaded = (int(answer["kernel"]), str(answer["name"]))
        self._loaded.append(made)
        if key:
            self._kernels[key] = loaded
        return loaded

    def launch(self, kernel: Any, *arguments: Any, blocks: int = 0, warm: int = 0,
               **options: Any) -> Launch:
        """Runs a kernel to its end: a file, text, a Kernel, or what load() returned. Arguments
        are arrays of this device, numbers, or None. Raises Error for what cannot be used, and
        after a launch that did not finish."""
        loaded = kernel if isinstance(kernel, tuple) else self.load(kernel, **options)
        words: List[Any] = []
        for argument in arguments:
            if isinstance(argument, DeviceArray):
                self._mine(argument)
                words.append({"address": argument.address})
            elif is_array(argument):
                raise misuse("an argument is an array of the host, not of the device",
                             "put() copies it to the device, and gives the array there")
            else:
                words.append(_scalar(argument))
        (done,) = self._connection.request([{"op": "launch", "kernel": loaded[0],
                                             "arguments": words,
                                             "blocks": allowed("blocks", blocks),
                                             "warm": allowed("warm", warm)}])
        self._last = done
        return Launch(loaded[1], done["cycles"], done["time_us"], done["instructions"],
                      done["blocks"], done["finished"], [Finding.of(f) for f in done["findings"]],
                      done["printed"])

    def finish(self) -> Result:
        """Ends the run: the result of all launches. get() still works until close()."""
        if self.result is None:
            (finished,) = self._connection.request([{"op": "finish"}])
            self.result = result_of(finished, self._last, self._loaded)
            self.result.trace = (None if self.options.trace is None
                                 else os.fspath(self.options.trace))
        return self.result

    def close(self) -> None:
        """Ends the device's process."""
        self._connection.close()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()

    def _allocate(self, host: Host, more: Optional[Line] = None) -> DeviceArray:
        self._names += 1
        (answer,) = self._connection.request([{"op": "allocate", "bytes": host.bytes.size,
                                               "name": f"array {self._names}", **(more or {})}])
        return DeviceArray(self, answer["address"], host, host.array.shape)

    def _write(self, to: DeviceArray, data: np.ndarray) -> None:
        memory = worker.Memory(data.size)
        np.frombuffer(memory.buffer, np.uint8)[:data.size] = data
        self._connection.request([{"op": "memory", "bytes": memory.size},
                                  {"op": "write", "address": to.address, "from": 0,
                                   "bytes": data.size}], memory)

    def _mine(self, array: DeviceArray) -> None:
        if array.device is not self:
            raise misuse("this array is on another device")


def compiled(kernel: Kernel, options: Options, seconds: Optional[float] = None) -> Kernel:
    """Compiles a C++ source as `ptosim build` does, for the sandbox, which has no compiler. With options.sandbox the
    compiler may read only its own files and the kernel's, if the system has Landlock. The file lives as long as the
    Kernel. Raises Error (H02) with the compiler's text, Timeout after `seconds`."""
    folder = program.Folder()
    output = os.path.join(folder.name, "kernels.so")
    building = Options(chip=options.chip, set=options.set, timeout=seconds,
                       memory_mib=options.memory_mib, limits=options.limits)
    device = building.connect()
    line = kernel.request()
    try:
        _, done = device.request([
            building.request(),
            {"op": "compile", "path": line["path"], "output": output, "defines": line["defines"],
             "includes": line["includes"], "cores": line["cores"], "confine": options.sandbox}])
    finally:
        device.close()
    made = Kernel(output, entry=kernel.entry, _folder=folder)
    made.sources = (kernel.path, *(f"{folder}/" for folder in line["includes"]))
    made.reads_all_files = options.sandbox and not done["confined"]
    return made
