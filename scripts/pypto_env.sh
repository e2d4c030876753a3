#!/usr/bin/env bash
# Makes an environment in which programs of hw-native-sys/pypto run on the simulator.
#
#     scripts/pypto_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]
#
# CHECKOUT is a clone with its submodules. ENV (default: CHECKOUT/.ptosim) gets a Python environment with torch
# (6 GB), the cache folder of this checkout, and a file `env` to source. PyPTO and the runtime's Python part are
# compiled into CHECKOUT itself (some 260 files, half an hour on two processors, by clang++ if there is one). Existing
# parts are kept: a second run takes seconds. It ends with PyPTO's own hello world on the simulator.
set -euo pipefail

usage="scripts/pypto_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]"
needed=python/pypto/__init__.py
# shellcheck source=scripts/checkout_options.sh
source "$(dirname "$0")/checkout_options.sh"

# Each has a file without which PyPTO's own build stops late, or asks for git.
submodules=("3rdparty/libbacktrace configure" "3rdparty/msgpack-c include/msgpack.hpp"
    "runtime simpler_setup/__init__.py")
for submodule in "${submodules[@]}"; do
    read -r folder file <<<"$submodule"
    [ -f "$checkout/$folder/$file" ] && continue
    [ ! -e "$checkout/.git" ] || git -C "$checkout" submodule update --init "$folder" || true
    [ -f "$checkout/$folder/$file" ] ||
        fail "$checkout/$folder is empty" "git submodule update --init, or copy that repository there"
done

# nanobind 3 refuses the defaults of PyPTO's own binding; pytest-forked 1.7 fails with all of pytest's reports.
make_python "numpy>=2" "torch>=2" "nanobind<3" "scikit-build-core>=0.10" ninja "cmake>=3.15" \
    "cloudpickle>=2.2" "pytest<9" "pytest-forked<1.7" pytest-xdist pytest-timeout PyYAML

compiler=()
if command -v clang++ >/dev/null; then compiler=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang); fi
# Into the sources' own folders, as PyPTO's documents have it for development: no wheel, no build isolation.
build() { # SOURCE FOLDER TARGET
    "$env/venv/bin/cmake" -S "$1" -B "$2" -G Ninja -DCMAKE_MAKE_PROGRAM="$env/venv/bin/ninja" "${compiler[@]}" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -DNDEBUG" -DBUILD_TESTING=OFF \
        -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" "${@:4}" >"$2.log" 2>&1 &&
        "$env/venv/bin/cmake" --build "$2" -j "$jobs" --target "$3" >>"$2.log" 2>&1 ||
        fail "$3 cannot be compiled" "$2.log says why"
}
mkdir -p "$env"
build "$checkout" "$env/pypto" pypto_core
build "$checkout/runtime" "$env/runtime" _task_interface

cat >"$env/env" <<EOF
export PATH="$env/venv/bin:$(dirname "$ptosim"):\$PATH"
export PTOSIM_CACHE="$env/cache"
export PYTHONPATH="$checkout/python:$checkout/runtime/python:$checkout/runtime:$checkout\${PYTHONPATH:+:\$PYTHONPATH}"
EOF
# shellcheck disable=SC1091
source "$env/env"
"$ptosim" simpler-setup --simpler "$checkout/runtime"
(cd "$checkout" && "$ptosim" exec -- "$python" examples/beginner/01_hello_world.py) >"$env/hello.log" 2>&1 ||
    fail "PyPTO's hello world does not run" "$env/hello.log says why"
echo "ready: source $env/env"
