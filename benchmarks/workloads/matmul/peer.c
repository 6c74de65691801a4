// Matrix product by hand: a panel of 32 columns of B and a strip of 12 rows of A are packed so that the inner loop reads them in order and
// keeps 12 by 32 sums in registers; and the three plain loops with the middle one outside, for comparison.
#include "peer.h"

enum { ROWS = 12, WIDE = 16, PANEL = 2 * WIDE, DEEP = 256 };

typedef float lane __attribute__((vector_size(4 * WIDE)));

static int64_t n;
static float *a, *b, *out, *packed_a, *packed_b;

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

/// Panel p of B, depth d to d + count: PANEL neighbours of each row side by side, zeros beyond the border.
static void pack_panel(int64_t p, int64_t d, int64_t count, float *to) {
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < PANEL; j++) to[k * PANEL + j] = p * PANEL + j < n ? b[(d + k) * n + p * PANEL + j] : 0.0f;
}

static void pack_strip(int64_t s, int64_t d, int64_t count, float *to) {
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < ROWS; i++) to[k * ROWS + i] = s * ROWS + i < n ? a[(s * ROWS + i) * n + d + k] : 0.0f;
}

static inline void corner(int64_t s, int64_t p, int64_t count, const float *strip, const float *panel, int first) {
    lane sum[ROWS][2];
    for (int i = 0; i < ROWS; i++) sum[i][0] = sum[i][1] = (lane){0};
    for (int64_t k = 0; k < count; k++) {
        const lane left = *(const lane *)(panel + k * PANEL), right = *(const lane *)(panel + k * PANEL + WIDE);
#pragma GCC unroll 12
        for (int i = 0; i < ROWS; i++) {
            const float x = strip[k * ROWS + i];
            sum[i][0] += x * left;
            sum[i][1] += x * right;
        }
    }
    const int64_t rows = least(ROWS, n - s * ROWS), columns = least(PANEL, n - p * PANEL);
    for (int64_t i = 0; i < rows; i++) {
        float *row = out + (s * ROWS + i) * n + p * PANEL;
        const float *own = (const float *)sum[i];
        for (int64_t j = 0; j < columns; j++) row[j] = first ? own[j] : row[j] + own[j];
    }
}

static void tiled(void) {
    const int64_t panels = (n + PANEL - 1) / PANEL, strips = (n + ROWS - 1) / ROWS;
#pragma omp parallel
    for (int64_t d = 0; d < n; d += DEEP) {
        const int64_t count = least(DEEP, n - d);
#pragma omp for schedule(static)
        for (int64_t p = 0; p < panels; p++) pack_panel(p, d, count, packed_b + p * PANEL * DEEP);
        float *strip = packed_a + (int64_t)omp_get_thread_num() * ROWS * DEEP;
#pragma omp for schedule(dynamic, 4)
        for (int64_t s = 0; s < strips; s++) {
            pack_strip(s, d, count, strip);
            for (int64_t p = 0; p < panels; p++) corner(s, p, count, strip, packed_b + p * PANEL * DEEP, d == 0);
        }
    }
}

static void plain(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) out[i * n + j] = 0;
        for (int64_t k = 0; k < n; k++) {
            const float x = a[i * n + k];
#pragma omp simd
            for (int64_t j = 0; j < n; j++) out[i * n + j] += x * b[k * n + j];
        }
    }
}

static void check(void) { CHECKSUM(out, n * n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    a = array((size_t)(n * n) * 4), b = array((size_t)(n * n) * 4), out = array((size_t)(n * n) * 4);
    packed_a = array((size_t)omp_get_max_threads() * ROWS * DEEP * 4);
    packed_b = array((size_t)(n + PANEL) * DEEP * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = (float)(hash(i) % 8) / 8.0f;
        b[i] = (float)(hash(i + 77) % 8) / 8.0f;
        out[i] = NAN;
    }
    measure("c", "tiled and packed", tiled, check);
    POISON(out, n * n);
    measure("c", "plain loops", plain, check);
}
