# Sourced by the scripts that make an environment for a checkout of another project: reads the words of their command,
#
#     CHECKOUT [ENV] [--ptosim BIN] [--jobs N]
#
# into $checkout, $env (default: CHECKOUT/.ptosim), $ptosim and $jobs (default: all processors). Before it, $usage is set, and $needed to a file that
# the checkout has.

fail() { # MESSAGE [REMEDY]
    echo "error: $1" >&2
    [ $# -lt 2 ] || echo "  help: $2" >&2
    exit 2
}

make_python() { # PACKAGE...: $python in a virtual environment below $env, once
    python=$env/venv/bin/python
    [ ! -f "$env/venv/done" ] || return 0
    python3 -m venv "$env/venv"
    "$python" -m pip install -q "$@"
    touch "$env/venv/done"
}

ptosim=$(dirname "$0")/../build/ptosim
jobs=$(nproc)
words=()
while [ $# -gt 0 ]; do
    case $1 in
    --ptosim) ptosim=${2:?"--ptosim needs a value"} && shift ;;
    --jobs) jobs=${2:?"--jobs needs a value"} && shift ;;
    -*) fail "unknown option '$1'" "$usage" ;;
    *) words+=("$1") ;;
    esac
    shift
done
[ ${#words[@]} -ge 1 ] || fail "there is no checkout" "$usage"
checkout=$(realpath "${words[0]}") || exit 2
env=$(realpath -m "${words[1]:-$checkout/.ptosim}")
[ -f "$checkout/$needed" ] || fail "$checkout has no $needed" "$usage"
[ -x "$ptosim" ] || fail "$ptosim is not there" "scripts/build.sh makes it, or name one by --ptosim"
ptosim=$(realpath "$ptosim")
