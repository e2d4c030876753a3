// ptosim compare: two toolchains over many kernels (docs/running.md).
#include "sim/faces/cli/python_command.h"

namespace ptosim::cli {
namespace {

// The parser in Python has the same options (tests/python/compare_test.py).
constexpr const char* kCompareUsage =
    R"(Usage: ptosim compare A B CORPUS... [options]

Runs kernels on two sides and lists what has changed, the worst first. A side is KEY=VALUE words in one
argument: ptosim, chip, set, sync, assembler, plan, numerics, mode, headers, ascendc, ptoas, kernels,
env.NAME; '' is this program with its defaults. Needs python3, 3.9 or later, with NumPy.

  --out FILE             keep results there (default: compare.sqlite)
  --jobs N               kernels at a time (default: as many as processors)
  --check LIST           checkers, as of ptosim check (default: none)
  --timeout SECONDS      that a run may take (default: 60)
  --tolerance PERCENT    by which cycles may differ (default: 0)
  --strict               every difference is a regression, those for the better, too
  --all                  list kernels that are the same, too
  --json FILE            the table for programs; -: standard output
  --junit FILE           a test for each kernel
  --label NAME           keep this run for trends under a name
  --html FILE            a page of all labelled runs in --out
  --shard I/N            run part I of N only
  --slurm N              run N shards as an array of Slurm
  --launcher-option WORD  one word for sbatch; repeatable
  --bisect REPO GOOD BAD  find the first commit of REPO with a regression; {} in B is its folder
  --build COMMAND        with --bisect: what makes a commit's folder {} fit for B
  --builds DIR           with --bisect: where folders of commits are kept
)";

}  // namespace

void add_compare(const Command& app, Action& action) {
    add_python_command(app, action,
                       {"compare", "Compare two toolchains over many kernels", kCompareUsage});
}

}  // namespace ptosim::cli
