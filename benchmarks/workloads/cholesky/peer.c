// Cholesky's factors. One matrix: column by column with products of rows, as the program does; or by blocks of 48 columns, where the part of
// a block that is left of it is taken off by small products of matrices. Many matrices: one per thread at a time, row by row.
#include "peer.h"

static int64_t b, n;
static double *given, *out;

static inline double product(const double *restrict x, const double *restrict y, int64_t size) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t k = 0; k < size; k++) s += x[k] * y[k];
    return s;
}

static void clear_above(double *l) {
    for (int64_t i = 0; i < n; i++) memset(l + i * n + i + 1, 0, (size_t)(n - 1 - i) * 8);
}

static void by_columns(void) {
    memcpy(out, given, (size_t)(n * n) * 8);
#pragma omp parallel
    for (int64_t j = 0; j < n; j++) {
#pragma omp single
        out[j * n + j] = sqrt(out[j * n + j] - product(out + j * n, out + j * n, j));
#pragma omp for schedule(static)
        for (int64_t i = j + 1; i < n; i++) out[i * n + j] = (out[i * n + j] - product(out + i * n, out + j * n, j)) / out[j * n + j];
    }
    clear_above(out);
}

enum { BLOCK = 48 };

/// Takes the product of rows i.. and j.. (first `depth` columns) off a tile of 4 by 4.
static inline void tile(double *l, int64_t i, int64_t j, int64_t depth) {
    double s[4][4] = {{0}};
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) s[p][q] = 0;
    const double *x0 = l + i * n, *x1 = x0 + n, *x2 = x1 + n, *x3 = x2 + n, *y[4] = {l + j * n, l + (j + 1) * n, l + (j + 2) * n, l + (j + 3) * n};
    for (int q = 0; q < 4; q++) {
        double a = 0, c = 0, d = 0, e = 0;
        const double *z = y[q];
#pragma omp simd reduction(+ : a, c, d, e)
        for (int64_t k = 0; k < depth; k++) a += x0[k] * z[k], c += x1[k] * z[k], d += x2[k] * z[k], e += x3[k] * z[k];
        s[0][q] = a, s[1][q] = c, s[2][q] = d, s[3][q] = e;
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) l[(i + p) * n + j + q] -= s[p][q];
}

static void by_blocks(void) {
    memcpy(out, given, (size_t)(n * n) * 8);
#pragma omp parallel
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        // The products of what is left of the block, then the columns of its corner, then the rows below it.
#pragma omp for schedule(dynamic, 4)
        for (int64_t t = from / 4; t < (n + 3) / 4; t++) {
            const int64_t i = 4 * t;
            int64_t j = from;
            if (i + 4 <= n)
                for (; j + 4 <= to; j += 4) tile(out, i, j, from);
            for (int64_t p = i; p < i + 4 && p < n; p++)
                for (int64_t q = j; q < to; q++) out[p * n + q] -= product(out + p * n, out + q * n, from);
        }
#pragma omp single
        for (int64_t j = from; j < to; j++)
            for (int64_t i = j; i < to; i++) {
                const double x = out[i * n + j] - product(out + i * n + from, out + j * n + from, j - from);
                out[i * n + j] = i == j ? sqrt(x) : x / out[j * n + j];
            }
#pragma omp for schedule(static)
        for (int64_t i = to; i < n; i++)
            for (int64_t j = from; j < to; j++)
                out[i * n + j] = (out[i * n + j] - product(out + i * n + from, out + j * n + from, j - from)) / out[j * n + j];
    }
    clear_above(out);
}

static void over_matrices(void) {
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < b; k++) {
        double *l = out + k * n * n;
        const double *a = given + k * n * n;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j <= i; j++) {
                const double x = a[i * n + j] - product(l + i * n, l + j * n, j);
                l[i * n + j] = i == j ? sqrt(x) : x / l[j * n + j];
            }
            for (int64_t j = i + 1; j < n; j++) l[i * n + j] = 0;
        }
    }
}

/// Right-looking: a column, then the rest by whole rows of the transpose, which the compiler vectorises without sums.
static void over_matrices_outer(void) {
#pragma omp parallel
    {
        double *u = malloc((size_t)(n * n) * 8);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < b; k++) {
            double *l = out + k * n * n;
            memcpy(u, given + k * n * n, (size_t)(n * n) * 8);
            for (int64_t j = 0; j < n; j++) {
                double *restrict row = u + j * n;
                const double scale = 1.0 / sqrt(row[j]);
                for (int64_t i = j; i < n; i++) row[i] *= scale;
                for (int64_t i = j + 1; i < n; i++)
                    for (int64_t q = i; q < n; q++) u[i * n + q] -= row[i] * row[q];
            }
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) l[i * n + j] = j <= i ? u[j * n + i] : 0;
        }
        free(u);
    }
}

static void check(void) { CHECKSUM(out, b * n * n); }

int main(int argc, char **argv) {
    const int many = argc > 1 && !strcmp(argv[1], "many");
    b = many ? argument(argc, argv, 2) : 1, n = argument(argc, argv, many ? 3 : 2);
    given = array((size_t)(b * n * n) * 8), out = array((size_t)(b * n * n) * 8);
    for (int64_t k = 0; k < b; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                const int64_t low = i < j ? i : j, high = i < j ? j : i;
                given[(k * n + i) * n + j] = (double)(hash(k * n * n + high * n + low) % 64) / 64.0 + (i == j ? (double)n : 0.0);
            }
    POISON(out, b * n * n);
    if (!many) measure("c", "by columns", by_columns, check);
    POISON(out, b * n * n);
    if (!many) measure("c", "by blocks", by_blocks, check);
    if (many) measure("c", "over matrices, products of rows", over_matrices, check);
    POISON(out, b * n * n);
    if (many) measure("c", "over matrices, outer products", over_matrices_outer, check);
}
