#!/usr/bin/python3
"""Compiles the kernel sources of a checkout of hw-native-sys/simpler, unmodified, with our headers.

    conformance.py simpler CHECKOUT [--cxx COMPILER] [--jobs N] [--only TEXT] [--json FILE [--resume]]

Every *.cpp in a folder kernels/aic, kernels/aiv or kernels/mix below examples/ and tests/ is
compiled (without code generation) for its core, sources in mix for both, and for the architecture
that its path names (a5, else a2a3), with the include folders of that project's runtime.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = {"aic": ["__DAV_CUBE__"], "aiv": ["__DAV_VEC__"], "mix": ["__DAV_CUBE__", "__DAV_VEC__"]}
ARCHES = {"a2a3": ["__NPU_ARCH__=2201", "MEMORY_BASE"], "a5": ["__NPU_ARCH__=3510", "REGISTER_BASE"]}


def sources(checkout):
    found = []
    for top in ("examples", "tests"):
        for path in (checkout / top).rglob("kernels/*/*.cpp"):
            if path.parent.name in CORES:
                found.append(path.relative_to(checkout))
    return sorted(found)


def include_folders(checkout, arch):
    folders = []
    for pattern in (f"src/{arch}/runtime/tensormap_and_ringbuffer/*", f"src/{arch}/runtime/*/*",
                    f"src/{arch}/platform/include", "src/common/*", "src/common/*/include",
                    "simpler_setup/incore", "src/common"):
        folders += sorted(path for path in checkout.glob(pattern) if path.is_dir())
    return list(dict.fromkeys(folders))


def compile_one(options, source):
    """The first error, or None."""
    arch = "a5" if "a5" in source.parts else "a2a3"
    path = options.checkout / source
    for core in CORES[source.parent.name]:
        words = [options.cxx, "-std=c++17", "-fsyntax-only", "-w",
                 *(f"-D{word}" for word in [core, *ARCHES[arch]]), "-I", ROOT / "include",
                 *(word for folder in [path.parent, *include_folders(options.checkout, arch)]
                   for word in ("-I", folder)),
                 "-include", "stdint.h", "-include", "stddef.h", "-include",
                 "pto/common/device_language.hpp", path]
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
        if result.returncode != 0:
            error = re.search(r"^.*error: .*$", result.stderr, re.M)
            text = error.group(0) if error else result.stderr.strip()
            return text.replace(str(options.checkout) + "/", "")[:300]
    return None


def main():
    parser = argparse.ArgumentParser(prog="conformance.py simpler", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="paths that hold this text")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    found = [path for path in sources(options.checkout)
             if not options.only or options.only in str(path)]
    if not found:
        sys.exit(f"error: there is no kernel source in {options.checkout}")
    results = {}
    if options.resume and options.json and options.json.exists():
        results = json.loads(options.json.read_text())
    todo = [path for path in found if str(path) not in results]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, error in zip(todo, pool.map(lambda path: compile_one(options, path), todo)):
            results[str(path)] = error
            if error:
                print(f"{path}: {error}", flush=True)
            if options.json and (len(results) % 20 == 0 or path == todo[-1]):
                options.json.write_text(json.dumps(results, indent=1) + "\n")
    good = sum(1 for path in found if results[str(path)] is None)
    print(f"{good} of {len(found)} kernel sources compile")
    sys.exit(0 if good == len(found) else 1)


if __name__ == "__main__":
    main()
