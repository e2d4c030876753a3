#!/usr/bin/env bash
# Builds build/ptosim and the tests. Arguments go to cmake, e.g. -DCMAKE_CXX_COMPILER=clang++.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake -S . -B build "$@" >/dev/null
cmake --build build --parallel "$(nproc)"
