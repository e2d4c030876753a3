#!/usr/bin/env bash
# Feeds the .pto reader mutated kernels (libFuzzer, with the address and undefined-behaviour
# sanitizers): scripts/fuzz.sh [SECONDS [FOLDER]], an hour in build-fuzz/ unless told otherwise.
# What it finds is left in FOLDER/findings, and makes the script fail.
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

cmake -S . -B "$folder" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release -DPTOSIM_FUZZ=ON \
    >/dev/null
cmake --build "$folder" --target fuzz_reader -j"$(nproc)"

mkdir -p "$folder"/{seeds,corpus,findings}
cp tests/kernels/*.pto "$folder/seeds/"
for kernel in tests/kernels/parametric/*.pto; do
    cp "$kernel" "$folder/seeds/parametric_$(basename "$kernel")"
done
# Words that the reader knows: its own string literals, and the names of instructions.
{
    grep -oh '"[A-Za-z_.][A-Za-z0-9_.]*"' isa/assembly/{bind,plan,verify}/*.cpp isa/assembly/syntax/types.cpp \
        isa/assembly/syntax/parse_*.cpp isa/assembly/syntax/operation_names.cpp isa/attributes.cpp
    grep -oh '"[a-z][a-z0-9_.]*"' isa/instructions*.def | sed 's/^"/"pto./'
} | sort -u >"$folder/words.dict"

"$folder/isa/fuzz_reader" "$folder/corpus" "$folder/seeds" -dict="$folder/words.dict" \
    -artifact_prefix="$folder/findings/" -max_total_time="$seconds" -fork=0 -timeout=60 \
    -rss_limit_mb=2048 -max_len=16384 -len_control=20 -print_final_stats=1
