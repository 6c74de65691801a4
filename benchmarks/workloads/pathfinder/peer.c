// Cheapest ways: two rows that change roles, each row a loop by vectors. Threads share grids, or the columns of one grid with a barrier per row,
// or columns by blocks of rows: a thread computes as many columns more at each side as there are rows in a block, so that it
// meets the others only once per block.
#include "peer.h"

static int64_t b, n, m;
static int32_t *grids, *out, *first, *second;

static inline int32_t least(int32_t x, int32_t y) { return x < y ? x : y; }

/// Cells lo to hi of the next row.
static inline void row(const int32_t *restrict cost, const int32_t *restrict best, int32_t *restrict to, int64_t lo, int64_t hi) {
    if (lo == 0) to[0] = cost[0] + least(best[0], best[m > 1]);
#pragma omp simd
    for (int64_t j = lo > 1 ? lo : 1; j < (hi < m ? hi : m - 1); j++) to[j] = cost[j] + least(least(best[j - 1], best[j]), best[j + 1]);
    if (hi == m && m > 1) to[m - 1] = cost[m - 1] + least(best[m - 2], best[m - 1]);
}

static void over_grids(void) {
#pragma omp parallel
    {
        int32_t *room = malloc((size_t)m * 8);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < b; k++) {
            const int32_t *grid = grids + k * n * m, *best = grid;
            for (int64_t i = 1; i < n; i++) {
                int32_t *to = i == n - 1 ? out + k * m : room + i % 2 * m;
                row(grid + i * m, best, to, 0, m);
                best = to;
            }
            if (n == 1) memcpy(out + k * m, grid, (size_t)m * 4);
        }
        free(room);
    }
}

static void inside_grids(void) {
    for (int64_t k = 0; k < b; k++) {
        const int32_t *grid = grids + k * n * m;
#pragma omp parallel
        {
            const int64_t t = omp_get_thread_num(), threads = omp_get_num_threads(), lo = m * t / threads, hi = m * (t + 1) / threads;
            const int32_t *best = grid;
            for (int64_t i = 1; i < n; i++) {
                int32_t *to = i == n - 1 ? out + k * m : i % 2 ? first : second;
                row(grid + i * m, best, to, lo, hi);
                best = to;
#pragma omp barrier
            }
        }
        if (n == 1) memcpy(out + k * m, grid, (size_t)m * 4);
    }
}

enum { ROWS = 16, WIDTH = 4096 };

static void by_blocks(void) {
    for (int64_t k = 0; k < b; k++) {
        const int32_t *grid = grids + k * n * m, *best = grid;
        if (n == 1) memcpy(out + k * m, grid, (size_t)m * 4);
        for (int64_t i = 1; i < n; i += ROWS) {
            const int64_t rows = n - i < ROWS ? n - i : ROWS;
            int32_t *to = i + rows == n ? out + k * m : i / ROWS % 2 ? first : second;
#pragma omp parallel for schedule(static)
            for (int64_t from = 0; from < m; from += WIDTH) {
                int32_t kept[2][WIDTH + 2 * ROWS + 2];
                const int64_t end = from + WIDTH < m ? from + WIDTH : m;
                const int64_t left = from > ROWS ? from - ROWS - 1 : 0;
                const int32_t *last = best;
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t more = rows - 1 - r, lo = from > more ? from - more : 0, hi = end + more < m ? end + more : m;
                    int32_t *next = r == rows - 1 ? to : kept[r % 2] - left;
                    row(grid + (i + r) * m, last, next, lo, hi);
                    last = next;
                }
            }
            best = to;
        }
    }
}

static void check(void) { CHECKSUM(out, b * m); }

int main(int argc, char **argv) {
    b = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    grids = array((size_t)(b * n * m) * 4), out = array((size_t)(b * m) * 4), first = array((size_t)m * 4), second = array((size_t)m * 4);
#pragma omp parallel for
    for (int64_t i = 0; i < b * n * m; i++) grids[i] = (int32_t)(hash(i) % 10);
    POISON(out, b * m);
    measure("c", "over grids", over_grids, check);
    POISON(out, b * m);
    measure("c", "columns, a barrier per row", inside_grids, check);
    POISON(out, b * m);
    measure("c", "columns by blocks of rows", by_blocks, check);
}
