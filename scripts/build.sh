#!/usr/bin/env bash
# Builds all; with --program only the program build/ptosim and its library, without tests and pages; with --kernels
# also without what single kernels do not need (sweep, toolkit, exec), unless the build folder has it. Further arguments
# go to cmake, e.g. -DCMAKE_CXX_COMPILER=clang++. A new build folder compiles the sources of a room at a time, which
# takes half of the time; for frequent changes of sources, -DCMAKE_UNITY_BUILD=OFF compiles them one by one.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=(all)
faces=(-DPTOSIM_FACES=ON)
case "${1:-}" in
    --program)
        targets=(ptosim libptosim)
        shift ;;
    --kernels)
        targets=(ptosim libptosim)
        faces=()
        [ -e build/CMakeCache.txt ] || faces=(-DPTOSIM_FACES=OFF)
        shift ;;
esac
scripts/setup.sh
[ -e build/CMakeCache.txt ] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
cmake -S . -B build "${faces[@]}" "$@" >/dev/null
/usr/bin/python3 scripts/progress.py build/build.log \
    cmake --build build --parallel "$(nproc)" --target "${targets[@]}"
