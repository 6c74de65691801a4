// Packed lower triangle times vector, rows in groups that threads take as they get free.
#include "peer.h"

static int64_t n;
static float *m, *v, *out;

static void rows(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t r = n - 1; r >= 0; r--) {
        const float *row = m + r * (r + 1) / 2;
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t j = 0; j <= r; j++) s += row[j] * v[j];
        out[r] = s;
    }
}

/// Four rows at a time, so that the vector is loaded once for them.
static void four_rows(void) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t g = (n + 3) / 4 - 1; g >= 0; g--) {
        const int64_t r = 4 * g;
        if (r + 4 > n) {
            for (int64_t k = r; k < n; k++) {
                float s = 0;
                for (int64_t j = 0; j <= k; j++) s += m[k * (k + 1) / 2 + j] * v[j];
                out[k] = s;
            }
            continue;
        }
        const float *a = m + r * (r + 1) / 2, *b = a + r + 1, *c = b + r + 2, *d = c + r + 3;
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (int64_t j = 0; j <= r; j++) {
            s0 += a[j] * v[j];
            s1 += b[j] * v[j];
            s2 += c[j] * v[j];
            s3 += d[j] * v[j];
        }
        s1 += b[r + 1] * v[r + 1];
        s2 += c[r + 1] * v[r + 1] + c[r + 2] * v[r + 2];
        s3 += d[r + 1] * v[r + 1] + d[r + 2] * v[r + 2] + d[r + 3] * v[r + 3];
        out[r] = s0, out[r + 1] = s1, out[r + 2] = s2, out[r + 3] = s3;
    }
}

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    m = array((size_t)(n * (n + 1) / 2) * 4), v = array((size_t)n * 4), out = array((size_t)n * 4);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) m[i * (i + 1) / 2 + j] = (float)(hash(i * n + j) % 8) / 8.0f;
        v[i] = (float)(hash(i + 5) % 8) / 8.0f;
        out[i] = NAN;
    }
    measure("c", "rows", rows, check);
    POISON(out, n);
    measure("c", "four rows", four_rows, check);
}
