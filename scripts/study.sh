#!/usr/bin/env bash
# Runs a study of models/studies and writes its tables and plots:
#
#   scripts/study.sh buffers_950 [FOLDER]      FOLDER: default build/studies/NAME
#
# A study that was stopped goes on where it was.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: scripts/study.sh STUDY [FOLDER]" >&2
    echo "  studies: $(cd "$home/models/studies" && basename -s .json -- *.json | tr '\n' ' ')" >&2
    exit 2
fi
name=$(basename "$1" .json)
[ -f "$home/models/studies/$name.json" ] || {
    echo "error: there is no study $name" >&2
    echo "  help: studies are $(cd "$home/models/studies" && basename -s .json -- *.json | tr '\n' ' ')" >&2
    exit 2
}
out=$(realpath -m "${2:-$home/build/studies/$name}")
cd "$home"
[ -x build/ptosim ] || scripts/build.sh --program
mkdir -p "$out"
build/ptosim sweep "models/studies/$name.json" --out "$out/points.sweep"
build/ptosim sweep report "$out/points.sweep" --html "$out/report.html" --png "$out" --csv "$out/points.csv"
echo "report: $out/report.html"
