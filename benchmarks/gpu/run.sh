#!/bin/bash
# Measures every workload beside their hand-written peers; README.md in this folder says more.
#
#     bash benchmarks/gpu/run.sh cuda [OUT]          needs a GPU, nvcc and the binary, no Rust
#     bash benchmarks/gpu/run.sh check-cuda [OUT]    the tests of tests/spine on the GPU, in every strategy
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec python3 "$here/run.py" "$@"
