// Diagnostics: problems, and how they are reported.
//
// Every error in a kernel, an input or a run becomes a Diagnostic. Checks come before effects: code that reports an
// error has not changed anything yet.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptosim {

// A place in a kernel's text. `file` indexes the owner's list of file names; line and column
// start at 1, and line 0 means "unknown".
struct SourceLocation {
    uint16_t file = 0;
    uint16_t column = 0;
    uint32_t line = 0;

    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

enum class Category : uint8_t {
    kIllegal,      // the architecture does not have this: type, shape, layout, address
    kUndefined,    // legal to write down, but its result is not defined
    kRace,         // two accesses that nothing orders
    kSync,         // flags, counters and FIFOs that do not balance
    kDeadlock,     // nothing can move any more
    kUnsupported,  // the architecture has it, this simulator does not yet
    kInput,        // files, options and arguments that cannot be used
};
std::string_view name(Category category);

// In a deadlock: who waits for whom. Lanes are "AIC00/MTE2"; S is the scalar unit.
struct WaitEdge {
    std::string waiter;
    std::string holder;  // who would have to go on first; empty: nobody can
    std::string what;    // "flag MTE2->MTE1 #0"
    std::string file;    // of the wait
    uint32_t line = 0;
    bool in_cycle = false;
};

// A function of a library that the user's line calls, and that issues an instruction.
struct SiteCall {
    std::string instruction;
    std::string function;  // "DataCopy"
    std::string header;    // the line of the library: "kernel_operator_data_copy_impl.h:63"
};

// Place in the kernel, and place in the machine. Empty strings and zeros mean "does not apply".
struct Site {
    std::string file;
    SourceLocation location;
    std::string source_line;  // the text of that line, for the caret
    std::string core;         // "AIC00"
    std::string pipe;         // "MTE2"
    std::string instruction;  // "TADD"
    std::string operand;      // "src1"
    uint64_t cycle = 0;
    bool has_cycle = false;
    uint64_t byte_begin = 0, byte_end = 0;  // bytes in the operand's memory
    std::vector<SiteCall> calls;            // those at this line; of the instruction, if one has its name
};

// Another place that a finding is about: the other access of a race, the set before a second one.
struct RelatedSite : Site {
    std::string text;  // "first: TLOAD 'dst' at gemm.pto:12, ..."
};

// A problem. `code` is stable and short ("A03"); the catalogue is isa/core/diagnostics.tsv.
struct Diagnostic : Site {
    std::string code;
    Category category = Category::kInput;
    std::string message;               // one sentence: what was found
    std::string hint;                  // what to do about it; may be empty
    uint64_t count = 1;                // how often this was met at this site
    std::vector<RelatedSite> related;  // the other places
    std::vector<std::string> notes;    // further lines: who waits for whom
    std::vector<WaitEdge> waits;       // of a deadlock
};

// The catalogue's text for a code; empty if it has no such code.
std::string_view meaning(std::string_view code);
// The catalogue's heading for it: its subject, and the categories of its codes.
std::string_view catalogue_heading(std::string_view code);

// "DataCopy (kernel_operator_data_copy_impl.h:63)": the library calls of a site; if some of them issue its instruction,
// only these.
std::string calls_text(const Site& site);

// "file:line:column: error: message [code]", the line with a caret, notes and the hint. Another word replaces "error"
// if the kernel may continue.
std::string to_text(const Diagnostic& diagnostic, std::string_view severity = "error");

// Input that cannot be used, or an instruction that must not run. Carries the diagnostics to report.
class DiagnosticError : public std::runtime_error {
 public:
    explicit DiagnosticError(Diagnostic diagnostic)
        : std::runtime_error(diagnostic.message), diagnostics_{std::move(diagnostic)} {}
    explicit DiagnosticError(std::vector<Diagnostic> diagnostics)
        : std::runtime_error(diagnostics.front().message), diagnostics_(std::move(diagnostics)) {}
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
    std::vector<Diagnostic> diagnostics_;
};

// Short form for input errors without a place in a kernel.
// One without a place.
Diagnostic make_diagnostic(std::string code, Category category, std::string message,
                           std::string hint = {});
[[noreturn]] void fail_input(std::string code, std::string message, std::string hint = {});

// The candidate closest to `word` (edit distance at most a third of its length), or empty.
std::string closest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace ptosim
