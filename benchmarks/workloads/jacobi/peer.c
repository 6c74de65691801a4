// A stencil with clamped borders, the borders peeled off: inside, all neighbours are read without a test. The additions are those of the
// program, one per neighbour; sliding sums would be another algorithm.
#include "peer.h"

static int64_t n;
static float *grid, *out;

static inline int64_t clamp(int64_t i) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static inline __attribute__((always_inline)) float border(int64_t i, int64_t j, int half, float weight) {
    float s = 0;
    for (int64_t di = -half; di <= half; di++)
        for (int64_t dj = -half; dj <= half; dj++) s += grid[clamp(i + di) * n + clamp(j + dj)];
    return weight * s;
}

// Without loops: the compiler turns a loop over points into vector code only where it holds no other loop.
static inline __attribute__((always_inline)) float line(const float *at, int half) {
    const float near = at[-1] + at[0] + at[1];
    if (half == 1) return near;
    return near + (at[-2] + at[2]) + (at[-3] + at[3]) + (at[-4] + at[4]);
}

static inline __attribute__((always_inline)) float window(const float *at, int64_t n, int half) {
    const float near = line(at - n, half) + line(at, half) + line(at + n, half);
    if (half == 1) return near;
    return near + (line(at - 2 * n, half) + line(at + 2 * n, half)) + (line(at - 3 * n, half) + line(at + 3 * n, half)) +
           (line(at - 4 * n, half) + line(at + 4 * n, half));
}

// A row by itself, with the size of the window as a constant: OpenMP makes a function of a parallel loop before anything is inlined, and in there
// an argument of the function around it would be a variable.
static inline __attribute__((always_inline)) void row(int64_t i, int half, float weight) {
    const int64_t wide = n;
    const float *restrict from = grid + i * wide;
    float *restrict to = out + i * wide;
    if (i < half || i + half >= wide || wide < 2 * half) {
        for (int64_t j = 0; j < wide; j++) to[j] = border(i, j, half, weight);
        return;
    }
    for (int64_t j = 0; j < half; j++) to[j] = border(i, j, half, weight);
#pragma omp simd
    for (int64_t j = half; j < wide - half; j++) to[j] = weight * window(from + j, wide, half);
    for (int64_t j = wide - half; j < wide; j++) to[j] = border(i, j, half, weight);
}

static void three(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) row(i, 1, 0.11111111f);
}

static void nine(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) row(i, 4, 0.012345679f);
}

enum { TALL = 4 };

/// Four rows at a time: a row of the grid is loaded once for all the windows that it is part of.
static inline __attribute__((always_inline)) void band(int64_t number, int half, float weight) {
    enum { WIDE = 64 };
    const int64_t i0 = number * TALL, i1 = i0 + TALL < n ? i0 + TALL : n;
    const int inside = i0 >= half && i1 + half <= n && i1 - i0 == TALL && n >= 2 * half;
    int64_t j = 0;
    if (inside) {
        for (int64_t i = i0; i < i1; i++)
            for (int64_t e = 0; e < half; e++) out[i * n + e] = border(i, e, half, weight);
        for (j = half; j + WIDE + half <= n; j += WIDE) {
            float sums[TALL][WIDE] = {{0}};
            for (int di = -half; di < TALL + half; di++) {
                const float *row = grid + (i0 + di) * n + j;
                float line[WIDE];
#pragma omp simd
                for (int l = 0; l < WIDE; l++) {
                    float s = 0;
                    for (int dj = -half; dj <= half; dj++) s += row[l + dj];
                    line[l] = s;
                }
                for (int r = 0; r < TALL; r++) {
                    if (di < r - half || di > r + half) continue;
#pragma omp simd
                    for (int l = 0; l < WIDE; l++) sums[r][l] += line[l];
                }
            }
            for (int r = 0; r < TALL; r++) {
#pragma omp simd
                for (int l = 0; l < WIDE; l++) out[(i0 + r) * n + j + l] = weight * sums[r][l];
            }
        }
    }
    for (int64_t i = i0; i < i1; i++)
        for (int64_t e = j; e < n; e++) out[i * n + e] = border(i, e, half, weight);
}

static void three_blocked(void) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < (n + TALL - 1) / TALL; b++) band(b, 1, 0.11111111f);
}

static void nine_blocked(void) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < (n + TALL - 1) / TALL; b++) band(b, 4, 0.012345679f);
}

static void check(void) { CHECKSUM(out, n * n); }

int main(int argc, char **argv) {
    const int is_nine = argument(argc, argv, 1) == 9;
    n = argument(argc, argv, 2);
    grid = array((size_t)(n * n) * 4), out = array((size_t)(n * n) * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n * n; i++) grid[i] = (float)(hash(i) % 64) / 8.0f, out[i] = NAN;
    measure("c", "peeled", is_nine ? nine : three, check);
    POISON(out, n * n);
    measure("shared sums", "rows of sums for four windows", is_nine ? nine_blocked : three_blocked, check);
}
