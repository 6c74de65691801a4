#!/bin/bash
# Builds, checks and measures the kernel templates on the CUDA device of this machine.
#
#     bash benchmarks/kernels/run.sh [OUT] [section ..]
#
# OUT (default: a new folder under /tmp) gets kernels.json, kernels.txt (everything printed) and build.txt (registers, spills).
# Sections are scan, pack, rows, spmv, map, sort; default all. Needs nvcc; NVCC, LIMIT (seconds per section) and BUILD (a folder
# in which the programs are kept, for a profiler) may be set.
# Sections are built side by side and run one after the other, each a process with a time limit, so one failure spoils one section.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$(mktemp -d /tmp/kernels.XXXXXX)}
shift || true
sections=${*:-scan pack rows spmv map sort}
nvcc=${NVCC:-nvcc}
limit=${LIMIT:-90}
mkdir -p "$out"
build=${BUILD:-$(mktemp -d /tmp/kernels-build.XXXXXX)}
mkdir -p "$build"
parts=$(mktemp -d /tmp/kernels-parts.XXXXXX)
trap '[ -n "${BUILD:-}" ] || rm -rf "$build"; rm -rf "$parts"' EXIT

source_of() { case $1 in rows) echo bench_segments.cu ;; *) echo "bench_$1.cu" ;; esac; }
flags="-O3 -std=c++17 -arch=sm_90 -fmad=false -Xptxas -v"

# Where the toolkit of nvcc lacks CUB or cuSPARSE, another copy on the machine will do (Python packages carry them).
find_file() { find /usr/local /opt /usr/lib /usr/include "${HOME:-/root}" -name "$1" -path "$2" 2>/dev/null | sort | head -1; }
echo '#include <cub/version.cuh>' >"$build/probe.cu"
cub=""
if ! $nvcc -arch=sm_90 -c "$build/probe.cu" -o "$build/probe.o" >/dev/null 2>&1; then
    found=$(find_file cub.cuh '*/cub/cub.cuh')
    [ -n "$found" ] && cub="-I$(dirname "$(dirname "$found")")"
fi
printf '#include <cusparse.h>\nint main() { return cusparseGetProperty(MAJOR_VERSION, 0) == 0; }\n' >"$build/probe.cu"
sparse="-lcusparse"
if ! $nvcc -arch=sm_90 "$build/probe.cu" -o "$build/probe" -lcusparse >/dev/null 2>&1; then
    header=$(find_file cusparse.h '*/cusparse.h')
    library=$(find_file 'libcusparse.so.*' '*/libcusparse.so.*')
    sparse="-DNO_CUSPARSE"
    if [ -n "$header" ] && [ -n "$library" ]; then
        sparse="-I$(dirname "$header") $library"
        export LD_LIBRARY_PATH="$(dirname "$library"):$(dirname "$library")/../../nvjitlink/lib:${LD_LIBRARY_PATH:-}"
    fi
fi
echo "cub: ${cub:-with nvcc}; cuSPARSE: $sparse"

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
echo "{\"kind\":\"run\",\"date\":\"$(date +%F)\",\"driver\":\"$driver\",\"nvcc\":\"$($nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')\"}" >"$parts/0.jsonl"

began=$SECONDS
for s in $sections; do
    (
        more=$cub
        [ "$s" = spmv ] && more=$sparse
        $nvcc $flags -I"$here" "$here/$(source_of "$s")" -o "$build/$s" $more >"$build/$s.txt" 2>&1
        if [ ! -x "$build/$s" ] && [ "$s" = spmv ]; then
            echo "without cuSPARSE:" >>"$build/$s.txt"
            $nvcc $flags -DNO_CUSPARSE -I"$here" "$here/$(source_of "$s")" -o "$build/$s" >>"$build/$s.txt" 2>&1
        fi
    ) &
done
wait
{
    for s in $sections; do
        echo "== $s"
        grep -E "error|Compiling entry|Used|spill" "$build/$s.txt" | grep -v cub | c++filt 2>/dev/null
    done
} >"$out/build.txt"
echo "built in $((SECONDS - began)) s"

{
    for s in $sections; do
        if [ ! -x "$build/$s" ]; then
            echo "FAILED to build $s"
            grep -E "error" "$build/$s.txt" | head -10
            continue
        fi
        began=$SECONDS
        timeout -k 5 "$limit" "$build/$s" "$parts/$s.jsonl"
        code=$?
        { [ $code -eq 124 ] || [ $code -eq 137 ]; } && echo "FAILED $s: stopped after $limit s"
        [ $code -gt 2 ] && [ $code -ne 124 ] && [ $code -ne 137 ] && echo "FAILED $s: exit code $code"
        echo "$s: $((SECONDS - began)) s"
    done
    echo
    echo "| kernel   | case                             | shape                  |   ours ms | peer                 |   peer ms |  ratio |   GB/s | limit |"
    echo "| -------- | -------------------------------- | ---------------------- | --------- | -------------------- | --------- | ------ | ------ | ----- |"
} 2>&1 | tee "$out/kernels.txt"
grep -hE "^\| (scan|pack|rows|spmv|map|sort) " "$out/kernels.txt" >"$parts/table.txt"
grep -h "FAILED" "$out/kernels.txt" >"$parts/failed.txt"
{ cat "$parts/table.txt"; echo; [ -s "$parts/failed.txt" ] && { echo "failures:"; head -30 "$parts/failed.txt"; }; } | tee -a "$out/kernels.txt"
{
    echo "["
    cat "$parts"/*.jsonl 2>/dev/null | sed '$!s/$/,/'
    echo "]"
} >"$out/kernels.json"
echo "wrote $out/kernels.json"
