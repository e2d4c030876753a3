#!/usr/bin/env bash
# Makes an archive that can be offered for download: program, library, headers, models and pages in one folder, with the
# libraries that they need except those of C and C++. It may be unpacked anywhere on a system with glibc 2.34 and the
# libstdc++ of GCC 12, or newer ones, and needs no compiler to run `.pto` kernels.
#
#     scripts/release.sh [FOLDER]    # build/release; the archive is written there
#
# It is built in FOLDER/build.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "${1:-build/release}")
scripts/setup.sh
# The oldest form of run paths also applies to what the libraries themselves need.
cmake -S . -B "$folder/build" -DCMAKE_UNITY_BUILD=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib' \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--disable-new-dtags >/dev/null
/usr/bin/python3 scripts/progress.py "$folder/build/build.log" \
    cmake --build "$folder/build" --parallel "$(nproc)" --target ptosim libptosim ptosim_mpi reference_pages
version=$("$folder/build/ptosim" --version | sed -E 's/^ptosim ([^ ]+).*/\1/')
name=ptosim-$version-linux-$(uname -m)
rm -rf "${folder:?}/$name" "$folder/$name.tar.gz"
cmake --install "$folder/build" --prefix "$folder/$name" --strip >/dev/null

lib=$folder/$name/lib
for file in "$folder/$name/bin/ptosim" "$lib"/lib*.so; do
    ldd "$file" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | sort -u | grep -vE "^$folder|/lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so" | while read -r library; do
    cp -L "$library" "$lib/"
done
# An origin elsewhere than in the archive would be another library on another system.
if ldd "$folder/$name/bin/ptosim" "$lib"/lib*.so | grep -E ' => /' | grep -vE "=> $folder|/lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so"; then
    echo "error: these libraries are not in the archive" >&2
    exit 1
fi
cp LICENSE "$folder/$name/"
tar -C "$folder" -czf "$folder/$name.tar.gz" "$name"
ls -l "$folder/$name.tar.gz"
