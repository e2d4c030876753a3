"""ptosim simpler-setup: compiles the simulated platform of a checkout of hw-native-sys/simpler.

The runtime's own sources are compiled unchanged, with the checkout's lists of sources and include folders
(build_config.py of each runtime, CMakeLists.txt of its simulated platform). Our platform (sim/faces/mpmd/platform) comes
before them: its registers, clock, caches and memory belong to the simulated chip. The results are in the cache folder,
below a digest of everything that they are made from.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # run by its path

from ptosim_mpmd.instrumentation import BLOCKS, access_flags, library_of  # noqa: E402

PLATFORM = HERE.parents[1] / "platform"
ARCHES = ("a2a3", "a5")
RUNTIMES = ("tensormap_and_ringbuffer", "host_build_graph")
PARTS = ("host", "aicpu", "aicore")
# Sources of the checkout that our platform takes the place of, by part.
REPLACED = {"host": {"memory_allocator.cpp"}, "aicpu": {"platform_aicpu_affinity.cpp"}, "aicore": set()}
FLAGS = {
    "host": [],
    "aicpu": BLOCKS,
    "aicore": ["-D__CPU_SIM"],
}


def changes_code(flag):
    """True if a flag matters to the compilation of a preprocessed source."""
    return flag in BLOCKS or flag.startswith(("-g", "-specs="))


class SetupError(Exception):
    """A problem, and its remedy."""

    def __init__(self, what, hint):
        super().__init__(f"error: {what} [H32]\n  help: {hint}")


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"error: {message} [I00]\n  help: 'ptosim simpler-setup --help' lists its options\n")


def cache_folder():
    base = os.environ.get("PTOSIM_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ptosim")
    return pathlib.Path(base) / "mpmd"


def need(path, what):
    if not path.exists():
        raise SetupError(f"{path} is missing: {what}",
                         "is this a checkout of hw-native-sys/simpler? If it is, it is too far from those that "
                         "the documentation of 'ptosim exec' names")
    return path


# ---- lists of the checkout -------------------------------------------------------------------------


def cmake_paths(file):
    """The paths in a CMakeLists.txt that are relative to its folder, in their order."""
    text = re.sub(r"#.*", "", need(file, "it lists the sources of a simulated platform").read_text())
    here = str(file.parent)
    words = re.findall(r"\$\{CMAKE_CURRENT_(?:SOURCE|LIST)_DIR\}[^\s\")]*", text)
    return [os.path.normpath(re.sub(r"^\$\{\w+\}", here, word)) for word in words]


def listed(file):
    """(sources, include folders) of a CMakeLists.txt."""
    sources, folders = [], []
    for path in cmake_paths(file):
        if path.endswith(".cpp"):
            parent = pathlib.Path(path).parent
            sources += sorted(parent.glob(pathlib.Path(path).name)) if "*" in path else [pathlib.Path(path)]
        elif os.path.isdir(path):
            folders.append(pathlib.Path(path))
    return sources, folders


def plan(checkout, arch, runtime):
    """{part: (sources, include folders)} of one runtime."""
    home = checkout / "src" / arch / "runtime" / runtime
    config_file = need(home / "build_config.py", "it lists the sources of a runtime")
    try:
        config = runpy.run_path(str(config_file))["BUILD_CONFIG"]
    except Exception as error:
        raise SetupError(f"{config_file} has no BUILD_CONFIG that can be read: {error!r}",
                         "it is Python that names include_dirs and source_dirs of host, aicpu and aicore") from error
    logs = log_sources(checkout)
    parts = {}
    for part in PARTS:
        sources, folders = listed(checkout / "src" / arch / "platform" / "sim" / part / "CMakeLists.txt")
        for folder in config[part]["source_dirs"]:
            sources += sorted(need((home / folder), "build_config.py names it").rglob("*.cpp"))
        folders = [checkout / "src" / arch / "platform" / "sim" / part] + folders
        folders += [(home / folder).resolve() for folder in config[part]["include_dirs"]]
        if part != "aicpu":
            sources += logs
        seen = {path.resolve(): None for path in sources if path.name not in REPLACED[part]}
        for path in seen:
            need(path, "the build lists of the checkout name it")
        parts[part] = (list(seen), list(dict.fromkeys(folders)))
    return parts


def log_sources(checkout):
    """Sources of the log, which each library contains."""
    return listed(checkout / "cmake" / "host_log_sources.cmake")[0]


def generated_header(checkout):
    """Its profiling switches as its CMake sets them when nothing else is asked for."""
    template = need(checkout / "cmake" / "profiling_build_config.h.in", "it lists the profiling switches").read_text()
    return re.sub(r"@(\w+)@", lambda match: "1" if match.group(1) == "SIMPLER_DFX" else "0", template)


RUN_ENTRY = """extern "C" {{
int ptosim_upstream_{name}({parameters});
__attribute__((visibility("default"))) int {name}({parameters}) {{
    const RecordedRun recorded(config);
    return ptosim_upstream_{name}({arguments});
}}
}}
"""


def run_entries(checkout):
    """C++: the functions by which runs begin, in front of the checkout's own."""
    header = need(checkout / "src" / "common" / "worker" / "pto_runtime_c_api.h", "it declares how runs begin")
    text = ""
    for name in ("simpler_run", "simpler_prepare_run"):
        found = re.search(rf"^int {name}\(([^)]*)\);", header.read_text(), re.M)
        if found is None:
            continue
        parameters = " ".join(found.group(1).split())
        names = [re.search(r"(\w+)$", parameter.strip()).group(1) for parameter in parameters.split(",")]
        if "config" not in names:
            raise SetupError(f"{header}: {name} has no parameter 'config'", "the checkout has moved too far")
        arguments = ", ".join("recorded" if word == "config" else word for word in names)
        text += RUN_ENTRY.format(name=name, parameters=parameters, arguments=arguments)
    if not text:
        raise SetupError(f"{header} declares no simpler_run", "the checkout has moved too far")
    return text


