#!/usr/bin/env bash
# Runs every spine test on a GPU: each file in each strategy, at tiny and at normal tile sizes.
# Usage: check_cuda.sh OUT   (TERRACE_BIN names the release binary; the default is target/release/terrace)
set -u
out=${1:?where to write}
bin=${TERRACE_BIN:-target/release/terrace}
mkdir -p "$out"
one() {
  set -- $1
  result=$(timeout 300 "$BIN" test "$1" --backend cuda --strategy "$2" --tiles "$3" 2>"$LOGS/$(basename "$1").$2.$3.log" | tail -n 1)
  echo "$1 $2 $3: ${result:-no result}"
}
export -f one
export BIN=$bin LOGS=$(mktemp -d)
for file in tests/spine/*.tce; do
  for how in "seq tiny" "outer tiny" "block tiny" "flat tiny" "mix:1 tiny" "mix:2 tiny" "flat normal" "outer normal" "block normal"; do
    echo "$file $how"
  done
done | xargs -P "${JOBS:-12}" -I{} bash -c 'one "{}"' >"$out/check_cuda.txt"
sort -o "$out/check_cuda.txt" "$out/check_cuda.txt"
grep -v ' 0 failed$' "$out/check_cuda.txt"
cat "$LOGS"/*.log | grep -v '^warning' | grep '^error' | sort | uniq -c | sort -rn | head -20
awk '{for (i = 1; i < NF; i++) { if ($(i+1) == "passed,") p += $i; if ($(i+1) == "failed") f += $i } if ($0 ~ /no result/) n++} END {printf "%d passed, %d failed, %d files without a result\n", p, f, n}' "$out/check_cuda.txt"
