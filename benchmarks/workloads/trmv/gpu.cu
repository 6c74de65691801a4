// Packed lower triangle times vector: a warp per row, a block per row, and cuBLAS (-DNO_CUBLAS leaves it out), packed and in a square of which half
// is not used. Rows of the lower triangle one after the other are the columns of an upper triangle, so the library multiplies by the transpose.
#include "peer.cuh"

#ifndef NO_CUBLAS
#include <cublas_v2.h>
#endif

__global__ void warp_per_row(int64_t n, const float* m, const float* v, float* out) {
    const int64_t r = n - 1 - (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (r < 0) return;
    const float* row = m + r * (r + 1) / 2;
    float s = 0;
    for (int j = threadIdx.x % 32; j <= r; j += 32) s = fmaf(row[j], v[j], s);
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) out[r] = s;
}

__global__ void block_per_row(int64_t n, const float* m, const float* v, float* out) {
    const int64_t r = n - 1 - blockIdx.x;
    const float* row = m + r * (r + 1) / 2;
    float s = 0;
    for (int j = threadIdx.x; j <= r; j += blockDim.x) s = fmaf(row[j], v[j], s);
    s = block_sum(s);
    if (threadIdx.x == 0) out[r] = s;
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1);
    float *m = array<float>(n * (n + 1) / 2), *v = array<float>(n), *out = array<float>(n);
    each(n * n, [=] __device__(int64_t k) {
        const int64_t i = k / n, j = k % n;
        if (j <= i) m[i * (i + 1) / 2 + j] = float(hash(i * n + j) % 8) / 8.0f;
    });
    each(n, [=] __device__(int64_t i) { v[i] = float(hash(i + 5) % 8) / 8.0f; });
    const auto size = [=] { return n; };
    measure("cuda", "a warp per row", [=] { warp_per_row<<<unsigned((n * 32 + 255) / 256), 256>>>(n, m, v, out); }, out, size, n);
    measure("cuda", "a block per row", [=] { block_per_row<<<unsigned(n), 256>>>(n, m, v, out); }, out, size, n);
#ifndef NO_CUBLAS
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 0;
    measure("cublas", "stpmv", [=] {
        CUDA(cudaMemcpyAsync(out, v, size_t(n) * 4, cudaMemcpyDeviceToDevice));
        const cublasStatus_t s = cublasStpmv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, int(n), m, out, 1);
        if (s != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasStpmv: %d\n", int(s));
    }, out, size, n);
    float* square = array<float>(n * n);
    each(n * n, [=] __device__(int64_t k) {
        const int64_t i = k / n, j = k % n;
        if (j <= i) square[k] = m[i * (i + 1) / 2 + j];
    });
    measure("cublas", "strmv, a square", [=] {
        CUDA(cudaMemcpyAsync(out, v, size_t(n) * 4, cudaMemcpyDeviceToDevice));
        const cublasStatus_t s = cublasStrmv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, int(n), square, int(n), out, 1);
        if (s != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasStrmv: %d\n", int(s));
    }, out, size, n);
#endif
}
