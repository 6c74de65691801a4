// Matrix product f32: cuBLAS without tensor cores (-DNO_CUBLAS leaves it out), and plain tiles in shared memory by hand.
#include "peer.cuh"

#ifndef NO_CUBLAS
#include <cublas_v2.h>
#endif

constexpr int TILE = 64, STEP = 16, EACH = 4;  // 256 threads, each 4 x 4 elements of a tile of 64 x 64

__global__ void tiled(int64_t n, const float* a, const float* b, float* out) {
    __shared__ float as[STEP][TILE + 4], bs[STEP][TILE];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int64_t row = int64_t(blockIdx.y) * TILE, column = int64_t(blockIdx.x) * TILE;
    float sums[EACH][EACH] = {};
    for (int64_t k = 0; k < n; k += STEP) {
        for (int t = threadIdx.x; t < TILE * STEP; t += 256) {
            as[t % STEP][t / STEP] = a[(row + t / STEP) * n + k + t % STEP];
            bs[t / TILE][t % TILE] = b[(k + t / TILE) * n + column + t % TILE];
        }
        __syncthreads();
        for (int s = 0; s < STEP; s++) {
            float x[EACH], y[EACH];
            for (int i = 0; i < EACH; i++) x[i] = as[s][ty * EACH + i], y[i] = bs[s][tx * EACH + i];
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) out[(row + ty * EACH + i) * n + column + tx * EACH + j] = sums[i][j];
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), count = n * n;
    float *a = array<float>(count), *b = array<float>(count), *out = array<float>(count);
    each(count, [=] __device__(int64_t i) {
        a[i] = float(hash(i) % 8) / 8.0f;
        b[i] = float(hash(i + 77) % 8) / 8.0f;
    });
    const auto size = [=] { return count; };
    if (n % TILE == 0)
        measure("cuda", "tiles of 64", [=] { tiled<<<dim3(unsigned(n / TILE), unsigned(n / TILE)), 256>>>(n, a, b, out); }, out, size, count);
#ifndef NO_CUBLAS
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 0;
    cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
    const float one = 1, zero = 0;
    measure("cublas", "sgemm", [=] {  // it takes columns: the product of the transposes in the other order
        const cublasStatus_t s = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(n), int(n), &one, b, int(n), a, int(n), &zero, out, int(n));
        if (s != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasSgemm: %d\n", int(s));
    }, out, size, count);
#endif
}
