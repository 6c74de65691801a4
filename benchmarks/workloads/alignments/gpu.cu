// Scores of alignments: a thread per pair, whose row is spread over memory so that neighbouring threads read neighbouring cells; and a block per
// pair, along the diagonals, three of which are in shared memory.
#include "peer.cuh"

__global__ void diagonals(int64_t most, const int64_t* xoff, const uint8_t* xs, const int64_t* yoff, const uint8_t* ys, int32_t* out) {
    const int64_t p = blockIdx.x, n = xoff[p + 1] - xoff[p], m = yoff[p + 1] - yoff[p];
    const uint8_t *x = xs + xoff[p], *y = ys + yoff[p];
    int32_t *two = shared_room<int32_t>(), *one = two + most + 1, *now = one + most + 1;
    // On diagonal d, place i has the cell of i elements of x and d - i of y.
    for (int64_t d = 0; d <= n + m; d++) {
        const int64_t from = d > m ? d - m : 0, to = d < n ? d : n;
        for (int64_t i = from + threadIdx.x; i <= to; i += blockDim.x) {
            const int64_t j = d - i;
            int32_t cell = int32_t(-d);
            if (i > 0 && j > 0) {
                const int32_t across = two[i - 1] + (x[i - 1] == y[j - 1] ? 3 : -1), straight = max(one[i - 1], one[i]) - 1;
                cell = max(across, straight);
            }
            now[i] = cell;
            if (d == n + m) out[p] = cell;
        }
        __syncthreads();
        int32_t* spare = two;
        two = one, one = now, now = spare;
    }
}

int main(int argc, char** argv) {
    const bool equal = argc > 1 && std::string(argv[1]) == "equal";
    const int64_t b = argument(argc, argv, 2), n = argument(argc, argv, 3);
    int64_t* xoff = offsets_of(b, [=] __device__(int64_t k) { return equal ? n : hash(k) % (n + 1); });
    int64_t* yoff = offsets_of(b, [=] __device__(int64_t k) { return equal ? n : hash(k + 77) % (n + 1); });
    uint8_t *xs = array<uint8_t>(last_of(xoff, b)), *ys = array<uint8_t>(last_of(yoff, b));
    each_element(b, xoff, [=] __device__(int64_t r, int64_t j, int64_t q) { xs[q] = uint8_t(hash(5000 * r + j) % 4); });
    each_element(b, yoff, [=] __device__(int64_t r, int64_t j, int64_t q) {
        const int64_t at = 5000 * r + j;
        ys[q] = uint8_t(hash(hash(at + 777) % 8 == 0 ? at + 7777 : at) % 4);
    });
    int32_t* out = array<int32_t>(b);
    const auto sums = [=] { return std::vector<Sums>{sums_of(out, b)}; };
    if (b >= 1000 || n < 100) {
        int32_t* rows = array<int32_t>(b * (n + 1));
        measure("cuda", "a thread per pair", [=] {
            each(b, [=] __device__(int64_t p) {
                const int64_t x0 = xoff[p], y0 = yoff[p], nx = xoff[p + 1] - x0, ny = yoff[p + 1] - y0;
                for (int64_t j = 0; j <= ny; j++) rows[j * b + p] = int32_t(-j);
                int32_t last = int32_t(-ny);
                for (int64_t i = 0; i < nx; i++) {
                    const uint8_t c = xs[x0 + i];
                    int32_t across = rows[p], left = int32_t(-i - 1);
                    rows[p] = left;
                    for (int64_t j = 1; j <= ny; j++) {
                        const int32_t above = rows[j * b + p];
                        left = max(across + (c == ys[y0 + j - 1] ? 3 : -1), max(above, left) - 1);
                        across = above;
                        rows[j * b + p] = left;
                    }
                    last = left;
                }
                out[p] = last;
            });
        }, sums);
    }
    const size_t room = size_t(3 * (n + 1) * 4);
    allow_room(diagonals, room);
    const int threads = n < 512 ? 128 : 1024;
    measure("cuda", "a block per pair, along diagonals", [=] {
        diagonals<<<unsigned(b), threads, room>>>(n, xoff, xs, yoff, ys, out);
    }, sums);
}
