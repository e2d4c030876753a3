"""Compiles a kernel of simpler (void kernel_entry(int64_t* args)) with `ptosim build`."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from . import instrumentation

# The device passes see the kernel, and a function that is a kernel of ours; the host's part is what simpler
# loads and calls as a task's code.
WRAPPER = """#ifdef PTOSIM_DEVICE_PASS
#include "{source}"
extern "C" __global__ __aicore__ void ptosim_task(__gm__ int64_t* arguments) {{ kernel_entry(arguments); }}
#else
#include "ptosim/mpmd.h"
#ifdef __CPU_SIM
#define PTOSIM_MADE {made_for_simulators}
#else
#define PTOSIM_MADE {made}
#endif
extern "C" __attribute__((visibility("hidden"))) const char __start_ptosim_kernels[], __stop_ptosim_kernels[];
__attribute__((constructor)) static void begin() {{
    ptosim_mpmd_add_kernel("{name}", __start_ptosim_kernels, __stop_ptosim_kernels);
    ptosim_mpmd_kernel_made(__start_ptosim_kernels, PTOSIM_MADE);
}}
__attribute__((destructor)) static void end() {{ ptosim_mpmd_remove_kernel(__start_ptosim_kernels); }}
extern "C" __attribute__((visibility("default"))) void kernel_entry(int64_t* arguments) {{
    ptosim_mpmd_run_task(__start_ptosim_kernels, arguments);
}}
#endif
"""


def program():
    return os.environ.get("PTOSIM_PROGRAM", "ptosim")


def identity():
    """Identifies the program that compiles kernels."""
    path = pathlib.Path(program())
    state = path.stat() if path.exists() else None
    return f"{path} {state.st_mtime_ns} {state.st_size}" if state else str(path)


def is_library(binary):
    """True if these bytes may come from compile_kernel(): an ELF shared object for this kind of host."""
    shared_object = 3
    if isinstance(binary, (str, os.PathLike)):
        return False
    with open(sys.executable, "rb") as file:
        host = file.read(20)
    return (len(binary) >= 20 and bytes(binary[:6]) == host[:6] and bytes(binary[18:20]) == host[18:20]
            and int.from_bytes(binary[16:18], "little") == shared_object)


def folder_of(*parts):
    key = hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:20]
    folder = pathlib.Path(os.environ["PTOSIM_PLATFORM"]).parent / "kernels" / key
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_if_changed(path, text):
    if path.exists() and path.read_text() == text:
        return
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(text)
    os.replace(new, path)


def how_made(source, wrapper, words):
    """As a text of C++, for tasks that are kept."""
    return json.dumps(json.dumps({"source": str(source), "build": [str(wrapper), *words]}))


def compile_kernel(source, core, arch, include_folders):
    """Returns the library's bytes. Compiles only if the library is out of date."""
    source = pathlib.Path(source).resolve()
    if not source.is_file():
        raise FileNotFoundError(f"Source file not found: {source}")
    folders = [str(pathlib.Path(folder).resolve()) for folder in include_folders]
    reports = ["--report-accesses"] if instrumentation.kernels_report_accesses() else []
    headers = os.environ.get("PTOSIM_PTO_HEADERS", "")  # `ptosim build` follows it
    folder = folder_of(source, core, arch, headers, *folders, *reports)
    name = re.sub(r"\W", "_", source.stem)
    wrapper, library = folder / f"{name}.cpp", folder / f"{name}.so"
    words = ["--arch", arch, "--core", core, "-O2", "-w", "-std=c++17", "-include", "stdint.h", "-include", "stddef.h",
             "-I", str(source.parent), *(word for path in folders for word in ("-I", path)),
             *(["--pto-headers", headers] if headers else [])]
    write_if_changed(wrapper, WRAPPER.format(source=source, name=name, made=how_made(source, wrapper, words),
                                             made_for_simulators=how_made(source, wrapper, [*words, "-D__CPU_SIM"])))
    command = [program(), "build", str(wrapper), "-o", str(library), "--work", str(folder / "work"), *reports, *words]
    # A toolkit for Ascend C sets this for its own compiler; these kernels use the tile library.
    environment = {name: value for name, value in os.environ.items() if name != "PTOSIM_ASCENDC"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if result.returncode != 0 and "__CPU_SIM" in source.read_text(errors="replace"):
        # It has another body for simulators, with what this one has no headers for (bare intrinsics).
        again = subprocess.run([*command, "-D__CPU_SIM"], capture_output=True, text=True, check=False, env=environment)
        if again.returncode == 0:
            print(f"warning: {source.name} does not compile for {core} as it would for a device; its part for "
                  "simulators (__CPU_SIM) is run, whose times are not the device's", file=sys.stderr)
            result = again
    if result.returncode != 0:
        raise RuntimeError(f"{source} does not compile for {core}:\n{result.stderr}")
    return library.read_bytes()
