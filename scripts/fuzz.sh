#!/usr/bin/env bash
# Feeds readers mutated input (libFuzzer, with the address and undefined-behaviour sanitizers):
#
#     scripts/fuzz.sh [SECONDS [FOLDER [TARGET...]]]
#
# an hour of each target in build-fuzz/ unless told otherwise. Targets: reader (.pto text, the one by default), and what
# is read beside it: chip, npy, plan, recording, suppressions, launch, words (tests/fuzz/README.md); these need an
# ordinary build in build/. What is found is left in FOLDER/TARGET/findings, and makes the script fail.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-3600}
folder=${2:-build-fuzz}
runtime=libclang-rt-14-dev
compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' >/dev/null || {
    echo "error: libFuzzer is missing" >&2
    echo "  help: as root: apt-get install clang $runtime" >&2
    exit 2
}

shift $(($# < 2 ? $# : 2))
targets=${*:-reader}
cmake -S . -B "$folder" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release -DPTOSIM_FUZZ=ON >/dev/null
# shellcheck disable=SC2086
cmake --build "$folder" --target $(printf 'fuzz_%s ' $targets) -j"$(nproc)"

# Words that the reader knows: its own string literals, and the names of instructions.
seeds_of_reader() {
    mkdir -p "$1/seeds"
    cp tests/kernels/*.pto "$1/seeds/"
    for kernel in tests/kernels/parametric/*.pto; do
        cp "$kernel" "$1/seeds/parametric_$(basename "$kernel")"
    done
    {
        grep -oh '"[A-Za-z_.][A-Za-z0-9_.]*"' isa/assembly/{bind,plan,verify}/*.cpp isa/assembly/syntax/types.cpp \
            isa/assembly/syntax/parse_*.cpp isa/assembly/syntax/operation_names.cpp isa/attributes.cpp
        grep -oh '"[a-z][a-z0-9_.]*"' isa/instructions/*.def | sed 's/^"/"pto./'
    } | sort -u >"$1/words.dict"
}

failed=0
for target in $targets; do
    place=$folder/$target
    mkdir -p "$place"/{corpus,findings}
    if [ "$target" = reader ]; then
        program=$folder/isa/fuzz_reader
        options=(-max_len=16384 -len_control=20 -fork=0)
        seeds_of_reader "$place"
    else
        program=$folder/tests/fuzz/fuzz_$target
        options=()
        /usr/bin/python3 scripts/fuzz_inputs.py --ptosim build/ptosim --kind "$target" --seeds "$place"
    fi
    echo "== $target"
    "$program" "$place/corpus" "$place/seeds" -dict="$place/words.dict" -artifact_prefix="$place/findings/" \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 "${options[@]}" || failed=1
done
exit $failed
