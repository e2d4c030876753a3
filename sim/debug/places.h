// Bytes of the stopped machine: names of the kernel as places, the bytes that an instruction has written, their values.
#pragma once

#include <utility>
#include <vector>

#include "sim/debug/target.h"
#include "traces/record/tile_values.h"

namespace ptosim::debug {

// The names whose scope has the next step of a core; the innermost one of each.
std::vector<assembly::NamedSlot> names_in_scope(const Target& target, const Target::CoreFlow& flow);
// The name of a value in expressions: "acc" for acc, "v0" for 0, "acc_1" for acc#1.
std::string plain_name(std::string_view name);
// An expression with such names instead of %acc, %0, %acc#1.
std::string without_percent(std::string_view expression);

// A matrix of elements with its bytes.
struct Matrix {
    Place place;
    std::string type;  // "UB f32 16x512 ND @0x0"
    std::optional<Tile> tile;
    TileValues values;  // all of its valid region
    // The elements that were asked for.
    uint32_t row = 0, rows = 0, column = 0, columns = 0;
};
// "%t", "t[3,7]", "t[0:4, 8:16]" of a tile in scope, "x", "x[3,7]" of an array of the kernel, "UB[0x100:0x140]" of
// the core's memory, "dst", "src0[0,1]" of the instruction of the moment, all as seen from this core. Throws
// DiagnosticError (I69). `variable`: the name is that of this tile, a variable of a compiled kernel (CodeValues::tile).
Matrix matrix_of(const Target& target, CoreId core, const std::string& text, const Json& variable = {});
std::byte* bytes_of(const Target& target, const Place& place);

std::optional<Place> common(const Place& a, const Place& b);
// The byte runs of `place` that this instruction of the present moment has written.
Runs written_runs(const Target& target, const Instruction& instruction, const Place& place);
// True if elements that begin in these runs are NaN, or differ from the golden of the place's parameter.
bool hold_nan(const Target& target, const Place& place, const Runs& runs);
bool differ_from_golden(const Target& target, const Place& place, const Runs& runs);
// True if the golden of its array does not allow an element of the matrix.
bool differs_from_golden(const Target& target, const Matrix& matrix, uint32_t row, uint32_t column);
// "NaN at [3, 7] of dst"; empty if the instruction has written none.
std::string nan_written(const Target& target, const Instruction& instruction);

}  // namespace ptosim::debug
