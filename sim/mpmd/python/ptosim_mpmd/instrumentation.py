"""What the code of the AICPU is compiled with, so that it calls the simulator (include/ptosim/mpmd.h)."""
import os

# A call for each basic block: by these its time is counted.
BLOCKS = ["-fsanitize-coverage=trace-pc"]
# A call for each load and store, and the lines of the source: for checkers. g++ leaves out a store behind a load of the
# same address; kernels have other flags for that reason (access_flags, sim/native/accesses.cpp).
ACCESSES = ["-g1", "-fsanitize=kernel-address", "--param=asan-instrumentation-with-call-threshold=0",
            "--param=asan-stack=0", "--param=asan-globals=0"]
# Architectures whose AICPU does not see what the host copies to lines that its cache holds
# (simpler's docs/hardware/cache-coherency.md).
BEHIND_THE_HOST = ("a2a3",)


def library_of(folder, name, accesses):
    """A library of a runtime; `accesses`: whose code reports its loads and stores."""
    return folder / f"lib{name}{'_accesses' if accesses else ''}.so"


def checks_for(*names):
    """Whether one of these checkers is on in this process."""
    return not {"all", *names}.isdisjoint(os.environ.get("PTOSIM_CHECK", "").split(","))


def kernels_report_accesses():
    """As CheckOptions::follows_pointers (sim/check/checkers.h)."""
    return checks_for("race", "cache")


def processors_report_accesses(arch):
    return arch in BEHIND_THE_HOST and checks_for("cache")