# ---- compiling -------------------------------------------------------------------------------------


# Suffixes of files that a compilation, or the lists of its sources, may read. The checkout's own build adds others
# (compile_commands.json, bytecode of Python).
READ = {".c", ".cc", ".cpp", ".h", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".def", ".in", ".cmake", ".txt", ".py"}


def digest_of(checkout, compiler, ptosim_include):
    total = hashlib.sha256()
    total.update(subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout)
    files = [path for folder in (checkout / "src", checkout / "cmake", PLATFORM, ptosim_include / "ptosim")
             for path in sorted(folder.rglob("*")) if path.suffix in READ and path.is_file()]
    for path in [*files, pathlib.Path(__file__), HERE / "instrumentation.py"]:
        total.update(str(path.name).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:20]


def flags_of(part, source, home, hooks):
    """Flags of one source of the runtime in `home`, with the headers that are included before it."""
    if part == "host":
        clock = ["-include", str(PLATFORM / "hooks_host_clock.h")]
        own = {"device_runner_base.cpp": hooks, "device_runner.cpp": ["-DPTOSIM_RUN_TIME", *hooks],
               "c_api_shared.cpp": ["-DPTOSIM_RUN_ENTRIES", *hooks]}
        if source.name == "comm_sim.cpp":  # chips wait for each other by the host's clock
            return ["-DPTOSIM_WINDOWS", *hooks]
        # BLOCKS counts the work that a runtime does on the host itself: an orchestration that runs there.
        return [*(BLOCKS if home in source.parents else []), *clock, *own.get(source.name, [])]
    if source.name.endswith("collector_aicpu.cpp"):  # recording takes no simulated time
        return ["-DPTOSIM_COLLECTOR", *hooks]
    return [*FLAGS[part], *hooks]


def symbols_of(library):
    """That it defines for others."""
    result = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=False)
    return {line.split()[-1].split("@")[0] for line in result.stdout.splitlines() if line.strip()}


def check_symbols(first, libraries):
    """A library is loaded after the first, the context, whose symbols it sees: all it needs has to be there."""
    context = symbols_of(first)
    for library in libraries:
        result = subprocess.run(["ldd", "-r", str(library)], capture_output=True, text=True, check=False)
        missing = set(re.findall(r"undefined symbol: (\S+)", result.stdout + result.stderr)) - context
        if missing:
            names = subprocess.run(["c++filt"], input="\n".join(sorted(missing)), capture_output=True, text=True,
                                   check=False).stdout.split("\n")
            library.unlink()
            raise SetupError(f"{library.parent.parent.name} {library.parent.name}: {library.name} needs what nothing "
                             f"defines: {', '.join(filter(None, names))[:500]}",
                             "the checkout's build lists have moved too far; the documentation of 'ptosim exec' "
                             "names commits that were tried")


