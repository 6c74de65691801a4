// Scores of alignments: one pair per thread at a time with one row of the table, cell by cell; or along anti-diagonals, whose cells do not depend on
// each other and fill vectors (the second sequence is turned round, so that both are read in order).
#include "peer.h"

static int64_t b, *xoff, *yoff, longest;
static uint8_t *xs, *ys;
static int32_t *out;

static inline int32_t most(int32_t p, int32_t q) { return p > q ? p : q; }

static int32_t by_cells(const uint8_t *x, int64_t n, const uint8_t *y, int64_t m, int32_t *row) {
    for (int64_t j = 0; j <= m; j++) row[j] = -(int32_t)j;
    for (int64_t i = 0; i < n; i++) {
        int32_t across = row[0], left = row[0] = -(int32_t)i - 1;
        for (int64_t j = 1; j <= m; j++) {
            const int32_t cell = most(across + (x[i] == y[j - 1] ? 3 : -1), most(row[j], left) - 1);
            across = row[j], left = row[j] = cell;
        }
    }
    return row[m];
}

/// Cell i of diagonal d is the one in row i and column d - i. Three diagonals are kept, one before the first element of each.
static int32_t by_diagonals(const uint8_t *x, int64_t n, const uint8_t *y, int64_t m, int32_t *room) {
    int32_t *two = room, *one = room + longest + 2, *now = one + longest + 2;
    uint8_t *turned = (uint8_t *)(now + longest + 2);
    for (int64_t j = 0; j < m; j++) turned[j] = y[m - 1 - j];
    one[0] = 0;
    if (n + m == 0) return 0;
    for (int64_t d = 1; d <= n + m; d++) {
        const int64_t lo = d > m ? d - m : 0, hi = d < n ? d : n, from = lo > 0 ? lo : 1, to = hi < d ? hi : d - 1;
        const uint8_t *restrict letters = turned + m - d;
        int32_t *restrict cells = now;
#pragma omp simd
        for (int64_t i = from; i <= to; i++) cells[i] = most(two[i - 1] + (x[i - 1] == letters[i] ? 3 : -1), most(one[i - 1], one[i]) - 1);
        if (lo == 0) now[0] = -(int32_t)d;
        if (hi == d) now[d] = -(int32_t)d;
        int32_t *swap = two;
        two = one, one = now, now = swap;
    }
    return one[n];
}

static inline __attribute__((always_inline)) void all(int32_t (*best)(const uint8_t *, int64_t, const uint8_t *, int64_t, int32_t *)) {
#pragma omp parallel
    {
        int32_t *room = malloc((size_t)(longest + 2) * 16);
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < b; k++) out[k] = best(xs + xoff[k], xoff[k + 1] - xoff[k], ys + yoff[k], yoff[k + 1] - yoff[k], room);
        free(room);
    }
}

static void cells(void) { all(by_cells); }
static void diagonals(void) { all(by_diagonals); }
static void check(void) { CHECKSUM(out, b); }

int main(int argc, char **argv) {
    const int equal = argc > 1 && !strcmp(argv[1], "equal");
    b = argument(argc, argv, 2);
    const int64_t n = argument(argc, argv, 3);
    longest = n;
    xoff = array((size_t)(b + 1) * 8), yoff = array((size_t)(b + 1) * 8), out = array((size_t)b * 4);
    xoff[0] = yoff[0] = 0;
    for (int64_t k = 0; k < b; k++) {
        xoff[k + 1] = xoff[k] + (equal ? n : hash(k) % (n + 1));
        yoff[k + 1] = yoff[k] + (equal ? n : hash(k + 77) % (n + 1));
    }
    xs = array((size_t)xoff[b] + 1), ys = array((size_t)yoff[b] + 1);
    for (int64_t k = 0; k < b; k++) {
        for (int64_t i = 0; i < xoff[k + 1] - xoff[k]; i++) xs[xoff[k] + i] = (uint8_t)(hash(5000 * k + i) % 4);
        for (int64_t i = 0; i < yoff[k + 1] - yoff[k]; i++) {
            const int64_t at = 5000 * k + i;
            ys[yoff[k] + i] = (uint8_t)(hash(hash(at + 777) % 8 == 0 ? at + 7777 : at) % 4);
        }
    }
    POISON(out, b);
    measure("c", "cell by cell", cells, check);
    POISON(out, b);
    measure("c", "along diagonals", diagonals, check);
}
