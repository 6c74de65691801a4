// The sum of every row: rows in order with one thread per piece of the rows, or with pieces of as many elements each.
#include "peer.h"

static int64_t rows;
static int64_t *off;
static float *xs, *out;

static float element(int64_t i) { return (float)(hash(i) % 15 - 7) / 8.0f; }

static float sum(const float *from, int64_t count) {
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t k = 0; k < count; k++) s += from[k];
    return s;
}

static void by_rows(void) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t r = 0; r < rows; r++) out[r] = sum(xs + off[r], off[r + 1] - off[r]);
}

// Each thread takes as many elements, and the rows that begin among them; what belongs to a row that began earlier is added to it at the end.
static void by_elements(void) {
    const int threads = omp_get_max_threads();
    float carry[256];
    int64_t carried[256];
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int64_t begin = off[rows] * t / threads, end = off[rows] * (t + 1) / threads;
        // The first row that starts at or behind the beginning.
        int64_t low = 0, high = rows;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (off[middle] < begin) low = middle + 1; else high = middle;
        }
        const int64_t first = t == 0 ? 0 : low;
        carried[t] = first - 1;
        carry[t] = t == 0 ? 0 : sum(xs + begin, (off[first] < end ? off[first] : end) - begin);
        for (int64_t r = first; r < rows && (off[r] < end || (off[r] == end && t == threads - 1)); r++)
            out[r] = sum(xs + off[r], (off[r + 1] < end ? off[r + 1] : end) - off[r]);
    }
    for (int t = 1; t < threads; t++)
        if (carried[t] >= 0) out[carried[t]] += carry[t];
}

static void check(void) { CHECKSUM(out, rows); }

int main(int argc, char **argv) {
    const int is_power = !strcmp(argv[1], "power");
    rows = argument(argc, argv, 2);
    const int64_t m = argument(argc, argv, 3), tall = is_power ? argument(argc, argv, 4) : 0;
    off = array((size_t)(rows + 1) * 8), out = array((size_t)rows * 4);
    off[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        off[i + 1] = off[i] + (!is_power ? m : i == rows / 2 ? tall : 4 + m / (1 + hash(i) % m));
    xs = array((size_t)off[rows] * 4);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = off[i]; k < off[i + 1]; k++) {
            const int64_t j = k - off[i];
            xs[k] = element(is_power ? (hash(i) + 7919 * j) % 2147483647 : i * m + j);
        }
    POISON(out, rows);
    measure("c", "by rows", by_rows, check);
    POISON(out, rows);
    measure("c", "by elements", by_elements, check);
}
