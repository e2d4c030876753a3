// C++ sources with launches: the text that the host's and the device's compilers receive instead.
#include "isa/core/diagnostic.h"
#include "sim/compile/rewrite.h"
#include "tests/fuzz/target.h"

void ptosim::fuzz::read(std::string_view input) {
    for (const CompilePass pass : {CompilePass::kHost, CompilePass::kAIC, CompilePass::kAIV, CompilePass::kIdle}) {
        try {
            rewrite(input, pass, "fuzz.cpp");
        } catch (const DiagnosticError&) {
        }
    }
}
