#!/bin/bash
# Measures the general and the regular body of entries on the same work; README.md in this folder says more.
#
#     bash benchmarks/regular/run.sh [OPTIONS OF terrace bench]        for example --threads 1
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
terrace=${TERRACE_BIN:-$here/../../target/release/terrace}

least() {
  "$terrace" bench "$here/rows.tce" --entry "$1" --from "$2" "$3" "$4" "$5" --backend c --seconds 1 "${@:6}" |
    sed -n 's/.*least \([0-9.]*\).*/\1/p'
}

lower() {
  awk -v a="$1" -v b="$2" 'BEGIN { print (a < b) ? a : b }'
}

printf '%-10s %9s %6s %12s %12s %6s\n' entry rows of general_ms regular_ms ratio
for case in "row_sums matrix" "spmv sparse" "centred matrix"; do
  read -r entry maker <<< "$case"
  for size in "1000 1000" "10000 100" "100000 10" "300000 3"; do
    read -r n m <<< "$size"
    general=1e9 regular=1e9
    for _ in 1 2 3; do
      regular=$(lower "$regular" "$(least "$entry" "$maker" "$n" "$m" 0 "$@")")
      general=$(lower "$general" "$(least "$entry" "$maker" "$n" "$m" 1 "$@")")
    done
    ratio=$(awk -v g="$general" -v r="$regular" 'BEGIN { printf "%.2f", g / r }')
    printf '%-10s %9s %6s %12s %12s %6s\n' "$entry" "$n" "$m" "$general" "$regular" "$ratio"
  done
done
