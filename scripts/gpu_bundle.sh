#!/usr/bin/env bash
# Fills build/gpu with what a machine with a GPU needs to check and measure the examples and faults without the compiler:
#   cakerun
#   examples/     each example's schedule and workload, and its code NAME[__STATIC].ptx for every shape; beside them
#                 the schedules of tests/gpu/schedules, which no example needs
#   faults/       the pairs of tests/pairs/S*, as PTX CODE/CASE.{bad,ok}.ptx
#   *.ptx         what bench/compare.py compares with the libraries
# and a cubin beside each PTX where ptxas is installed. gpu_bundle.sh [FOLDER]: takes the tools from FOLDER, and does not
# build them.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/gpu.part
if [ $# -gt 0 ]; then
    tools=$1
else
    cmake --preset release >/dev/null
    cmake --build --preset release --parallel "$(nproc)" --target cakec cakerun
    tools=build/release/bin
fi
rm -rf $out
mkdir -p $out/examples
cp "$tools/cakerun" $out/

failures=0

# compile SCHEDULE STEM [-D NAME=VALUE]...
compile() {
    local schedule=$1 stem=$2
    shift 2
    if ! "$tools/cakec" "$schedule" -o "$stem.ptx" "$@"; then
        failures=$((failures + 1))
    elif command -v ptxas >/dev/null; then
        "$tools/cakec" "$schedule" --emit cubin -o "$stem.cubin" "$@" || failures=$((failures + 1))
    fi
}

for folder in examples/*/; do
    name=$(basename "$folder")
    [ -e "$folder$name.work" ] || continue # nothing to compare with
    cp "$folder$name.cake" "$folder$name.work" $out/examples/
    while read -r variant definitions; do
        compile "$folder$name.cake" "$out/examples/$variant" $definitions
    done < <(python3 tests/examples/workload.py "$folder")
done

for schedule in tests/gpu/schedules/*.cake; do
    cp "$schedule" "${schedule%.cake}.work" $out/examples/
    while read -r variant definitions; do
        compile "$schedule" "$out/examples/$variant" $definitions
    done < <(python3 tests/examples/workload.py "$schedule")
done

# The pairs of schedules with and without a fault that shows when they run, as far as they are not refused before.
for folder in tests/pairs/S*/; do
    code=$(basename "$folder")
    mkdir -p "$out/faults/$code"
    cp "$folder"* "$out/faults/$code/"
    for schedule in "$folder"*.cake; do
        name=$(basename "$schedule" .cake)
        "$tools/cakec" "$schedule" -o "$out/faults/$code/$name.ptx" || echo "gpu_bundle: left out" >&2
    done
done

compile examples/gemm_sm90a/gemm_sm90a.cake $out/gemm
compile examples/gemm_sm90a/gemm_sm90a.cake $out/gemm_n128 -D BN=128 -D STAGES=6
compile examples/gemm_cluster_sm90a/gemm_cluster_sm90a.cake $out/gemm_cluster
compile examples/gemm_cluster_sm90a/gemm_cluster_sm90a.cake $out/gemm_cluster_n128 -D BN=128 -D STAGES=6
for d in 64 128; do
    compile examples/attention_sm90a/attention_sm90a.cake $out/attention_$d -D D=$d
    compile examples/attention_causal_sm90a/attention_causal_sm90a.cake $out/causal_attention_$d -D D=$d
done
for name in rmsnorm softmax layernorm; do
    for n in 1024 4096 8192; do
        for warps in 2 4 8; do
            compile examples/$name/$name.cake $out/${name}_${n}_w$warps -D N=$n -D WARPS=$warps
        done
    done
done

# Only now, so that an interrupted run leaves the last bundle as it was.
mkdir -p build/gpu
rm -rf build/gpu/examples build/gpu/faults build/gpu/*.ptx build/gpu/*.cubin build/gpu/*.cubin.json
mv $out/* build/gpu/
rmdir $out
du -sh build/gpu
[ $failures -eq 0 ] || { echo "gpu_bundle: $failures did not compile" >&2; exit 1; }
