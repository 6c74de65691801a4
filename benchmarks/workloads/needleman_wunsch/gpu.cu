// The score table of two sequences in blocks along the anti-diagonals: a block of threads per block of cells, which it fills along its own diagonals in shared memory.
#include "peer.cuh"

__global__ void diagonal(int64_t n, int side, int64_t d, int64_t first, const uint8_t* xs, const uint8_t* ys, int32_t* cells) {
    const int64_t width = n + 1, i0 = (first + blockIdx.x) * side, j0 = (d - first - blockIdx.x) * side;
    const int wide = side + 1;
    int32_t* tile = shared_room<int32_t>();
    for (int k = threadIdx.x; k <= side; k += blockDim.x) tile[k] = cells[i0 * width + j0 + k], tile[k * wide] = cells[(i0 + k) * width + j0];
    __syncthreads();
    for (int s = 0; s < 2 * side - 1; s++) {
        for (int i = threadIdx.x; i < side; i += blockDim.x) {
            const int j = s - i;
            if (j < 0 || j >= side) continue;
            const int32_t across = tile[i * wide + j] + (xs[i0 + i] == ys[j0 + j] ? 3 : -1);
            tile[(i + 1) * wide + j + 1] = max(across, max(tile[i * wide + j + 1], tile[(i + 1) * wide + j]) - 1);
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < side * side; k += blockDim.x)
        cells[(i0 + 1 + k / side) * width + j0 + 1 + k % side] = tile[(1 + k / side) * wide + 1 + k % side];
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), width = n + 1;
    uint8_t *xs = array<uint8_t>(n), *ys = array<uint8_t>(n);
    int32_t* cells = array<int32_t>(width * width);
    each(n, [=] __device__(int64_t i) { xs[i] = uint8_t(hash(i) % 4), ys[i] = uint8_t(hash(i + 77) % 4); });
    const auto table = [=](int side) {
        const size_t room = size_t((side + 1) * (side + 1) * 4);
        allow_room(diagonal, room);
        each(width, [=] __device__(int64_t i) { cells[i] = cells[i * width] = int32_t(-i); });
        const int64_t p = n / side;
        for (int64_t d = 0; d < 2 * p - 1; d++) {
            const int64_t first = d < p ? 0 : d - p + 1, last = d < p ? d : p - 1;
            diagonal<<<unsigned(last - first + 1), side, room>>>(n, side, d, first, xs, ys, cells);
        }
    };
    const auto size = [=] { return width * width; };
    if (n % 32 == 0) measure("cuda", "blocks of 32", [=] { table(32); }, cells, size, width * width);
    if (n % 64 == 0) measure("cuda", "blocks of 64", [=] { table(64); }, cells, size, width * width);
    if (n % 64 != 0) measure("cuda", "blocks of 16", [=] { table(16); }, cells, size, width * width);
}
