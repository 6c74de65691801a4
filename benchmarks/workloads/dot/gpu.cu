// Both are sums: the same program has the peers of both.
#include "../row_sums/gpu.cu"
