// What every measuring program here shares: memory, timing, checks, the table and the JSON.
//
// A program is one section (scan, pack, ..). It first checks every shape of its kernel on odd sizes, then the full size against
// a reference computed on the CPU, then measures: device events around each run, three runs to warm up, the median of the rest.
// Whatever a kernel needs cleared before it starts is cleared inside the measured region. The copy bandwidth of the
// device is measured in the same process, and "limit" is the fewest bytes that must move, at that bandwidth.
//
// A failed check or a CUDA error is a line in the report; the section goes on where it can. Sections are processes of their own, so an
// illegal access or a kernel that never ends (run.sh sets a time limit) spoils one section only.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device_words.cuh"

// From cuda_profiler_api.h, which not every toolkit has.
extern "C" cudaError_t CUDARTAPI cudaProfilerStart(void);
extern "C" cudaError_t CUDARTAPI cudaProfilerStop(void);

inline void try_cuda(cudaError_t status, const char* what) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}
#define CUDA_TRY(call) try_cuda((call), #call)

/// Device memory, poisoned when it is made.
template <class T>
struct Buffer {
    T* data = nullptr;
    size_t count = 0;
    explicit Buffer(size_t n) : count(n) {
        CUDA_TRY(cudaMalloc(&data, std::max<size_t>(n, 1) * sizeof(T)));
        poison();
    }
    explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
        if (!from.empty()) CUDA_TRY(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data); }
    void poison() { CUDA_TRY(cudaMemset(data, 0xa5, std::max<size_t>(count, 1) * sizeof(T))); }
    void clear() { CUDA_TRY(cudaMemsetAsync(data, 0, std::max<size_t>(count, 1) * sizeof(T))); }
    std::vector<T> host() const {
        std::vector<T> to(count);
        if (count) CUDA_TRY(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
};

__host__ __device__ inline unsigned scramble(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return unsigned((x ^ (x >> 31)) >> 16);
}

template <class T, class F>
__global__ void fill_kernel(T* to, size_t n, F f) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) to[i] = f(i);
}
template <class T, class F>
void fill(Buffer<T>& to, F f) {
    if (to.count) fill_kernel<<<2048, 256>>>(to.data, to.count, f);
    CUDA_TRY(cudaGetLastError());
}

/// Counts the places where two arrays differ in bits.
template <class T>
__global__ void differ_kernel(const T* a, const T* b, size_t n, unsigned long long* found) {
    unsigned long long mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        for (size_t k = 0; k < sizeof(T); k += 4) {
            unsigned x, y;
            memcpy(&x, reinterpret_cast<const char*>(a + i) + k, 4);
            memcpy(&y, reinterpret_cast<const char*>(b + i) + k, 4);
            mine += x != y;
        }
    if (mine) atomicAdd(found, mine);
}
template <class T>
unsigned long long differences(const Buffer<T>& a, const Buffer<T>& b, size_t n) {
    Buffer<unsigned long long> found(1);
    found.clear();
    if (n) differ_kernel<<<2048, 256>>>(a.data, b.data, n, found.data);
    CUDA_TRY(cudaGetLastError());
    return found.host()[0];
}

/// Counts the places where `a` is farther from `b` than `tolerance` times the size of `b`.
template <class T>
__global__ void far_kernel(const T* a, const T* b, size_t n, double tolerance, unsigned long long* found) {
    unsigned long long mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        mine += !(fabs(double(a[i]) - double(b[i])) <= tolerance * fabs(double(b[i])));
    if (mine) atomicAdd(found, mine);
}
template <class T>
unsigned long long far_apart(const Buffer<T>& a, const Buffer<T>& b, size_t n, double tolerance) {
    Buffer<unsigned long long> found(1);
    found.clear();
    if (n) far_kernel<<<2048, 256>>>(a.data, b.data, n, tolerance, found.data);
    CUDA_TRY(cudaGetLastError());
    return found.host()[0];
}

__global__ static void copy_kernel(const uint4* from, uint4* to, size_t n) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        uint4 x[4];
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] = __ldcs(from + i + k * step);
#pragma unroll
        for (int k = 0; k < 4; k++) __stcs(to + i + k * step, x[k]);
    }
    for (; i < n; i += step) to[i] = from[i];
}

/// Work spread over the CPU's threads in contiguous ranges.
inline void on_all_cores(size_t n, const std::function<void(size_t, size_t)>& work) {
    const size_t count = std::max(1u, std::min(16u, std::thread::hardware_concurrency()));
    std::vector<std::thread> threads;
    for (size_t t = 0; t < count; t++)
        threads.emplace_back([=, &work] { work(n * t / count, n * (t + 1) / count); });
    for (std::thread& thread : threads) thread.join();
}

