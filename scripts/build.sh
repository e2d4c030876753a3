#!/usr/bin/env bash
# Builds build/ptosim and the tests; with --program the program alone. Further arguments go to
# cmake, e.g. -DCMAKE_CXX_COMPILER=clang++.
set -euo pipefail
cd "$(dirname "$0")/.."

target=all
if [ "${1:-}" = --program ]; then
    target=ptosim
    shift
fi
scripts/setup.sh
cmake -S . -B build "$@" >/dev/null
cmake --build build --parallel "$(nproc)" --target "$target"
