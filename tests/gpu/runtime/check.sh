#!/usr/bin/env bash
# The runtime on a real GPU of architecture sm_90: check.sh CAKERUN. Each kernel is written by hand, none is compiled.
# Prints what was wrong and ends with status 1, or 'all right'.
set -u
tool=$1
folder=$(dirname "$0")
failures=0

# expect STATUS TEXT ARGUMENTS...: the tool ends with STATUS and says TEXT.
expect() {
    local wanted=$1 text=$2 output status
    shift 2
    output=$("$tool" "$@" 2>&1)
    status=$?
    echo "$ cakerun $* -> $status"
    echo "$output" | sed 's/^/    /' | head -12
    if [ $status -ne "$wanted" ] || ! grep -qF -- "$text" <<<"$output"; then
        echo "WRONG: wanted status $wanted and '$text'"
        failures=$((failures + 1))
    fi
}

expect 0 "y: right, 1000 elements" run "$folder/copy.ptx"
expect 0 "y: right, 0 elements" run "$folder/copy.ptx" -D N=0
expect 0 "y: right" run "$folder/copy.ptx" --shape large
expect 0 "y: right" run "$folder/add.ptx" --seed 5
expect 0 "y: right, 7200 elements" run "$folder/tma_copy.ptx"
expect 0 "y: right" run "$folder/tma_copy.ptx" -D M=33 -D N=4
expect 1 "which is no multiple of 16" run "$folder/tma_copy.ptx" -D N=71
expect 1 "4 bytes behind it changed" run "$folder/overrun.ptx"
expect 1 "CUDA_ERROR_ILLEGAL_ADDRESS" run "$folder/fault.ptx"
expect 1 "did not end within 3 s" run "$folder/hang.ptx" --timeout 3
expect 0 "y: right, 1000 elements" run "$folder/copy.ptx" # the device lives on
expect 1 "ptxas" run "$folder/broken.ptx"
expect 3 "there is no device cuda:99" run "$folder/copy.ptx" --device cuda:99
expect 0 "GB/s" bench "$folder/copy.ptx" --shape large
expect 0 "GB/s" bench "$folder/copy.ptx" --shape large --cold
expect 0 "GB/s" bench "$folder/add.ptx" --shape large --reps 20
expect 0 "GB/s" bench "$folder/tma_copy.ptx" --shape large
expect 0 "median" bench "$folder/copy.ptx" --format text
expect 0 '"cold_l2": true' bench "$folder/copy.ptx" --cold --format json
expect 1 "did not end within 3 s" bench "$folder/hang.ptx" --timeout 3

[ $failures -eq 0 ] && echo "all right" || echo "$failures wrong"
exit $((failures != 0))