/// Median of event times in milliseconds; fewer repetitions where one run is slow. Where PROFILE is set nothing is timed: each
/// way runs once between the marks that a profiler started with `--profile-from-start off` waits for.
inline double median_ms(const std::function<void()>& run) {
    if (getenv("PROFILE")) {
        run();
        CUDA_TRY(cudaDeviceSynchronize());
        CUDA_TRY(cudaProfilerStart());
        run();
        CUDA_TRY(cudaDeviceSynchronize());
        CUDA_TRY(cudaProfilerStop());
        return 1;
    }
    cudaEvent_t start, stop;
    CUDA_TRY(cudaEventCreate(&start));
    CUDA_TRY(cudaEventCreate(&stop));
    std::vector<float> times;
    int warm = 3, wanted = 25;
    for (int k = 0; k < warm + wanted; k++) {
        CUDA_TRY(cudaEventRecord(start));
        run();
        CUDA_TRY(cudaEventRecord(stop));
        CUDA_TRY(cudaEventSynchronize(stop));
        CUDA_TRY(cudaGetLastError());
        float ms = 0;
        CUDA_TRY(cudaEventElapsedTime(&ms, start, stop));
        if (k == 0 && ms > 10) warm = 1, wanted = ms > 100 ? 3 : 7;
        if (k >= warm) times.push_back(ms);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

inline std::string text(const char* format, ...) {
    char room[600];
    va_list list;
    va_start(list, format);
    vsnprintf(room, sizeof room, format, list);
    va_end(list);
    return room;
}

/// Collects lines; `json` is one object per line, joined by run.sh.
struct Report {
    std::string section;
    FILE* json;
    double copy_gbs = 0;
    int checks = 0, failed = 0;

    Report(const char* name, const char* path) : section(name), json(fopen(path, "w")) {
        if (!json) throw std::runtime_error(std::string("cannot write ") + path);
        cudaDeviceProp device;
        CUDA_TRY(cudaGetDeviceProperties(&device, 0));
        const size_t n = size_t(1) << 26; // one GiB of uint4 each way
        Buffer<uint4> a(n), b(n);
        const double whole = 2.0 * n * 16;
        const double memcpy_ms = median_ms([&] { CUDA_TRY(cudaMemcpyAsync(b.data, a.data, n * 16, cudaMemcpyDeviceToDevice)); });
        double kernel_ms = 1e30;
        for (int blocks : {4, 8, 16, 32})
            kernel_ms = std::min(kernel_ms, median_ms([&] { copy_kernel<<<device.multiProcessorCount * blocks, 256>>>(a.data, b.data, n); }));
        copy_gbs = std::max(whole / memcpy_ms, whole / kernel_ms) / 1e6;
        printf("## %s on %s, %d multiprocessors; copy: memcpy %.0f GB/s, kernel %.0f GB/s\n", name, device.name,
               device.multiProcessorCount, whole / memcpy_ms / 1e6, whole / kernel_ms / 1e6);
        line(text("{\"kind\":\"device\",\"section\":\"%s\",\"device\":\"%s\",\"multiprocessors\":%d,\"l2_bytes\":%d,\"memcpy_gbs\":%.1f,"
                  "\"copy_kernel_gbs\":%.1f}",
                  name, device.name, device.multiProcessorCount, device.l2CacheSize, whole / memcpy_ms / 1e6, whole / kernel_ms / 1e6));
    }
    ~Report() {
        printf("%s: %d checks, %d failed\n", section.c_str(), checks, failed);
        line(text("{\"kind\":\"checks\",\"section\":\"%s\",\"checks\":%d,\"failed\":%d}", section.c_str(), checks, failed));
        fclose(json);
    }
    void line(const std::string& object) {
        fprintf(json, "%s\n", object.c_str());
        fflush(json);
        fflush(stdout);
    }
    void check(bool good, const std::string& what) {
        checks++;
        if (good) return;
        failed++;
        printf("FAILED %s\n", what.c_str());
        line(text("{\"kind\":\"failure\",\"section\":\"%s\",\"what\":\"%s\"}", section.c_str(), what.c_str()));
    }
    /// Runs one part; an exception is reported and the next part is tried.
    void part(const std::string& what, const std::function<void()>& run) {
        try {
            run();
            CUDA_TRY(cudaDeviceSynchronize());
        } catch (const std::exception& error) {
            std::string message = error.what();
            for (char& c : message)
                if (c == '"' || c == '\\' || c == '\n') c = ' ';
            check(false, what + ": " + message);
        }
    }
    void variant(const std::string& what, const std::string& shape, double ms) {
        printf("   %-34s %-26s %9.4f ms\n", what.c_str(), shape.c_str(), ms);
        line(text("{\"kind\":\"variant\",\"section\":\"%s\",\"case\":\"%s\",\"shape\":\"%s\",\"ms\":%.5f}", section.c_str(), what.c_str(),
                  shape.c_str(), ms));
    }
    void result(const std::string& what, const std::string& shape, double ours, const std::string& peer, double peer_ms, double bytes) {
        const double limit = bytes / copy_gbs / 1e6;
        printf("| %-8s | %-32s | %-22s | %9.4f | %-20s | %9.4f | %6.2f | %6.0f | %5.2f |\n", section.c_str(), what.c_str(), shape.c_str(), ours,
               peer.c_str(), peer_ms, peer_ms / ours, bytes / ours / 1e6, limit / ours);
        line(text("{\"kind\":\"result\",\"kernel\":\"%s\",\"case\":\"%s\",\"shape\":\"%s\",\"ours_ms\":%.5f,\"peer\":\"%s\",\"peer_ms\":%.5f,"
                  "\"ratio\":%.4f,\"bytes\":%.0f,\"gbs\":%.1f,\"limit_ms\":%.5f,\"fraction_of_limit\":%.4f}",
                  section.c_str(), what.c_str(), shape.c_str(), ours, peer.c_str(), peer_ms, peer_ms / ours, bytes, bytes / ours / 1e6, limit,
                  limit / ours));
    }
};

/// The fastest of several measured ways.
struct Best {
    double ms = 1e30;
    std::string name = "none";
    void take(const std::string& which, double time) {
        if (time < ms) ms = time, name = which;
    }
};

int run_section(Report& report);
#define SECTION(name)                                                                    \
    int main(int argc, char** argv) {                                                    \
        setvbuf(stdout, nullptr, _IOLBF, 0);                                             \
        try {                                                                            \
            Report report(name, argc > 1 ? argv[1] : "/dev/null");                       \
            return run_section(report);                                                  \
        } catch (const std::exception& error) {                                          \
            printf("FAILED section %s: %s\n", name, error.what());                       \
            return 2;                                                                    \
        }                                                                                \
    }
