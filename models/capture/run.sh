#!/usr/bin/env bash
# Builds the kit with bisheng, the vendor's or a stand-in, and runs it: results.csv and numbers.csv in
# this folder. VECTOR_CORES: those of the device (910B1: 48, 910B3: 40, 950PR: 64); ARCH: dav-c220 or
# dav-c310; PTO: the folder with pto/pto-inst.hpp, unless the compiler knows it.
set -euo pipefail
cd "$(dirname "$0")"
bisheng -std=c++17 -O2 -xcce --cce-aicore-arch="${ARCH:-dav-c220}" ${PTO:+-I "$PTO"} \
    -I "${ASCEND_HOME_PATH:?source the set_env.sh of the toolkit}/include" \
    -L "$ASCEND_HOME_PATH/lib64" kernels.cpp host.cpp -lascendcl -lruntime -o capture
./capture . "${VECTOR_CORES:-48}" "${REPETITIONS:-5}"
