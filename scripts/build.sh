#!/usr/bin/env bash
# Builds build/ptosim and the tests; with --program the program alone. Further arguments go to
# cmake, e.g. -DCMAKE_CXX_COMPILER=clang++. A new build folder compiles several sources at a time,
# which takes three fifths of the time; who changes sources often has them compiled one by one
# with -DCMAKE_UNITY_BUILD=OFF.
set -euo pipefail
cd "$(dirname "$0")/.."

target=all
if [ "${1:-}" = --program ]; then
    target=ptosim
    shift
fi
scripts/setup.sh
[ -e build/CMakeCache.txt ] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
cmake -S . -B build "$@" >/dev/null
cmake --build build --parallel "$(nproc)" --target "$target"
