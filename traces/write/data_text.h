// Kept operands and differences from goldens as text.
#pragma once

#include <string>
#include <string_view>

#include "traces/analyse/kept_data.h"

namespace ptosim {

// "parameter 2: 3 of 262144 elements differ from c.npy, first at [0, 5]: found 1, expected 2;
// TSTORE at gemm.pto:167 on AIC03 (instruction 57) wrote it, from [0, 5] of its tile"
std::string mismatch_text(const Recording& recording, const MismatchRecord& mismatch);
// "TEXP at softmax.pto:40 on AIV00 (instruction 12)"
std::string instruction_text(const Recording& recording, const InstructionRecord& record);
// "16x64 f32, -3.5 to 4.25, 2 NaN, 1 infinity"
std::string facts_text(const Recording& recording, const ValuesRecord& values);

// The tiles of one instruction ("AIC03:57"), or of the first execution of a line on each core
// ("150", "gemm.pto:150"), from an element on. Throws DiagnosticError (I44) if nothing of that was
// kept, or the words mean nothing.
struct DataQuery {
    std::string what;
    uint32_t row = 0, column = 0;
};
std::string data_text(const Recording& recording, const DataQuery& query);

}  // namespace ptosim
