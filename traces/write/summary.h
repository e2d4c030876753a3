// The totals of a run as text, and as members of the result JSON.
#pragma once

#include <span>
#include <string>

#include "traces/analyse/accounting.h"
#include "traces/analyse/advice.h"
#include "traces/analyse/time_basis.h"
#include "traces/write/json_text.h"

namespace ptosim {

class Json;

// summary.txt (docs/formats.md): chip, kernel, time, shares of each pipe, the bottleneck.
std::string summary_text(const Accounting& accounting, std::span<const Advice> advice = {},
                         const TimeBasis& basis = {});

// The duration of the task with its launch, in microseconds; empty if it is unknown.
std::string task_text(const Accounting& accounting);

// The part of a sampled run that was not simulated (accounting.skipped).
std::string skipped_text(const Accounting& accounting);

// Summary of a run that models no time: the instructions that ran, and their number.
std::string untimed_summary_text(const Accounting& accounting);

// The parts of the result JSON that come from the machine's time: "cycles", "time_us",
// "instructions" and "cores", as members of the object that is open.
void put_result(JsonText& json, const Accounting& accounting);
// Members of one core for the JSON object that is open: "lane", "util", "cycles", "active",
// "finished", "instructions" and "pipes".
void put_core(JsonText& json, const Accounting& accounting, const CoreAccount& core);
// Documents with the same content, for programs that assemble theirs from them.
Json result_json(const Accounting& accounting);
Json cores_json(const Accounting& accounting);  // "cores": [...]

// Basis of the time: "of", "shares" by grade and, if it is known, "range_percent".
void put_basis(JsonText& json, const TimeBasis& basis);
Json basis_json(const TimeBasis& basis);

}  // namespace ptosim
