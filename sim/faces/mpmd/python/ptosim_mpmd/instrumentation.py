"""Compiler flags with which the code of the AICPU calls the simulator (include/ptosim/mpmd.h)."""
import os

# A call for each basic block: by these its time is counted.
BLOCKS = ["-fsanitize-coverage=trace-pc"]
# Architectures whose AICPU misses the host's copies to lines that its cache holds (simpler's
# docs/hardware/cache-coherency.md).
BEHIND_THE_HOST = ("a2a3",)


def access_flags(specs=None):
    """A call for each load and store, and the lines of the source: for checkers. For the compiler and the linker.
    `specs`: the file that ptosim has written (access_specs, sim/native/accesses.h), by default for `ptosim exec`."""
    return ["-g1", f"-specs={specs or os.environ['PTOSIM_ACCESS_SPECS']}"]


def library_of(folder, name, accesses):
    """A library of a runtime; `accesses`: whose code reports its loads and stores."""
    return folder / f"lib{name}{'_accesses' if accesses else ''}.so"


def checks_for(*names):
    """True if one of these checkers is on in this process."""
    return not {"all", *names}.isdisjoint(os.environ.get("PTOSIM_CHECK", "").split(","))


def kernels_report_accesses():
    """True under the conditions of CheckOptions::follows_pointers (sim/check/checkers.h)."""
    return checks_for("race", "cache")


def processors_report_accesses(arch):
    return arch in BEHIND_THE_HOST and checks_for("cache")
