#!/usr/bin/env bash
# Prepares a cross-compilation for AArch64: a Debian with the libraries that ptosim needs in FOLDER/root, and
# FOLDER/toolchain.cmake.
#
#   scripts/aarch64_root.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
root=$folder/root
mkdir -p "$folder"
for package in g++-aarch64-linux-gnu qemu-user mmdebstrap; do
    dpkg-query -W "$package" >/dev/null 2>&1 || {
        echo "error: the package $package is missing" >&2
        echo "  help: apt-get install g++-aarch64-linux-gnu qemu-user mmdebstrap" >&2
        exit 2
    }
done
if [ ! -e "$root/usr/include/systemc" ]; then
    rm -rf "$root"
    mmdebstrap --quiet --architectures=arm64 --variant=extract \
        --include="libstdc++-12-dev $(scripts/setup.sh --libraries)" bookworm "$root"
fi
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT $root)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;$root")
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes on ABIs of GCC before 10.1
set(ENV{PKG_CONFIG_SYSROOT_DIR} $root)
set(ENV{PKG_CONFIG_LIBDIR} $root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig)
set(PTOSIM_MOLD OFF)
END
