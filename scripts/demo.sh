#!/usr/bin/env bash
# Builds ptosim and its library, runs the demo kernels on a simulated Ascend 910B1, compares their results with numpy
# goldens, and writes their swimlanes. After it, all of docs/start.md works; scripts/build.sh builds the other commands.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-demo-out}
python=/usr/bin/python3  # Debian's, for which scripts/setup.sh installs numpy

scripts/build.sh --kernels
mkdir -p "$out"
"$python" tests/kernels/goldens.py "$out/data" gemm_f16 gemm_f16_single softmax_rows_f32 attention_f16

ptosim=$PWD/build/ptosim
kernels=$PWD/tests/kernels
traces=$(cd "$out" && pwd)
run() {  # name, then ptosim's arguments
    local name=$1
    shift
    echo
    echo "==== $name"
    (cd "$out/data" && "$ptosim" run "$@" --trace "$traces/$name" \
        --trace-formats html,report,agent,chrome,json,lanes,summary)
}

run gemm_f16 "$kernels/gemm_f16.pto" --blocks 16 \
    --arg in=gemm_f16/a.npy --arg in=gemm_f16/b.npy --arg out=512x512xf32 \
    --arg i32=512 --arg i32=512 --arg i32=512 --golden 2=gemm_f16/c.golden.npy
run gemm_f16_single "$kernels/gemm_f16_single.pto" --blocks 16 \
    --arg in=gemm_f16_single/a.npy --arg in=gemm_f16_single/b.npy --arg out=512x512xf32 \
    --arg i32=512 --arg i32=512 --arg i32=512 --golden 2=gemm_f16_single/c.golden.npy
run softmax_rows_f32 "$kernels/softmax_rows_f32.pto" --blocks 16 \
    --arg in=softmax_rows_f32/x.npy --arg out=1024x512xf32 --arg i32=1024 \
    --golden 1=softmax_rows_f32/y.golden.npy
run attention_f16 "$kernels/attention_f16.pto" --blocks 8 \
    --arg in=attention_f16/q.npy --arg in=attention_f16/k.npy --arg in=attention_f16/v.npy \
    --arg zeros=8x2x128x128xf32 --arg zeros=8x2x128x128xf16 --arg zeros=8x2x128x64xf32 \
    --arg out=1024x64xf32 --arg i32=4 --arg i32=256 --arg i32=512 \
    --golden 6=attention_f16/o.golden.npy

echo
echo "All results equal their goldens bit for bit. $traces/*/trace.json opens in https://ui.perfetto.dev; scripts"
echo "read agent.json, report.json and lanes.json next to it. On a remote machine, serve the pages:"
echo "python3 -m http.server --directory $(printf %q "$traces") --bind 127.0.0.1 8000"
echo
echo "Look at $("$python" -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).as_uri())' "$traces/attention_f16/report.html")"
