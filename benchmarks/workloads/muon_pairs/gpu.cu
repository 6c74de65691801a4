// Masses of muon pairs: a thread per event, or a warp per event, with a histogram per block in shared memory.
#include "peer.cuh"

const int BINS = 121;

template <int LANES>
__global__ void masses(int64_t n, const int64_t* off, const double* pt, const double* eta, const double* phi, unsigned long long* out) {
    __shared__ unsigned counts[BINS];
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) counts[k] = 0;
    __syncthreads();
    const int64_t step = int64_t(gridDim.x) * blockDim.x / LANES;
    const int lane = threadIdx.x % LANES;
    for (int64_t e = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES; e < n; e += step)
        for (int64_t i = off[e]; i < off[e + 1]; i++)
            for (int64_t j = i + 1 + lane; j < off[e + 1]; j += LANES) {
                const double m = sqrt(2.0 * pt[i] * pt[j] * (cosh(eta[i] - eta[j]) - cos(phi[i] - phi[j])));
                atomicAdd(counts + (m < 120.0 ? int(m) : 120), 1u);
            }
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        if (counts[k] > 0) atomicAdd(out + k, (unsigned long long)(counts[k]));
}

int main(int argc, char** argv) {
    const int64_t most = argc > 1 && std::string(argv[1]) == "many" ? 51 : 5, n = argument(argc, argv, 2);
    int64_t* off = offsets_of(n, [=] __device__(int64_t i) { return hash(i) % most; });
    const int64_t count = last_of(off, n);
    double *pt = array<double>(count), *eta = array<double>(count), *phi = array<double>(count);
    each_element(n, off, [=] __device__(int64_t e, int64_t j, int64_t q) {
        const int64_t a = hash((hash(e) + 7919 * j) % 2147483647), b = hash(a), c = hash(b);
        pt[q] = 3.0 + double(a % 400) / 8.0, eta[q] = double(b % 4001) / 1000.0 - 2.0, phi[q] = double(c % 6283) / 1000.0 - 3.1415;
    });
    unsigned long long* out = array<unsigned long long>(BINS);
    const int blocks = n < 4096 ? 4 : 132 * 8;
    measure("cuda", "a thread per event", [=] {
        CUDA(cudaMemsetAsync(out, 0, BINS * 8));
        masses<1><<<blocks, 256>>>(n, off, pt, eta, phi, out);
    }, out, [=] { return int64_t(BINS); }, BINS);
    measure("cuda", "a warp per event", [=] {
        CUDA(cudaMemsetAsync(out, 0, BINS * 8));
        masses<32><<<blocks, 256>>>(n, off, pt, eta, phi, out);
    }, out, [=] { return int64_t(BINS); }, BINS);
}
