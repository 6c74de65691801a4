// Filters: summed (by hand, and with CUB), kept (CUB), and kept over their sum (summed by hand, then CUB writes through a division).
#include "peer.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/transform_iterator.h>

constexpr int BLOCKS = 132 * 8, THREADS = 512;

__global__ void sum_parts(int64_t n, double limit, const double2* xs, double* parts) {
    double s = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n / 2; i += int64_t(gridDim.x) * blockDim.x) {
        const double2 x = xs[i];
        if (x.x > limit) s += x.x;
        if (x.y > limit) s += x.y;
    }
    s = block_sum(s);
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void sum_all(const double* parts, double* total) {
    double s = 0;
    for (int i = threadIdx.x; i < BLOCKS; i += blockDim.x) s += parts[i];
    s = block_sum(s);
    if (threadIdx.x == 0) *total = s;
}
__global__ void divide(const int64_t* kept, const double* total, double* out) {
    const int64_t n = *kept;
    const double by = *total;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) out[i] /= by;
}

template <class T>
struct Above {
    T limit;
    __host__ __device__ bool operator()(T x) const { return x > limit; }
};
struct AboveOrZero {
    double limit;
    __host__ __device__ double operator()(double x) const { return x > limit ? x : 0.0; }
};

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int64_t n = argument(argc, argv, 2) / 2 * 2;
    const double limit = 3.9375;
    double *xs = array<double>(n), *out = array<double>(n), *parts = array<double>(BLOCKS), *total = array<double>(1);
    int64_t* kept = array<int64_t>(1);
    each(n, [=] __device__(int64_t i) { xs[i] = double(hash(i) % 64) / 8.0; });
    const auto kept_count = [=] { return host(kept, 1)[0]; };
    const auto sum = [=] {
        sum_parts<<<BLOCKS, THREADS>>>(n, limit, (const double2*)xs, parts);
        sum_all<<<1, 1024>>>(parts, total);
    };
    size_t bytes = 0;
    if (what == "keep_i32") {
        int32_t *is = (int32_t*)xs, *small = (int32_t*)out;
        each(n, [=] __device__(int64_t i) { is[i] = int32_t(hash(i) % 64); });
        CUDA(cub::DeviceSelect::If(nullptr, bytes, is, small, kept, n, Above<int32_t>{31}));
        char* room = array<char>(bytes);
        measure("cub", "DeviceSelect", [=]() mutable { CUDA(cub::DeviceSelect::If(room, bytes, is, small, kept, n, Above<int32_t>{31})); }, small,
                kept_count, n);
        return 0;
    }
    if (what == "filter_sum") {
        measure("cuda", "two kernels", sum, total, [] { return int64_t(1); }, 1);
        auto in = thrust::make_transform_iterator(xs, AboveOrZero{limit});
        CUDA(cub::DeviceReduce::Sum(nullptr, bytes, in, total, n));
        char* room = array<char>(bytes);
        measure("cub", "DeviceReduce", [=]() mutable { CUDA(cub::DeviceReduce::Sum(room, bytes, in, total, n)); }, total,
                [] { return int64_t(1); }, 1);
        return 0;
    }
    CUDA(cub::DeviceSelect::If(nullptr, bytes, xs, out, kept, n, Above<double>{limit}));
    char* room = array<char>(bytes);
    const std::function<void()> select = [=]() mutable { CUDA(cub::DeviceSelect::If(room, bytes, xs, out, kept, n, Above<double>{limit})); };
    if (what == "keep") measure("cub", "DeviceSelect", select, out, kept_count, n);
    if (what == "shares")
        measure("cub", "sum by hand, DeviceSelect, division", [=] {
            sum();
            select();
            divide<<<BLOCKS, THREADS>>>(kept, total, out);
        }, out, kept_count, n);
}
