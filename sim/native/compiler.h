// The machine's own C++ compiler, and the commands of the passes over a kernel source.
#pragma once

#include <string>
#include <vector>

#include "sim/native/build.h"

namespace ptosim {

using Words = std::vector<std::string>;
void append(Words& words, const Words& more);

// A kernel source is compiled as the host's part and for each core type.
enum class Pass { kHost, kAIC, kAIV };
const char* name(Pass pass);  // "host", "aic", "aiv"

class Compiler {
 public:
    // Throws DiagnosticError (H02) if there is no such compiler.
    explicit Compiler(const BuildOptions& options);

    const std::string& program() const { return program_; }
    // All that decides what it makes of a text: which program it is, its version, variables, what
    // kernels report.
    const std::string& identity() const { return identity_; }

    // Whether a file is one of a library whose headers issue instructions, or of this simulator's for them:
    // findings name lines that are in none of these.
    bool is_library_header(const std::string& file) const;

    // Preprocesses a source into the file `text`; the files that it included go into a rule in
    // `dependencies`. `module` names the source to the launches in it; empty: it has no kernels.
    Words preprocess(const std::string& source, Pass pass, const std::string& module,
                     const std::string& text, const std::string& dependencies) const;
    // Compiles such a text, or what the rewriter made of it.
    Words compile(Pass pass, bool kernels, const std::string& text,
                  const std::string& object) const;
    // Compiles a source of this program's own.
    Words compile_own(const std::string& source, const std::string& object) const;
    // Links the kernels of one core type.
    Words link_kernels(const Words& objects, const std::string& library) const;

 private:
    Words common_flags() const;

    const BuildOptions& options_;
    std::string program_;
    std::string identity_;
    Words ascendc_;  // options for its headers
    bool gnu_ = true;
};

// The version script by which kernels are linked: what they export.
std::string exported_by_kernels();

}  // namespace ptosim
