// LU decomposition in place, by blocks: the corner, the strips beside and below it, then the rest, four rows by sixteen columns of it in
// registers. The input is copied inside the measured time, as it must survive.
#include "peer.h"

static int64_t n, block;
static double *m, *a;

static void corner(int64_t s, int64_t t) {
    for (int64_t k = s; k < t; k++)
        for (int64_t i = k + 1; i < t; i++) {
            const double factor = a[i * n + k] /= a[k * n + k];
#pragma omp simd
            for (int64_t j = k + 1; j < t; j++) a[i * n + j] -= factor * a[k * n + j];
        }
}

static void right(int64_t s, int64_t t, int64_t from, int64_t to) {
    for (int64_t i = s + 1; i < t; i++)
        for (int64_t k = s; k < i; k++) {
            const double x = a[i * n + k];
#pragma omp simd
            for (int64_t j = from; j < to; j++) a[i * n + j] -= x * a[k * n + j];
        }
}

static void below(int64_t s, int64_t t, int64_t i) {
    for (int64_t k = s; k < t; k++) {
        const double factor = a[i * n + k] /= a[k * n + k];
#pragma omp simd
        for (int64_t j = k + 1; j < t; j++) a[i * n + j] -= factor * a[k * n + j];
    }
}

enum { TALL = 4, WIDE = 16 };

static void rest_of_rows(int64_t s, int64_t t, int64_t i) {
    int64_t j = t;
    for (; j + WIDE <= n; j += WIDE) {
        double sum[TALL][WIDE] = {{0}};
        for (int64_t k = s; k < t; k++)
            for (int r = 0; r < TALL; r++) {
                const double x = a[(i + r) * n + k];
#pragma omp simd
                for (int l = 0; l < WIDE; l++) sum[r][l] += x * a[k * n + j + l];
            }
        for (int r = 0; r < TALL; r++)
#pragma omp simd
            for (int l = 0; l < WIDE; l++) a[(i + r) * n + j + l] -= sum[r][l];
    }
    for (int r = 0; r < TALL; r++)
        for (int64_t c = j; c < n; c++)
            for (int64_t k = s; k < t; k++) a[(i + r) * n + c] -= a[(i + r) * n + k] * a[k * n + c];
}

static void decompose(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) memcpy(a + i * n, m + i * n, (size_t)n * 8);
        for (int64_t s = 0; s < n; s += block) {
            const int64_t t = s + block;
#pragma omp single
            corner(s, t);
#pragma omp for schedule(static) nowait
            for (int64_t j = t; j < n; j += 64) right(s, t, j, j + 64 < n ? j + 64 : n);
#pragma omp for schedule(static)
            for (int64_t i = t; i < n; i++) below(s, t, i);
#pragma omp for schedule(dynamic, 8)
            for (int64_t i = t; i < n; i += TALL) rest_of_rows(s, t, i);
        }
    }
}

static void check(void) { CHECKSUM(a, n * n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), block = argument(argc, argv, 2);
    if (n % block != 0 || block % TALL != 0) return 2;
    m = array((size_t)(n * n) * 8), a = array((size_t)(n * n) * 8);
    for (int64_t i = 0; i < n * n; i++) m[i] = (double)(hash(i) % 64) / 64.0 + (i / n == i % n ? (double)n : 0.0);
    POISON(a, n * n);
    measure("c", "blocked, in place", decompose, check);
}
