// Implicit steps in two directions. Systems along columns are solved eight columns at a time by vectors, since rows of the grid lie together;
// systems along rows one by one, or on a transposed grid like columns. Threads share strikes, or within a strike rows and columns.
#include "peer.h"

static int64_t steps, n, m, count;
static double *along, *along_t, *across, *across_t, *strikes, *out; // along: n x m; across: m x n, across_t: n x m

static void row_system(const double *restrict r, double *restrict d, double *restrict c, int64_t size) {
    c[0] = 0;
    for (int64_t i = 1; i < size - 1; i++) {
        const double below = 1.0 / (1.0 + 2.0 * r[i] - r[i] * c[i - 1]);
        c[i] = r[i] * below;
        d[i] = (d[i] + r[i] * d[i - 1]) * below;
    }
    for (int64_t i = size - 2; i > 0; i--) d[i] += c[i] * d[i + 1];
}

/// Systems along columns lo to hi of a grid with `rows` rows of `width` elements; c is a grid of its own.
static void column_systems(const double *restrict r, double *restrict d, double *restrict c, int64_t rows, int64_t width, int64_t lo, int64_t hi) {
    for (int64_t j = lo; j < hi; j++) c[j] = 0;
    for (int64_t i = 1; i < rows - 1; i++) {
#pragma omp simd
        for (int64_t j = lo; j < hi; j++) {
            const int64_t q = i * width + j;
            const double below = 1.0 / (1.0 + 2.0 * r[q] - r[q] * c[q - width]);
            c[q] = r[q] * below;
            d[q] = (d[q] + r[q] * d[q - width]) * below;
        }
    }
    for (int64_t i = rows - 2; i > 0; i--)
#pragma omp simd
        for (int64_t j = lo; j < hi; j++) d[i * width + j] += c[i * width + j] * d[(i + 1) * width + j];
}

static void diffuse_columns(const double *restrict r, const double *restrict u, double *restrict to, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++)
        for (int64_t j = 0; j < m; j++) {
            const int64_t q = i * m + j;
            to[q] = i == 0 || i == n - 1 ? u[q] : u[q] + r[q] * (u[q - m] - 2.0 * u[q] + u[q + m]);
        }
}

static void diffuse_rows(const double *restrict r, const double *restrict u, double *restrict to, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++) {
        const double *x = u + i * m, *a = r + i * m;
        double *y = to + i * m;
        y[0] = x[0], y[m - 1] = x[m - 1];
        for (int64_t j = 1; j < m - 1; j++) y[j] = x[j] + a[j] * (x[j - 1] - 2.0 * x[j] + x[j + 1]);
    }
}

/// from (rows x width) to (width x rows), in blocks.
static void transposed(const double *restrict from, double *restrict to, int64_t rows, int64_t width, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i += 8)
        for (int64_t j = 0; j < width; j += 8)
            for (int64_t p = i; p < i + 8 && p < hi; p++)
                for (int64_t q = j; q < j + 8 && q < width; q++) to[q * rows + p] = from[p * width + q];
}

static void payoff(double *u, double strike) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) u[i * m + j] = (double)j > strike ? (double)j - strike : 0.0;
}

static void strikes_rows(void) {
#pragma omp parallel
    {
        double *u = malloc((size_t)(n * m) * 24), *v = u + n * m, *c = v + n * m;
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < count; s++) {
            payoff(u, strikes[s]);
            for (int64_t t = 0; t < steps; t++) {
                diffuse_columns(across_t, u, v, 0, n);
                for (int64_t i = 0; i < n; i++) row_system(along + i * m, v + i * m, c, m);
                diffuse_rows(along, v, u, 0, n);
                column_systems(across_t, u, c, n, m, 0, m);
            }
            out[s] = u[n / 2 * m + m / 2];
        }
        free(u);
    }
}

static void strikes_transposed(void) {
#pragma omp parallel
    {
        double *u = malloc((size_t)(n * m) * 24), *v = u + n * m, *c = v + n * m;
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < count; s++) {
            payoff(u, strikes[s]);
            for (int64_t t = 0; t < steps; t++) {
                diffuse_columns(across_t, u, v, 0, n);
                transposed(v, u, n, m, 0, n);
                column_systems(along_t, u, c, m, n, 0, n);
                transposed(u, v, m, n, 0, m);
                diffuse_rows(along, v, u, 0, n);
                column_systems(across_t, u, c, n, m, 0, m);
            }
            out[s] = u[n / 2 * m + m / 2];
        }
        free(u);
    }
}

static void inside_strikes(void) {
    double *u = malloc((size_t)(n * m) * 24), *v = u + n * m, *c = v + n * m;
    for (int64_t s = 0; s < count; s++) {
        payoff(u, strikes[s]);
#pragma omp parallel
        {
            const int64_t t = omp_get_thread_num(), threads = omp_get_num_threads();
            const int64_t lo = n * t / threads, hi = n * (t + 1) / threads, left = m * t / threads, right = m * (t + 1) / threads;
            for (int64_t k = 0; k < steps; k++) {
                diffuse_columns(across_t, u, v, lo, hi);
#pragma omp barrier
                transposed(v, u, n, m, lo, hi);
                column_systems(along_t, u, c, m, n, lo, hi);
#pragma omp barrier
                transposed(u, v, m, n, left, right);
#pragma omp barrier
                diffuse_rows(along, v, u, lo, hi);
#pragma omp barrier
                column_systems(across_t, u, c, n, m, left, right);
#pragma omp barrier
            }
        }
        out[s] = u[n / 2 * m + m / 2];
    }
    free(u);
}

static void check(void) { CHECKSUM(out, count); }

int main(int argc, char **argv) {
    steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4), count = argument(argc, argv, 5);
    const size_t bytes = (size_t)(n * m) * 8;
    along = array(bytes), along_t = array(bytes), across = array(bytes), across_t = array(bytes);
    strikes = array((size_t)count * 8), out = array((size_t)count * 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            along[i * m + j] = along_t[j * n + i] = 0.25 + (double)(hash(i * m + j) % 64) / 128.0;
            across[j * n + i] = across_t[i * m + j] = 0.125 + (double)(hash(i * m + j + 77) % 64) / 256.0;
        }
    for (int64_t s = 0; s < count; s++) strikes[s] = (double)m * (0.25 + 0.5 * (double)s / (double)count);
    POISON(out, count);
    measure("c", "over strikes, rows one by one", strikes_rows, check);
    POISON(out, count);
    measure("c", "over strikes, rows transposed", strikes_transposed, check);
    POISON(out, count);
    measure("c", "inside a strike", inside_strikes, check);
}
