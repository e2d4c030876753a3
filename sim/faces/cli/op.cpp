// ptosim op: operators from their folders, by the Python package (docs/kernels.md).
#include "sim/faces/cli/python_command.h"

namespace ptosim::cli {
namespace {

// The parser in Python has the same options (tests/toolkit/operators_test.py).
constexpr const char* kOpUsage =
    R"(Usage: ptosim op FOLDER [options] [options of ptosim run]

Runs an operator from its folder: op_host with its definition and tiling, op_kernel with its kernels. The tiling
of the operator chooses the variant of the kernel, the blocks and the tiling data.

  --shape NAME=4x1024    shape of an input, whose values are generated, or of an output that the operator does
                         not infer; 4x1024,-,1024 for the inputs in order; 4x1024 for all required ones;
                         4x1024;2x64 for a list of tensors
  --dtype NAME=f16       element type of an input or output; f16,-,f32 for the inputs in order; f16 for the first
  --in NAME=x.npy        values of an input
  --attr NAME=VALUE      an attribute; lists as 1,2,3
  --out NAME=y.npy       save an output
  --golden NAME=FILE[:RTOL,ATOL]  compare an output
  --aclnn DIR            make DIR/include and DIR/lib with the calls aclnnX of one or more folders (docs/kernels.md)
  --tests host|kernel    run the operator's own unit tests; options of GoogleTest may follow
  --check                run under all checkers (ptosim check)
  --dry-run              print what the tiling chose, and do not run
  --chip NAME            the chip (default: ascend910b1)
  --ascendc DIR          a checkout of asc-devkit (PTOSIM_ASCENDC)
  --metadef DIR          a checkout of metadef (PTOSIM_METADEF)
  --opbase DIR           a checkout of opbase (PTOSIM_OPBASE)

'ptosim op --serve' answers programs that make such calls. Checkouts are also found next to the operator's repository. Hosts are compiled by g++ (PTOSIM_HOST_CXX), kernels by
clang++ 19 or newer (CXX).
)";

}  // namespace

void add_op(const Command& app, Action& action) {
    add_python_command(app, action,
                       {"op", "Run an operator from its folder (op_host, op_kernel)", kOpUsage});
}

}  // namespace ptosim::cli
