// Blurring: along rows with a row extended at both ends; along columns by adding up weighted rows, which needs no transposition. In two passes over
// the image, or in strips: the rows that a strip of 32 rows needs are blurred into the cache first, those at its borders twice.
#include "peer.h"

static int64_t r, n, m;
static float *weights, *image, *between, *out;

static int64_t mirrored(int64_t i, int64_t size) { return i < 0 ? -1 - i : i >= size ? 2 * size - 1 - i : i; }

static inline void along(const float *restrict row, float *restrict wide, float *restrict to) {
    for (int64_t j = 0; j < r; j++) wide[j] = row[mirrored(j - r, m)], wide[r + m + j] = row[mirrored(m + j, m)];
    memcpy(wide + r, row, (size_t)m * 4);
    for (int64_t from = 0; from < m; from += 512) {
        const int64_t some = m - from < 512 ? m - from : 512;
        float sums[512] = {0};
        for (int64_t k = 0; k <= 2 * r; k++)
#pragma omp simd
            for (int64_t j = 0; j < some; j++) sums[j] += weights[k] * wide[from + j + k];
        memcpy(to + from, sums, (size_t)some * 4);
    }
}

static inline void across(const float *const *rows, float *restrict to) {
    for (int64_t from = 0; from < m; from += 512) {
        const int64_t some = m - from < 512 ? m - from : 512;
        float sums[512] = {0};
        for (int64_t k = 0; k <= 2 * r; k++) {
            const float *restrict row = rows[k] + from;
#pragma omp simd
            for (int64_t j = 0; j < some; j++) sums[j] += weights[k] * row[j];
        }
        memcpy(to + from, sums, (size_t)some * 4);
    }
}

static void two_passes(void) {
#pragma omp parallel
    {
        float *wide = malloc((size_t)(m + 2 * r) * 4);
        const float **rows = malloc((size_t)(2 * r + 1) * sizeof *rows);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) along(image + i * m, wide, between + i * m);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            for (int64_t k = 0; k <= 2 * r; k++) rows[k] = between + mirrored(i + k - r, n) * m;
            across(rows, out + i * m);
        }
        free(wide), free(rows);
    }
}

enum { STRIP = 32 };

static void strips(void) {
#pragma omp parallel
    {
        float *wide = malloc((size_t)(m + 2 * r) * 4), *kept = malloc((size_t)((STRIP + 2 * r) * m) * 4);
        const float **rows = malloc((size_t)(2 * r + 1) * sizeof *rows);
#pragma omp for schedule(static)
        for (int64_t from = 0; from < n; from += STRIP) {
            const int64_t to = from + STRIP < n ? from + STRIP : n;
            for (int64_t i = from - r; i < to + r; i++) along(image + mirrored(i, n) * m, wide, kept + (i - from + r) * m);
            for (int64_t i = from; i < to; i++) {
                for (int64_t k = 0; k <= 2 * r; k++) rows[k] = kept + (i - from + k) * m;
                across(rows, out + i * m);
            }
        }
        free(wide), free(kept), free(rows);
    }
}

static void check(void) { CHECKSUM(out, n * m); }

int main(int argc, char **argv) {
    r = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    const size_t bytes = (size_t)(n * m) * 4;
    weights = array((size_t)(2 * r + 1) * 4), image = array(bytes), between = array(bytes), out = array(bytes);
    for (int64_t j = 0; j <= 2 * r; j++) weights[j] = (float)(1 + (j < 2 * r - j ? j : 2 * r - j)) / (float)((r + 1) * (r + 1));
#pragma omp parallel for
    for (int64_t i = 0; i < n * m; i++) image[i] = (float)(hash(i) % 64) / 8.0f, between[i] = out[i] = NAN;
    measure("c", "two passes", two_passes, check);
    POISON(out, n * m);
    measure("c", "strips", strips, check);
}
