#!/usr/bin/env bash
# Feeds readers mutated input (libFuzzer, with the address and undefined-behaviour sanitizers):
#
#     scripts/fuzz.sh [SECONDS [FOLDER [TARGET...]]]
#
# an hour of processor time of each target in build-fuzz/ unless told otherwise. Targets: reader (.pto text, the one by
# default), and what is read beside it: chip, npy, plan, recording, suppressions, launch, words (docs/evidence.md);
# these need an ordinary build in build/. What is found is left in FOLDER/TARGET/findings, and makes the script fail;
# a target goes on after a finding. FOLDER/TARGET/log has what libFuzzer says.
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
# Other libraries than the sources' give findings that are none.
if [ "$targets" != reader ]; then
    [ -d build ] || { echo "error: there is no build/ to link with" >&2; echo "  help: scripts/build.sh" >&2; exit 2; }
    cmake --build build -j"$(nproc)" >/dev/null
fi
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
        grep -oh '"[A-Za-z_.][A-Za-z0-9_.]*"' isa/assembly/{bind,context,plan,verify}/*.cpp isa/assembly/syntax/types.cpp \
            isa/assembly/syntax/parse_*.cpp isa/assembly/syntax/operation_names.cpp isa/table/attributes.cpp
        grep -oh '"[a-z][a-z0-9_.]*"' isa/instructions/*.def | sed 's/^"/"pto./'
    } | sort -u >"$1/words.dict"
}

# Processor time of a process so far, in seconds.
processor_seconds() {
    local fields
    fields=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # shellcheck disable=SC2086
    set -- ${fields##*) }
    echo $(((${12} + ${13}) / $(getconf CLK_TCK)))
}

# Runs a target until it has had so many seconds of a processor, whatever else the host does. It writes what it has
# taken to `spent`. Exit code: the target's.
run_for() {
    local limit=$1 taken=0
    shift
    "$@" &
    local fuzzer=$!
    trap 'kill $fuzzer 2>/dev/null' EXIT
    while taken=$(processor_seconds "$fuzzer"); do
        spent=$taken
        if [ "$taken" -ge "$limit" ]; then
            kill -USR1 "$fuzzer" 2>/dev/null || true # it ends after this input
        fi
        sleep 1
        kill -0 "$fuzzer" 2>/dev/null || break
    done
    trap - EXIT
    wait "$fuzzer"
}

failed=0
for target in $targets; do
    place=$folder/$target
    mkdir -p "$place"/{corpus,findings}
    options=(-dict="$place/words.dict" -artifact_prefix="$place/findings/" -rss_limit_mb=2048 -print_final_stats=1
        -timeout=3600) # of elapsed time; targets have a limit of processor time of their own
    if [ "$target" = reader ]; then
        program=$folder/isa/fuzz_reader
        options+=(-max_len=16384 -len_control=20)
        seeds_of_reader "$place"
    else
        program=$folder/tests/fuzz/fuzz_$target
        /usr/bin/python3 scripts/fuzz_inputs.py --ptosim build/ptosim --kind "$target" --seeds "$place"
    fi
    echo "== $target"
    : >"$place/log"
    left=$seconds
    inputs=0
    while [ "$left" -gt 0 ]; do
        spent=0
        run_for "$left" "$program" "$place/corpus" "$place/seeds" "${options[@]}" 2>"$place/run.log" || failed=1
        cat "$place/run.log" >>"$place/log"
        grep -aE '^(==[0-9]+==|SUMMARY:|.*runtime error:|Test unit written)' "$place/run.log" | grep -av libFuzzer: || true
        of_run=$(sed -n 's/^stat::number_of_executed_units: *//p' "$place/run.log")
        inputs=$((inputs + ${of_run:-0}))
        left=$((left - (spent > 0 ? spent : 1)))
        [ "${of_run:-0}" -gt 0 ] || break # it does not run at all
    done
    covered=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$place/log" | tail -1)
    found=$(find "$place/findings" -type f | wc -l)
    echo "$inputs inputs in $((seconds - left)) s of processor time, $covered edges covered, $found findings"
done
exit $failed
