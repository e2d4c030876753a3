#!/usr/bin/env bash
# Builds everything and runs every test: the unit tests, the isa tests once more under the address
# and undefined-behaviour sanitizers, and the program from its command line.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh
cmake -S . -B build/sanitized -DPTOSIM_ISA_ONLY=ON -DPTOSIM_SANITIZE=address,undefined \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS=-g1 >/dev/null
cmake --build build/sanitized --parallel "$(nproc)"

echo "== isa under sanitizers"
ctest --test-dir build/sanitized --output-on-failure --parallel "$(nproc)"
echo "== everything"
ctest --test-dir build --output-on-failure --parallel "$(nproc)"
