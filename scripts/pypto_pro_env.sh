#!/usr/bin/env bash
# Makes an environment in which tests and examples of PyPTO Pro (cann/pypto, python/pypto_pro) run on the toolkit.
#
#     scripts/pypto_pro_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]
#
# CHECKOUT is a checkout of cann/pypto. ENV (default: CHECKOUT/.ptosim) gets a Python environment with torch (6 GB), a
# toolkit, the checkout's native libraries and a file `env` to source. The libraries are compiled by the checkout's own
# CMake code without optimisation (some 450 files, an hour on two processors). Needs g++, cmake, ninja and the headers of
# Python and nlohmann_json (Debian: python3-dev, nlohmann-json3-dev). Existing parts are kept: a second run takes
# seconds. The checkout itself is not changed.
set -euo pipefail

usage="scripts/pypto_pro_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]"
needed=python/pypto_pro/__init__.py
# shellcheck source=scripts/checkout_options.sh
source "$(dirname "$0")/checkout_options.sh"
for program in g++ cmake ninja; do
    command -v "$program" >/dev/null || fail "$program is not there" "install it"
done

make_python "numpy>=2" "torch==2.10.*" "pytest<9" pytest-xdist pybind11 PyYAML ml_dtypes attrs cloudpickle decorator \
    packaging pandas psutil scipy tqdm

mkdir -p "$env"
"$ptosim" toolkit "$env/toolkit" >"$env/toolkit.log"
# shellcheck disable=SC1091
source "$env/toolkit/set_env.sh"
export PYPTO_THIRD_PARTY_PATH="$ASCEND_HOME_PATH/share/cmake"

libraries=(tile_fwk_utils tile_fwk_adapter tile_fwk_cann_host_runtime tile_fwk_platform tile_fwk_interface
    tile_fwk_codegen tile_fwk_compiler tile_fwk_runtime tile_fwk_simulation tile_fwk_simulation_pv)
# Without PYTHONPATH, because the toolkit's packages are not those of the environment.
if [ ! -f "$env/native/done" ]; then
    env -u PYTHONPATH cmake -S "$checkout" -B "$env/native" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -DNDEBUG -w" \
        -DPython3_EXECUTABLE="$python" >"$env/native.log" 2>&1 &&
        env -u PYTHONPATH cmake --build "$env/native" -j "$jobs" --target "${libraries[@]}" pypto_impl >>"$env/native.log" 2>&1 ||
        fail "the native libraries cannot be compiled" "$env/native.log says why"
    touch "$env/native/done"
fi

# PyPTO looks for its libraries next to its package: a folder of links, so that the checkout stays as it is.
rm -rf "$env/python"
mkdir -p "$env/python/pypto/lib/configs"
ln -s "$checkout/python/pypto_pro" "$env/python/"
ln -s "$checkout"/python/pypto/* "$env/python/pypto/"
ln -s "$env"/native/output/lib/lib*.so "$env/python/pypto/lib/"
ln -s "$env"/native/output/lib/pypto_impl*.so "$env/python/pypto/"
ln -s "$checkout"/framework/src/interface/configs/*.json "$env/python/pypto/lib/configs/"
find "$checkout/framework/src/platform/parser" -name "*.ini" -exec ln -s {} "$env/python/pypto/lib/configs/" \;

cat >"$env/env" <<EOF
source "$env/toolkit/set_env.sh"
export PATH="$env/venv/bin:\$PATH"
export PTOSIM_CHIP=\${PTOSIM_CHIP:-ascend950pr} PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$env/python\${PYTHONPATH:+:\$PYTHONPATH}"
EOF
# shellcheck disable=SC1091
(source "$env/env" && "$python" -c "import pypto_pro.language") || fail "pypto_pro cannot be imported"
echo "ready: source $env/env"
