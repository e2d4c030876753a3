"""Replaces simpler's own platforms with the simulated platform, below its Python.

Modules of simpler, and one of PyPTO, are changed when they are imported: the place of the libraries of a2a3sim and
a5sim, the compilation of their kernels, and the pto-isa that they are compiled with (our headers). The names of the
devices, a2a3 and a5, are names of the same platforms: programs and tests that choose their actions by the device get
the simulated one.
"""
import ctypes
import dataclasses
import fcntl
import functools
import hashlib
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import pathlib
import subprocess
import sys

from . import instrumentation, job, kernels, nodes, orchestration

PLUGIN = "ptosim_mpmd.pytest_findings"
DEVICES = {"a2a3": "a2a3sim", "a5": "a5sim"}
FABRIC, SHARED = "a3-fabric-v1", "sim"  # how chips of different nodes map each other's windows: by device, by simulator


def platform_folder():
    return pathlib.Path(os.environ["PTOSIM_PLATFORM"])


def interface_of(root):
    """Digest of the headers by which simpler's Python part and its libraries understand each other."""
    total = hashlib.sha256()
    for path in sorted((pathlib.Path(root) / "src" / "common" / "task_interface").glob("*.h")):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def check_same_simpler(root):
    """The simpler that is imported is the one that the platform was compiled from, or one like it."""
    checkout = json.loads((platform_folder() / "setup.json").read_text())["checkout"]
    if os.path.isdir(os.path.join(checkout, "src")) and interface_of(root) != interface_of(checkout):
        raise ImportError(f"the simpler in {root} is another than the checkout {checkout} that the platform was "
                          f"compiled from: run 'ptosim simpler-setup --simpler CHECKOUT' with its own [H32]")


def name_simulated(kind):
    """Objects of this class that are made for a device are made for the simulated platform."""
    theirs = kind.__init__
    signature = inspect.signature(theirs)

    @functools.wraps(theirs)
    def init(*arguments, **options):
        bound = signature.bind(*arguments, **options)
        bound.apply_defaults()
        named = bound.arguments if "platform" in bound.arguments else bound.arguments.get("config", {})
        if named.get("platform") in DEVICES:
            if named.get("comm_profile") == FABRIC and named["platform"] == "a2a3":
                named["comm_profile"] = SHARED
            named["platform"] = DEVICES[named["platform"]]
        theirs(*bound.args, **bound.kwargs)

    kind.__init__ = init


def name_outputs(number):
    """Gives this process, one chip of several, a number, and a folder and a file for its recordings."""
    os.environ["PTOSIM_CHIP_NUMBER"] = str(number)
    if os.environ.get("PTOSIM_TRACE"):
        os.environ["PTOSIM_TRACE"] = os.path.join(os.environ["PTOSIM_TRACE"], f"chip{number}")
    if os.environ.get("PTOSIM_JSON"):
        path = pathlib.Path(os.environ["PTOSIM_JSON"])
        os.environ["PTOSIM_JSON"] = str(path.with_name(f"{path.stem}.chip{number}{path.suffix}"))


def change_worker(module):
    for kind in ("Worker", "RemoteWorkerSpec", "MpiL3GroupSpec"):  # the last two: nodes of level 4
        if hasattr(module, kind):
            name_simulated(getattr(module, kind))
    theirs = module._chip_process_loop  # of a chip at level 3, in the process that was forked for it
    signature = inspect.signature(theirs)

    @functools.wraps(theirs)
    def chip_process_loop(*arguments, **options):
        device = signature.bind(*arguments, **options).arguments["device_id"]
        name_outputs(nodes.number_of(device))
        job.become_chip(device)
        return theirs(*arguments, **options)

    module._chip_process_loop = chip_process_loop
    if job.asked_for():
        job.follow_worker(module)
    nodes.follow_worker(module)


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def finish_before_leaving():
    """Forked processes end by os._exit, which skips everything that a process does at its end.

    pytest-forked closes standard output and error before, so findings go to the standard error of the start.
    """
    theirs = os._exit
    first = os.dup(2) if is_open(2) else None

    def finish(status):
        try:
            library = ctypes.CDLL("libptosim.so", os.RTLD_NOW | os.RTLD_NOLOAD)
        except OSError:
            return status  # it has not run anything
        for descriptor in (1, 2):
            # Else the next file that is opened would take its place.
            if not is_open(descriptor) and first is not None:
                os.dup2(first, descriptor)
        return library.ptosim_mpmd_finish(status)

    @functools.wraps(theirs)
    def leave(status):
        theirs(finish(status))

    os._exit = leave


def change_elf_parser(module):
    """Extracts the code of a device's object file; our libraries are returned whole."""
    theirs = module.extract_text_section

    @functools.wraps(theirs)
    def extract_text_section(binary, *arguments, **options):
        return binary if kernels.is_library(binary) else theirs(binary, *arguments, **options)

    module.extract_text_section = extract_text_section


