// Statistics of rows: some threads per row, or a block per row where rows are long; two passes, the second for the variance.
#include "peer.cuh"

struct Found {
    double *mean, *variance, *least, *greatest;
    int64_t* place;
};

struct Part {
    double sum, least, greatest;
    int64_t place;
};

__host__ __device__ inline void join(Part& a, const Part& b) {
    a.sum += b.sum;
    a.least = b.least < a.least ? b.least : a.least;
    if (b.greatest > a.greatest || (b.greatest == a.greatest && b.place < a.place)) a.greatest = b.greatest, a.place = b.place;
}

/// A row by `lanes` threads that begin at `lane`; `all` joins what they found, for every one of them.
template <class All, class Sum>
__device__ inline void row_of(int64_t r, int lane, int lanes, const int64_t* off, const double* val, const Found& f, All all, Sum sum) {
    const int64_t lo = off[r], hi = off[r + 1];
    Part p{0.0, INFINITY, -INFINITY, INT64_MAX};
    for (int64_t q = lo + lane; q < hi; q += lanes) join(p, Part{val[q], val[q], val[q], q - lo});
    p = all(p);
    const double count = double(hi - lo), mean = hi > lo ? p.sum / count : 0.0;
    double squares = 0;
    for (int64_t q = lo + lane; q < hi; q += lanes) squares += (val[q] - mean) * (val[q] - mean);
    squares = sum(squares);
    if (lane > 0) return;
    const bool any = hi > lo;
    f.mean[r] = mean, f.variance[r] = any ? squares / count : 0.0;
    f.least[r] = any ? p.least : 0.0, f.greatest[r] = any ? p.greatest : 0.0, f.place[r] = any ? p.place : -1;
}

/// What all threads of a block found, by way of shared memory.
__device__ inline Part joined(Part p) {
    __shared__ Part parts[256];
    parts[threadIdx.x] = p;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) join(parts[threadIdx.x], parts[threadIdx.x + step]);
    }
    __syncthreads();
    const Part found = parts[0];
    __syncthreads();
    return found;
}

__global__ void block_per_row(const int64_t* off, const double* val, Found f, int64_t n) {
    for (int64_t r = blockIdx.x; r < n; r += gridDim.x)
        row_of(r, threadIdx.x, 256, off, val, f, [](Part p) { return joined(p); }, [](double x) { return joined(Part{x, 0, 0, 0}).sum; });
}

__global__ void some_rows(const int64_t* lists, const int64_t* off, const double* val, Found f) {
    for (int64_t k = blockIdx.x; k < lists[0]; k += gridDim.x)
        row_of(lists[1 + k], threadIdx.x, 256, off, val, f, [](Part p) { return joined(p); }, [](double x) { return joined(Part{x, 0, 0, 0}).sum; });
}

int main(int argc, char** argv) {
    const bool power = argc > 1 && std::string(argv[1]) == "power";
    const int64_t n = argument(argc, argv, 2), most = power ? argument(argc, argv, 3) : 1;
    int64_t* off = offsets_of(n, [=] __device__(int64_t i) { return power ? most / (1 + hash(i) % most) : hash(i) % 41; });
    const int64_t count = last_of(off, n);
    double* val = array<double>(count);
    each_element(n, off, [=] __device__(int64_t r, int64_t j, int64_t q) { val[q] = double(hash((hash(r) + 7919 * j) % 2147483647) % 64) / 8.0; });
    const Found f{array<double>(n), array<double>(n), array<double>(n), array<double>(n), array<int64_t>(n)};
    const auto sums = [=] {
        return std::vector<Sums>{sums_of(f.mean, n), sums_of(f.variance, n), sums_of(f.least, n), sums_of(f.greatest, n), sums_of(f.place, n)};
    };
    if (!power)
        measure("cuda", "a thread per row", [=] {
            each(n, [=] __device__(int64_t r) {
                row_of(r, 0, 1, off, val, f, [](Part p) { return p; }, [](double x) { return x; });
            });
        }, sums);
    const unsigned blocks = unsigned(min(n, int64_t(132 * 64)));
    measure("cuda", "a block per row", [=] { block_per_row<<<blocks, 256>>>(off, val, f, n); }, sums);
    if (!power) return 0;
    // Long rows by blocks, the others by threads: which is which is found in the same run.
    int64_t* lists = array<int64_t>(n + 1);
    measure("cuda", "long rows by blocks, others by threads", [=] {
        CUDA(cudaMemsetAsync(lists, 0, 8));
        each(n, [=] __device__(int64_t r) {
            if (off[r + 1] - off[r] > 256) lists[1 + atomicAdd((unsigned long long*)lists, 1ull)] = r;
            else row_of(r, 0, 1, off, val, f, [](Part p) { return p; }, [](double x) { return x; });
        });
        some_rows<<<132 * 8, 256>>>(lists, off, val, f);
    }, sums);
}
