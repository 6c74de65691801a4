// The score table of two sequences, in blocks along the anti-diagonals: cell by cell, and with the part of a row that does not depend on
// its left neighbour in a loop of its own, which the compiler vectorises.
#include "peer.h"

enum { MOST = 256 };

static int64_t n, width, block;
static int32_t gap = 1, *cells;
static uint8_t *xs, *ys;

static inline int32_t greater(int32_t a, int32_t b) { return a > b ? a : b; }

static inline void cell_by_cell(int64_t i0, int64_t j0) {
    for (int64_t i = i0; i < i0 + block; i++) {
        const int32_t *above = cells + i * width;
        int32_t *row = cells + (i + 1) * width;
        int32_t left = row[j0];
        for (int64_t j = j0; j < j0 + block; j++) {
            const int32_t diagonal = above[j] + (xs[i] == ys[j] ? 3 : -1);
            left = greater(diagonal, greater(above[j + 1], left) - gap);
            row[j + 1] = left;
        }
    }
}

static inline void row_by_row(int64_t i0, int64_t j0) {
    for (int64_t i = i0; i < i0 + block; i++) {
        const int32_t *above = cells + i * width + j0;
        int32_t *row = cells + (i + 1) * width + j0, own[MOST];
        const uint8_t x = xs[i], *y = ys + j0;
#pragma omp simd
        for (int64_t j = 0; j < block; j++) own[j] = greater(above[j] + (x == y[j] ? 3 : -1), above[j + 1] - gap);
        int32_t left = row[0];
        for (int64_t j = 0; j < block; j++) {
            left = greater(own[j], left - gap);
            row[j + 1] = left;
        }
    }
}

static inline __attribute__((always_inline)) void table(int by_rows) {
    const int64_t p = n / block;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < width; i++) cells[i] = cells[i * width] = (int32_t)(-gap * i);
        for (int64_t d = 0; d < 2 * p - 1; d++) {
            const int64_t first = d < p ? 0 : d - p + 1, last = d < p ? d : p - 1;
#pragma omp for schedule(static)
            for (int64_t i = first; i <= last; i++) {
                if (by_rows) row_by_row(i * block, (d - i) * block);
                else cell_by_cell(i * block, (d - i) * block);
            }
        }
    }
}

static void cells_way(void) { table(0); }
static void rows_way(void) { table(1); }

static void check(void) { CHECKSUM(cells, width * width); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), block = argument(argc, argv, 2);
    if (block > MOST || n % block != 0) return 2;
    width = n + 1;
    cells = array((size_t)(width * width) * 4), xs = array((size_t)n), ys = array((size_t)n);
    for (int64_t i = 0; i < n; i++) xs[i] = (uint8_t)(hash(i) % 4), ys[i] = (uint8_t)(hash(i + 77) % 4);
    POISON(cells, width * width);
    measure("c", "cell by cell", cells_way, check);
    POISON(cells, width * width);
    measure("c", "row by row", rows_way, check);
}
