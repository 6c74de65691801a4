// What a GPU can do at most: bytes per second through its memory, and multiplications with additions per second, without tensor cores.
//
//     {"bytes_per_second": 4.2e12, "f32_per_second": 6e13, "f64_per_second": 3e13}
//
// Bytes: a copy, counting what is read and what is written, or a sum, which only reads. Operations: chains of multiply-add in registers; each counts two.
#include "peer.cuh"

const int CHAINS = 8, TURNS = 4096, BLOCKS = 132 * 16, THREADS = 256;

template <class T>
__global__ void chains(T* out, T a, T b) {
    T x[CHAINS];
    for (int k = 0; k < CHAINS; k++) x[k] = T(threadIdx.x + k);
    for (int turn = 0; turn < TURNS; turn++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) x[k] = x[k] * a + b;
    T sum = 0;
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void add_up(const float4* from, float* out, int64_t n) {
    float sum = 0;
    for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        const float4 x = from[i];
        sum += x.x + x.y + x.z + x.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// The least seconds of several runs.
static double best_of(const std::function<void()>& run) { return 1e-3 * times_of(run, 0.5, 20)[0]; }

int main() {
    const int64_t n = int64_t(1) << 28;
    float *from = array<float>(n), *to = array<float>(n);
    double* out = array<double>(BLOCKS * THREADS);
    each(n, [=] __device__(int64_t i) { from[i] = float(i % 64); });
    double bytes = 8.0 * double(n) / best_of([=] { CUDA(cudaMemcpyAsync(to, from, size_t(n) * 4, cudaMemcpyDeviceToDevice)); });
    bytes = std::max(bytes, 4.0 * double(n) / best_of([=] { add_up<<<BLOCKS, THREADS>>>((const float4*)from, to, n / 4); }));
    const double fused = 2.0 * CHAINS * TURNS * BLOCKS * THREADS;
    const double f32 = fused / best_of([=] { chains<<<BLOCKS, THREADS>>>((float*)out, 0.5f, 0.25f); });
    const double f64 = fused / best_of([=] { chains<<<BLOCKS, THREADS>>>(out, 0.5, 0.25); });
    printf("{\"bytes_per_second\": %.4g, \"f32_per_second\": %.4g, \"f64_per_second\": %.4g}\n", bytes, f32, f64);
}
