// Lattice Boltzmann, D2Q9: what arrives is pulled from the nine neighbours, then relaxed. Two arrangements in memory: nine grids, so that
// a row is nine streams which the compiler vectorises, or nine numbers per cell. Between steps, threads meet at one barrier.
#include "peer.h"

static int64_t steps, n, m, apart;
static uint8_t *solid;
static float *start, *start9, *a, *b, *out, *ordered;
static const float omega = 1.25f;
static const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[9] = {0.44444445f, 0.11111111f, 0.11111111f, 0.11111111f, 0.11111111f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f};

/// The cell after a step from what arrived, f0 to f8, with walls chosen by arithmetic instead of a jump.
static inline __attribute__((always_inline)) void collide(const float f[9], int wall, float to[9]) {
    const float density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    const float x = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density, y = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density;
    const float still = 1.0f - 1.5f * (x * x + y * y);
    static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        const float along = 3.0f * ((float)dx[k] * x + (float)dy[k] * y);
        const float relaxed = f[k] + omega * (w[k] * density * (still + along + 0.5f * along * along) - f[k]);
        to[k] = wall ? f[opposite[k]] : relaxed;
    }
}

static inline __attribute__((always_inline)) void cell_of_grids(const float *const from[9], float *const to[9], const uint8_t *walls, int64_t j, int64_t l, int64_t r) {
    const float f[9] = {from[0][j], from[1][l], from[2][j], from[3][r], from[4][j], from[5][l], from[6][r], from[7][r], from[8][l]};
    float t[9];
    collide(f, walls[j], t);
    for (int k = 0; k < 9; k++) to[k][j] = t[k];
}

static void nine_grids(void) {
    float *from = start, *to = a, *spare = b;
#pragma omp parallel firstprivate(from, to, spare)
    for (int64_t s = 0; s < steps; s++) {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const float *rows[9];
            float *outs[9];
            for (int k = 0; k < 9; k++) rows[k] = from + k * apart + (i - dy[k] + n) % n * m, outs[k] = to + k * apart + i * m;
            const uint8_t *walls = solid + i * m;
            cell_of_grids(rows, outs, walls, 0, m - 1, 1 % m);
            float *restrict o0 = outs[0], *restrict o1 = outs[1], *restrict o2 = outs[2], *restrict o3 = outs[3], *restrict o4 = outs[4];
            float *restrict o5 = outs[5], *restrict o6 = outs[6], *restrict o7 = outs[7], *restrict o8 = outs[8];
            const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4], *r5 = rows[5], *r6 = rows[6], *r7 = rows[7], *r8 = rows[8];
#pragma omp simd
            for (int64_t j = 1; j < m - 1; j++) {
                const float f[9] = {r0[j], r1[j - 1], r2[j], r3[j + 1], r4[j], r5[j - 1], r6[j + 1], r7[j + 1], r8[j - 1]};
                float t[9];
                collide(f, walls[j], t);
                o0[j] = t[0], o1[j] = t[1], o2[j] = t[2], o3[j] = t[3], o4[j] = t[4], o5[j] = t[5], o6[j] = t[6], o7[j] = t[7], o8[j] = t[8];
            }
            if (m > 1) cell_of_grids(rows, outs, walls, m - 1, m - 2, 0);
        }
        float *next = s == 0 ? spare : from;
        from = to, to = next;
    }
    out = steps == 0 ? start : steps % 2 ? a : b;
}

static void nine_per_cell(void) {
    float *from = start9, *to = a, *spare = b;
#pragma omp parallel firstprivate(from, to, spare)
    for (int64_t s = 0; s < steps; s++) {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const float *up = from + (i == 0 ? n - 1 : i - 1) * m * 9, *mid = from + i * m * 9, *down = from + (i == n - 1 ? 0 : i + 1) * m * 9;
            for (int64_t j = 0; j < m; j++) {
                const int64_t l = 9 * (j == 0 ? m - 1 : j - 1), r = 9 * (j == m - 1 ? 0 : j + 1), q = 9 * j;
                const float f[9] = {mid[q], mid[l + 1], up[q + 2], mid[r + 3], down[q + 4], up[l + 5], up[r + 6], down[r + 7], down[l + 8]};
                collide(f, solid[i * m + j], to + i * m * 9 + q);
            }
        }
        float *next = s == 0 ? spare : from;
        from = to, to = next;
    }
    out = steps == 0 ? start9 : steps % 2 ? a : b;
}

static void check_grids(void) {
    for (int64_t i = 0; i < n * m; i++)
        for (int k = 0; k < 9; k++) ordered[9 * i + k] = out[k * apart + i];
    CHECKSUM(ordered, 9 * n * m);
}
static void check_cells(void) { CHECKSUM(out, 9 * n * m); }

int main(int argc, char **argv) {
    steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    apart = n * m + 1040; // grids a power of two apart would share the sets of the cache
    const size_t bytes = (size_t)(9 * apart) * sizeof(float);
    solid = array((size_t)(n * m)), start = array(bytes), a = array(bytes), b = array(bytes);
    const size_t needed = held;
    start9 = array(bytes), ordered = array(bytes);
    held = needed;
#pragma omp parallel for
    for (int64_t i = 0; i < n * m; i++) {
        solid[i] = hash(i) % 100 == 0;
        for (int k = 0; k < 9; k++) {
            const float noise = (float)(hash(9 * i + k) % 64) / 4096.0f;
            start9[9 * i + k] = start[k * apart + i] = w[k] * (1.0f + 0.25f * (float)dx[k] + noise);
        }
    }
    POISON(a, 9 * n * m);
    POISON(b, 9 * n * m);
    measure("c", "nine grids", nine_grids, check_grids);
    POISON(a, 9 * n * m);
    POISON(b, 9 * n * m);
    measure("c", "nine numbers per cell", nine_per_cell, check_cells);
}
