#!/usr/bin/env bash
# Measures how fast the simulator is, against the peak of this host that it measures first, in an
# optimised build of its own; writes tests/bench/results.json and tests/evidence/bench.json.
# Takes a few minutes. Arguments go to tests/bench/bench.py (--quick, --out DIR; --pto-isa
# CHECKOUT compares with that project's CPU simulator, which needs clang 19).
# With --peers first it measures whole kernels beside other simulators instead, and the arguments go to
# tests/bench/peers.py (--pto-isa CHECKOUT, --simpler PYTHON, --record).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake -S . -B build/bench -DCMAKE_BUILD_TYPE=Release >/dev/null
if [[ ${1-} == --peers ]]; then
    cmake --build build/bench --parallel "$(nproc)" --target ptosim libptosim
    exec python3 tests/bench/peers.py --ptosim build/bench/ptosim "${@:2}"
fi
cmake --build build/bench --parallel "$(nproc)" --target ptosim bench_instructions
python3 tests/bench/bench.py --build build/bench "$@"
