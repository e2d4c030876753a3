// Legality rules that rows of the instruction table name. Each looks at one instruction, has no
// effect, and reports the first thing that it finds wrong (codes: isa/DIAGNOSTICS.md).
//
// check_legality() runs check_operands() first: when a rule runs, operands are present, of the
// right kind and in an allowed memory, tiles are well-formed, and the first source has a type that
// the row lists.
#pragma once

#include <string>
#include <string_view>

#include "isa/instruction_table.h"

namespace ptosim::rules {

#define PTO_RULE(NAME) bool NAME(const Instruction&, const InstructionInfo&, Arch, Problem&)

// P01 (not on this architecture), T00 (operand missing, of another kind or too many), S02 (valid
// region or shape), A04 (address), L04 (32-byte lines), L05 (fractal size), L01 (memory), T03.
PTO_RULE(check_operands);

PTO_RULE(same_types);            // T01, T02: all tiles and scalars have the type of the destination
PTO_RULE(same_valid);            // S04: all tiles have the valid region of the destination
PTO_RULE(unboxed);               // L02: row-major tiles without inner boxes
PTO_RULE(scalar_type);           // T02: scalars are numbers of the destination's class
PTO_RULE(row_reduction);         // L02, S03, S06: dst has one column and the rows of src
PTO_RULE(column_reduction);      // L02, S03, S06: dst has one row and the columns of src
PTO_RULE(row_expand);            // L02, S03, S07: src has the rows of dst
PTO_RULE(column_expand);         // L02, S03, S07: src has the columns of dst
PTO_RULE(row_expand_binary);     // L02, S07: one source like dst, the other one value per row
PTO_RULE(column_expand_binary);  // L02, S07: src0 like dst, src1 one value per column
PTO_RULE(transposed);            // S12: dst has the columns of src as rows
PTO_RULE(side_by_side);          // S12: dst has the columns of both sources
PTO_RULE(one_row);               // S13: the destination has one row
PTO_RULE(fill_pad);              // D06, S04, S05
PTO_RULE(conversion_pair);       // T04
PTO_RULE(load_types);            // T05
PTO_RULE(load_shapes);           // S03, S04
PTO_RULE(load_layouts);          // L03
PTO_RULE(store_types);           // T05, T04, G09
PTO_RULE(store_shapes);          // S03, S04
PTO_RULE(store_layouts);         // L03
PTO_RULE(matmul_types);          // T10, T11
PTO_RULE(matmul_layouts);        // L02
PTO_RULE(matmul_shapes);         // S08
PTO_RULE(gemv_shapes);           // S08: one row
PTO_RULE(move_paths);            // L01, L03: from which memory to which, and in which layouts
PTO_RULE(move_types);            // T01, T04
PTO_RULE(move_shapes);           // S04, S05
PTO_RULE(extract_window);        // S11: the window of dst's valid region lies within src
PTO_RULE(insert_window);         // S11: the window of src's valid region lies within dst

// Comparisons, selections, indexed and partial operations, sorts, quantisation.
PTO_RULE(compare_mask);     // T01, T02, T06, S04, P02
PTO_RULE(select_mask);      // T01, T06, S04
PTO_RULE(power_types);      // U00: floats are not supported yet
PTO_RULE(axpy_types);       // T01
PTO_RULE(relu_conversion);  // T01, T04
PTO_RULE(dequantised_sum);  // T01, T04
PTO_RULE(pair_sum_shapes);  // S06
PTO_RULE(interleaved);      // S04
PTO_RULE(row_argument);     // T08 and row_reduction
PTO_RULE(column_argument);  // T08 and column_reduction
PTO_RULE(sort_records);     // T08, T09, S04
PTO_RULE(merge_lists);      // T00, T09, S13, G11
PTO_RULE(gather_indices);   // T00, T01, T08, S04
PTO_RULE(gather_blocks);    // T01, T08, S04, G10
PTO_RULE(memory_indices);   // T05, T08, S03, S04
PTO_RULE(partial_cover);    // S14
PTO_RULE(partial_types);    // T01, T08, S04
PTO_RULE(quantised);        // T00, T01, T04, S04, U00
PTO_RULE(dequantised);      // T04, S03, S04
PTO_RULE(histogram_bins);   // T04, T08, S15
PTO_RULE(mx_product);       // T10, S09

#undef PTO_RULE

// What the fixpipe can make of an accumulator, on the way to `space` (kCount: global memory).
bool accumulator_types(DType from, DType to, bool scaled, Space space, Arch arch, int operand,
                       Problem& problem);

// For rules: fills `problem` and returns false.
bool fail(Problem& problem, std::string_view code, int operand, std::string message,
          std::string hint = {});
// "operand 'src1'".
std::string operand_text(const InstructionInfo& row, unsigned operand);
std::string shape_text(int64_t rows, int64_t cols);  // "16x200"
std::string valid_text(const Tile& tile);            // the same of a valid region

}  // namespace ptosim::rules
