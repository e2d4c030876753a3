#!/usr/bin/env bash
# Tests the debug adapter and the language server with VS Code's own clients, and packs the extension. Needs npm; its
# packages come from npm. Not part of scripts/test.sh.
#
#   scripts/test_editors.sh [PTOSIM]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$root/build/ptosim}")

command -v npm >/dev/null || {
    echo "error: npm is missing" >&2
    echo "  help: apt-get install npm" >&2
    exit 2
}
cd "$root/scripts/vscode"
npm ci --ignore-scripts --no-audit --no-fund >/dev/null
npm run check
npm run build
timeout -k 5 300 node test/adapter.mjs "$program"
timeout -k 5 120 node test/server.mjs "$program"
npm run pack
