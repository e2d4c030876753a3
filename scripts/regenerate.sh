#!/usr/bin/env bash
# Writes what is made from the instruction table and the golden cases: the pages of reference and
# coverage, the counts of cases, the headers' lists of operations. Tests fail where one is out of
# date; run this after a change of a row, a rule or a case, and look at the difference.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
cmake --build "$build" --target goldens
cp "$build/goldens/golden_counts.def" isa/semantics/golden_counts.def
cmake --build "$build" --target ptosim  # the counts are compiled in

write() {  # FILE ARGUMENTS... of ptosim isa
    local made
    made=$(mktemp)
    "$build/ptosim" isa "${@:2}" >"$made"
    cmp -s "$made" "$1" || cp "$made" "$1"
    rm "$made"
}
write isa/REFERENCE.md --markdown
coverage=$(mktemp)
"$build/ptosim" isa --coverage >"$coverage"
sed '/^# Coverage of time$/,$d' "$coverage" >isa/COVERAGE.md
sed -n '/^# Coverage of time$/,$p' "$coverage" >models/COVERAGE.md
rm "$coverage"
write isa/ARCHITECTURES.md --architectures
write isa/OPEN_RULES.md --open-rules
write isa/assembly/OPERATIONS.md --operations
write include/pto/instructions/forms.hpp --cpp-forms
write include/cce/intrinsics.hpp --intrinsic-forms
scripts/api_list.py
git --no-pager diff --stat
