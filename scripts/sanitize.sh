#!/usr/bin/env bash
# Builds the whole program under sanitizers, and runs tests with it:
#
#     scripts/sanitize.sh quick|address|thread [all|CTEST OPTIONS]   the program and libptosim, instrumented
#     scripts/sanitize.sh valgrind [BUILD]                           compiled hosts of an ordinary build, under memcheck
#
# `address` is the address and undefined-behaviour sanitizers with the assertions of the C++ library; `quick` is the same
# but for checks of each pointer, for which compilers take half as long again, and most of which the address sanitizer
# makes in its way. Tests are those of the label `sanitized`, which take little time, unless CTEST OPTIONS choose others
# of the program (-R sweep), or `all` all, tests of C++ included.
# The build is in build-sanitized/, in a folder of that name; PTOSIM_BUILD names another. tests/evidence/sanitize.json says
# what has been run, and how switches of stacks are told.
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

once=-Og
leave_out=()
case "${1:-}" in
    # All of `undefined` but null, alignment, object-size and pointer-overflow.
    quick)
        sanitizers=address,shift,integer-divide-by-zero,unreachable,vla-bound,return,signed-integer-overflow,bounds
        sanitizers+=,nonnull-attribute,returns-nonnull-attribute,bool,enum,vptr,builtin
        once='-O0;--param=asan-instrumentation-with-call-threshold=0' # what compiles fastest
        ;;
    address) sanitizers=address,undefined ;;
    thread)
        sanitizers=thread
        # 'cmake --install' does not end under its runtime; the third counts allocations by its own allocator.
        leave_out=(-E '^(embedding|install|steady)$')
        ;;
    valgrind)
        under_valgrind "$(realpath "${2:-build}")"
        exit
        ;;
    *)
        sed -n '2,12s/^# \?//p' "$0" >&2
        exit 2
        ;;
esac
folder=${PTOSIM_BUILD:-build-sanitized/$1}
unset PTOSIM_BUILD # the program warns of variables with its prefix that it does not know
shift

cmake -S . -B "$folder" -DPTOSIM_SANITIZE=$sanitizers -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS="-g1 -Og" "-DPTOSIM_RUNS_ONCE=$once" >/dev/null
target=sanitized
if [ "${1:-}" = all ]; then
    target=all
    shift
elif [ $# -eq 0 ]; then
    set -- -L '^sanitized$'
fi
# What numpy has computed for another build of these sources is as good here.
if [ -e build/goldens ] && [ ! -e "$folder/goldens" ]; then cp -a build/goldens "$folder/"; fi
cmake --build "$folder" --target $target --parallel "$(nproc)"

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
exec ctest --test-dir "$folder" --output-on-failure --parallel $(($(nproc) + 1)) "${leave_out[@]}" "$@"
