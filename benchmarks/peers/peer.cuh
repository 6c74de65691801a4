// What the CUDA peers share: device memory, data by formula, event times, checksums, one line of JSON per way of doing it.
//
// The twin of peer.h. Times are device events around one run, three runs to warm up and the median of the rest; memory and temporary
// storage are allocated before. Results are poisoned before the first run and compared by the caller through their checksums.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

inline void must(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}
#define CUDA(call) must((call), #call)

__host__ __device__ inline int64_t hash(int64_t i) {
    int64_t h = (i * 1103515245 + 12345) % 2147483647;
    return (h * h + i) % 2147483647;
}

/// Device memory, poisoned.
template <class T>
T* array(size_t count) {
    T* p = nullptr;
    const size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    CUDA(cudaMalloc(&p, bytes));
    CUDA(cudaMemset(p, 0xa5, bytes));
    return p;
}

template <class F>
__global__ void each_kernel(int64_t n, F f) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) f(i);
}
/// Calls `f` for every index, on the device.
template <class F>
void each(int64_t n, F f) {
    each_kernel<<<2048, 256>>>(n, f);
    CUDA(cudaGetLastError());
}

template <class T>
std::vector<T> host(const T* from, size_t count) {
    std::vector<T> to(count);
    if (count) CUDA(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

inline int64_t argument(int argc, char** argv, int k) {
    if (k < argc) return atoll(argv[k]);
    fprintf(stderr, "argument %d is missing\n", k);
    exit(2);
}

/// Runs a way, prints its times and the checksums of `count()` elements of `out`, and poisons `poison` elements of it afterwards.
template <class T>
void measure(const char* peer, const char* way, const std::function<void()>& run, T* out, const std::function<int64_t()>& count,
             int64_t poison) {
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    std::vector<float> times;
    const char* text = getenv("PEER_SECONDS");
    const double limit = text ? atof(text) : 1.5;
    const auto began = std::chrono::steady_clock::now();
    auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    for (int k = 0; k < 1003 && (k < 6 || spent() < limit); k++) {
        CUDA(cudaEventRecord(start));
        run();
        CUDA(cudaEventRecord(stop));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaGetLastError());
        float ms = 0;
        CUDA(cudaEventElapsedTime(&ms, start, stop));
        if (k >= 3) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    const size_t n = times.size();
    const std::vector<T> result = host(out, size_t(count()));
    double sum = 0, weighted = 0;
    for (size_t i = 0; i < result.size(); i++) {
        sum += double(result[i]);
        weighted += double(result[i]) * double(1 + i % 1021);
    }
    printf("{\"peer\": \"%s\", \"way\": \"%s\", \"median_ms\": %.6f, \"least_ms\": %.6f, \"lower_quartile_ms\": %.6f, "
           "\"upper_quartile_ms\": %.6f, \"runs\": %zu, \"count\": %zu, \"sum\": %.17g, \"weighted\": %.17g}\n",
           peer, way, times[n / 2], times[0], times[n / 4], times[3 * n / 4], n, result.size(), sum, weighted);
    fflush(stdout);
    CUDA(cudaMemset(out, 0xa5, size_t(poison) * sizeof(T)));
}

template <class T>
__device__ inline T warp_sum(T x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffffu, x, step);
    return x;
}
/// The sum over a block; in thread 0.
template <class T>
__device__ inline T block_sum(T x) {
    __shared__ T part[32];
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) x = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0));
    return x;
}
