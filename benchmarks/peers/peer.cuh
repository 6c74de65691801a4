// What the CUDA peers share: device memory, data by formula, event times, checksums, one line of JSON per way of doing it.
//
// The twin of peer.h. Times are device events around one run, three runs to warm up and the median of the rest; memory and temporary
// storage are allocated before. Results are poisoned before the first run and compared by the caller through their checksums, which are
// taken on the device.
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

/// Milliseconds of runs, sorted, by device events: three runs to warm up, then at least three, until the seconds are spent or `most` are done.
inline std::vector<float> times_of(const std::function<void()>& run, double seconds, int most) {
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    std::vector<float> times;
    const auto began = std::chrono::steady_clock::now();
    auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    for (int k = 0; k < most + 3 && (k < 6 || spent() < seconds); k++) {
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
    return times;
}

/// Of an array: its length, its sum, and the sum in which element i counts 1 + i % 1021 times.
struct Sums {
    int64_t count;
    double sum, weighted;
};

template <class T>
__global__ void add_up_kernel(const T* xs, int64_t n, double* parts) {
    double sum = 0, weighted = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        const double x = double(xs[i]);
        sum += x;
        weighted += x * double(1 + i % 1021);
    }
    const int64_t place = 2 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
    parts[place] = sum;
    parts[place + 1] = weighted;
}

template <class T>
Sums sums_of(const T* xs, int64_t n) {
    const int blocks = 256, threads = 256;
    double* parts = array<double>(2 * blocks * threads);
    add_up_kernel<<<blocks, threads>>>(xs, n, parts);
    const std::vector<double> all = host(parts, 2 * blocks * threads);
    CUDA(cudaFree(parts));
    Sums s{n, 0, 0};
    for (size_t k = 0; k < all.size(); k += 2) s.sum += all[k], s.weighted += all[k + 1];
    return s;
}

/// Runs a way, and prints its times and the checksums of its results.
inline void measure(const char* peer, const char* way, const std::function<void()>& run, const std::function<std::vector<Sums>()>& results) {
    const char* text = getenv("PEER_SECONDS");
    const std::vector<float> times = times_of(run, text ? atof(text) : 1.5, 1000);
    const size_t n = times.size();
    printf("{\"peer\": \"%s\", \"way\": \"%s\", \"median_ms\": %.6f, \"least_ms\": %.6f, \"lower_quartile_ms\": %.6f, "
           "\"upper_quartile_ms\": %.6f, \"runs\": %zu, \"checksums\": [",
           peer, way, times[n / 2], times[0], times[n / 4], times[3 * n / 4], n);
    const char* before = "";
    for (const Sums& s : results()) {
        printf("%s{\"count\": %lld, \"sum\": %.17g, \"weighted\": %.17g}", before, (long long)s.count, s.sum, s.weighted);
        before = ", ";
    }
    printf("]}\n");
    fflush(stdout);
}

/// The same for one result of `count()` elements, which is poisoned afterwards.
template <class T>
void measure(const char* peer, const char* way, const std::function<void()>& run, T* out, const std::function<int64_t()>& count,
             int64_t poison) {
    measure(peer, way, run, [=] { return std::vector<Sums>{sums_of(out, count())}; });
    CUDA(cudaMemset(out, 0xa5, size_t(poison) * sizeof(T)));
}

/// Where each row begins, and behind the last the number of all elements; on the device, from lengths by formula.
template <class F>
int64_t* offsets_of(int64_t n, F length) {
    int64_t* off = array<int64_t>(n + 1);
    each(n, [=] __device__(int64_t i) { off[i] = length(i); });
    std::vector<int64_t> all = host(off, size_t(n));
    all.push_back(0);
    int64_t at = 0;
    for (int64_t& x : all) {
        const int64_t length_here = x;
        x = at;
        at += length_here;
    }
    CUDA(cudaMemcpy(off, all.data(), all.size() * 8, cudaMemcpyHostToDevice));
    return off;
}

/// Calls `f(row, place in the row, place of all)` for every element of rows, on the device.
template <class F>
void each_element(int64_t n, const int64_t* off, F f) {
    each(n, [=] __device__(int64_t r) {
        for (int64_t q = off[r]; q < off[r + 1]; q++) f(r, q - off[r], q);
    });
}

template <class T>
T last_of(const T* xs, int64_t n) {
    return host(xs + n, 1)[0];
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

/// The memory that threads of a block share, of a size that the launch says.
template <class T>
__device__ inline T* shared_room() {
    extern __shared__ double room[];
    return reinterpret_cast<T*>(room);
}
/// More of it than a kernel may have without asking.
template <class K>
void allow_room(K kernel, size_t bytes) {
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
}
