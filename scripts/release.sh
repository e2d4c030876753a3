#!/usr/bin/env bash
# Makes an archive that can be offered for download: program, library, headers, models and pages in one folder, with the
# libraries that they need except those of C and C++. It may be unpacked anywhere on a system with glibc 2.34 and the
# libstdc++ of GCC 12, or newer ones, and needs no compiler to run `.pto` kernels.
#
#     scripts/release.sh [--aarch64] [FOLDER]    # build/release; the archive is written there
#
# It is built in FOLDER/build, and with --aarch64 by a cross-compiler (scripts/aarch64_root.sh) in FOLDER/aarch64.
set -euo pipefail
cd "$(dirname "$0")/.."

machine=$(uname -m)
if [ "${1:-}" = --aarch64 ]; then
    machine=aarch64
    shift
fi
folder=$(realpath -m "${1:-build/release}")
scripts/setup.sh
build=$folder/build
compiler=(c++)
emulator=()
options=()
if [ "$machine" != "$(uname -m)" ]; then
    build=$folder/aarch64/build
    scripts/aarch64_root.sh "$folder/aarch64"
    compiler=(aarch64-linux-gnu-g++ "--sysroot=$folder/aarch64/root")
    emulator=(qemu-aarch64 -L "$folder/aarch64/root")
    options=("-DCMAKE_TOOLCHAIN_FILE=$folder/aarch64/toolchain.cmake")
fi
# The oldest form of run paths also applies to what the libraries themselves need.
cmake -S . -B "$build" -DCMAKE_UNITY_BUILD=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib' "${options[@]}" \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--disable-new-dtags >/dev/null
/usr/bin/python3 scripts/progress.py "$build/build.log" \
    cmake --build "$build" --parallel "$(nproc)" --target ptosim libptosim ptosim_mpi reference_pages
version=$("${emulator[@]}" "$build/ptosim" --version | sed -E 's/^ptosim ([^ ]+).*/\1/')
name=ptosim-$version-linux-$machine
rm -rf "${folder:?}/$name" "$folder/$name.tar.gz"
cmake --install "$build" --prefix "$folder/$name" --strip >/dev/null

# Adds the libraries that a file needs, and those that they need.
lib=$folder/$name/lib
add_libraries() {
    local needed path
    for needed in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        if [[ $needed =~ ^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)|ld-linux.*)\.so ]] || [ -e "$lib/$needed" ]; then continue; fi
        path=$("${compiler[@]}" "-print-file-name=$needed")
        if [ ! -e "$path" ]; then
            echo "error: $needed, which $1 needs, was not found" >&2
            exit 1
        fi
        cp -L "$path" "$lib/$needed"
        add_libraries "$lib/$needed"
    done
}
for file in "$folder/$name/bin/ptosim" "$lib"/lib*.so; do add_libraries "$file"; done
cp LICENSE "$folder/$name/"
tar -C "$folder" -czf "$folder/$name.tar.gz" "$name"
ls -l "$folder/$name.tar.gz"
