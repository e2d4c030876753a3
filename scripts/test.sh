#!/usr/bin/env bash
# Builds everything and runs tests:
#
#     scripts/test.sh                    every test: the unit tests and the program from its command line; then the whole
#                                        program once more under the address and undefined-behaviour sanitizers, with
#                                        those of its tests that take little time
#     scripts/test.sh --changed [BASE]   the tests that a change can reach (scripts/changed_tests.py), without
#                                        sanitizers; BASE is the commit before the change
#
# At the end it lists tests that were skipped, with the tool that each needs.
set -euo pipefail
cd "$(dirname "$0")/.."

chosen=()
sanitized=yes
if [ "${1:-}" = --changed ]; then
    pattern=$(/usr/bin/python3 scripts/changed_tests.py "${@:2}")
    [ -z "$pattern" ] || chosen=(-R "$pattern")
    sanitized=
elif [ $# -gt 0 ]; then
    sed -n '2,12s/^# \?//p' "$0" >&2
    exit 2
fi

skipped() { # BUILD FOLDER
    local lines
    lines=$(grep -ah '^skipped: ' "$1/Testing/Temporary/LastTest.log" | sort -u || true)
    [ -n "$lines" ] || { echo "no test was skipped"; return 0; }
    echo "$lines"
    echo "$(wc -l <<<"$lines") tests were skipped"
}

scripts/build.sh
[ ${#chosen[@]} -eq 0 ] && echo "== everything" || echo "== what the change can reach"
result=0
# One more than there are processors, as some tests wait for what they have started.
ctest --test-dir build --output-on-failure --parallel $(($(nproc) + 1)) "${chosen[@]}" || result=$?
skipped build
if [ $result -eq 0 ] && [ -n "$sanitized" ]; then
    echo "== under sanitizers"
    scripts/sanitize.sh quick
fi
exit $result
