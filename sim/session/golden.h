// Comparison of a kernel's output with a golden file.
#pragma once

#include <string>

#include "sim/session/arguments.h"

namespace ptosim {

// --golden N=FILE.npy[:RTOL,ATOL]. Without tolerances every bit must be equal.
struct GoldenSpec {
    size_t parameter = 0;
    std::string file;
    bool exact = true;
    double rtol = 0, atol = 0;
};
// Throws DiagnosticError (input) for an invalid word.
GoldenSpec parse_golden(const std::string& word);

struct Comparison {
    bool equal = true;
    uint64_t elements = 0;
    uint64_t mismatches = 0;
    uint64_t first_element = 0;  // the first mismatch, counted row by row
    std::vector<int64_t> first;  // its index
    std::string first_found, first_expected;
    double largest_error = 0;   // absolute, of floats and integers
    uint64_t largest_ulps = 0;  // in units in the last place; floats only
};

// Throws DiagnosticError (input) if shapes or element types differ.
Comparison compare(const GoldenSpec& spec, const Array& golden, const Argument& argument);
// The goldens of a run, read and checked to fit before it. Throws DiagnosticError (I13).
using Goldens = std::vector<std::pair<GoldenSpec, Array>>;
Goldens load_goldens(const std::vector<std::string>& words, const std::vector<Argument>& arguments);

// True if an element of the argument has a value that its golden does not allow.
bool differs(const GoldenSpec& spec, const Array& golden, const Argument& argument, uint64_t element);

struct GoldenResult {
    GoldenSpec spec;
    Comparison comparison;
    uint64_t address = 0;  // of the first mismatch
};
std::vector<GoldenResult> compare(const Goldens& goldens, const std::vector<Argument>& arguments);
// Text such as "[0, 5]".
std::string index_text(const std::vector<int64_t>& index);
// Text such as "parameter 2: 3 of 262144 elements differ from c.npy; first at [0, 5]: ..."
std::string to_text(const GoldenSpec& spec, const Comparison& comparison);

}  // namespace ptosim
