#!/usr/bin/env bash
# Runs a study of models/studies and writes its tables and plots:
#
#   scripts/study.sh buffers_950 [FOLDER]      FOLDER: default build/studies/NAME
#
# A study that was stopped goes on where it was.
set -euo pipefail
cd "$(dirname "$0")/.."
plan=models/studies/${1:?which study? $(cd models/studies && ls -- *.json)}
plan=${plan%.json}.json
[ -f "$plan" ] || { echo "error: there is no study $plan" >&2; exit 2; }
[ -x build/ptosim ] || scripts/build.sh --program
name=$(basename "$plan" .json)
out=${2:-build/studies/$name}
mkdir -p "$out"
build/ptosim sweep "$plan" --out "$out/points.sweep"
build/ptosim sweep report "$out/points.sweep" --html "$out/report.html" --png "$out" --csv "$out/points.csv"
echo "report: $out/report.html"
