#!/usr/bin/env bash
# Tests the page of reports in headless Chromium. Needs npm and Debian's chromium; the viewer's
# development packages are installed from npm. Not part of scripts/test.sh.
#
#   scripts/test_viewer.sh [REPORT.html] [--diff DIFF.html] [--kept KEPT.html] [--shots FOLDER] [--measure]
#
# Without a page: that of the attention kernel of scripts/demo.sh, one that compares its two GEMMs, one with the
# data of a kernel that was made from a Python program (tests/traces/kept_data_test.py), and that of a program of many
# kernels (tests/mpmd/mpmd_test.py).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

for tool in npm chromium; do
    command -v "$tool" >/dev/null || {
        echo "error: $tool is missing" >&2
        echo "  help: apt-get install npm chromium" >&2
        exit 2
    }
done

page=
program=
if [ $# -gt 0 ] && [[ "$1" != --* ]]; then
    page=$(realpath "$1")
    shift
else
    page=$root/demo-out/attention_f16/report.html
    [ -d "$(dirname "$page")" ] || "$root/scripts/demo.sh" >/dev/null
    "$root/build/ptosim" report "$(dirname "$page")" --html "$page"
    "$root/build/ptosim" diff "$root/demo-out/gemm_f16_single" "$root/demo-out/gemm_f16" \
        --html "$root/demo-out/diff.html" >/dev/null || [ $? = 1 ]  # 1: they differ
    /usr/bin/python3 "$root/tests/traces/kept_data_test.py" --ptosim "$root/build/ptosim" --into "$root/demo-out/kept"
    program=$root/demo-out/program
    /usr/bin/python3 "$root/tests/mpmd/mpmd_test.py" --ptosim "$root/build/ptosim" --into "$program"
    set -- --diff "$root/demo-out/diff.html" --kept "$root/demo-out/kept/with.html" "$@"
fi

cd "$root/traces/viewer"
npm ci --silent
# What is committed is what the sources give.
npm run --silent build
git -C "$root" diff --quiet -- traces/viewer/dist || {
    echo "error: traces/viewer/dist is not what its sources give; commit it" >&2
    exit 1
}
node test/viewer_test.mjs "$page" --chromium "$(command -v chromium)" "$@"
[ -z "$program" ] || node test/tasks_test.mjs "$program/report.html" --chromium "$(command -v chromium)"
