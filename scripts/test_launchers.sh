#!/usr/bin/env bash
# Runs a sweep under Open MPI and under a Slurm of one machine, kills workers in the middle, and
# checks that nothing is lost and nothing that was done runs again. Needs root (slurmd) and the
# Debian packages openmpi-bin, slurm-wlm and munge; takes about a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
ptosim=$(realpath "${PTOSIM:-build/ptosim}")
for tool in mpirun slurmctld slurmd munged; do
    command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin
    command -v "$tool" >/dev/null || {
        echo "error: $tool is missing: apt-get install openmpi-bin slurm-wlm munge" >&2
        exit 2
    }
done

work=$(mktemp -d)
pids=()
finish() {
    if [ ${#pids[@]} -gt 0 ]; then
        kill "${pids[@]}" 2>/dev/null || true
        wait "${pids[@]}" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
cp tests/kernels/parametric/gemm.pto "$work"
cat >"$work/plan.json" <<'PLAN'
{"chips": ["ascend910b1"], "set": {"aic.l0c.bytes": ["64KiB", "128KiB", "256KiB"]},
 "kernels": [{"file": "gemm.pto",
   "params": {"M": 2048, "N": 2048, "K": 2048, "C_SLOTS": [1, 2], "TM": [64, 128], "SK": [16, 32, 64]},
   "arguments": ["zeros=${M}x${K}xf16", "zeros=${K}x${N}xf16", "zeros=${M}x${N}xf32"]}]}
PLAN

# results FILE...: key, cycles, seconds and time of the end of every result
results() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import sqlite3, sys
for name in sys.argv[1:]:
    with sqlite3.connect(f"file:{name}?mode=ro", uri=True) as db:
        for row in db.execute("SELECT key, status, cycles, seconds, finished FROM result"):
            print(*row)
PYTHON
}

# check NAME: runs the plan with the launcher in "${launcher[@]}" and kills a worker meanwhile
check() {
    local out=$work/$1.sweep
    "$ptosim" sweep "$work/plan.json" --out "$out" "${launcher[@]}" >"$work/$1.txt" 2>&1 &
    local sweep=$!
    # Wait until some results are there, then kill one of the workers with its children.
    for _ in $(seq 600); do
        shards=("$out".shard-*-of-2)
        [ -e "${shards[0]}" ] && [ "$(results "${shards[@]}" 2>/dev/null | wc -l)" -ge 4 ] && break
        sleep 0.05
    done
    victim=$(pgrep -f "$out.*--shard [^ ]*(0|mpi)/2" | tail -1)
    results "${shards[@]}" | sort >"$work/before"
    kill -KILL "$victim"
    wait "$sweep" || true
    if ! grep -q " 0 failed, 5 skipped; in" "$work/$1.txt"; then
        "$ptosim" sweep "$work/plan.json" --out "$out" "${launcher[@]}" >>"$work/$1.txt" 2>&1
    fi
    results "$out" | sort >"$work/after"
    "$ptosim" sweep "$work/plan.json" --out "$work/here.sweep" >/dev/null
    local kept lost total
    kept=$(wc -l <"$work/before")
    lost=$(comm -23 "$work/before" "$work/after" | wc -l)
    total=$(wc -l <"$work/after")
    diff <(results "$out" | cut -d' ' -f1-3 | sort) <(results "$work/here.sweep" | cut -d' ' -f1-3 | sort) ||
        { echo "$1: results differ from a local sweep"; exit 1; }
    [ "$lost" -eq 0 ] && [ "$total" -eq 31 ] && [ "$kept" -ge 4 ] ||
        { echo "$1: $lost of $kept results lost or run again, $total of 31 in all"; cat "$work/$1.txt"; exit 1; }
    echo "$1: a worker was killed after $kept of 31 results; all 31 are there, none was run twice"
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launcher=(--launcher mpi --workers 2 --launcher-option=--oversubscribe)
check mpi

mkdir -p "$work/slurm/state" "$work/slurm/spool"
dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 2>/dev/null
chmod 600 "$work/munge.key"
mkdir -m 755 "$work/munge"
munged --force --foreground --key-file="$work/munge.key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munge.txt" 2>&1 &
pids+=($!)
cat >"$work/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/ctld.pid
SlurmdPidFile=$work/slurm/d.pid
SlurmctldLogFile=$work/slurm/ctld.log
SlurmdLogFile=$work/slurm/d.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -D >"$work/slurmctld.txt" 2>&1 & pids+=($!)
slurmd -D >"$work/slurmd.txt" 2>&1 & pids+=($!)
for _ in $(seq 100); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.2
done
launcher=(--launcher slurm --workers 2)
check slurm
