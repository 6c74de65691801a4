// A banded matrix times a vector. The rows in the middle all have the same length, so that their loop needs no bounds of its own; the second way
// does the ends apart.
#include "peer.h"

static int64_t n, w;
static double *rows, *v, *out;

static inline __attribute__((always_inline)) double sum(const double *restrict a, const double *restrict b, int64_t size) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t j = 0; j < size; j++) s += a[j] * b[j];
    return s;
}

static double row(int64_t i) {
    const int64_t from = i > w ? i - w : 0, to = i + w + 1 < n ? i + w + 1 : n;
    return sum(rows + i * (2 * w + 1) + from - i + w, v + from, to - from);
}

static void by_rows(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) out[i] = row(i);
}

static inline __attribute__((always_inline)) void middle(int64_t w) {
#pragma omp parallel for schedule(static)
    for (int64_t i = w; i < n - w; i++) out[i] = sum(rows + i * (2 * w + 1), v + i - w, 2 * w + 1);
}

static void middle_apart(void) {
    if (2 * w >= n) return by_rows();
    for (int64_t i = 0; i < w; i++) out[i] = row(i), out[n - 1 - i] = row(n - 1 - i);
    if (w == 2) middle(2);
    else middle(w);
}

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 2), w = argument(argc, argv, 3);
    rows = array((size_t)(n * (2 * w + 1)) * 8), v = array((size_t)n * 8), out = array((size_t)n * 8);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        v[i] = (double)(hash(i + 77) % 64) / 8.0;
        for (int64_t j = 0; j < 2 * w + 1; j++) {
            const int64_t at = (2 * w + 1) * i + j, column = i + j - w;
            rows[at] = column < 0 || column >= n ? NAN : (double)(hash(at) % 64) / 8.0;
        }
    }
    POISON(out, n);
    measure("c", "row by row", by_rows, check);
    POISON(out, n);
    measure("c", "the middle apart", middle_apart, check);
}
