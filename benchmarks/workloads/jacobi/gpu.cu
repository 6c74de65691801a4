// One step of a stencil with clamped borders: a thread per cell, and one with the tile and its border in shared memory.
#include "peer.cuh"

__device__ inline int clamped(int i, int n) { return i < 0 ? 0 : i > n - 1 ? n - 1 : i; }

template <int R>
__global__ void plain(int n, float scale, const float* grid, float* out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int di = -R; di <= R; di++)
        for (int dj = -R; dj <= R; dj++) s += grid[int64_t(clamped(i + di, n)) * n + clamped(j + dj, n)];
    out[int64_t(i) * n + j] = scale * s;
}

template <int R>
__global__ void tiled(int n, float scale, const float* grid, float* out) {
    __shared__ float tile[16 + 2 * R][32 + 2 * R];
    const int row = blockIdx.y * 16, column = blockIdx.x * 32;
    for (int i = threadIdx.y; i < 16 + 2 * R; i += 16)
        for (int j = threadIdx.x; j < 32 + 2 * R; j += 32) tile[i][j] = grid[int64_t(clamped(row + i - R, n)) * n + clamped(column + j - R, n)];
    __syncthreads();
    const int i = row + threadIdx.y, j = column + threadIdx.x;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int di = 0; di <= 2 * R; di++)
        for (int dj = 0; dj <= 2 * R; dj++) s += tile[threadIdx.y + di][threadIdx.x + dj];
    out[int64_t(i) * n + j] = scale * s;
}

template <int R>
void both(int n, float scale, const float* grid, float* out) {
    const int64_t count = int64_t(n) * n;
    const dim3 blocks((n + 31) / 32, (n + 15) / 16), threads(32, 16);
    measure("cuda", "a thread per cell", [=] { plain<R><<<blocks, threads>>>(n, scale, grid, out); }, out, [=] { return count; }, count);
    measure("cuda", "tiles in shared memory", [=] { tiled<R><<<blocks, threads>>>(n, scale, grid, out); }, out, [=] { return count; }, count);
}

int main(int argc, char** argv) {
    const int size = int(argument(argc, argv, 1)), n = int(argument(argc, argv, 2));
    float *grid = array<float>(size_t(n) * n), *out = array<float>(size_t(n) * n);
    each(int64_t(n) * n, [=] __device__(int64_t k) { grid[k] = float(hash(k) % 64) / 8.0f; });
    if (size == 3) both<1>(n, 0.11111111f, grid, out);
    if (size == 5) both<2>(n, 0.04f, grid, out);
    if (size == 7) both<3>(n, 0.020408163f, grid, out);
    if (size == 9) both<4>(n, 0.012345679f, grid, out);
}
