// Forces after Barnes and Hut. Bodies are sorted along a curve that visits the cells of the tree depth first, so that a cell is a range of bodies; a cell begins where the
// curve enters it, and running counts of the cells that begin say where each one is stored. Then a thread per body walks the cells.
#include "peer.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

const int LEVELS = 15;

struct Cell {
    double x, y, mass, side;
};

/// The bits of a number of 15 bits at every second place.
__host__ __device__ inline uint32_t spread(uint32_t x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/// In how many levels two bodies are in the same cell, the root not counted.
__host__ __device__ inline int common(const uint32_t* code, int64_t n, int64_t i, int64_t j) {
    if (i < 0 || j >= n) return -1;
    const uint32_t apart = code[i] ^ code[j];
    int level = 0;
    while (level < LEVELS && (apart >> (2 * (LEVELS - 1 - level))) == 0) level++;
    return level;
}

int main(int argc, char** argv) {
    const bool clustered = argc > 1 && std::string(argv[1]) == "clustered";
    const int64_t n = argument(argc, argv, 2);
    double *xs = array<double>(n), *ys = array<double>(n), *ms = array<double>(n);
    each(n, [=] __device__(int64_t i) {
        int64_t u = hash(i) % 8192, v = hash(i + 77777777) % 8192;
        if (clustered) u = u * u / 8192 * u / 8192, v = v * v / 8192 * v / 8192;
        xs[i] = double(u) / 8.0, ys[i] = double(v) / 8.0, ms[i] = 1.0 + double(hash(i + 55555) % 8) / 8.0;
    });
    uint32_t *code = array<uint32_t>(n), *sorted = array<uint32_t>(n);
    int32_t *own = array<int32_t>(n), *order = array<int32_t>(n), *count = array<int32_t>(n + 1), *start = array<int32_t>(n + 1);
    double *mass = array<double>(n + 1), *mx = array<double>(n + 1), *my = array<double>(n + 1);
    double *mass_to = array<double>(n + 1), *mx_to = array<double>(n + 1), *my_to = array<double>(n + 1);
    Cell* tree = array<Cell>((LEVELS + 1) * n);
    int32_t* skip = array<int32_t>((LEVELS + 1) * n);
    double *fx = array<double>(n), *fy = array<double>(n);
    size_t sorting = 0, scanning = 0, counting = 0;
    CUDA(cub::DeviceRadixSort::SortPairs(nullptr, sorting, code, sorted, own, order, int(n), 0, 2 * LEVELS));
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scanning, mass, mass_to, int(n) + 1));
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, counting, count, start, int(n) + 1));
    const size_t bytes = std::max(sorting, std::max(scanning, counting));
    char* room = array<char>(bytes);
    measure("cuda", "sorted bodies, the tree by running counts", [=] {
        size_t size = bytes;
        each(n, [=] __device__(int64_t i) {
            code[i] = spread(uint32_t(xs[i] * 32.0)) | spread(uint32_t(ys[i] * 32.0)) << 1;
            own[i] = int32_t(i);
        });
        CUDA(cub::DeviceRadixSort::SortPairs(room, size, code, sorted, own, order, int(n), 0, 2 * LEVELS));
        each(n + 1, [=] __device__(int64_t i) {
            const int32_t b = i < n ? order[i] : 0;
            const double m = i < n ? ms[b] : 0.0;
            mass[i] = m, mx[i] = m * xs[b], my[i] = m * ys[b];
            // Cells that begin here: from the first level in which the body before is elsewhere, to the first in which it is alone.
            const int before = common(sorted, n, i - 1, i), after = common(sorted, n, i, i + 1);
            const int deepest = min(LEVELS, 1 + max(before, after));
            count[i] = i < n ? deepest - before : 0;
        });
        size = bytes;
        CUDA(cub::DeviceScan::ExclusiveSum(room, size, mass, mass_to, int(n) + 1));
        CUDA(cub::DeviceScan::ExclusiveSum(room, size, mx, mx_to, int(n) + 1));
        CUDA(cub::DeviceScan::ExclusiveSum(room, size, my, my_to, int(n) + 1));
        CUDA(cub::DeviceScan::ExclusiveSum(room, size, count, start, int(n) + 1));
        each(n, [=] __device__(int64_t i) {
            const int first = common(sorted, n, i - 1, i) + 1;
            for (int k = 0; k < count[i]; k++) {
                const int level = first + k, shift = 2 * (LEVELS - level);
                int64_t low = i, high = n;
                while (high - low > 1) {
                    const int64_t middle = (low + high) / 2;
                    (shift >= 32 || sorted[middle] >> shift == sorted[i] >> shift ? low : high) = middle;
                }
                const double m = mass_to[high] - mass_to[i];
                const bool leaf = high - i == 1 || level == LEVELS;
                const int32_t at = start[i] + k;
                tree[at] = {(mx_to[high] - mx_to[i]) / m, (my_to[high] - my_to[i]) / m, m, leaf ? 0.0 : 1024.0 / double(1 << level)};
                skip[at] = start[high] - at;
            }
        });
        each(n, [=] __device__(int64_t k) {
            const int32_t b = order[k], cells = start[n];
            const double x = xs[b], y = ys[b];
            double sx = 0, sy = 0;
            for (int32_t i = 0; i < cells;) {
                const Cell c = tree[i];
                const double dx = c.x - x, dy = c.y - y, far = dx * dx + dy * dy;
                if (4.0 * c.side * c.side < far || c.side == 0.0) {
                    const double pull = c.mass / ((far + 0.01) * sqrt(far + 0.01));
                    sx += pull * dx, sy += pull * dy;
                    i += skip[i];
                } else {
                    i++;
                }
            }
            fx[b] = sx, fy[b] = sy;
        });
    }, [=] { return std::vector<Sums>{sums_of(fx, n), sums_of(fy, n)}; });
}
