// The host machine's C++ compiler, and the commands of the passes over a kernel source.
#pragma once

#include <string>
#include <vector>

#include "sim/compile/build.h"
#include "sim/compile/instrumentation.h"

namespace ptosim {

using Words = std::vector<std::string>;
void append(Words& words, const Words& more);

// A kernel source is compiled as the host's part and for each core type.
enum class Pass { kHost, kAIC, kAIV };
const char* name(Pass pass);  // "host", "aic", "aiv"

class Compiler {
 public:
    // Throws DiagnosticError (H02) if it finds no such compiler.
    explicit Compiler(const BuildOptions& options);

    const std::string& program() const { return program_; }
    // Everything that determines its output for a text: the program, its version, variables, and the reports of
    // kernels.
    const std::string& identity() const { return identity_; }

    // True if a file belongs to a library whose headers issue instructions, or to this simulator's headers for it.
    // Findings name lines outside of these.
    bool is_library_header(const std::string& file) const;

    // Preprocesses a source into the file `text`; the included files are written as a rule to `dependencies`. `module`
    // names the variable that identifies the source for the launches in it; empty: it has no kernels.
    Words preprocess(const std::string& source, Pass pass, const std::string& module,
                     const std::string& text, const std::string& dependencies) const;
    // True if the scalar code of a pass is counted: then compile() makes assembly, which is rewritten
    // (sim/compile/scalar_code.h) and assembled.
    bool counts(Pass pass) const;
    // True if compiled headers can be kept for further sources.
    bool keeps_headers() const { return !gnu_; }
    // Compiles the preprocessed headers of a pass (sim/compile/shared_headers.h) for compile_after().
    Words compile_headers(Pass pass, const std::string& text, const std::string& output) const;
    // Compiles the preprocessed rest of a source with kernels after these headers.
    Words compile_after(const std::string& headers, Pass pass, const std::string& text, const std::string& output) const;
    // Returns the assembly with counters of all code but that of this simulator's headers.
    std::string counted(const std::string& assembly) const;
    // Compiles a preprocessed text, possibly rewritten, to an object or to assembly.
    Words compile(Pass pass, bool kernels, const std::string& text,
                  const std::string& output) const;
    Words assemble(const std::string& text, const std::string& object) const;
    // Compiles a source that belongs to this program.
    Words compile_own(const std::string& source, const std::string& object) const;
    // Links the kernels of one core type.
    Words link_kernels(const Words& objects, const std::string& library) const;

 private:
    Words common_flags() const;
    Words compile_flags_of(Pass pass, bool kernels) const;
    Instrumentation instrumentation() const;

    const BuildOptions& options_;
    std::string program_;
    std::string identity_;
    Words ascendc_;  // options for its headers
    bool gnu_ = true;
};

// The version script for linking kernels, with their exports.
std::string exported_by_kernels();

}  // namespace ptosim
