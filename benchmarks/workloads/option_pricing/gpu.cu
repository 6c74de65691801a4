// Binomial trees: a block per option, its values in shared memory, what is paid at every price beside them.
#include "peer.cuh"

const double STOCK = 60.0, RATE = 0.03, VOLATILITY = 0.25;
const int EACH = 16;

__global__ void price_of(const double* strike, const double* years, const int32_t* heights, double* out) {
    const int k = heights[blockIdx.x];
    const double step = years[blockIdx.x] / k, spread = VOLATILITY * sqrt(step);
    const double up = exp(spread), down = exp(-spread), growth = exp(RATE * step), p = (growth - down) / (up - down);
    const double a = p / growth, b = (1.0 - p) / growth;
    double *paid = shared_room<double>(), *values = paid + 2 * k + 1;
    for (int q = threadIdx.x; q <= 2 * k; q += blockDim.x) paid[q] = max(strike[blockIdx.x] - STOCK * exp((q - k) * spread), 0.0);
    __syncthreads();
    for (int q = threadIdx.x; q <= k; q += blockDim.x) values[q] = paid[2 * q];
    for (int t = 0; t < k; t++) {
        double next[EACH];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int j = threadIdx.x + e * blockDim.x;
            if (j < k - t) next[e] = max(a * values[j + 1] + b * values[j], paid[2 * j + t + 1]);
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int j = threadIdx.x + e * blockDim.x;
            if (j < k - t) values[j] = next[e];
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

int main(int argc, char** argv) {
    const bool equal = argc > 1 && std::string(argv[1]) == "equal";
    const int64_t n = argument(argc, argv, 2), size = argument(argc, argv, 3), most = equal ? size : 8 + size;
    double *strike = array<double>(n), *years = array<double>(n), *out = array<double>(n);
    int32_t* heights = array<int32_t>(n);
    each(n, [=] __device__(int64_t i) {
        strike[i] = 40.0 + double(hash(i) % 320) / 8.0, years[i] = 0.25 + double(hash(i + 77) % 32) / 16.0;
        heights[i] = int32_t(equal ? size : 8 + size / (1 + hash(i + 777) % 64));
    });
    const size_t room = size_t(3 * most + 2) * 8;
    allow_room(price_of, room);
    // The tallest tree has at most EACH values per thread.
    for (int threads : {64, 128, 256}) {
        if (threads * EACH < most) continue;
        const std::string way = "a block of " + std::to_string(threads) + " per option";
        measure("cuda", way.c_str(), [=] { price_of<<<unsigned(n), threads, room>>>(strike, years, heights, out); }, out, [=] { return n; }, n);
    }
}
