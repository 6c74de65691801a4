// Sums of f32: a dot product, a sum, and sums of rows. By hand with wide loads, with CUB's reductions, and a group of threads per row.
#include "peer.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

constexpr int BLOCKS = 132 * 8, THREADS = 512;

__device__ float element(int64_t i) { return float(hash(i) % 15 - 7) / 8.0f; }

__global__ void dot_parts(int64_t n, const float4* xs, const float4* ys, float* parts) {
    float s = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n / 4; i += int64_t(gridDim.x) * blockDim.x) {
        const float4 x = xs[i], y = ys[i];
        s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    s = block_sum(s);
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void sum_parts(int64_t n, const float4* xs, float* parts) {
    float s = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n / 4; i += int64_t(gridDim.x) * blockDim.x) {
        const float4 x = xs[i];
        s += x.x + x.y + x.z + x.w;
    }
    s = block_sum(s);
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void sum_all(const float* parts, float* total) {
    float s = 0;
    for (int i = threadIdx.x; i < BLOCKS; i += blockDim.x) s += parts[i];
    s = block_sum(s);
    if (threadIdx.x == 0) *total = s;
}

template <int LANES>
__global__ void group_per_row(int64_t n, const int64_t* off, const float* xs, float* out) {
    const int64_t r = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    float s = 0;
    if (r < n)
        for (int64_t q = off[r] + threadIdx.x % LANES; q < off[r + 1]; q += LANES) s += xs[q];
    for (int step = LANES / 2; step > 0; step /= 2) s += __shfl_down_sync(0xffffffffu, s, step, LANES);
    if (r < n && threadIdx.x % LANES == 0) out[r] = s;
}

static void flat(bool dot, int64_t n) {
    float *xs = array<float>(n), *ys = array<float>(dot ? n : 1), *parts = array<float>(BLOCKS), *total = array<float>(1);
    each(n, [=] __device__(int64_t i) {
        xs[i] = element(i);
        if (dot) ys[i] = element(i + 77);
    });
    const auto one = [] { return int64_t(1); };
    measure("cuda", "two kernels", [=] {
        if (dot) dot_parts<<<BLOCKS, THREADS>>>(n, (const float4*)xs, (const float4*)ys, parts);
        else sum_parts<<<BLOCKS, THREADS>>>(n, (const float4*)xs, parts);
        sum_all<<<1, 1024>>>(parts, total);
    }, total, one, 1);
    size_t bytes = 0;
    if (dot) return;
    CUDA(cub::DeviceReduce::Sum(nullptr, bytes, xs, total, n));
    char* room = array<char>(bytes);
    measure("cub", "DeviceReduce", [=]() mutable { CUDA(cub::DeviceReduce::Sum(room, bytes, xs, total, n)); }, total, one, 1);
}

static void rows(const std::string& shape, int64_t n, int64_t m, int64_t longest) {
    int64_t *lengths = array<int64_t>(n + 1), *off = array<int64_t>(n + 1);
    const bool equal = shape == "equal";
    each(n + 1, [=] __device__(int64_t i) {
        lengths[i] = i == n ? 0 : equal ? m : i == n / 2 ? longest : 4 + m / (1 + hash(i) % m);
    });
    size_t bytes = 0;
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, lengths, off, n + 1));
    char* scan_room = array<char>(bytes);
    CUDA(cub::DeviceScan::ExclusiveSum(scan_room, bytes, lengths, off, n + 1));
    const int64_t count = host(off + n, 1)[0];
    float *xs = array<float>(count), *out = array<float>(n);
    if (equal) each(count, [=] __device__(int64_t i) { xs[i] = element(i); });
    else
        each(count, [=] __device__(int64_t q) {
            int64_t low = 0, high = n;  // the row of an element: the last one that starts at or before it and is not empty
            while (high - low > 1) (off[(low + high) / 2] <= q ? low : high) = (low + high) / 2;
            xs[q] = element((hash(low) + 7919 * (q - off[low])) % 2147483647);
        });
    fprintf(stderr, "%s: %lld rows, %lld elements\n", shape.c_str(), (long long)n, (long long)count);
    const auto size = [=] { return n; };
    if (equal || longest < 1 << 20) {
        measure("cuda", "a warp per row", [=] { group_per_row<32><<<unsigned((n * 32 + 255) / 256), 256>>>(n, off, xs, out); }, out, size, n);
        measure("cuda", "eight threads per row", [=] { group_per_row<8><<<unsigned((n * 8 + 255) / 256), 256>>>(n, off, xs, out); }, out, size, n);
        measure("cuda", "four threads per row", [=] { group_per_row<4><<<unsigned((n * 4 + 255) / 256), 256>>>(n, off, xs, out); }, out, size, n);
    }
    CUDA(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, xs, out, n, off, off + 1));
    char* room = array<char>(bytes);
    measure("cub", "DeviceSegmentedReduce", [=]() mutable { CUDA(cub::DeviceSegmentedReduce::Sum(room, bytes, xs, out, n, off, off + 1)); }, out, size, n);
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int64_t n = argument(argc, argv, 2);
    if (what == "dot" || what == "sum") flat(what == "dot", n / 4 * 4);
    else rows(what, n, argument(argc, argv, 3), argc > 4 ? atoll(argv[4]) : 0);
}
