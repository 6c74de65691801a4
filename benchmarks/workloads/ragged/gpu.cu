// Ragged rows: what is above a limit stays, then the mean of each row and the place of its greatest element. A thread and eight threads per row.
#include "peer.cuh"

#include <cub/device/device_scan.cuh>

template <int LANES>
__global__ void pipeline(int64_t n, double limit, const int64_t* off, const double* xs, double* means, int64_t* places) {
    const int64_t r = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    double sum = 0, best = 0;
    int64_t kept = 0, place = -1;
    const int64_t end = r < n ? off[r + 1] : 0;
    for (int64_t q = r < n ? off[r] : 0; q < end; q += LANES) {  // all lanes of a group step together: places are counted across them
        const bool inside = q + lane < end;
        const double x = inside ? xs[q + lane] : 0;
        const bool keep = inside && x > limit;
        const unsigned group = LANES == 32 ? 0xffffffffu : ((1u << (LANES % 32)) - 1) << (threadIdx.x % 32 / LANES * LANES);
        const unsigned mask = __ballot_sync(group, keep) & group;
        const int64_t here = kept + __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
        if (keep) {
            sum += x;
            if (place < 0 || x > best) best = x, place = here;
        }
        kept += __popc(mask);
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step, LANES);
        const double other = __shfl_down_sync(0xffffffffu, best, step, LANES);
        const int64_t at = __shfl_down_sync(0xffffffffu, place, step, LANES);
        if (at >= 0 && (place < 0 || other > best || (other == best && at < place))) best = other, place = at;
    }
    if (r < n && lane == 0) means[r] = kept ? sum / double(kept) : 0.0, places[r] = place;
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1);
    int64_t *lengths = array<int64_t>(n + 1), *off = array<int64_t>(n + 1), *places = array<int64_t>(n);
    each(n + 1, [=] __device__(int64_t i) { lengths[i] = i < n ? hash(i) % 41 : 0; });
    size_t bytes = 0;
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, lengths, off, n + 1));
    char* room = array<char>(bytes);
    CUDA(cub::DeviceScan::ExclusiveSum(room, bytes, lengths, off, n + 1));
    const int64_t count = host(off + n, 1)[0];
    double *xs = array<double>(count), *means = array<double>(n);
    each(n, [=] __device__(int64_t i) {
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) xs[off[i] + j] = double(hash((hash(i) + 7919 * j) % 2147483647) % 64) / 8.0;
    });
    const auto size = [=] { return n; };
    measure("cuda", "a thread per row", [=] { pipeline<1><<<unsigned((n + 255) / 256), 256>>>(n, 2.0, off, xs, means, places); }, places, size, n);
    measure("cuda", "eight threads per row", [=] { pipeline<8><<<unsigned((n * 8 + 255) / 256), 256>>>(n, 2.0, off, xs, means, places); }, places, size, n);
}
