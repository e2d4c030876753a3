#!/usr/bin/env bash
# Builds everything and runs every test: the unit tests and the program from its command line; then
# the whole program once more under the address and undefined-behaviour sanitizers, with those of
# its tests that take little time.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh
echo "== everything"
# One more than there are processors, as some tests wait for what they have started.
ctest --test-dir build --output-on-failure --parallel $(($(nproc) + 1))
echo "== under sanitizers"
scripts/sanitize.sh quick