def make_with_accesses(library, arch, runtime):
    """Compiles the AICPU's code so that it reports its accesses, where nobody has yet; of several processes one."""
    with open(library.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if library.exists():
            return
        print(f"ptosim: compiling the AICPU's code of {arch} {runtime} for --check cache, once", file=sys.stderr)
        checkout = json.loads((platform_folder() / "setup.json").read_text())["checkout"]
        result = subprocess.run([kernels.program(), "simpler-setup", "--simpler", checkout, "--arch", arch, "--runtime",
                                 runtime, "--accesses"], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"the AICPU's code cannot be compiled for --check cache: {result.stderr.strip()}")


def change_runtime_builder(module):
    builder = module.RuntimeBuilder
    name_simulated(builder)
    theirs, theirs_context = builder.get_binaries, builder.ensure_sim_context
    fields = {field.name for field in dataclasses.fields(module.RuntimeBinaries)}

    def get_binaries(self, name, *arguments, **options):
        if self._variant != "sim":
            return theirs(self, name, *arguments, **options)
        check_same_simpler(module.PROJECT_ROOT)
        folder = platform_folder() / self._arch / name
        accesses = instrumentation.processors_report_accesses(self._arch)
        paths = {"host_path": folder / "libhost_runtime.so",
                 "aicpu_path": instrumentation.library_of(folder, "aicpu_kernel", accesses),
                 "aicore_path": folder / "libaicore_kernel.so",
                 "sim_context_path": platform_folder() / "libcpu_sim_context.so"}
        if accesses and paths["host_path"].exists():
            make_with_accesses(paths["aicpu_path"], self._arch, name)
        for path in paths.values():
            if not path.exists():
                raise FileNotFoundError(f"{path}: run 'ptosim simpler-setup --simpler CHECKOUT' for {self._arch} "
                                        f"and {name} [H32]")
        unset = {field: None for field in ("dispatcher_path", "sdma_warmup_path") if field in fields}
        return module.RuntimeBinaries(**paths, **unset)

    def ensure_sim_context(self, *arguments, **options):
        if self._variant != "sim":
            return theirs_context(self, *arguments, **options)
        return platform_folder() / "libcpu_sim_context.so"

    builder.get_binaries, builder.ensure_sim_context = get_binaries, ensure_sim_context


def change_kernel_compiler(module):
    compiler = module.KernelCompiler
    name_simulated(compiler)
    their_flags, their_token = compiler._orchestration_compile_flags, compiler.incore_compile_cache_token
    their_run = compiler._run_subprocess

    def compile_incore_sim(self, source_path, *, core_type, extra_include_dirs=None, **_):
        folders = [*self.get_incore_include_dirs(), *(extra_include_dirs or [])]
        return kernels.compile_kernel(source_path, core_type, self.platform.removesuffix("sim"), folders)

    def orchestration_compile_flags(self, toolchain):
        flags = their_flags(self, toolchain)
        if not self.platform.endswith("sim"):
            return flags
        stale = instrumentation.processors_report_accesses(self.platform.removesuffix("sim"))
        return [*flags, *instrumentation.BLOCKS, *(instrumentation.access_flags() if stale else [])]

    def run_subprocess(self, command, label, *arguments, **options):
        if self.platform.endswith("sim") and label == "Orchestration":
            folder = platform_folder().parent / "orchestrations"
            command = orchestration.with_objects(command, self.project_root, folder)
        return their_run(self, command, label, *arguments, **options)

    def incore_compile_cache_token(self, core_type):
        if not self.platform.endswith("sim"):
            return their_token(self, core_type)
        return {"ptosim": kernels.identity(), "core_type": core_type, "accesses": instrumentation.kernels_report_accesses()}

    compiler._compile_incore_sim = compile_incore_sim
    compiler._orchestration_compile_flags = orchestration_compile_flags
    compiler._run_subprocess = run_subprocess
    compiler.incore_compile_cache_token = incore_compile_cache_token


def change_pto_isa(module):
    """No checkout of pto-isa is needed: its headers are ours."""
    root = str(pathlib.Path(os.environ["PTOSIM_INCLUDE"]).parent)
    module.ensure_pto_isa_root = lambda *_, **__: root


def change_orchestrator(module):
    if job.asked_for():
        job.follow_orchestrator(module)


CHANGES = {
    "simpler_setup.runtime_builder": change_runtime_builder,
    "simpler_setup.kernel_compiler": change_kernel_compiler,
    "simpler_setup.pto_isa": change_pto_isa,
    "simpler_setup.elf_parser": change_elf_parser,
    "pypto.runtime.elf_parser": change_elf_parser,
    "simpler.orchestrator": change_orchestrator,
    "simpler.worker": change_worker,
}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in CHANGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                CHANGES[name](module)
            except AttributeError as error:
                raise ImportError(f"ptosim exec: {name} of this simpler is not as expected: {error} [H32]") from error

        spec.loader.exec_module = exec_module
        return spec


def offer_plugin():
    """Lets each pytest of this process, and each one that it starts, load our plugin after the user's plugins."""
    plugins = [name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name]
    if PLUGIN not in plugins:
        os.environ["PYTEST_PLUGINS"] = ",".join([*plugins, PLUGIN])


def install():
    if os.environ.get("PTOSIM_PLATFORM"):
        if os.environ.get("PTOSIM_CHECK", "none") not in ("", "none"):
            offer_plugin()
        sys.meta_path.insert(0, Finder())
        finish_before_leaving()
