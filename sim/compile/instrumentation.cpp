#include "sim/compile/instrumentation.h"

#include "sim/compile/compiler.h"
#include "sim/native/accesses.h"
#include "sim/native/branches.h"

namespace ptosim {
namespace {

// The thread sanitizer's pass omits address spaces, so accesses below tiles are reported by the coverage pass
// (include/cce/reported_accesses.hpp). One access is one element.
Words flags_below_tiles(const Instrumentation& instrumentation) {
    std::string events = instrumentation.branches ? "edge,no-prune,trace-pc,trace-cmp" : "func";
    if (instrumentation.accesses) events += ",trace-loads,trace-stores";
    Words words{"-fsanitize-coverage=" + events};
    if (instrumentation.accesses) append(words, {"-fno-vectorize", "-fno-slp-vectorize"});
    return words;
}

}  // namespace

std::vector<std::string> compile_flags(const Instrumentation& instrumentation) {
    Words words;
    if (instrumentation.below_tiles) {
        if (instrumentation.accesses || instrumentation.branches) words = flags_below_tiles(instrumentation);
        return words;
    }
    if (instrumentation.accesses) append(words, access_flags(instrumentation.gnu));
    if (instrumentation.branches) append(words, branch_flags(instrumentation.gnu));
    return words;
}

std::vector<std::string> link_flags(const Instrumentation& instrumentation) {
    Words words;
    if (instrumentation.accesses)
        append(words, instrumentation.below_tiles ? copy_link_flags() : access_link_flags());
    if (instrumentation.branches) append(words, branch_link_flags());
    return words;
}

std::string identity_text(const Instrumentation& instrumentation) {
    std::string text;
    if (instrumentation.accesses) text += "kernels report accesses\n";
    if (instrumentation.branches) text += "kernels report branches\n";
    return text;
}

}  // namespace ptosim
