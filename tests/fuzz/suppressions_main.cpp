// Files of known findings. Each finding here is asked of all of them.
#include "isa/core/diagnostic.h"
#include "sim/check/suppressions.h"
#include "tests/fuzz/target.h"

void ptosim::fuzz::read(std::string_view input) {
    check::Suppressions suppressions(file_with(input));
    for (const char* code : {"E01", "G04", "S09"}) {
        Diagnostic finding;
        finding.code = code;
        finding.file = "kernels/vadd_f32.pto";
        finding.location.line = 12;
        suppressions.match(finding);
    }
    suppressions.unused();
}