class Builder:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.checkout = options.simpler
        self.objects = folder / "objects"
        self.lock = threading.Lock()
        self.being_made = {}  # a lock for each object
        (self.objects / "generated").mkdir(parents=True, exist_ok=True)
        (self.objects / "generated" / "simpler_profiling_build_config.h").write_text(generated_header(self.checkout))
        (self.objects / "generated" / "ptosim_run_entries.h").write_text(run_entries(self.checkout))

    def compile(self, source, flags):
        """Returns the source's object. Runtimes and architectures share many sources, so sources with the same
        preprocessed text are compiled once."""
        preprocessing = [f"-I{self.objects / 'generated'}", f"-I{self.options.include}",
                         *(flag for flag in flags if not changes_code(flag))]
        code = ["-O1", "-fPIC", "-fno-gnu-unique", *(flag for flag in flags if changes_code(flag))]
        text = self.call(source, ["-E", *preprocessing, *code, str(source)])
        key = hashlib.sha256("\0".join(code).encode() + b"\0" + text).hexdigest()[:16]
        output = self.objects / f"{key}-{source.name}.o"
        with self.lock:
            one = self.being_made.setdefault(output, threading.Lock())
        with one:
            if not output.exists():
                self.call(source, [*code, "-x", "c++-cpp-output", "-c", "-", "-o", f"{output}.new"], text)
                os.rename(f"{output}.new", output)
        return output

    def call(self, source, words, text=b""):
        """Returns the compiler's output. Raises SetupError if it fails."""
        command = [self.options.cxx, "-std=c++17", "-w", *words]
        result = subprocess.run(command, input=text, capture_output=True, check=False)
        if result.returncode != 0:
            said = result.stderr.decode(errors="replace")
            error = re.search(r"^.*(?:error|undefined reference).*$", said, re.M)
            raise SetupError(f"{source} does not compile: {error.group(0) if error else said.strip()[:500]}",
                             "the checkout may have moved too far; the documentation of 'ptosim exec' names "
                             "commits that were tried")
        return result.stdout

    def jobs(self, arch, runtime):
        """Libraries of a runtime: (path, [(source, flags)])."""
        home = (self.checkout / "src" / arch / "runtime" / runtime).resolve()
        for part, (sources, folders) in plan(self.checkout, arch, runtime).items():
            if self.options.accesses and part != "aicpu":
                continue
            includes = [f"-I{folder}" for folder in folders]
            own = [f"-DPTOSIM_PLATFORM_ARCH=\"{arch}\"", f'-DSIMPLER_PLATFORM_NAME="{arch}sim"']
            config = self.checkout / "src" / arch / "platform" / "include" / "common" / "platform_config.h"
            if "sparse_reg_ptr" in need(config, "it has the layout of registers").read_text():
                own.append("-DPTOSIM_SPARSE_REGISTERS")
            hooks = ["-include", str(PLATFORM / f"hooks_{part}.h")]
            name = "host_runtime" if part == "host" else f"{part}_kernel"
            more = access_flags(self.options.specs) if self.options.accesses else []
            reports = ["-DPTOSIM_ACCESSES"] if self.options.accesses else []
            yield (library_of(self.folder / arch / runtime, name, self.options.accesses),
                   [(source, [*own, *flags_of(part, source, home, hooks), *more, *includes]) for source in sources]
                   + [(PLATFORM / f"{part}_platform.cpp", [*own, *FLAGS[part][1:], "-DPTOSIM_PLATFORM", *reports, *(
                       hooks if part == "aicore" else []), *includes])])

    def context(self):
        """The library that is loaded first, for all to see: through it libptosim comes into the process."""
        home = need(self.checkout / "src" / "common" / "platform" / "sim" / "sim_context",
                    "it has the context of simulated devices")
        sources, folders = listed(home / "CMakeLists.txt")
        sources = sources or sorted(home.glob("*.cpp"))
        sources += log_sources(self.checkout)
        folders += [home, *(self.checkout / "src" / "common" / name for name in (
            "log/include", "platform/include", "task_interface", ""))]
        return (self.folder / "libcpu_sim_context.so",
                [(source, [f"-I{folder}" for folder in folders]) for source in dict.fromkeys(sources)])

    def link(self, library, objects):
        library.parent.mkdir(parents=True, exist_ok=True)
        wrapped = ["-Wl,--wrap=memcpy"] if library.name.startswith("libaicpu_kernel") else []
        if self.options.accesses:
            wrapped = access_flags(self.options.specs)
        command = [self.options.cxx, "-shared", "-o", f"{library}.new", *wrapped, *map(str, objects),
                   f"-L{self.options.library}", "-Wl,--no-as-needed", "-lptosim",
                   f"-Wl,-rpath,{self.options.library}", "-lpthread", "-ldl", "-lrt"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SetupError(f"{library.name} cannot be linked: {result.stderr.strip()[:500]}",
                             "a symbol that is defined twice or nowhere is one that has moved in the checkout")
        os.rename(f"{library}.new", library)

    def build(self):
        context = self.context()
        libraries = [] if self.options.accesses else [context]
        for arch in self.options.arch:
            for runtime in self.options.runtime:
                libraries += self.jobs(arch, runtime)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            work = [(library, [pool.submit(self.compile, source, flags) for source, flags in sources])
                    for library, sources in libraries]
            try:
                for library, objects in work:
                    self.link(library, [job.result() for job in objects])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        check_symbols(context[0], [library for library, _ in libraries])


def commit_of(checkout):
    result = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True,
                            check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def main():
    parser = Arguments(prog="ptosim simpler-setup", description=(
        "Compiles the platforms a2a3sim and a5sim of a checkout of hw-native-sys/simpler for this simulator: "
        "'ptosim exec' then runs programs on them."))
    parser.add_argument("--simpler", type=pathlib.Path, required=True, metavar="CHECKOUT", help="its folder")
    parser.add_argument("--arch", action="append", choices=ARCHES, help="repeatable (default: a2a3)")
    parser.add_argument("--runtime", action="append", choices=RUNTIMES,
                        help="repeatable (default: tensormap_and_ringbuffer)")
    parser.add_argument("--accesses", action="store_true", help=(
        "the AICPU's code once more, so that it reports its loads and stores, and nothing else; 'ptosim exec' does that "
        "when it is to check caches"))
    parser.add_argument("--cxx", default=os.environ.get("CXX") or "g++", metavar="COMPILER",
                        help="g++ 12 or later (default: CXX, or g++)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilations at once")
    parser.add_argument("--include", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--library", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--specs", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.jobs is not None and options.jobs < 1:
        parser.error(f"--jobs {options.jobs} is not a number above 0")
    options.simpler = options.simpler.resolve()
    options.arch = options.arch or ["a2a3"]
    options.runtime = options.runtime or ["tensormap_and_ringbuffer"]
    if shutil.which(options.cxx) is None:
        raise SetupError(f"there is no compiler {options.cxx}", "install g++ 12 or later, or name one by --cxx")
    if not options.simpler.is_dir():
        raise SetupError(f"{options.simpler} is {'no folder' if options.simpler.exists() else 'not there'}",
                         "--simpler names the folder of a checkout of hw-native-sys/simpler")
    need(options.simpler / "src", "it has the sources of the runtimes")
    log_sources(options.simpler)  # checkouts before 18 August 2026 have none: before anything is compiled
    folder = cache_folder() / digest_of(options.simpler, options.cxx, options.include)
    folder.mkdir(parents=True, exist_ok=True)
    Builder(options, folder).build()
    (folder / "setup.json").write_text(json.dumps(
        {"checkout": str(options.simpler), "commit": commit_of(options.simpler),
         "library": str(options.library)}, indent=1) + "\n")
    current = cache_folder() / "current"
    current.with_suffix(".new").write_text(folder.name + "\n")
    os.rename(current.with_suffix(".new"), current)
    made = sorted(str(path.parent.relative_to(folder)) for path in folder.glob("*/*/libhost_runtime.so"))
    print(f"{options.simpler}: {', '.join(made)} in {folder}")


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"error: {error} [I02]", file=sys.stderr)
        sys.exit(2)
