#!/usr/bin/env bash
# Builds the whole program under sanitizers, and runs tests with it:
#
#     scripts/sanitize.sh address|thread [CTEST OPTIONS]     the program and libptosim, instrumented
#     scripts/sanitize.sh valgrind [BUILD]                   compiled hosts of an ordinary build, under memcheck
#
# `address` is the address and undefined-behaviour sanitizers with the assertions of the C++ library. Tests are those of
# `quick` unless CTEST OPTIONS choose others (-R sweep; -R . for all). PTOSIM_BUILD names another folder than
# build-sanitized/address. tests/sanitize/README.md says what has been run, and how switches of stacks are told.
set -euo pipefail
cd "$(dirname "$0")/.."

under_valgrind() {
    local folder=$1
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cc -O1 -shared -fPIC tests/sanitize/valgrind_stacks.c -o "$work/stacks.so"
    "$folder/ptosim" build tests/cpp/scale_kernel.cpp tests/cpp/scale_main.cpp -o "$work/one_thread"
    "$folder/ptosim" build tests/cpp/scale_kernel.cpp tests/sanitize/threads_main.cpp -o "$work/threads"
    for host in one_thread threads; do
        echo "== $host"
        (cd "$work" && LD_PRELOAD=$work/stacks.so LD_LIBRARY_PATH=$folder valgrind -q --error-exitcode=99 \
            --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
            --show-leak-kinds=definite,indirect,possible "./$host")
    done
}

case "${1:-}" in
    address) sanitizers=address,undefined ;;
    thread) sanitizers=thread ;;
    valgrind)
        under_valgrind "$(realpath "${2:-build}")"
        exit
        ;;
    *)
        sed -n 's/^# \?//; 2,10p' "$0" >&2
        exit 2
        ;;
esac
folder=${PTOSIM_BUILD:-build-sanitized/$1}
unset PTOSIM_BUILD # the program warns of variables with its prefix that it does not know
shift
quick='^(isa_assembly|isa_semantics|isa_semantics_plain|isa_table|goldens|kernels|machine|check_kernels|broken_off|cross_core|fifo|buffer_id|dialect|dry_run|unit_flags|embedding)$'

cmake -S . -B "$folder" -DPTOSIM_SANITIZE=$sanitizers -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS=-g1 >/dev/null
case "$*" in
    *"-R .") targets=(all) ;;
    *) targets=(ptosim libptosim isa_tests) ;;
esac
cmake --build "$folder" --target "${targets[@]}" --parallel "$(nproc)"

# Hosts that tests compile are not instrumented: the runtime comes before them, and before it what tells of switches of
# stacks. Compilers leak.
# Faults are the program's to explain: it has handlers of its own.
export ASAN_OPTIONS=detect_leaks=0:exitcode=99:verify_asan_link_order=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0
export TSAN_OPTIONS=exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1
runtime=$([ $sanitizers = thread ] && echo libtsan.so || echo libasan.so)
"${CXX:-c++}" -std=c++20 -O1 -shared -fPIC "-fsanitize=${sanitizers%%,*}" tests/sanitize/fibers.cpp -o "$folder/fibers.so"
LD_PRELOAD="$(realpath "$folder/fibers.so") $(realpath "$("${CXX:-c++}" -print-file-name=$runtime)")"
export LD_PRELOAD
if [ $# -eq 0 ]; then set -- -R "$quick"; fi
exec ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" "$@"
