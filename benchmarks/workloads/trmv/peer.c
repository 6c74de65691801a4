// Packed lower triangle times vector, rows in groups that threads take as they get free.
#include "peer.h"

static int64_t n;
static float *m, *v, *out;

static void rows(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t r = 0; r < n; r++) {
        const float *row = m + r * (r + 1) / 2;
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t j = 0; j <= r; j++) s += row[j] * v[j];
        out[r] = s;
    }
}

/// The compiler adds into one vector, and every addition waits for the one before; 64 sums keep several in flight.
static inline __attribute__((always_inline)) float one_row(const float *row, int64_t length) {
    float s[64] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + 64 <= length; j += 64) {
#pragma omp simd
        for (int l = 0; l < 64; l++) s[l] += row[j + l] * v[j + l];
    }
    for (; j < length; j++) rest += row[j] * v[j];
    for (int half = 32; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0] + rest;
}

static void many_sums(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t r = 0; r < n; r++) out[r] = one_row(m + r * (r + 1) / 2, r + 1);
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
    measure("c", "64 sums", many_sums, check);
}
