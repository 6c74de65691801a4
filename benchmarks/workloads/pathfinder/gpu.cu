// Cheapest ways: a thread per column and a kernel per row, all grids at once; and a block per grid, its row in shared memory, where a row is short.
#include "peer.cuh"

__global__ void block_per_grid(int64_t n, int64_t m, const int32_t* grids, int32_t* out) {
    const int32_t* grid = grids + int64_t(blockIdx.x) * n * m;
    int32_t* best = shared_room<int32_t>();
    const int j = threadIdx.x;
    int32_t own = j < m ? grid[j] : 0;
    for (int64_t i = 1; i < n; i++) {
        if (j < m) best[j] = own;
        __syncthreads();
        if (j < m) own = grid[i * m + j] + min(own, min(best[j > 0 ? j - 1 : 0], best[j + 1 < m ? j + 1 : j]));
        __syncthreads();
    }
    if (j < m) out[int64_t(blockIdx.x) * m + j] = own;
}

int main(int argc, char** argv) {
    const int64_t b = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    int32_t *grids = array<int32_t>(b * n * m), *even = array<int32_t>(b * m), *odd = array<int32_t>(b * m);
    each(b * n * m, [=] __device__(int64_t i) { grids[i] = int32_t(hash(i) % 10); });
    int32_t* last = n % 2 == 1 ? even : odd;
    measure("cuda", "a thread per column, a kernel per row", [=] {
        each(b * m, [=] __device__(int64_t q) { even[q] = grids[q / m * n * m + q % m]; });
        for (int64_t i = 1; i < n; i++) {
            const int32_t* from = i % 2 == 1 ? even : odd;
            int32_t* to = i % 2 == 1 ? odd : even;
            each(b * m, [=] __device__(int64_t q) {
                const int64_t j = q % m;
                const int32_t low = min(from[q], min(from[j > 0 ? q - 1 : q], from[j + 1 < m ? q + 1 : q]));
                to[q] = grids[(q / m * n + i) * m + j] + low;
            });
        }
    }, last, [=] { return b * m; }, b * m);
    if (m <= 1024)
        measure("cuda", "a block per grid", [=] {
            block_per_grid<<<unsigned(b), unsigned((m + 31) / 32 * 32), size_t(4 * m)>>>(n, m, grids, last);
        }, last, [=] { return b * m; }, b * m);
}
