// Prefix sums of the rows of a matrix: a thread per row, a block per row, and one scan by key over everything (CUB).
#include "peer.cuh"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

__global__ void thread_per_row(int64_t n, int64_t m, const int32_t* xs, int32_t* out) {
    const int64_t r = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (r >= n) return;
    int32_t s = 0;
    for (int64_t j = 0; j < m; j++) out[r * m + j] = s += xs[r * m + j];
}

__global__ void block_per_row(int64_t m, const int32_t* xs, int32_t* out) {
    using Scan = cub::BlockScan<int32_t, 512>;
    __shared__ typename Scan::TempStorage room;
    const int64_t row = int64_t(blockIdx.x) * m;
    int32_t before = 0;
    for (int64_t at = 0; at < m; at += 512 * 4) {
        int32_t mine[4];
        for (int k = 0; k < 4; k++) {
            const int64_t j = at + threadIdx.x * 4 + k;
            mine[k] = j < m ? xs[row + j] : 0;
        }
        int32_t all = 0;
        Scan(room).InclusiveSum(mine, mine, all);
        for (int k = 0; k < 4; k++) {
            const int64_t j = at + threadIdx.x * 4 + k;
            if (j < m) out[row + j] = before + mine[k];
        }
        before += all;
        __syncthreads();
    }
}

struct RowOf {
    int64_t m;
    __host__ __device__ int64_t operator()(int64_t k) const { return k / m; }
};

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), m = argument(argc, argv, 2), count = n * m;
    int32_t *xs = array<int32_t>(count), *out = array<int32_t>(count);
    each(count, [=] __device__(int64_t i) { xs[i] = int32_t(hash(i) % 15 - 7); });
    const auto size = [=] { return count; };
    measure("cuda", "a thread per row", [=] { thread_per_row<<<unsigned((n + 255) / 256), 256>>>(n, m, xs, out); }, out, size, count);
    measure("cuda", "a block per row", [=] { block_per_row<<<unsigned(n), 512>>>(m, xs, out); }, out, size, count);
    auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowOf{m});
    size_t bytes = 0;
    CUDA(cub::DeviceScan::InclusiveSumByKey(nullptr, bytes, keys, xs, out, count));
    char* room = array<char>(bytes);
    measure("cub", "InclusiveSumByKey", [=]() mutable { CUDA(cub::DeviceScan::InclusiveSumByKey(room, bytes, keys, xs, out, count)); }, out, size, count);
}
