// Steps to 1: a thread per element.
#include "peer.cuh"

__global__ void steps(int64_t n, const int64_t* ns, int64_t* out) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64_t x = ns[i], k = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        k++;
    }
    out[i] = k;
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1);
    int64_t *ns = array<int64_t>(n), *out = array<int64_t>(n);
    each(n, [=] __device__(int64_t i) { ns[i] = i + 1; });
    for (int threads : {128, 256})
        measure("cuda", threads == 128 ? "blocks of 128" : "blocks of 256", [=] {
            steps<<<unsigned((n + threads - 1) / threads), threads>>>(n, ns, out);
        }, out, [=] { return n; }, n);
}
