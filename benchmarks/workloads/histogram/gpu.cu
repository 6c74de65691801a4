// How often each bin occurs: CUB's histogram, and by hand with atomics in global memory.
//
// CUB gives every block counts of its own in global memory where they do not fit shared memory, and numbers all of them with 32 bits: with some million bins it writes
// outside of them, so it is left out there.
#include "peer.cuh"

#include <cub/device/device_histogram.cuh>

__global__ void by_atomics(int64_t n, const int32_t* is, int32_t* counts) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) atomicAdd(counts + is[i], 1);
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), bins = argument(argc, argv, 2);
    int32_t *is = array<int32_t>(n), *counts = array<int32_t>(bins);
    each(n, [=] __device__(int64_t i) { is[i] = int32_t(hash(i) % bins); });
    const auto size = [=] { return bins; };
    measure("cuda", "atomics", [=] {
        CUDA(cudaMemsetAsync(counts, 0, size_t(bins) * 4));
        by_atomics<<<132 * 16, 512>>>(n, is, counts);
    }, counts, size, bins);
    if (bins > 1 << 20) {
        printf("{\"peer\": \"cub\", \"left out\": \"DeviceHistogram\", \"why\": \"more bins than its 32-bit numbers of all blocks' counts allow\"}\n");
        return 0;
    }
    size_t bytes = 0;
    const auto histogram = [=](char* room, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, is, counts, int(bins) + 1, int32_t(0), int32_t(bins), n);
    };
    CUDA(histogram(nullptr, bytes));
    char* room = array<char>(bytes);
    measure("cub", "DeviceHistogram", [=]() mutable { CUDA(histogram(room, bytes)); }, counts, size, bins);
}
