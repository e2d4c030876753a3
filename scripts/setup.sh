#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if any is missing; with --conformance
# also those with which other projects' test suites are run (scripts/conformance.py). With --libraries it only
# prints the packages of libraries, for a cross-compiler's root (scripts/aarch64.sh).
set -euo pipefail

libraries=(
    libsystemc-dev libeigen3-dev libcli11-dev nlohmann-json3-dev nettle-dev zlib1g-dev libcairo2-dev
    libsqlite3-dev libmuparser-dev                        # sweeps
    libboost-context-dev                                  # stacks of simulated processes
    catch2 libmpfr-dev libgmp-dev                         # tests only
)
if [ "${1:-}" = --libraries ]; then
    echo "${libraries[*]}"
    exit
fi
packages=(
    g++ cmake make pkg-config "${libraries[@]}"
    gnuplot-nox                                           # plots of sweeps
    python3 python3-numpy python3-jsonschema python3-pytest   # tests only
)
if [ "${1:-}" = --conformance ]; then
    packages+=(libgtest-dev python3-venv python3-torch clang clang-19)
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

run_as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "error: these Debian packages are missing: ${missing[*]}" >&2
        echo "  help: as root: apt-get install ${missing[*]}" >&2
        exit 2
    }
    run_as_root=(sudo)
fi
echo "installing ${missing[*]}"
"${run_as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run_as_root[@]}" apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
