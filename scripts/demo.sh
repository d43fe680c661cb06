#!/usr/bin/env bash
# Builds cake and shows one schedule on its way: checked, planned, lowered to PTX and run, on a GPU if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
schedule=examples/gemm_sm90a/gemm_sm90a.cake
cakec=build/bin/cakec
ptx=out/gemm_sm90a.ptx
plan=out/gemm_sm90a.plan
mkdir -p build out

say() { printf '\n== %s\n' "$1"; }
shown() {
    printf '$ %s\n' "$*"
    "$@"
}
quietly() {
    "$@" >build/demo.log 2>&1 || { cat build/demo.log; exit 1; }
}

say 'Building'
[ -f build/CMakeCache.txt ] || quietly cmake --preset ci -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF
quietly cmake --build build --parallel "$(nproc)"
shown $cakec --version

say "Checking $schedule"
shown $cakec check $schedule

say 'What lowering derives from it'
shown $cakec $schedule --emit plan -o $plan
sed '/^role /,$d' $plan
echo "The statements of each role, with what they turn into: $plan ($(wc -l <$plan) lines)"

say 'Lowering'
shown $cakec $schedule -o $ptx
printf '%d lines of PTX: %s\n' "$(wc -l <$ptx)" $ptx
for instruction in cp.async.bulk.tensor wgmma.mma_async mbarrier.try_wait setmaxnreg; do
    printf '%6d  %s\n' "$(grep -c "$instruction" $ptx || true)" $instruction
done

say 'Running it against its workload'
shown $cakec run $schedule
