#!/usr/bin/env bash
# Writes the files in git that are made from tables: the counts of golden cases, the headers' lists of
# operations, the page of evidence. Tests fail if one is out of date; run this after a change of a row, a
# rule, a case or a result, and look at the difference.
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
write include/pto/instructions/forms.hpp --cpp-forms
for group in vector conversion transfer; do
    write "include/cce/${group}_intrinsics.hpp" --intrinsic-forms "$group"
done
scripts/evidence.py
git --no-pager diff --stat
