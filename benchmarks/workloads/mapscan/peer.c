// Prefix sums of every row: a thread per row; and, for few long rows, all threads on each row, a piece per thread in two passes.
#include "peer.h"

static int64_t n, m;
static int32_t *xs, *out;

static int32_t scan(const int32_t *from, int32_t *to, int64_t count, int32_t start) {
    for (int64_t k = 0; k < count; k++) to[k] = start += from[k];
    return start;
}

static void by_rows(void) {
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < n; r++) scan(xs + r * m, out + r * m, m, 0);
}

static void in_pieces(void) {
    const int threads = omp_get_max_threads();
    int32_t total[256];
    for (int64_t r = 0; r < n; r++) {
        const int32_t *from = xs + r * m;
        int32_t *to = out + r * m;
#pragma omp parallel num_threads(threads)
        {
            const int t = omp_get_thread_num();
            const int64_t begin = m * t / threads, end = m * (t + 1) / threads;
            int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = begin; k < end; k++) sum += from[k];
            total[t] = sum;
#pragma omp barrier
            int32_t before = 0;
            for (int k = 0; k < t; k++) before += total[k];
            scan(from + begin, to + begin, end - begin, before);
        }
    }
}

static void check(void) { CHECKSUM(out, n * m); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), m = argument(argc, argv, 2);
    xs = array((size_t)(n * m) * 4), out = array((size_t)(n * m) * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n * m; i++) xs[i] = (int32_t)(hash(i) % 15 - 7);
    POISON(out, n * m);
    measure("c", "a thread per row", by_rows, check);
    if (m < 100000) return 0;
    POISON(out, n * m);
    measure("c", "all threads on a row", in_pieces, check);
}
