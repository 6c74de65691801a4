// The product of two vectors: one reduction by the compiler, and many sums side by side.
#include "peer.h"

enum { CHUNK = 1 << 16, LANES = 64 };

static int64_t n;
static float *xs, *ys, result;

static void plain(void) {
    float s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (int64_t i = 0; i < n; i++) s += xs[i] * ys[i];
    result = s;
}

/// One vector of sums makes every addition wait for the one before; 64 sums keep several in flight.
static void lanes(void) {
    float all = 0;
    const int64_t chunks = (n + CHUNK - 1) / CHUNK;
#pragma omp parallel for reduction(+ : all) schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t end = (c + 1) * CHUNK < n ? (c + 1) * CHUNK : n;
        float s[LANES] = {0};
        int64_t i = c * CHUNK;
        for (; i + LANES <= end; i += LANES) {
#pragma omp simd
            for (int l = 0; l < LANES; l++) s[l] += xs[i + l] * ys[i + l];
        }
        for (; i < end; i++) s[0] += xs[i] * ys[i];
        for (int l = 0; l < LANES; l++) all += s[l];
    }
    result = all;
}

static void check(void) { CHECKSUM(&result, 1); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    xs = array((size_t)n * 4), ys = array((size_t)n * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        xs[i] = (float)(hash(i) % 15 - 7) / 8.0f;
        ys[i] = (float)(hash(i + 77) % 15 - 7) / 8.0f;
    }
    measure("c", "reduction", plain, check);
    result = NAN;
    measure("c", "64 sums", lanes, check);
}
